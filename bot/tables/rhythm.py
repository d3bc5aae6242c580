"""When a notice comes: each person's rhythm, their quiet hours, and what slows the rhythm down.

A notice is owed from the moment its `Seat.due` was raised until it was given or its player has moved. Of it
the person chooses when it comes:

at_once: then. half_hour: 30 minutes later, which most turns do not last. digest: at the next of their chosen
hour, so that all their tables come together. none: not at all, but for the reminders of a clock; of one too
short for them, at half of its time.

Quiet hours move it to their end. After every `PATIENCE` notices in a row that they did not answer with a
change at any table the rhythm is one step slower, a digest at last, until they do something again. *Later*
puts everything off by an hour.

All of that holds back a notice until half of the clock's time at most: of a table with a clock it is given
then, or the reminder at half time takes its place. Reminders (at half time and shortly before the end, see
`deadlines`) come when they fall due.
Only who says *Later* after half time is left alone for that hour, unless the last reminder comes first.

What way it goes (channel, direct message, none at all) is another setting and the stronger one: who wants no
notices gets no reminders either.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from .deadlines import REMINDED_FROM, half_time
from .model import RHYTHMS, Letter, Owed, UserSettings

AT_ONCE, HALF_HOUR, DIGEST, NONE = RHYTHMS
SLOWER = (AT_ONCE, HALF_HOUR, DIGEST)
PATIENCE = 3  # notices without an answer after which the rhythm is a step slower
PAUSE = timedelta(minutes=30)
LATER = timedelta(hours=1)
TAKEN_OVER = timedelta(minutes=1)  # after half time, at which the reminder takes a held notice's place
USUAL_ZONE = "UTC"


@cache
def zones() -> frozenset[str]:
    """The time zones there are, by their IANA names."""
    return frozenset(available_timezones())


def zone(settings: UserSettings) -> ZoneInfo:
    """The person's; UTC where they have not chosen one, or one that is not known here."""
    return ZoneInfo(settings.timezone if settings.timezone in zones() else USUAL_ZONE)


def paced(rhythm: str, unanswered: int) -> str:
    """The rhythm of a person who has left so many notices in a row without an answer."""
    if rhythm not in SLOWER:
        return rhythm
    return SLOWER[min(SLOWER.index(rhythm) + unanswered // PATIENCE, len(SLOWER) - 1)]


def slowed(rhythm: str, unanswered: int) -> str | None:
    """To which rhythm the newest of so many unanswered notices slows it down, if it does."""
    now = paced(rhythm, unanswered)
    return now if unanswered and now != paced(rhythm, unanswered - 1) else None


def next_hour(after: datetime, hour: int, settings: UserSettings) -> datetime:
    """When it is that hour next by the person's clock, `after` itself included. An hour that a change of the
    clocks leaves out is the one after it; of two of one name it is the first."""
    local = after.astimezone(zone(settings))
    for days in (0, 1, 2):
        day = local.date() + timedelta(days=days)
        when = datetime.combine(day, time(hour), tzinfo=local.tzinfo).astimezone(after.tzinfo)
        if when >= after:
            return when
    raise ValueError(hour)


def after_quiet(when: datetime, settings: UserSettings) -> datetime:
    """That time, or, where it is in the person's quiet hours, their end."""
    start, end = settings.quiet_from, settings.quiet_to
    hour = when.astimezone(zone(settings)).hour
    quiet = start <= hour < end if start <= end else hour >= start or hour < end
    return next_hour(when, end, settings) if quiet else when


def ring_at(
    due: Owed, settings: UserSettings, letter: Letter, busy: datetime | None = None
) -> datetime | None:
    """When a notice that is owed is to be given; None for never. busy: until when its player needs none,
    being at the table."""
    seat, later = due.seat, letter.later
    at = seat.due_at or seat.opened or due.table.changed
    latest = _latest(due, at)
    if latest is not None and later is not None and later - LATER >= latest:
        return later  # asked for once it had been told
    when = at if due.why == "reminder" else _wished(at, settings, letter)
    if when is None:
        return None if _is_reminded(due) else latest
    when = after_quiet(max(one for one in (when, busy, later) if one is not None), settings)
    return when if latest is None else min(when, latest)


def _latest(due: Owed, at: datetime) -> datetime | None:
    """When it is given whatever was chosen; None without a clock. At half time a reminder comes, where there
    are any, and takes a held notice's place."""
    half = half_time(due.seat, due.table.clock)
    if half is None or due.why == "reminder":
        return None if half is None else at
    return max(half + TAKEN_OVER if _is_reminded(due) else half, at)


def _is_reminded(due: Owed) -> bool:
    return (due.table.clock.seconds or 0) >= REMINDED_FROM


def _wished(at: datetime, settings: UserSettings, letter: Letter) -> datetime | None:
    match paced(settings.rhythm, letter.unanswered):
        case "at_once":
            return at
        case "half_hour":
            return at + PAUSE
        case "digest":
            return next_hour(at, settings.digest_hour, settings)
        case _:
            return None
