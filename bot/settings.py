"""Typed settings from the environment (and a `.env` file in the working directory).

Every setting is explained in `.env.example`; a test holds the two together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot import backups

DATA = Path("data")
DATABASE = "parlour.db"  # the SQLite file in the data folder
MOST_SHARDS = 16_384


class Settings(BaseSettings):
    """What a host can set. Raises pydantic.s ValidationError on a bad value."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore")

    discord_token: SecretStr | None = Field(default=None)
    """The bot's token. Without it the playground opens."""

    data_dir: Path = Field(default=DATA)
    """Where the database, its lock and the log of synced commands lie."""

    database_url: SecretStr | None = Field(default=None)
    """`sqlite:///…` or `postgresql://user:password@host/name`. Default: `parlour.db` in the data folder."""

    parlour_language: Literal["en", "de"] = Field(default="en")
    """Language of public texts where a server has chosen none and Discord tells none."""

    parlour_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO")
    """Level of our own loggers; libraries never log more than INFO (see `logs`)."""

    parlour_workers: int = Field(default=2, ge=1, le=16)
    """Threads that draw pictures."""

    parlour_sync_commands: bool = Field(default=True)
    """Whether the bot registers its slash commands when they have changed."""

    parlour_members_intent: bool = Field(default=False)
    """Whether to ask Discord for the privileged members intent, so that who leaves the server is known at
    once. Without it this is found out when their time runs out or a direct message fails."""

    parlour_backups: str = Field(default="")
    """How often the running bot backs itself up, and how many it keeps: `daily:7`. Empty: never."""

    parlour_health_port: int | None = Field(default=None, ge=1, le=65535)
    """Port on this computer's loopback for `/livez`, `/readyz`, `/healthz` and `/metrics`. Empty: none."""

    shard_count: int | None = Field(default=None, ge=1, le=MOST_SHARDS)
    """Into how many shards Discord is to divide the servers. None: one, all of them."""

    shard_ids: Annotated[tuple[int, ...] | None, NoDecode] = Field(default=None)
    """The shards that this process serves, written as `0,2` or `0-3`. None: all of them."""

    parlour_take_over: bool = Field(default=False)
    """Whether another process that serves these shards is asked to stop and hand them over."""

    @field_validator("parlour_backups")
    @classmethod
    def _schedule_understood(cls, value: str) -> str:
        try:
            backups.schedule(value)
        except ValueError:
            raise ValueError(
                "give how often and how many to keep: hourly:24, daily:7 or weekly:8, say"
            ) from None
        return value

    @field_validator("shard_ids", mode="before")
    @classmethod
    def _shards_listed(cls, value: object) -> object:
        """`0,2` and `0-3`, also together."""
        return tuple(_listed(value)) if isinstance(value, str) else value

    # Of validators that come before, the one written last comes first.
    @field_validator(
        "discord_token", "database_url", "shard_count", "shard_ids", "parlour_health_port", mode="before"
    )
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        """An empty line in `.env` means "not set"."""
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("data_dir", mode="before")
    @classmethod
    def _empty_is_usual(cls, value: object) -> object:
        """Never the folder that the bot happens to be started in."""
        return DATA if isinstance(value, str) and not value.strip() else value

    @field_validator("shard_ids")
    @classmethod
    def _shards_exist(cls, value: tuple[int, ...] | None, info: ValidationInfo) -> tuple[int, ...] | None:
        if value is None or "shard_count" not in info.data:  # which is wrong itself, and told
            return value
        count = info.data["shard_count"]
        if count is None:
            raise ValueError("SHARD_COUNT has to be set too, to the same number for every process")
        if not value or not all(0 <= one < count for one in value):
            raise ValueError(f"with SHARD_COUNT={count} the shards are 0 to {count - 1}")
        return tuple(sorted(value))

    @property
    def shards(self) -> tuple[int, ...]:
        """Those that this process serves, in order; the one and only where nothing is set."""
        return self.shard_ids or tuple(range(self.shard_count or 1))

    @property
    def backup_folder(self) -> Path:
        """Where backups lie unless another place is named."""
        return self.data_dir / backups.FOLDER

    @property
    def makes_backups(self) -> bool:
        """Whether it is this process that makes them, of several: that of the first shard."""
        return self.backup_schedule is not None and 0 in self.shards

    @property
    def backup_schedule(self) -> backups.Schedule | None:
        return backups.schedule(self.parlour_backups)

    @property
    def database(self) -> str:
        """The database's address for SQLAlchemy's asyncio drivers. Holds the password: never log it."""
        if self.database_url is None:
            from sqlalchemy import URL  # only who opens the database needs it

            made = URL.create("sqlite+aiosqlite", database=str(self.data_dir / DATABASE))
            return made.render_as_string(hide_password=False)
        return with_driver(self.database_url.get_secret_value())


def with_driver(address: str) -> str:
    """A database's address as people write it, for SQLAlchemy's asyncio drivers."""
    given = address.strip()
    for plain, driver in (
        ("sqlite://", "sqlite+aiosqlite://"),
        ("postgresql://", "postgresql+asyncpg://"),
        ("postgres://", "postgresql+asyncpg://"),
    ):
        if given.startswith(plain):
            return driver + given.removeprefix(plain)
    return given


def _listed(text: str) -> list[int]:
    """The numbers of a list such as `0-3,6`. Raises ValueError."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,5})\s*(?:-\s*([0-9]{1,5})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise ValueError("give the shards as numbers and ranges, such as 0,2 or 0-3")
        found += range(first, last + 1)
    for one, number in Counter(found).items():
        if number > 1:  # of another process, more likely than meant
            raise ValueError(f"{one} is named twice")
    return found


def faults(error: ValidationError) -> list[tuple[str, str]]:
    """(NAME, what is wrong) for each bad setting, without the value: it may be a secret."""
    return [
        (".".join(str(part) for part in fault["loc"]).upper(), _words(dict(fault)))
        for fault in error.errors(include_input=False, include_url=False)
    ]


def _words(fault: Mapping[str, Any]) -> str:
    """Of our own validators' errors without what pydantic puts before them."""
    return str(fault["ctx"]["error"] if fault["type"] == "value_error" else fault["msg"])
