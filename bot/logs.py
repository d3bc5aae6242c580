"""The log: where it goes, at which level, and what never gets into it.

`PARLOUR_LOG_LEVEL` is the level of our own loggers. Libraries stay at INFO or above: at DEBUG they write
whole requests, gateway payloads and statements, and with them hands, seeds and tokens. What an exception or a
library says in its own words may hold such things at any level (`KeyError: 'R7'`, a button's label), so those
words are written only where they are known to come from Discord, the system or the interpreter.
"""

from __future__ import annotations

import copy
import logging
import sqlite3
import traceback
from types import TracebackType
from typing import TextIO

import discord
from sqlalchemy.exc import DBAPIError

OURS = ("bot", "cogs", "rendering")
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Loggers whose records show what they are about by `repr`: a control with its label, a task with its result.
SPEAKING = ("asyncio", "discord.ui")
LONGEST = 300  # characters of an exception's words

Caught = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def set_up(level: str, stream: TextIO | None = None) -> None:
    """Log to `stream` (standard error), our own loggers at `level`. A process whose log is set up already
    keeps its handlers and has its levels set."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Discreet(FORMAT))
    logging.basicConfig(handlers=[handler])
    logging.getLogger().setLevel(max(logging.INFO, logging.getLevelNamesMapping()[level]))
    for name in OURS:
        logging.getLogger(name).setLevel(level)


class Discreet(logging.Formatter):
    """Writes tracebacks without the words of exceptions that may carry a secret, and records of libraries
    that show objects without these."""

    def format(self, record: logging.LogRecord) -> str:
        record = copy.copy(record)  # other handlers keep theirs
        record.exc_text = None  # whatever another formatter made of it
        if any(record.name == name or record.name.startswith(f"{name}.") for name in SPEAKING):
            record.msg, record.args = str(record.msg).partition("\n")[0], ()
        return super().format(record)

    def formatException(self, ei: Caught) -> str:
        return "" if ei[1] is None else "".join(_told(ei[1], set())).rstrip("\n")


def _told(error: BaseException, told: set[int]) -> list[str]:
    """The lines of a traceback, of what caused it first."""
    told.add(id(error))
    lines: list[str] = []
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in told:
        lines += _told(before, told)
        lines.append("\nThen:\n\n")
    if error.__traceback__ is not None:
        lines += ["Traceback (most recent call last):\n", *traceback.format_tb(error.__traceback__)]
    lines.append(f"{name(error)}{words(error)}\n")
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            if id(part) not in told:
                lines += _told(part, told)
    return lines


def name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def words(error: BaseException) -> str:
    """What may be logged of an exception's own words, with a colon before it; "" where that is nothing."""
    match error:
        case discord.HTTPException():
            said = f"{error.status} {error.code}"
        case DBAPIError() if error.orig is not None:
            said = f"{name(error.orig)}{words(error.orig)}"
        case sqlite3.Error():  # names tables and columns, never values
            said = str(error)
        case OSError():
            said = error.strerror or ""
        case TypeError() | AttributeError() | NameError() | ImportError() | RecursionError():
            said = str(error)
        case _:
            # PostgreSQL's words hold whole rows; its code says as much, and so does that of a refusal.
            code = getattr(error, "sqlstate", None) or getattr(error, "code", None)
            said = code if isinstance(code, str) else ""
    said = " ".join(said.split())[:LONGEST]
    return f": {said}" if said else ""
