"""What went wrong, in words a player understands."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from typing import cast

import discord
from discord import app_commands

from bot.locale import DEFAULT, keys
from bot.rules.errors import RulesError
from bot.rules.game import Say
from bot.tables.ports import ChannelNotAllowed, Refusal, StoreTrouble

log = logging.getLogger(__name__)


class Outdated(Exception):
    """A control that matches nothing current. key: catalogue key of what to say about it."""

    def __init__(self, key: str = "error.outdated") -> None:
        super().__init__(key)
        self.key = key


class Denied(Exception):
    """Something this person, or the bot, may not do here. key and data: what to say."""

    def __init__(self, key: str, **data: object) -> None:
        super().__init__(key, data)
        self.key = key
        self.data = data


def explain(error: BaseException, say: Say) -> str | None:
    """The text for an error that is part of playing; None for a fault of ours."""
    match error:
        case ChannelNotAllowed():
            allowed = cast("Sequence[int]", error.data["channels"])
            channels = ", ".join(f"<#{channel}>" for channel in allowed)
            return say(error.key, channels=channels)
        case Refusal():
            return say(error.key, **error.data)
        case RulesError():
            return say(error.key, **{name: _named(error, name, say) for name in error.data})
        case Outdated() | StoreTrouble():
            return say(error.key)
        case Denied():
            return say(error.key, **error.data)
        case app_commands.CommandInvokeError():
            return explain(error.original, say)
        case app_commands.NoPrivateMessage():
            return say("error.server_only")
        case app_commands.MissingPermissions():
            return say("error.not_allowed")
        case app_commands.CommandOnCooldown():
            return say("error.slow_down")
        case app_commands.TransformerError():
            return say("error.value")
        case app_commands.CommandNotFound() | app_commands.CommandSignatureMismatch():
            return say("error.outdated_command")
    return None


def _named(error: RulesError, place: str, say: Say) -> object:
    """A value of an error's text; by its name where the game has one for it (a colour's letter, say)."""
    key = f"{error.game}.text.{place}.{error.data[place]}"
    return say(key) if key in keys(DEFAULT) else error.data[place]


def reference(error: BaseException, where: str) -> str:
    """Log a fault of ours under a short number, which the player is told, and return that number.

    where: command or verb; never what was hidden in it. The traceback carries no locals, so no secret of a
    table.
    """
    number = secrets.token_hex(4)
    log.error("fault %s in %s", number, where, exc_info=error)
    return number


def is_fault(error: BaseException) -> bool:
    """Whether nothing in `explain` covers it."""
    if isinstance(error, app_commands.CommandInvokeError):
        return is_fault(error.original)
    return not isinstance(
        error,
        Refusal
        | RulesError
        | Outdated
        | Denied
        | StoreTrouble
        | app_commands.NoPrivateMessage
        | app_commands.MissingPermissions
        | app_commands.CommandOnCooldown
        | app_commands.TransformerError
        | app_commands.CommandNotFound
        | app_commands.CommandSignatureMismatch
        | discord.DiscordServerError,
    )
