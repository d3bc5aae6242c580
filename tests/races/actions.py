"""What people do, as actions that an order can place anywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bot.tables.model import SeatKind, Status
from cogs import custom_ids

from .chat import Message, walk
from .world import SLASH, Act, World

Found = Callable[[], None] | None


def newest(world: World) -> str | None:
    """The table that was opened last."""
    return next(reversed(world.tables), None)


def new(person: str, players: int = 4) -> Act:
    return Act(
        f"{person} opens",
        lambda world: lambda: world.slash(person, SLASH[world.game], "new", {"players": players}),
    )


def lobby(person: str, verb: str) -> Act:
    """A button of the lobby message: join, leave, start, cancel, add_computer, remove_computer."""

    def find(world: World) -> Found:
        offer = world.offers(person, newest(world), verb)
        return None if offer is None else lambda: world.press(person, *offer)

    return Act(f"{person} presses {verb}", find)


def stale(person: str, verb: str, argument: str = "", table_id: str | None = None) -> Act:
    """A control by its id, on whatever public message of the table there is: it may show it no longer."""

    def find(world: World) -> Found:
        table = table_id or newest(world)
        message = None if table is None else world.about(table)
        if table is None or message is None:
            return None
        custom = f"pb:{table}:{world.tables[table].revision}:{verb}:{argument}"
        return lambda: world.press(person, message, custom)

    return Act(f"{person} presses {verb} {argument}".strip(), find)


def entry(person: str, value: str, revision: int | None = None) -> Act:
    """An entry of the menu about the others. revision: the menu's, None for one just opened."""

    def find(world: World) -> Found:
        table = newest(world)
        message = None if table is None else world.about(table)
        if table is None or message is None:
            return None
        seen = world.tables[table].revision if revision is None else revision
        return lambda: world.press(person, message, f"ps:{table}:{seen}:people:", [value])

    return Act(f"{person} chooses {value}", find)


def chat(person: str) -> Act:
    """Writes where the table is."""

    def find(world: World) -> Found:
        table = newest(world)
        if table is None:
            return None
        place = world.tables[table].place
        return lambda: world.chat.write(world.people[person], place.thread or place.channel)

    return Act(f"{person} chats", find)


def moves(person: str, *, at_random: bool = False) -> Act:
    """Plays, once it is their turn: as a stand-in would, or any legal move."""

    def find(world: World) -> Found:
        table = newest(world)
        state = world.states.get(table or "")
        if table is None or state is None or world.tables[table].status is not Status.PLAYING:
            return None
        seat = world.tables[table].seat_of(world.people[person])
        if seat is None or seat.index not in state.actors():
            return None
        move = state.stand_in(seat.index)
        if at_random and state.lists(seat.index):
            move = world.order.chance.choice(state.legal(seat.index))
        return lambda: world.plays(person, table, seat.index, move)

    return Act(f"{person} moves", find)


def first_of(every: list[Act]) -> Act:
    """The first of these that can be done."""

    def find(world: World) -> Found:
        return next((found for act in every if (found := act.find(world)) is not None), None)

    return Act(" or ".join(act.name for act in every), find)


def resigns(person: str) -> Act:
    return stale(person, "resign", "sure")


def _press_one(world: World, person: str, offers: list[tuple[Message, dict[str, Any]]]) -> None:
    """Any of these controls, or an entry of it; it may be one that plays a move."""
    message, part = world.order.chance.choice(offers)
    world.order.log[-1] += f" {message.id} {part['custom_id']}"
    control = custom_ids.parse(part["custom_id"])
    world.untyped += control is not None and control.verb in {"play", "act"}
    entries = [option["value"] for option in part.get("options", ())]
    world.press(person, message, part["custom_id"], [world.order.chance.choice(entries)] if entries else None)


def presses(person: str) -> Act:
    """Presses something on the hand in their direct messages, or chooses an entry there."""

    def find(world: World) -> Found:
        offers = [
            (message, part)
            for message in world.chat.messages.values()
            if message.channel == world.chat.dm(world.people[person])
            for part in walk(message.components)
            if custom_ids.parse(part.get("custom_id") or "") is not None
        ]

        return partial(_press_one, world, person, offers) if offers else None

    return Act(f"{person} presses on the hand", find)


def opens(person: str) -> Act:
    """Opens a panel, wherever the table is shown."""
    return stale(person, "move")


def taps(person: str) -> Act:
    """Presses something on a private page in the channel, chooses an entry there, or sees it no more."""

    def find(world: World) -> Found:
        offers = [
            (message, part)
            for message in world.chat.messages.values()
            if message.only_for == world.people[person] and world.chat.reader(message.channel) is None
            for part in walk(message.components)
            if custom_ids.parse(part.get("custom_id") or "") is not None
        ]

        return partial(_press_one, world, person, offers) if offers else None

    return Act(f"{person} taps on a panel", find)


def dies() -> Act:
    """kill -9 while the answer to a click is under way."""

    def find(world: World) -> Found:
        return world.kill if any(call.where.startswith("answer:") for call in world.chat.held) else None

    return Act("kill -9", find)


def opens_seat_of(person: str, gone: str) -> Act:
    """Has the seat opened that somebody gave up."""

    def find(world: World) -> Found:
        table = newest(world)
        if table is None:
            return None
        seats = [s.index for s in world.tables[table].seats if s.kind is SeatKind.STAND_IN]
        return entry(person, f"open_seat.{seats[0]}.0").find(world) if seats else None

    return Act(f"{person} opens the seat of {gone}", find)


def sits(person: str) -> Act:
    """Takes an open seat as soon as there is one."""

    def find(world: World) -> Found:
        table = newest(world)
        if table is None:
            return None
        seats = [s.index for s in world.tables[table].seats if s.kind is SeatKind.OPEN]
        return stale(person, "sit", str(seats[0])).find(world) if seats else None

    return Act(f"{person} sits down", find)


def ends(person: str, table: str | None = None) -> Act:
    return stale(person, "end", "sure", table)


def gives_to_computer(person: str) -> Act:
    """Has a computer player take a seat that somebody gave up."""
    return _about_a_seat(person, "computer_seat", SeatKind.STAND_IN, SeatKind.OPEN)


def kicks(person: str) -> Act:
    """Asks for somebody's seat to be voted free."""
    return _about_a_seat(person, "kick", SeatKind.HUMAN)


def _about_a_seat(person: str, question: str, *kinds: SeatKind) -> Act:
    def find(world: World) -> Found:
        table = newest(world)
        if table is None:
            return None
        seats = [s for s in world.tables[table].seats if s.kind in kinds and s.user != world.people[person]]
        if not seats:
            return None
        return entry(person, f"{question}.{seats[-1].index}.{seats[-1].user or 0}").find(world)

    return Act(f"{person} asks {question}", find)


def rematches(person: str) -> Act:
    """Once more, when it is over."""

    def find(world: World) -> Found:
        table = newest(world)
        if table is None or world.tables[table].status is not Status.ENDED:
            return None
        return stale(person, "rematch", "", table).find(world)

    return Act(f"{person} wants a rematch", find)
