"""Typed settings from the environment (and a `.env` file in the working directory).

Every setting is explained in `.env.example`; a test holds the two together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot import backups

DATABASE = "parlour.db"  # the SQLite file in the data folder


class Settings(BaseSettings):
    """What a host can set. Raises pydantic.s ValidationError on a bad value."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore")

    discord_token: SecretStr | None = Field(default=None)
    """The bot's token. Without it the playground opens."""

    data_dir: Path = Field(default=Path("data"))
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

    parlour_backups: str = Field(default="", pattern=rf"^({backups.PATTERN})?$")
    """How often the running bot backs itself up, and how many it keeps: `daily:7`. Empty: never."""

    @field_validator("discord_token", "database_url", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        """An empty line in `.env` means "not set"."""
        return None if isinstance(value, str) and not value.strip() else value

    @property
    def backup_folder(self) -> Path:
        """Where backups lie unless another place is named."""
        return self.data_dir / backups.FOLDER

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


def faults(error: ValidationError) -> list[tuple[str, str]]:
    """(NAME, what is wrong) for each bad setting, without the value: it may be a secret."""
    return [
        (".".join(str(part) for part in fault["loc"]).upper(), str(fault["msg"]))
        for fault in error.errors(include_input=False, include_url=False)
    ]
