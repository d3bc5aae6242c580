"""Parlour: five tabletop games for the members of a Discord server."""

__version__ = "0.1.0"
