"""The command line: `python -m bot`, or `parlour` where it is installed.

Exit codes: 0 done; 1 something that was looked at is wrong (a record, a taken port); 2 the command
cannot be carried out as given; 130 interrupted. What is heavy (Discord, the database, pictures) is
imported by the command that needs it.
"""

from __future__ import annotations

import argparse
import errno
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bot import __version__
from bot.bench import CONTESTANTS, DATABASES, EVERYTHING, TAPS, Options
from bot.bench import NAMES as BENCHES
from bot.bench import USUAL as USUAL_BENCHES
from bot.locale import sayer
from bot.rules import record as records
from bot.rules.chance import Generator, child_seed
from bot.rules.errors import RulesError
from bot.rules.game import AnyGame, AnyState, Event, Option, OptionValue
from bot.rules.record import Fault, Record, RecordError
from bot.rules.registry import GAME_IDS, GAMES, game
from bot.tables.model import THEMES
from bot.verifying import Verification, fault_line, verification_line, verify

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.storage.backup import Manifest

DONE, WRONG, USAGE, INTERRUPTED = 0, 1, 2, 130
LONGEST = 300  # characters shown of a text that came from outside

_say = sayer("en")


class _Refused(Exception):
    """The command cannot be carried out as given; carries the line that says why."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(_say(key, **{name: _plain(value) for name, value in values.items()}))


def _plain(value: object) -> object:
    """A value for a text's place, on one line: what came from outside is cut, and what does not print is
    shown as an escape."""
    if not isinstance(value, str):
        return value
    cut = value if len(value) <= LONGEST else value[:LONGEST] + "…"
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in cut
    )


class _Unwritten(Exception):
    """Standard output takes nothing (a full disk, say)."""


def _print(line: str) -> None:
    """Raises _Unwritten, BrokenPipeError."""
    _write(line + "\n")


def _write(text: str) -> None:
    """Raises _Unwritten, BrokenPipeError."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _Unwritten(error.strerror or type(error).__name__) from error


def _flush() -> None:
    """Raises _Unwritten, BrokenPipeError."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _Unwritten(error.strerror or type(error).__name__) from error


def _silence() -> None:
    """Nothing more may be written to standard output, at exit neither."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(line: str) -> None:
    sys.stderr.write(line + "\n")


# --------------------------------------------------------------------------- selfplay


def _option_value(option: Option | None, text: str) -> OptionValue:
    """The value a command line's text stands for; the text itself where it is none of that kind, which
    the game's own check then refuses by name."""
    if option is not None and option.kind == "flag":
        return {"true": True, "false": False}.get(text, text)
    if option is not None and option.kind == "number" and re.fullmatch("0|[1-9][0-9]{0,8}", text):
        return int(text)
    return text


def _options(rules: AnyGame, given: Sequence[str]) -> dict[str, OptionValue]:
    known = {option.name: option for option in rules.option_list}
    values: dict[str, OptionValue] = {}
    for item in given:
        name, equals, text = item.partition("=")
        if not equals:
            raise _Refused("cli.selfplay.option_form", given=item)
        if name in values:
            raise _Refused("cli.selfplay.option_twice", option=name)
        values[name] = _option_value(known.get(name), text)
    return values


def selfplay(
    rules: AnyGame,
    players: int,
    seed: str,
    options: Mapping[str, OptionValue],
    *,
    legal: bool = False,
    computer: bool = False,
) -> Record:
    """One whole game, the same for the same arguments.

    Who acts, where several may, and random moves come from the seed's stream `moves`, chance from `event:n`;
    computer players draw from a child seed, `player:n`, n being the event's index. legal: keep each
    decision's full legal list, where it can be listed. Raises SetupError.
    """
    state = rules.start(players, options)
    moves = Generator(seed, "moves")
    events: list[Event] = []
    lists: dict[int, tuple[str, ...]] = {}
    while state.outcome() is None:
        index = len(events)
        if state.chance_due():
            event = state.draw(Generator(seed, f"event:{index}"))
        else:
            seat = moves.choice(state.actors())
            if legal and state.lists(seat):
                lists[index] = tuple(state.legal(seat))
            move = _computer(state, seat, seed, index) if computer else state.random_move(seat, moves)
            event = Event("move", move, seat)
        state.apply(event)
        events.append(event)
    written = rules.written_options(players, state.options)
    return Record(
        rules.id,
        players,
        written,
        seed,
        tuple(events),
        state.outcome(),
        lists,
        records.written_version(rules),
    )


def _computer(state: AnyState, seat: int, seed: str, index: int) -> str:
    from bot.players import choose

    chance = Generator(child_seed(seed, f"player:{index}"), "choice")
    return choose(state.game.id, state.view(seat), chance)


def _selfplay(arguments: argparse.Namespace) -> int:
    rules = game(arguments.game)
    seed = arguments.seed
    try:
        seed.encode()
    except UnicodeEncodeError as error:
        raise _Refused("cli.selfplay.seed") from error
    players = rules.min_seats if arguments.players is None else arguments.players
    try:
        record = selfplay(
            rules,
            players,
            seed,
            _options(rules, arguments.option),
            legal=arguments.legal,
            computer=arguments.play == "computer",
        )
    except RulesError as error:
        raise _Refused(error.key, **error.data) from error
    _write(records.dumps(record))
    return DONE


# --------------------------------------------------------------------------- verify


def _read_bytes(name: str) -> bytes:
    """The bytes of a file (`-`: standard input), one more than a record may have at most. Raises OSError."""
    if name == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return sys.stdin.buffer.read(records.MOST_BYTES + 1)
    with Path(name).open("rb") as file:
        return file.read(records.MOST_BYTES + 1)


def _verification(name: str) -> Verification:
    try:
        return verify(_read_bytes(name))
    except OSError as error:
        why = {"why": error.strerror or type(error).__name__}
        return Verification(Fault("header", None, "record.unopened", why))


def _verify(arguments: argparse.Namespace) -> int:
    code = DONE
    for name in arguments.files:
        found = _verification(name)
        if found.fault is not None:
            code = WRONG
        _print(verification_line(_plain(name), found, _plain, _say))
    return code


# --------------------------------------------------------------------------- picture


def _picture(arguments: argparse.Namespace) -> int:
    try:
        record = records.read(_read_bytes(arguments.file))
    except OSError as error:
        raise _Refused("cli.picture.unopened", file=arguments.file, why=error.strerror or "") from error
    except RecordError as error:
        _complain(fault_line(_plain(arguments.file), error.fault, _plain, _say))
        return WRONG
    if arguments.at is not None and arguments.at > len(record.events):
        raise _Refused("cli.picture.at", given=arguments.at, most=len(record.events))
    if arguments.seat is not None and arguments.seat >= record.players:
        raise _Refused("cli.picture.seat", given=arguments.seat, most=record.players - 1)
    if arguments.out is None and not arguments.text:
        raise _Refused("cli.picture.out_needed")
    view = records.replay(record, arguments.at).view(arguments.seat)
    names = tuple(_say("cli.picture.player", number=seat + 1) for seat in range(record.players))
    if arguments.text:
        _print(record.rules.board_text(view, names, _say))
    if arguments.out is None:
        return DONE

    from rendering.scene import Scene
    from rendering.theme import THEMES as PALETTES

    drawing = import_module(GAMES[record.game].pictures)
    scene = Scene(names, _say, theme=PALETTES[arguments.theme])
    own = drawing.hand_pictures(view, scene) if arguments.seat is not None else ()
    for number, picture in enumerate(own or drawing.table_pictures(view, scene), 1):
        out = Path(arguments.out)
        if number > 1:  # what Discord shows below it stands beside it: board-2.png
            out = out.with_name(f"{out.stem}-{number}{out.suffix}")
        try:
            out.write_bytes(picture.png)
        except OSError as error:
            raise _Refused("cli.picture.unwritten", file=str(out), why=error.strerror or "") from error
        if number > 1:
            _print(_say("cli.picture.more", file=str(out)))
    return DONE


# --------------------------------------------------------------------------- run, playground, migrate


def _settings() -> Settings:
    from pydantic import ValidationError

    from bot.settings import Settings, faults

    try:
        return Settings()
    except ValidationError as error:
        lines = [f"{name}: {why}" for name, why in faults(error)]
        raise _Refused("cli.settings", faults="; ".join(lines)) from None


def _run(arguments: argparse.Namespace) -> int:
    settings = _settings()
    if settings.discord_token is None:
        raise _Refused("cli.run.no_token")
    from bot.client import run

    return run(settings)


def _playground(arguments: argparse.Namespace) -> int:
    _settings()
    try:
        import_module("simcord.preview")
    except ImportError as error:
        raise _Refused("cli.playground.missing", name=error.name or "simcord") from error
    from bot.playground import main as playground

    return playground(arguments.port)


def _migrate(arguments: argparse.Namespace) -> int:
    settings = _settings()
    if arguments.source is not None or arguments.target is not None:
        return _move(arguments, settings)
    from bot.storage import migrate
    from bot.tables.ports import StoreUnusable

    try:
        applied = migrate(settings)
    except StoreUnusable as error:
        raise _Refused(error.key, **error.data) from error
    _print(_say("cli.migrate.done", n=applied))
    return DONE


def _move(arguments: argparse.Namespace, settings: Settings) -> int:
    """One of both may be left out: it is the database that the settings name."""
    from bot.settings import with_driver
    from bot.storage.restoring import How, move

    def address(given: str | None) -> str:
        return settings.database if given is None else with_driver(given)

    def work() -> int:
        done = move(
            address(arguments.source), address(arguments.target), settings.backup_folder, datetime.now(UTC),
            How(arguments.damaged, settings.shard_count or 1),
        )  # fmt: skip
        _print(_say("cli.migrate.moved", **_amounts(done.manifest)))
        return _damage_told(done.damaged)

    return _on_backups(work)


# --------------------------------------------------------------------------- backup, restore


def _on_backups(work: Callable[[], int]) -> int:
    """The exit code of what is done with backups. Raises _Refused."""
    from bot.storage.backup import BackupUnusable
    from bot.tables.ports import StoreUnusable

    try:
        return work()
    except BackupUnusable as error:
        _complain(_say(error.key, **{name: _plain(value) for name, value in error.data.items()}))
        return WRONG
    except StoreUnusable as error:
        if error.end:
            raise _Refused(
                f"cli.migrate.about_{error.end}", why=str(_Refused(error.key, **error.data))
            ) from error
        raise _Refused(error.key, **error.data) from error
    except FileExistsError as error:
        raise _Refused("cli.backup.there", file=str(error.filename)) from error
    except OSError as error:
        raise _Refused("cli.backup.system", why=error.strerror or type(error).__name__) from error


def _amounts(manifest: Manifest) -> dict[str, object]:
    return {"tables": manifest.counts["tables"], "events": manifest.counts["events"]}


def _origin(manifest: Manifest) -> dict[str, object]:
    return {"made": f"{manifest.made.astimezone(UTC):%Y-%m-%d %H:%M:%S}", "kind": manifest.kind}


def _damage_told(tables: int) -> int:
    if tables:
        _print(_say("cli.restore.damaged", n=tables))
    return DONE


def _backup(arguments: argparse.Namespace) -> int:
    from bot.backups import name
    from bot.storage.backup import make

    settings = _settings()

    def work() -> int:
        now = datetime.now(UTC)
        file = settings.backup_folder / name(now) if arguments.file is None else Path(arguments.file)
        if arguments.file is not None and not file.parent.is_dir():
            raise _Refused("cli.backup.no_folder", folder=str(file.parent))
        manifest = make(settings.database, file, now)
        _print(_say("cli.backup.done", file=_plain(str(file)), **_amounts(manifest)))
        return DONE

    return _on_backups(work)


def _restore(arguments: argparse.Namespace) -> int:
    from bot.storage.restoring import How, check, restore

    settings = _settings()
    file = Path(arguments.file)

    def look() -> int:
        manifest = check(file, settings.backup_folder)
        _print(_say("cli.restore.good", file=_plain(str(file)), **_amounts(manifest), **_origin(manifest)))
        return DONE

    def work() -> int:
        how = How(arguments.damaged, settings.shard_count or 1)
        done = restore(file, settings.database, settings.backup_folder, datetime.now(UTC), how)
        _print(_say("cli.restore.done", **_amounts(done.manifest), **_origin(done.manifest)))
        if done.kept is not None:
            _print(_say("cli.restore.kept", file=_plain(str(done.kept))))
        return _damage_told(done.damaged)

    return _on_backups(look if arguments.check else work)


# --------------------------------------------------------------------------- doctor, bench


def _doctor(arguments: argparse.Namespace) -> int:
    import asyncio
    from functools import partial

    settings = _settings()
    from bot import doctor
    from bot.client import commands_of

    logging.disable()  # what is found is told below, and nothing else
    try:
        findings = asyncio.run(doctor.visit(settings, partial(commands_of, settings)))
    finally:
        logging.disable(logging.NOTSET)
    if arguments.json:
        _print(json.dumps(doctor.as_json(findings, _say), ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            _print(finding.line(_say))
    return WRONG if doctor.worst(findings) is doctor.Verdict.FAULT else DONE


def _bench(arguments: argparse.Namespace) -> int:
    from bot.bench import main as bench

    options = Options(
        arguments.game,
        arguments.profile,
        arguments.json,
        arguments.minutes,
        arguments.database,
        arguments.backup_during,
        arguments.seats,
        arguments.levels,
        arguments.pairs,
        arguments.processes,
    )
    return bench(arguments.names or USUAL_BENCHES, options)


def _default(arguments: argparse.Namespace) -> int:
    return _run(arguments) if _settings().discord_token else _playground(arguments)


# --------------------------------------------------------------------------- arguments


def _whole(text: str) -> int | None:
    """A whole number from 0, of few enough digits for anything here; None for anything else."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def _count(text: str) -> int:
    """A whole number from 0."""
    number = _whole(text)
    if number is None:
        raise argparse.ArgumentTypeError(_say("cli.number", given=_plain(text)))
    return number


def _minutes(text: str) -> float:
    """From a second to a day."""
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text) or not 1 / 60 <= float(text) <= 1440:
        raise argparse.ArgumentTypeError(_say("cli.bench.minutes_range", given=_plain(text)))
    return float(text)


def _some(text: str) -> int:
    """A whole number from 1."""
    number = _whole(text)
    if not number:
        raise argparse.ArgumentTypeError(_say("cli.bench.some", given=_plain(text)))
    return number


def _contestants(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    names = tuple(text.split(","))
    for name in names:
        if name not in CONTESTANTS:
            there = ", ".join(CONTESTANTS)
            raise argparse.ArgumentTypeError(_say("cli.bench.no_level", given=_plain(name), levels=there))
    return names


def _port(text: str) -> int:
    port = _count(text)
    if port > 65535:
        raise argparse.ArgumentTypeError(_say("cli.playground.port_range"))
    return port


def _program() -> str:
    name = Path(sys.argv[0]).name
    return "python -m bot" if name == "__main__.py" else name


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog=_program(), description=_say("cli.description"), epilog=_say("cli.epilog")
    )
    top.add_argument(
        "--version", action="version", version=f"parlour {__version__}", help=_say("cli.version")
    )
    top.set_defaults(act=_default, port=0)
    commands = top.add_subparsers(title=_say("cli.commands"), metavar=_say("cli.command"))

    def command(name: str, act: object) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=_say(f"cli.{name}.help"), description=_say(f"cli.{name}.description")
        )
        made.set_defaults(act=act)
        return made

    command("run", _run)

    made = command("playground", _playground)
    made.add_argument("--port", type=_port, default=0, metavar="N", help=_say("cli.playground.port"))

    made = command("selfplay", _selfplay)
    made.add_argument(
        "game", choices=GAME_IDS, metavar="GAME", help=_say("cli.selfplay.game", games=", ".join(GAME_IDS))
    )
    made.add_argument("--players", type=_count, metavar="N", help=_say("cli.selfplay.players"))
    made.add_argument("--seed", required=True, metavar="S", help=_say("cli.selfplay.seed_help"))
    made.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help=_say("cli.selfplay.option")
    )
    made.add_argument("--legal", action="store_true", help=_say("cli.selfplay.legal"))
    made.add_argument(
        "--play", choices=("random", "computer"), default="random", help=_say("cli.selfplay.play")
    )

    made = command("verify", _verify)
    made.add_argument("files", nargs="+", metavar="FILE", help=_say("cli.verify.files"))

    made = command("picture", _picture)
    made.add_argument("file", metavar="FILE", help=_say("cli.picture.file"))
    made.add_argument("--at", type=_count, metavar="N", help=_say("cli.picture.at_help"))
    made.add_argument("--seat", type=_count, metavar="S", help=_say("cli.picture.seat_help"))
    made.add_argument("--out", metavar="PNG", help=_say("cli.picture.out"))
    made.add_argument(
        "--theme", choices=THEMES, default=THEMES[0],
        help=_say("cli.picture.theme", themes=", ".join(THEMES), usual=THEMES[0]),
    )  # fmt: skip
    made.add_argument("--text", action="store_true", help=_say("cli.picture.text"))

    made = command("migrate", _migrate)
    for end, name in (("from", "source"), ("to", "target")):
        made.add_argument(f"--{end}", dest=name, metavar="URL", help=_say(f"cli.migrate.{end}"))
    made.add_argument("--damaged", action="store_true", help=_say("cli.restore.damaged_too"))

    made = command("backup", _backup)
    made.add_argument("file", nargs="?", metavar="FILE", help=_say("cli.backup.file"))

    made = command("restore", _restore)
    made.add_argument("file", metavar="FILE", help=_say("cli.restore.file"))
    made.add_argument("--check", action="store_true", help=_say("cli.restore.check"))
    made.add_argument("--damaged", action="store_true", help=_say("cli.restore.damaged_too"))

    made = command("doctor", _doctor)
    made.add_argument("--json", action="store_true", help=_say("cli.doctor.json"))

    made = command("bench", _bench)
    made.add_argument(
        "names", nargs="*", metavar="NAME", help=_say("cli.bench.names", names=", ".join(BENCHES))
    )
    made.add_argument(
        "--game", choices=GAME_IDS, metavar="GAME", help=_say("cli.bench.game", games=", ".join(GAME_IDS))
    )
    made.add_argument(
        "--profile", choices=TAPS, metavar="TAP", help=_say("cli.bench.profile", taps=", ".join(TAPS))
    )
    made.add_argument("--json", action="store_true", help=_say("cli.bench.json"))
    made.add_argument(
        "--minutes", type=_minutes, default=EVERYTHING.minutes, metavar="N",
        help=_say("cli.bench.minutes", usual=f"{EVERYTHING.minutes:g}"),
    )  # fmt: skip
    made.add_argument(
        "--database", choices=DATABASES, default=DATABASES[0], metavar="KIND",
        help=_say("cli.bench.database", kinds=", ".join(DATABASES), usual=DATABASES[0]),
    )  # fmt: skip
    made.add_argument("--backup-during", action="store_true", help=_say("cli.bench.backup_during"))
    made.add_argument("--seats", type=_some, metavar="N", help=_say("cli.bench.seats"))
    made.add_argument("--pairs", type=_some, metavar="N", help=_say("cli.bench.pairs"))
    made.add_argument(
        "--levels", type=_contestants, default=(), metavar="A,B",
        help=_say("cli.bench.levels", levels=", ".join(CONTESTANTS)),
    )  # fmt: skip
    made.add_argument("--processes", type=_some, metavar="N", help=_say("cli.bench.processes"))
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out one command line; the exit code. argparse raises SystemExit for bad usage and for help."""
    if sys.stdout is None:  # closed by whoever started us: Python then has none
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (lives as long as we)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = parser().parse_args(argv)
        code: int = arguments.act(arguments)
        _flush()
    except _Refused as error:
        _complain(str(error))
        return USAGE
    except BrokenPipeError:
        _silence()  # whoever read our output has enough
        return DONE
    except _Unwritten as error:
        _silence()
        _complain(_say("cli.unwritten", why=error))
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code
