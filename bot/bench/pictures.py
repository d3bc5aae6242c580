"""How long one board picture takes and how many bytes it has, against python-chess + cairosvg.

Every game that has rules and a picture module is played by random moves from a fixed seed with its smallest
and its largest
number of seats; pictures of positions spread over those games are drawn, table and hand alike. Caches are
warm, as in
a running bot; ours and the reference alternate, and medians are compared. The fonts and sprites of a first
picture cost
once what `rendering.sprites.warm` costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, util
from io import BytesIO
from statistics import median
from time import perf_counter

from PIL import Image

from bot.bench import EVERYTHING, Options
from bot.locale import sayer
from bot.rules.chance import Generator
from bot.rules.game import AnyGame, Event, View, advance
from bot.rules.registry import GAME_IDS, GAMES, game
from rendering import sprites
from rendering.scene import Picture, Scene

from .report import Figure, Report

MOST_RATIO = 0.15
MOST_BYTES = 50 * 1024  # at 800 x 800 pixels; larger pictures in proportion
POSITIONS = 6  # by game and number of seats
ROUNDS = 5
MOST_MOVES = 160
SEED = "bench pictures"
NAMES = ("Ana Müller", "Grzegorz Brzęczyszczykiewicz", "Ελένη", "محمد علي", "Дмитрий ☕", "स्वाति")

Draw = Callable[[], tuple[Picture, ...]]


@dataclass(frozen=True, slots=True)
class Measured:
    """game, picture: which; size: pixels of the largest; seconds: median of one picture; most_bytes: of the
    largest;
    excess: that over what its pixels allow (1.0 is the limit)."""

    game: str
    picture: str
    size: tuple[int, int]
    seconds: float
    most_bytes: int
    excess: float


def main(options: Options = EVERYTHING) -> int:
    """Print the table. 1 if a picture is slower or larger than allowed, else 0."""
    say = sayer("en")
    report = Report("pictures", as_json=options.as_json)
    sprites.warm()
    reference = _reference()
    measured: list[Measured] = []
    seconds: list[float] = []
    for game_id in filter(options.wanted, GAME_IDS):
        found, times = measure(game_id, reference)
        measured += found
        seconds += times
    if not measured:
        report.missing(say("pictures.bench.none"))
        return report.end(1)
    base = median(seconds) if seconds else None
    if reference and base:
        report.line(
            say("pictures.bench.reference", ms=f"{base * 1000:.1f}", kb=f"{len(reference()) / 1024:.1f}")
        )
    else:
        report.missing(say("pictures.bench.no_reference"))
    report.line(say("pictures.bench.head"))
    faults: list[str] = []
    for one in measured:
        ratio = f"{one.seconds / base:.3f}" if base else "-"
        values = {
            "game": one.game,
            "picture": one.picture,
            "kb": f"{one.most_bytes / 1024:.1f}",
            "ratio": ratio,
        }
        size = f"{one.size[0]}×{one.size[1]}"
        report.line(say("pictures.bench.line", size=size, ms=f"{one.seconds * 1000:.1f}", **values))
        report.add(*_figures(one, base))
        if base and one.seconds / base > MOST_RATIO:
            faults.append(say("pictures.bench.slow", most=MOST_RATIO, **values))
        if one.excess > 1:
            faults.append(
                say("pictures.bench.large", most=f"{one.most_bytes / one.excess / 1024:.1f}", **values)
            )
    for fault in faults:
        report.line(fault)
    return report.end(1 if faults else 0)


def _figures(one: Measured, base: float | None) -> list[Figure]:
    """base: the reference's seconds."""
    name = f"{one.game}.{one.picture}"
    allowed = one.most_bytes / one.excess / 1024
    figures = [
        Figure(f"{name}.time", one.seconds * 1000, "ms"),
        Figure(f"{name}.size", one.most_bytes / 1024, "KiB", goal=allowed),
    ]
    if base:
        ratio = one.seconds / base
        figures.append(
            Figure(f"{name}.ratio", ratio, "times", MOST_RATIO, reference="python-chess + cairosvg")
        )
    return figures


def measure(game_id: str, reference: Callable[[], bytes] | None = None) -> tuple[list[Measured], list[float]]:
    """One game's pictures, and the seconds the reference took in between."""
    module = import_module(GAMES[game_id].pictures)
    rules = game(game_id)
    draws: dict[str, list[Draw]] = {"table": [], "hand": []}
    for players in sorted({rules.min_seats, rules.max_seats}):
        scene = Scene(NAMES[:players], sayer("en"))
        for public, private in positions(rules, players):
            draws["table"].append(partial(module.table_pictures, public, scene))
            draws["hand"].append(partial(module.hand_pictures, private, scene))
    found: list[Measured] = []
    reference_times: list[float] = []
    for kind, several in draws.items():
        pictures = [draw() for draw in several]  # warms the caches
        if not any(pictures):
            continue
        times: list[float] = []
        for _ in range(ROUNDS):
            for draw, made in zip(several, pictures, strict=True):
                if made:
                    times.append(_timed(draw) / len(made))
            if reference:
                reference_times.append(_timed(reference))
        flat = [picture for made in pictures for picture in made]
        largest = max(flat, key=_excess)
        most = max(len(picture.png) for picture in flat)
        found.append(Measured(game_id, kind, _size(largest), median(times), most, _excess(largest)))
    return found, reference_times


def positions(rules: AnyGame, players: int) -> list[tuple[View, View]]:
    """Views of a spectator and of a seat that may act, spread over one game of random moves."""
    state = rules.start(players, {})
    chance = Generator(SEED, f"moves:{players}")
    count = len(advance(state, SEED, 0))
    seen: list[tuple[View, View]] = []
    while (actors := state.actors()) and len(seen) < MOST_MOVES:
        seen.append((state.view(None), state.view(actors[0])))
        state.apply(Event("move", state.random_move(actors[0], chance), actors[0]))
        count += 1 + len(advance(state, SEED, count + 1))
    step = max(1, len(seen) // POSITIONS)
    return seen[step - 1 :: step][:POSITIONS]


def _reference() -> Callable[[], bytes] | None:
    """Draws a chess position of the middle game at 800 pixels; None where the extra `bench` is not
    installed."""
    if not (util.find_spec("chess") and util.find_spec("cairosvg")):
        return None
    import cairosvg
    import chess
    import chess.svg

    board = chess.Board()
    chance = Generator(SEED, "chess")
    for _ in range(30):
        moves: Sequence[chess.Move] = sorted(board.legal_moves, key=str)
        if not moves:
            break
        board.push(chance.choice(moves))

    def draw() -> bytes:
        png: bytes = cairosvg.svg2png(bytestring=chess.svg.board(board, size=800).encode())
        return png

    draw()
    return draw


def _timed(act: Callable[[], object]) -> float:
    start = perf_counter()
    act()
    return perf_counter() - start


def _size(picture: Picture) -> tuple[int, int]:
    with Image.open(BytesIO(picture.png)) as image:
        return image.size


def _excess(picture: Picture) -> float:
    width, height = _size(picture)
    return len(picture.png) / (MOST_BYTES * max(1.0, width * height / 640_000))
