"""The stories that are told in thousands of orders. After each part all must be at rest and in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from random import Random

from bot.rules.registry import game as rules_of
from bot.tables.model import Ending, SeatKind, Status

from . import actions
from .world import Act, World, Wrong


async def lobby_race(world: World) -> None:
    """Somebody leaves the lobby while the first hands are on their way by direct message."""
    await world.calm([actions.new("ann")])
    await world.calm(
        [actions.lobby("bob", "join"), actions.lobby("bob", "start")],
        [actions.lobby("cem", "join")],
        [actions.lobby("dot", "join")],
        [actions.lobby("ann", "leave")],
    )
    await world.calm(
        [actions.lobby("bob", "start")], [actions.lobby("cem", "start")], [actions.lobby("dot", "start")]
    )
    await world.calm([actions.moves("bob")], [actions.moves("cem")], [actions.moves("dot")])
    await _end(world)


async def seat_race(world: World) -> None:
    """A turn notice by direct message is under way; its player resigns, the host opens the seat, somebody
    else takes it."""
    await _begun(world, "ann", "bob", "cem", "dot", dm=("bob",))
    for _ in range(9):
        if _to_act(world) == ["ann"]:
            break
        await world.calm(*([actions.moves(name)] for name in ("bob", "cem", "dot")))
    await world.calm(
        [actions.moves("ann"), actions.opens_seat_of("ann", "bob")],
        [actions.resigns("bob")],
        [actions.sits("eve")],
        [actions.moves("cem")],
    )
    await world.calm([actions.moves("eve")], [actions.moves("ann")])
    await _end(world)


async def seat_changes_hands(world: World) -> None:
    """A seat is taken within a moment of a resignation, more than once, and the game is ended meanwhile."""
    await _begun(world, "ann", "bob", "cem", "dot", dm=("cem", "eve"))
    await world.calm(
        [actions.moves("ann"), actions.opens_seat_of("ann", "bob"), actions.opens_seat_of("ann", "eve")],
        [actions.resigns("bob")],
        [actions.sits("eve"), actions.moves("eve"), actions.resigns("eve")],
        [actions.moves("cem"), actions.ends("ann")],
        [actions.moves("dot")],
        [actions.sits("fay")],
    )
    await _end(world)


async def hands_pressed(world: World) -> None:
    """People press on the hands in their direct messages while the game goes on, somebody resigns, the seat
    is taken and the game is ended; in every third order the process is killed after each of these."""
    killed = [actions.dies()] if world.order.seed % 3 == 2 else []
    await _begun(world, "ann", "bob", "cem", "dot")
    for _ in range(6):
        if "bob" in _to_act(world):
            break
        await world.calm(*([actions.moves(name)] for name in ("ann", "cem", "dot")))
    await world.calm(
        [actions.presses("bob"), actions.presses("bob"), actions.presses("bob")],
        [actions.resigns("bob"), *killed],
        [actions.opens_seat_of("ann", "bob")],
        [actions.sits("eve"), actions.presses("eve")],
        [actions.moves("cem")],
    )
    pressed = [[actions.presses(name), actions.presses(name)] for name in world.people]
    await world.calm(*pressed, [actions.ends("ann"), *killed])
    await _end(world)


async def panels_pressed(world: World) -> None:
    """People open panels, two at once too, and tap on whatever of them is still on the screen, while the
    others play, somebody resigns and the game is ended; in every third order the process is killed."""
    killed = [actions.dies()] if world.order.seed % 3 == 2 else []
    await _begun(world, "ann", "bob", "cem", "dot")
    await world.calm(
        [actions.opens("bob"), actions.taps("bob"), actions.taps("bob")],
        [actions.opens("bob"), actions.taps("bob")],
        [actions.opens("cem"), actions.moves("cem"), actions.taps("cem")],
        [actions.opens("dot"), actions.stale("dot", "menu"), actions.taps("dot")],
        [actions.moves("ann"), actions.moves("ann")],
    )
    await world.calm(
        [actions.taps("bob"), actions.opens("bob"), actions.taps("bob")],
        [actions.resigns("bob"), *killed],
        [actions.opens_seat_of("ann", "bob")],
        [actions.opens("cem"), actions.taps("cem"), actions.taps("cem")],
        [actions.taps("dot"), actions.taps("dot"), actions.moves("dot")],
    )
    pressed = [[actions.opens(name), actions.taps(name), actions.taps(name)] for name in ("cem", "dot")]
    await world.calm(*pressed, [actions.ends("ann"), *killed])
    await _end(world)


async def coming_and_going(world: World) -> None:
    """The same people come, go and come again, the host too, and the game starts on top of it."""
    await world.calm([actions.new("ann")])
    await world.calm(
        [actions.lobby("bob", "join"), actions.lobby("bob", "leave"), actions.lobby("bob", "join")],
        [actions.lobby("ann", "leave"), actions.lobby("ann", "join")],
        [actions.lobby("cem", "join"), actions.lobby("cem", "start")],
        [actions.lobby("dot", "join"), actions.lobby("dot", "start")],
    )
    await world.calm(*([actions.lobby(name, "start")] for name in ("bob", "cem", "dot")))
    await _end(world)


async def walk(world: World) -> None:
    """Whatever anybody may do, at random."""
    chance = Random(world.order.seed)
    people = list(world.people)
    seats = chance.choice((3, 4))
    await world.calm([actions.new("ann", players=4)])
    await world.calm(*([actions.lobby(name, "join")] for name in people[1:seats]))
    if chance.random() < 0.8:
        await world.calm([actions.lobby("ann", "start")])
    for _ in range(3):
        await world.calm(*([_anything(name)] * chance.randint(0, 3) for name in people))
    await _end(world)


def _anything(person: str) -> Act:
    """Whatever this person can do just now."""

    def possible(world: World) -> list[tuple[int, Act]]:
        return [
            (weight, act) for weight, kind in WALK for act in [kind(person)] if act.find(world) is not None
        ]

    def find(world: World) -> Callable[[], None] | None:
        def do() -> None:
            every = possible(world)
            [act] = world.order.chance.choices([act for _, act in every], [weight for weight, _ in every])
            world.order.log[-1] = act.name
            found = act.find(world)
            assert found is not None
            found()

        return do if possible(world) else None

    return Act(f"{person} does something", find)


def _if_seated(make: Callable[[str], Act], *, seated: bool = True) -> Callable[[str], Act]:
    def made(person: str) -> Act:
        act = make(person)

        def find(world: World) -> Callable[[], None] | None:
            table = actions.newest(world)
            if table is None or (world.tables[table].seat_of(world.people[person]) is not None) is not seated:
                return None
            return act.find(world)

        return Act(act.name, find)

    return made


WALK: tuple[tuple[int, Callable[[str], Act]], ...] = (
    (30, actions.moves),
    (5, actions.chat),
    (8, _if_seated(actions.resigns)),
    (20, _if_seated(actions.sits, seated=False)),
    (20, _if_seated(lambda name: actions.opens_seat_of(name, "who left"))),
    (20, _if_seated(lambda name: actions.lobby(name, "join"), seated=False)),
    (10, _if_seated(lambda name: actions.lobby(name, "leave"))),
    (10, _if_seated(lambda name: actions.lobby(name, "start"))),
    (3, lambda name: actions.lobby(name, "add_computer")),
    (3, lambda name: actions.lobby(name, "remove_computer")),
    (1, lambda name: actions.lobby(name, "cancel")),
    (4, _if_seated(lambda name: actions.stale(name, "hand"))),
    (1, lambda name: actions.stale(name, "menu")),
    (1, actions.ends),
    (15, actions.rematches),
    (3, _if_seated(actions.gives_to_computer)),
    (2, _if_seated(actions.kicks)),
    (15, actions.presses),
    (6, _if_seated(actions.opens)),
    (15, actions.taps),
)


async def _begun(world: World, *people: str, dm: tuple[str, ...] = ()) -> None:
    for name in dm:
        await world.bot.tables.set_user(world.people[name], notices="dm")
    await world.calm([actions.new(people[0], players=len(people))])
    for name in people[1:]:
        await world.calm([actions.lobby(name, "join")])
    await world.calm([actions.lobby(people[0], "start")])


async def _end(world: World) -> None:
    """Whoever is host ends every table."""
    for table in list(world.tables):
        now = world.tables[table]
        if now.status is not Status.ENDED:
            host = next(name for name, user in world.people.items() if user == now.host)
            await world.calm([actions.ends(host, table)])


def _newest(world: World) -> str:
    table = actions.newest(world)
    assert table is not None
    return table


def _to_act(world: World) -> list[str]:
    users = [
        seat.user for seat in world.tables[_newest(world)].seats if seat.since and seat.kind is SeatKind.HUMAN
    ]
    return [name for name, user in world.people.items() if user in users]


async def whole_game(world: World) -> None:
    """Three people play, others chat below the board, and the host ends it; once something has gone wrong,
    everything must be in place again as soon as the table has changed once more."""
    await _whole(world, _some_moves(world))


async def whole_game_to_its_end(world: World) -> None:
    """The same, up to the final scores."""
    await _whole(world, _all_moves(world))


def _some_moves(world: World) -> Iterator[list[Act]]:
    for round_ in range(MOVES):
        yield from _round(round_)
    yield from _seat_changes(world)
    yield [actions.ends("ann")]


def _all_moves(world: World) -> Iterator[list[Act]]:
    for round_ in range(LONGEST):
        yield from _round(round_)
        if round_ == MOVES:
            yield from _seat_changes(world)
        if world.tables[_newest(world)].status is Status.ENDED:
            return


def _round(number: int) -> Iterator[list[Act]]:
    if number % 3 == 1:
        yield [actions.chat("dot")]
    yield [actions.moves(name) for name in ("ann", "bob", "cem", "eve")]


def _seat_changes(world: World) -> Iterator[list[Act]]:
    if rules_of(world.game).min_seats < 3:
        yield [actions.resigns("bob")]
        yield [actions.opens_seat_of("ann", "bob")]
        yield [actions.sits("eve")]
        yield from _round(0)
        yield from _round(0)


async def _whole(world: World, game: Iterator[list[Act]]) -> None:
    """The lobby, the game step by step, and the lobby of a rematch."""
    steps = chain(
        [
            [actions.new("ann", players=4)],
            [actions.lobby("bob", "join")],
            [actions.lobby("dot", "join")],
            [actions.lobby("dot", "leave")],
            [actions.lobby("cem", "join")],
            [actions.lobby("ann", "start")],
        ],
        game,
        [
            [actions.rematches("ann")],
            [actions.lobby("cem", "leave")],
            [actions.lobby("ann", "cancel")],
        ],
    )
    await world.bot.tables.set_user(world.people["cem"], notices="dm")
    changed = 0
    for step in steps:
        before = dict(world.tables)
        struck = world.struck
        await world.settle(*([act] for act in step[:1]) if len(step) == 1 else ([actions.first_of(step)],))
        if struck and world.tables != before:
            changed += 1
        if changed:
            world.faults += await world.problems()
        if world.faults:
            raise Wrong
        if changed == 2:
            return  # whatever is left now is left for good, and was found


MOVES = 7


async def finished_game(world: World) -> None:
    """A game to its own end. On the way one gives up the seat, and another takes it."""
    seats = max(3, rules_of(world.game).min_seats + 1)
    playing, fresh = list(world.people)[:seats], list(world.people)[seats]
    leaving = playing[-1]
    for name in (leaving, fresh):
        await world.bot.tables.set_user(world.people[name], text_board=world.compares)
    await _begun(world, *playing, dm=(leaving, fresh))
    table = actions.newest(world)
    assert table is not None
    everybody = [[actions.moves(name, at_random=True)] * 4 for name in world.people]
    change = [[actions.resigns(leaving)], [actions.opens_seat_of("ann", leaving)], [actions.sits(fresh)]]
    for round_ in range(LONGEST):
        await world.settle(*everybody, *(change if round_ == 2 else []), rest=1.0)
        if world.faults or world.tables[table].status is Status.ENDED:
            break
    await world.calm()
    assert world.tables[table].ending == Ending.FINISHED
    assert world.tables[table].seat_of(world.people[fresh]) is not None


LONGEST = 200  # rounds


async def long_game(world: World) -> None:
    """A game to its end, or for long, with people who leave, come and take seats; then a rematch of it."""
    rules = rules_of(world.game)
    seats = max(rules.min_seats + 1, min(4, rules.max_seats))
    await world.bot.tables.set_user(world.people["bob"], notices="dm", text_board=world.compares)
    await world.bot.tables.set_user(world.people["eve"], text_board=world.compares)
    await world.settle([actions.new("ann", players=seats)])
    await world.settle(*([actions.lobby(name, "join")] for name in list(world.people)[1:seats]))
    await world.settle([actions.lobby("ann", "start")])
    for _ in range(2):
        table = actions.newest(world)
        assert table is not None
        for _ in range(GAME):
            someone = world.order.chance.choice(list(world.people))
            await world.settle(
                *([actions.moves(name)] * 4 for name in world.people), [_anything(someone)], rest=1.0
            )
            if world.faults or world.tables[table].status is Status.ENDED:
                break
        await world.calm()
        await _end(world)
        await world.calm([actions.rematches("ann")], [actions.rematches("bob")])
        await world.calm(*([actions.lobby(name, "join")] for name in world.people))
        await world.calm(*([actions.lobby(name, "start")] for name in world.people))
    await _end(world)


GAME = 12
