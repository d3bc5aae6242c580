"""Who may do what at a table, written down once: the tests assert it, and `docs/access.md` shows it.

An act names, for each status of the table, who may do it. Whoever is not named and sees the table is refused,
whoever does not see it finds no such table; neither changes anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# ---------------------------------------------------------------------- people and places

HOST, ACTS, SEAT = "host", "seat to act", "seat out of turn"
FORMER, SPECTATOR, INVITED = "former player", "spectator", "invited"
MANAGER, FOREIGN = "manager here", "manager elsewhere"
SHUT_OUT, STRANGER = "member without access", "stranger"

PEOPLE = {
    HOST: "sits at the table and opened it; it is not their turn",
    ACTS: "sits at the table and has the turn",
    SEAT: "sits at the table and has not",
    FORMER: "sat at the table and gave up the seat; cannot view the channel any more",
    SPECTATOR: "member of the server who can view the channel",
    INVITED: "the same, and was invited to the lobby",
    MANAGER: "member who can view the channel, and manages the server",
    FOREIGN: "the same, and manages another server but not this one",
    SHUT_OUT: "member of the server who cannot view the channel",
    STRANGER: "never was on the server",
}
SEATED = frozenset({HOST, ACTS, SEAT})
LOOKING = frozenset({SPECTATOR, INVITED, MANAGER, FOREIGN})
EVERYBODY = SEATED | LOOKING | {FORMER}  # everybody who sees the table
UNSEATED = EVERYBODY - SEATED

CHANNEL, OTHER, ELSEWHERE, DM = "its channel", "another channel", "another server", "direct message"
PLACES = (CHANNEL, OTHER, ELSEWHERE, DM)
HERE = frozenset({CHANNEL, OTHER})

# Where each can be: nobody gets into a channel they cannot view.
WHERE = dict.fromkeys(PEOPLE, PLACES) | {
    FORMER: (OTHER, ELSEWHERE, DM),
    SHUT_OUT: (OTHER, ELSEWHERE, DM),
    STRANGER: (ELSEWHERE, DM),
}

LOBBY, PLAYING, PAUSED, ENDED = "lobby", "playing", "paused", "ended"
STATUSES = (LOBBY, PLAYING, PAUSED, ENDED)


@dataclass(frozen=True, slots=True)
class May:
    """reads: they get an answer that changes nothing. does: it is done. `MANAGER` does from here alone."""

    reads: frozenset[str] = frozenset()
    does: frozenset[str] = frozenset()


def reads(who: frozenset[str] = EVERYBODY) -> May:
    return May(reads=who)


def does(*who: str | frozenset[str]) -> May:
    names: set[str] = set()
    for one in who:
        names |= {one} if isinstance(one, str) else one
    return May(does=frozenset(names))


NOBODY = May()


@dataclass(frozen=True, slots=True)
class Act:
    """what: for readers. lobby … ended: who may."""

    what: str
    lobby: May = NOBODY
    playing: May = NOBODY
    paused: May = NOBODY
    ended: May = NOBODY

    def may(self, status: str) -> May:
        found: May = getattr(self, status)
        return found


def always(what: str, may: May) -> Act:
    return Act(what, may, may, may, may)


def running(what: str, may: May) -> Act:
    """While it is played, paused or not."""
    return Act(what, playing=may, paused=may)


# ---------------------------------------------------------------------- acts

_PAGE = May(reads=SEATED)
_PRIVATE = Act("own private page", _PAGE, _PAGE, _PAGE, reads())
_TURN = Act("choose and play", playing=does(ACTS))
_READ = always("read", reads())
_TEXT = Act("board as text", playing=reads(), paused=reads(), ended=reads())
_RECORD = Act("the record", ended=reads())
_VOTE = running("ask for, or vote on, the end", does(SEATED))
_END = Act("end at once", *(does(HOST, MANAGER),) * 3)
_CANCEL = Act("cancel the lobby", does(HOST, MANAGER))
_MOMENTS = Act("look back on one’s own moves", ended=May(reads=SEATED | {FORMER}))
_REMATCH = Act("rematch", ended=does(SEATED))
_SIT = running("take a free seat", does(UNSEATED))
_SNOOZE = Act("no more notices for this turn", playing=does(ACTS))
_UNDO = Act("take the own last step back", playing=does(ACTS))
_HINT = Act("a hint on the own open choice, where the table has hints", playing=does(ACTS))
_HAND_OVER = Act("hand over to another player", *(does(HOST),) * 3)
_KICK = "a vote to kick the seat out of turn"
_OPEN, _COMPUTER = "a vote to open a seat given up", "a vote to give it to a computer player"
_OTHERS = does(HOST, ACTS)  # it is about the third

# Every verb that a button, menu or form can carry, with what it is about where one verb does several things.
VERBS: dict[str, Act] = {
    "join": Act("join the lobby (one by invitation only: the invited)", does(UNSEATED)),
    "accept": Act("accept an invitation", does(INVITED)),
    "decline": Act("decline an invitation; the host alone is told", does(INVITED)),
    "invite": Act("invite people who can view the channel", does(HOST)),
    "invitations": Act("see who is invited, and who declined", May(reads=frozenset({HOST}))),
    "withdraw": Act("take invitations back", does(HOST)),
    "restrict": Act("let only the invited join, or everybody again", does(HOST)),
    "hints": Act("agree to hints for oneself, or take that back", does(SEATED)),
    "leave": Act("leave the lobby", does(SEATED)),
    "add_computer": Act("add a computer player", does(SEATED)),
    "remove_computer": Act("remove a computer player", does(SEATED)),
    "partner": Act("choose one’s own partner; the host, also others’", does(SEATED)),
    "start": Act("start", does(HOST)),
    "cancel": _CANCEL,
    "move": _PRIVATE,
    "hand": _PRIVATE,
    "pick": _TURN,
    "way": _TURN,
    "back": _TURN,
    "act": _TURN,
    "play": _TURN,
    "write": _TURN,
    "undo": _UNDO,
    "hint": _HINT,
    "why": _HINT,
    "dismiss": always("hide a hint of the own private page", does(SEATED)),
    "text": _TEXT,
    "history": _READ,
    "menu": _READ,
    "rules": _READ,
    "section": _READ,
    "ask end": _VOTE,
    "ask pause": Act("ask for a pause", playing=does(SEATED)),
    "ask resume": Act("ask to go on", paused=does(SEATED)),
    "ask undo": Act("ask to take the own turn back", playing=does(ACTS)),
    "ask kick": Act("(asked of a person, not of a seat)"),
    **{
        f"{answer} {about}": act
        for answer in ("yes", "no")
        for about, act in {
            "end": _VOTE,
            "undo": Act("answer who wants a turn back", playing=does(SEATED)),
            "kick": running(f"answer {_KICK}", _OTHERS),
            "open_seat": running(f"answer {_OPEN}", does(SEATED)),
            "computer_seat": running(f"answer {_COMPUTER}", does(SEATED)),
        }.items()
    },
    "resign": running("resign (asked first)", does(SEATED)),
    "snooze": _SNOOZE,
    "people host": _HAND_OVER,
    "people kick": running(f"ask for {_KICK}", _OTHERS),
    "people open_seat": running(f"ask for {_OPEN}; the host decides", does(SEATED)),
    "people computer_seat": running(f"ask for {_COMPUTER}; the host decides", does(SEATED)),
    "sit": _SIT,
    "end": _END,
    "rematch": _REMATCH,
    "record": _RECORD,
    "moments": _MOMENTS,
}
# Those that belong to a person and not to a table; with a table's id they are of no use to anybody.
OWN_VERBS = frozenset(
    {"profile", "settings", "set_user", "rhythm", "zones", "zone", "later", "stop", "learn", "lesson"}
)

# Every command that takes a table.
COMMANDS: dict[str, Act] = {
    "table show": _READ,
    "table menu": _READ,
    "table history": _READ,
    "table record": _RECORD,
    "table resign": running("asks whether to resign", May(reads=SEATED)),
    "table cancel": _CANCEL,
    "table end": _END,
    "table rematch": _REMATCH,
    "table undo": _UNDO,
    "table pause": Act("ask for a pause", playing=does(SEATED)),
    "table resume": Act("ask to go on", paused=does(SEATED)),
    "table snooze": _SNOOZE,
    "table vote": _VOTE,
    "table seat": _SIT,
    "table host": _HAND_OVER,
    "topominos move": Act("play a written move", playing=does(ACTS)),
    **{f"{game} move": Act("(of another game)") for game in ("5vor12", "top12", "topspot", "zatre")},
}

# The staff's: on the server where they are used, for those who manage it; one elsewhere finds no such table.
STAFF: dict[str, Act] = {
    "parlour end": Act("end at once", *(does(MANAGER),) * 3),
    "parlour tables": always("list the server’s tables", May(reads=frozenset({MANAGER}))),
    **{
        f"parlour {name}": always("the server’s settings", does(MANAGER))
        for name in ("language", "threads", "theme", "limit", "clock", "channel", "opener", "ender")
    },
    "parlour settings": always("the server’s settings", May(reads=frozenset({MANAGER}))),
}

# Of those who run the bot, wherever they use them: who owns its application, or is in the team that does.
# Nobody else may, whatever they manage.
OWNERS: dict[str, str] = {"parlour status": "how the bot fares"}

# What concerns no table: of use to everybody anywhere.
FREE = frozenset(
    {
        "games", "profile", "help", "table verify", "table join",
        *(f"{game} {name}" for game in ("5vor12", "top12", "topominos", "topspot", "zatre")
          for name in ("new", "rules", "learn")),
    }
)  # fmt: skip


# ---------------------------------------------------------------------- for readers


INTRODUCTION = """\
# Who may do what

Made from `tests/rights/expected.py` by `python -m tests.rights.expected`; a test walks every command and
every control and holds this page true.

One sees and joins a table if one sits or ever sat at it, or can view its channel now; one
in direct messages is joined with the code that its players have. For everybody else
there is no such table: the answer is that for an id that does not exist, and nothing changes. Who sees a
table and may not do something is told why, and nothing changes either. A computer player does nothing here:
it has no say in votes and plays its seat's turns from what that seat may see.

An invitation opens no channel to anybody: who cannot view the lobby's channel is not invited (the host is
told so), and one who cannot view it any more finds no such table. It ends with the lobby, or when they sit
down: who gets up again in a lobby by invitation only has to be invited again.

Rights of a manager, and of roles that a server's settings name, count where the interaction comes from the
table's own server, not from another server and not by direct message.

## Who sees a table, and from where

"""


@dataclass(slots=True)
class _Lines:
    lines: list[str] = field(default_factory=list)

    def table(self, head: list[str], rows: list[list[str]]) -> None:
        self.lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        self.lines += ["| " + " | ".join(row) + " |" for row in rows]
        self.lines.append("")


def _sight(who: str, place: str) -> str:
    if place not in WHERE[who]:
        return "cannot be there"
    return "sees it" if who in EVERYBODY else "no table"


def _who(names: frozenset[str]) -> str:
    if names == EVERYBODY:
        return "everybody who sees it"
    if names == UNSEATED:
        return "everybody who sees it and has no seat"
    rest = set(names)
    said = []
    if rest >= SEATED:
        said.append("players")
        rest -= SEATED
    said += [who for who in PEOPLE if who in rest]
    return ", ".join(said)


def _cell(may: May) -> str:
    said = []
    if may.does:
        said.append(_who(may.does))
    if may.reads:
        said.append(_who(may.reads))
    return ", ".join(said) or "–"


def _rows(acts: dict[str, Act], sign: str) -> list[list[str]]:
    return [
        [f"`{sign}{name}`", act.what, *(_cell(act.may(status)) for status in STATUSES)]
        for name, act in acts.items()
    ]


def page() -> str:
    """`docs/access.md`."""
    out = _Lines()
    out.lines += INTRODUCTION.splitlines()
    out.table(
        ["who", "", *PLACES],
        [
            [
                who,
                about,
                *(_sight(who, place) for place in PLACES),
            ]
            for who, about in PEOPLE.items()
        ],
    )
    head = ["", "what", *STATUSES]
    out.lines += ["## Commands with a table", ""]
    out.table(head, _rows(COMMANDS, "/"))
    out.lines += [
        "## Commands of the staff",
        "",
        "For those who manage the server on which the command is used, for tables of that server, whether or",
        "not they can view the channel.",
        "",
    ]
    out.table(head, _rows(STAFF, "/"))
    out.lines += [
        "## Buttons, menus and forms",
        "",
        "By the verb in the control's id, and what it is about. An id made by hand is worth no more than one",
        "that was shown.",
        "",
    ]
    out.table(head, _rows(VERBS, ""))
    owners = ", ".join(f"`/{name}` ({what})" for name, what in sorted(OWNERS.items()))
    out.lines += [
        f"Of whoever owns the bot's application, or is in the team that does, and of nobody else: {owners}.",
        "",
    ]
    commands = ", ".join(f"`/{name}`" for name in sorted(FREE))
    controls = " and ".join(f"`{verb}`" for verb in sorted(OWN_VERBS))
    out.lines += [
        f"Of no table, and for everybody anywhere: {commands}, and the controls {controls} of own settings "
        "and lessons.",
        "",
    ]
    return "\n".join(out.lines)


if __name__ == "__main__":
    from pathlib import Path

    (Path(__file__).parents[2] / "docs" / "access.md").write_text(page(), encoding="utf-8")
