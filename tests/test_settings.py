"""Settings: typed, told clearly, and explained one by one in `.env.example`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.settings import Settings, faults

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


def test_everything_has_a_default() -> None:
    settings = Settings()
    assert settings.discord_token is None
    assert settings.database == "sqlite+aiosqlite:///data/parlour.db"


def test_an_empty_data_folder_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never the folder the bot is started in, which would be made private."""
    monkeypatch.setenv("DATA_DIR", " ")
    assert Settings().data_dir == Path("data")


def test_the_example_explains_every_setting_and_its_default(tmp_path: Path) -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", example, re.MULTILINE))
    assert set(given) == {name.upper() for name in Settings.model_fields}
    for name in given:
        before = example.split(f"\n{name}=")[0].rsplit("\n\n", 1)[-1]
        assert before.lstrip().startswith("#"), name
    (tmp_path / ".env").write_text(example, "utf-8")
    assert Settings() == Settings(_env_file=None)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("sqlite:///games.db", "sqlite+aiosqlite:///games.db"),
        ("postgresql://ann:pw@db/parlour", "postgresql+asyncpg://ann:pw@db/parlour"),
        ("postgres://ann:pw@db/parlour", "postgresql+asyncpg://ann:pw@db/parlour"),
        ("postgresql+asyncpg://db/parlour", "postgresql+asyncpg://db/parlour"),
    ],
)
def test_a_database_address_gets_its_driver(
    given: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", given)
    assert Settings().database == address


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "hush-token")
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:hush-word@db/parlour")
    assert "hush" not in repr(Settings())


def test_a_bad_value_is_named_and_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_WORKERS", "hush")
    with pytest.raises(ValidationError) as caught:
        Settings()
    ((name, why),) = faults(caught.value)
    assert name == "PARLOUR_WORKERS"
    assert "hush" not in why


@pytest.mark.parametrize(
    ("count", "listed", "served"),
    [
        (None, None, (0,)),
        ("4", None, (0, 1, 2, 3)),
        ("4", "0,2", (0, 2)),
        ("4", "1-3", (1, 2, 3)),
        ("8", "7, 0-2", (0, 1, 2, 7)),
        ("", "", (0,)),
    ],
)
def test_shards_are_listed_one_by_one_and_in_ranges(
    count: str | None, listed: str | None, served: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SHARD_COUNT", count), ("SHARD_IDS", listed)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert Settings().shards == served


@pytest.mark.parametrize(
    ("count", "listed", "told"),
    [
        (None, "0", "SHARD_COUNT has to be set"),
        ("2", "2", "the shards are 0 to 1"),
        ("4", "3-1", "such as 0,2 or 0-3"),
        ("4", "all", "such as 0,2 or 0-3"),
        ("4", "0,,1", "such as 0,2 or 0-3"),
        ("4", "\u0660,\u0661", "such as 0,2 or 0-3"),
        ("4", "0,0", "0 is named twice"),
        ("4", "0-2,1", "1 is named twice"),
    ],
)
def test_shards_that_there_are_not_are_refused(
    count: str | None, listed: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARD_IDS", listed)
    if count is not None:
        monkeypatch.setenv("SHARD_COUNT", count)
    with pytest.raises(ValidationError) as caught:
        Settings()
    ((name, why),) = faults(caught.value)
    assert name == "SHARD_IDS"
    assert told in why
    assert "Value error" not in why


@pytest.mark.parametrize("given", ["daily", "daily:0", "monthly:3", "hush:7"])
def test_a_wrong_schedule_is_told_by_examples(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_BACKUPS", given)
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert faults(caught.value) == [
        ("PARLOUR_BACKUPS", "give how often and how many to keep: hourly:24, daily:7 or weekly:8, say")
    ]
