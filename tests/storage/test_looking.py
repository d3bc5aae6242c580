"""A database is looked at from outside: whoever has it, and leaving nothing behind."""

from __future__ import annotations

import asyncio
import errno
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from bot.locale import text
from bot.storage import SqlStore, StoreTooNew, engines, look, looking
from bot.storage.files import StoreDamaged, StoreEmpty, StoreForeign
from bot.storage.probe import StoreNoRoom
from bot.tables.ports import StoreUnopened, StoreUnusable
from tests.postgresql import fresh_database

from .conftest import Opener


def address(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_one_that_a_store_has_is_seen_as_it_is(open_store: Opener) -> None:
    await open_store()
    seen = await look(open_store.url)  # type: ignore[attr-defined]
    assert (seen.there, seen.missing) == (True, 0)
    assert (seen.kind == "sqlite") == (seen.file is not None) == (seen.size > 0)


async def test_one_that_nobody_has_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    seen = await look(address(path))
    assert (seen.there, names(tmp_path)) == (False, [])
    store = await SqlStore.open(address(path))
    await store.close()
    before = names(tmp_path)
    seen = await look(address(path))
    assert (seen.there, seen.missing, seen.log) == (True, 0, 0)
    assert names(tmp_path) == before


async def test_looking_takes_no_locks_from_a_store_of_the_same_process(tmp_path: Path) -> None:
    """The system gives up all that a process has on a file when that process closes it anywhere. Another one
    that comes and goes would think that nobody is there, and take the log away that is written to."""
    path = tmp_path / "parlour.db"
    store = await SqlStore.open(address(path))
    await store.set_user(1, {})
    await look(address(path))
    other = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM users').fetchall()"
    process = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", other, str(path))
    assert await process.wait() == 0
    assert "parlour.db-wal" in names(tmp_path)
    await store.close()


async def test_the_log_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    store = await SqlStore.open(address(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other AS SELECT zeroblob(100000) AS x")
        connection.commit()
        assert (await look(address(path))).log > 100_000
    await store.close()


async def test_older_newer_and_foreign_ones_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    store = await SqlStore.open(address(path))
    await store.close()

    def write(statement: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()

    write("UPDATE alembic_version SET version_num = '0001'")
    assert (await look(address(path))).missing >= 3
    write("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreTooNew):
        await look(address(path))
    write("DROP TABLE alembic_version")
    with pytest.raises(StoreForeign):
        await look(address(path))
    path.write_text("no database, whatever its name may say")
    with pytest.raises(StoreForeign):
        await look(address(path))
    path.write_text("")
    with pytest.raises(StoreEmpty):
        await look(address(path))


@pytest.mark.parametrize("harm", ["a page", "the end"])
async def test_a_damaged_one_is_told_as_that(harm: str, tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    store = await SqlStore.open(address(path))
    await store.close()
    held = bytearray(path.read_bytes())
    path.write_bytes(
        held[: len(held) // 2] if harm == "the end" else held[:8192] + b"x" * 4096 + held[12288:]
    )
    with pytest.raises(StoreDamaged):
        await look(address(path))


async def test_what_is_written_to_meanwhile_is_not_told_as_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at a database that nobody has goes by no locks: a bot may be started meanwhile."""
    path, link = tmp_path / "parlour.db", tmp_path / "link.db"
    link.symlink_to(path)
    stores = [await SqlStore.open(address(path))]
    await stores[0].close()
    read = looking._revision

    def torn(path: Path, *, lonely: bool, whole: bool) -> str | None:
        if not lonely:
            return read(path, lonely=lonely, whole=whole)
        path.with_name(f"{path.name}-wal").touch()
        raise StoreDamaged("damaged", path=str(path), why="torn")

    monkeypatch.setattr(looking, "_revision", torn)
    assert (await look(address(link))).missing == 0


@pytest.mark.parametrize("opened", [look, SqlStore.open], ids=["looked at", "opened"])
async def test_a_server_that_takes_connections_and_says_nothing_does_not_answer(
    opened: Callable[[str], Awaitable[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "CONNECTED", 0.05)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        with pytest.raises(engines.StoreNoServer):
            await opened(f"postgresql+asyncpg://me:hunter2@127.0.0.1:{port}/nothing")


@pytest.mark.parametrize("opened", [look, SqlStore.open], ids=["looked at", "opened"])
@pytest.mark.parametrize(
    ("part", "value", "error"),
    [("database", "nowhere", engines.StoreNoDatabase), ("username", "nobody", engines.StoreNotAdmitted)],
)
async def test_what_a_server_refuses_is_told_apart(
    part: str, value: str, error: type[Exception], opened: Callable[[str], Awaitable[object]], postgresql: str
) -> None:
    url = make_url(postgresql).set(drivername="postgresql+asyncpg").set(**{part: value})  # type: ignore[arg-type]
    with pytest.raises(error):
        await opened(url.render_as_string(hide_password=False))


@pytest.mark.parametrize("opened", [look, SqlStore.open], ids=["looked at", "opened"])
async def test_a_user_who_may_make_no_tables_is_told(
    opened: Callable[[str], Awaitable[object]], postgresql: str
) -> None:
    """As where the server's own user has made the database (PostgreSQL 15 and newer)."""
    name = f"guest of {opened.__name__}"
    url = make_url(await fresh_database(postgresql, name))
    mine = url.set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(mine)
    await connection.execute(f'CREATE ROLE "{name}" LOGIN')
    await connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    await connection.close()
    guest = url.set(username=name).render_as_string(hide_password=False)
    with pytest.raises(engines.StoreNoGrant):
        await opened(guest)


@pytest.mark.parametrize("opened", [look, SqlStore.open], ids=["looked at", "opened"])
async def test_tables_of_another_user_are_told(
    opened: Callable[[str], Awaitable[object]], postgresql: str
) -> None:
    """As after a restore by the server's own user."""
    name = f"heir of {opened.__name__}"
    url = make_url(await fresh_database(postgresql, name, migrated=True))
    connection = await asyncpg.connect(url.set(drivername="postgresql").render_as_string(hide_password=False))
    await connection.execute(f'CREATE ROLE "{name}" LOGIN')
    await connection.execute(f'GRANT CREATE ON SCHEMA public TO "{name}"')
    await connection.close()
    with pytest.raises(engines.StoreNoGrant) as caught:
        await opened(url.set(username=name).render_as_string(hide_password=False))
    for language in ("en", "de"):
        assert "REASSIGN OWNED" in text(language, caught.value.key, **caught.value.data)


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ("3D000", engines.StoreNoDatabase),
        ("28P01", engines.StoreNoEntry),
        ("28000", engines.StoreNotAdmitted),
        ("53100", StoreNoRoom),
        ("XX000", StoreUnopened),
    ],
)
def test_a_server_s_refusal_is_told_by_its_state(state: str, error: type[StoreUnusable]) -> None:
    cause = Exception("hunter2")
    cause.sqlstate = state  # type: ignore[attr-defined]
    found = engines.unopened(DBAPIError("", {}, cause))
    assert type(found) is error
    for language in ("en", "de"):
        assert "hunter2" not in text(language, found.key, **found.data)


REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "hunter2")


@pytest.mark.parametrize(
    ("cause", "error"),
    [
        (socket.gaierror(-2, "hunter2"), engines.StoreNoHost),
        (REFUSED, engines.StoreNoServer),
        (OSError("Multiple exceptions: hunter2, hunter2"), engines.StoreNoServer),  # ::1 and 127.0.0.1, say
        (ExceptionGroup("hunter2", [REFUSED, REFUSED]), engines.StoreNoServer),
        (ConnectionError("hunter2 rejected SSL upgrade"), engines.StoreNotAdmitted),  # as asyncpg says it
        (ConnectionError("unexpected connection_lost() call"), engines.StoreNoServer),  # of who hangs up
        (OSError(errno.EIO, "hunter2"), StoreUnopened),
    ],
)
def test_whether_anything_answers_is_told(cause: Exception, error: type[StoreUnusable]) -> None:
    found = engines.unopened(cause)
    assert type(found) is error
    assert "hunter2" not in f"{found} {found.data}"


async def test_of_a_file_it_is_not_said_that_no_server_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may lie on a disk in the network."""

    def late(*_: object) -> int:
        raise TimeoutError(errno.ETIMEDOUT, "hunter2")

    monkeypatch.setattr("bot.storage.files.ready", late)
    with pytest.raises(StoreUnopened) as caught:
        await SqlStore.open(address(tmp_path / "parlour.db"))
    assert type(caught.value) is StoreUnopened


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("postgresql+asyncpg://me:hunter2@127.0.0.1:1/nothing", engines.StoreNoServer),
        ("mysql://me:hunter2@db/x", engines.StoreNoKind),
        ("nonsense", engines.StoreNoAddress),
        ("postgresql+asyncpg://me:a@b:hunter2@127.0.0.1/x", engines.StoreNoAddress),
        ("sqlite+aiosqlite:///", engines.StoreNoFile),
        ("sqlite+aiosqlite:///:memory:", engines.StoreNoFile),
        ("sqlite+aiosqlite://data/parlour.db", engines.StoreSlashes),
        ("postgresql+asyncpg://me:hunter2@/x?host=/missing/folder", engines.StoreNoServer),
    ],
)
async def test_what_cannot_be_opened_is_told_without_its_address(
    url: str, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as caught:
        await look(url)
    assert "hunter2" not in f"{caught.value} {vars(caught.value)}"
