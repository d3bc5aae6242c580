"""The bot as a process of its own against a loopback double of Discord's wire."""
