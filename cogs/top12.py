"""Top 12 at the table: how start numbers are written, a number is called, and an entry is made.

Set-up: the start numbers in rising order, each first its column, then its row, on a sheet that shows them at
once; then a yes. A call: by tens, then the number, whose button calls it; or written in a form. An entry: its
cell, then preview and confirm in one; where the joker leaves more cells than a message has buttons, first the
column, then the row, whose button enters the number.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.top12 import (
    CELLS,
    COLUMNS,
    JOKER,
    LEAST,
    LETTERS,
    MOST,
    ROWS,
    START_NUMBERS,
    SYMBOLS,
    Top12View,
    column_of,
    entry_cells,
    is_dead,
    open_rows,
    setup_add,
    setup_draft,
    setup_numbers,
)
from cogs.client import Client
from cogs.game_cog import SUGGESTIONS, GameCog
from cogs.surfaces.steps import ENTRIES, Ask, Choice, Phrase, Step, phrase

KEY = "top12.step"
EMOJI = {"hand": "✋", "star": "⭐", "house": "🏠", "tree": "🌲", "moon": "🌙"}
DEAD = "⚠️"
TENS = tuple((least, least + 9) for least in range(LEAST, MOST, 10))


class Top12(GameCog[Top12View]):
    game_id = "top12"
    slash = "top12"

    def step(self, view: Top12View, draft: str) -> Step:
        match view.phase:
            case "setup":
                return _setup(draft)
            case "call":
                return _call(view, draft)
            case _:
                return _enter(view, draft)

    def suggest(self, view: Top12View, typed: str) -> list[str]:
        tidy = " ".join(typed.split()).upper()
        match view.phase:
            case "setup":
                return _suggest_setup(tidy)
            case "call":
                return _suggest_call("" if "CALL".startswith(tidy) else tidy.removeprefix("CALL").strip())
            case _:
                return _suggest_entry(view, tidy)


def _emoji(letter: str) -> str:
    return EMOJI[SYMBOLS[LETTERS.index(letter)]]


# ---------------------------------------------------------------------------------- set-up (rule 1)


def _setup(draft: str) -> Step:
    """The start numbers come in rising order, so the draft tells which was the last. While a row is asked
    for, its number stands last and without one: `10@A2 20@C`."""
    whole, asked = _split(draft)
    left = setup_numbers(whole)
    if not left:
        confirm = phrase(f"{KEY}.setup_confirm", move=tuple(map(_told, whole.split(" "))))
        return Step(confirm, move=whole, back=_before(whole), confirm=phrase(f"{KEY}.setup_yes"))
    number = left[0]
    if not asked:
        taken = setup_draft(whole)
        free = [letter for index, letter in enumerate(LETTERS) if index not in taken]
        choices = tuple(
            Choice(letter, f"{whole} {number}@{letter}".strip(), letter, emoji=_emoji(letter))
            for letter in free
        )
        question = phrase(f"{KEY}.setup_column", number=number)
        return Step(question, choices, targets=tuple(free), back=_before(whole))
    cells = tuple(f"{asked}{row}" for row in range(1, ROWS + 1))
    choices = tuple(Choice(cell, setup_add(whole, f"{number}@{cell}"), cell) for cell in cells)
    question = phrase(f"{KEY}.setup_row", number=number, column=asked)
    return Step(question, choices, targets=cells, back=whole)


def _told(entry: str) -> Phrase:
    """A number and its cell, in words."""
    number, _, cell = entry.partition("@")
    return phrase("top12.text.entry", number=number, cell=cell)


def _split(draft: str) -> tuple[str, str]:
    """What is written, and the column whose row is asked for ("" for none)."""
    before, _, last = draft.rpartition(" ")
    return (before, last[-1]) if last and last[-1] in LETTERS else (draft, "")


def _before(whole: str) -> str | None:
    """The draft in which the row of the last number written was asked for."""
    if not whole:
        return None
    parts = whole.split(" ")
    last = max(parts, key=lambda part: int(part.partition("@")[0]))
    number, _, cell = last.partition("@")
    parts.remove(last)
    return " ".join([*parts, f"{number}@{cell[0]}"])


def _suggest_setup(typed: str) -> list[str]:
    """The next part after the entries that are complete: a number, its column, its row."""
    written: list[str] = []
    numbers, columns = [str(number) for number in START_NUMBERS], list(LETTERS)
    *entries, last = typed.split(" ")
    for entry in entries:
        number, _, cell = entry.partition("@")
        if number not in numbers or cell not in CELLS or cell[0] not in columns:
            return []
        numbers.remove(number)
        columns.remove(cell[0])
        written.append(entry)
    number, at, cell = last.partition("@")
    if not at:
        found = [f"{one}@" for one in numbers if one.startswith(number)]
    elif number not in numbers:
        found = []
    elif not cell:
        found = [f"{number}@{letter}" for letter in columns]
    else:
        cells = [one for one in CELLS if one.startswith(cell) and one[0] in columns]
        found = [f"{number}@{one}" for one in cells]
    return [" ".join([*written, one]) for one in found]


# ------------------------------------------------------------------------------------ call (rule 2)


def _call(view: Top12View, draft: str) -> Step:
    """Tens, then the number; or a form to write it in. Drafts: `call 41-50`, `call 42`."""
    chosen = draft.removeprefix("call ")
    if not draft:
        ask = Ask(
            "number",
            phrase(f"{KEY}.ask"),
            phrase(f"{KEY}.ask_title"),
            phrase(f"{KEY}.ask_line"),
            phrase(f"{KEY}.ask_hint"),
            before="call ",
            most=5,
        )
        choices = tuple(
            Choice(f"{least}-{most}", f"call {least}-{most}", f"{least}–{most}") for least, most in TENS
        )
        return Step(phrase(f"{KEY}.call"), choices, asks=(ask,), across=4)  # five do not fit a phone
    if "-" in chosen:
        least, most = map(int, chosen.split("-"))
        choices = tuple(
            Choice(str(number), f"call {number}", str(number), act=True) for number in range(least, most + 1)
        )
        fits = _fits(view, range(least, most + 1))
        return Step(phrase(f"{KEY}.call_between", least=least, most=most, fits=fits), choices, back="")
    confirm = phrase(f"{KEY}.call_yes")  # of a number that was chosen when menus asked for it
    return Step(phrase(f"{KEY}.call_confirm", number=int(chosen)), move=draft, back="", confirm=confirm)


def _fits(view: Top12View, numbers: range) -> str:
    """Which of the own columns take which of these numbers now: `41–44: A C · 45: – · 46–50: A`."""
    assert view.seat is not None
    columns = [column_of(view.sheets[view.seat], c) for c in range(COLUMNS)]
    runs: list[tuple[str, list[int]]] = []
    for number in numbers:
        taking = [LETTERS[c] for c, cells in enumerate(columns) if open_rows(cells, number)]
        words = " ".join(taking) or "–"
        if not runs or runs[-1][0] != words:
            runs.append((words, []))
        runs[-1][1].append(number)
    spans = [(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]), words) for words, run in runs]
    return " · ".join(f"{span}: {words}" for span, words in spans)


def _suggest_call(typed: str) -> list[str]:
    """Calls that begin with the digits typed; with none, first digits and round numbers."""
    numbers = range(LEAST, MOST + 1)
    if not typed:
        return [f"call {number}" for number in numbers if number < 10 or number % 10 == 0]
    return [f"call {number}" for number in numbers if str(number).startswith(typed)][:SUGGESTIONS]


# ----------------------------------------------------------------------------- entry (rules 3 and 4)


def _enter(view: Top12View, draft: str) -> Step:
    """The cell, or the column and the row. Drafts: `42@B`, `42@B3`."""
    cells, number = entry_cells(view), view.number
    chosen = draft.partition("@")[2]
    if chosen in cells:
        kind = "confirm_dead" if _kills(view, chosen) else "confirm"
        question = phrase(f"{KEY}.{kind}", number=number, cell=chosen)
        back = f"{number}@{chosen[0]}" if len(cells) > ENTRIES else ""
        return Step(question, move=draft, back=back, confirm=phrase(f"{KEY}.yes"))
    if len(cells) <= ENTRIES:
        question = phrase(f"{KEY}.cell", number=number, warning=_warning(view, cells))
        return Step(question, _cells(view, cells), targets=cells)
    if chosen:
        inside = tuple(cell for cell in cells if cell[0] == chosen)
        warning = _warning(view, inside)
        question = phrase(f"{KEY}.row", number=number, column=chosen, warning=warning)
        return Step(question, _cells(view, inside, act=True), targets=inside, back="")
    columns = sorted({cell[0] for cell in cells})
    choices = tuple(Choice(letter, f"{number}@{letter}", letter, emoji=_emoji(letter)) for letter in columns)
    return Step(phrase(f"{KEY}.column", number=number), choices, targets=tuple(columns))


def _cells(view: Top12View, cells: Sequence[str], *, act: bool = False) -> tuple[Choice, ...]:
    return tuple(
        Choice(cell, f"{view.number}@{cell}", cell, emoji=DEAD if _kills(view, cell) else "", act=act)
        for cell in cells
    )


def _warning(view: Top12View, cells: Sequence[str]) -> Phrase | str:
    return phrase(f"{KEY}.dead", sign=DEAD) if any(_kills(view, cell) for cell in cells) else ""


def _kills(view: Top12View, cell: str) -> bool:
    """Whether the number in this cell would make its column dead."""
    assert view.seat is not None
    column, row = LETTERS.index(cell[0]), int(cell[1:]) - 1
    cells = list(column_of(view.sheets[view.seat], column))
    if is_dead(cells):
        return False
    cells[row] = view.number
    return is_dead(cells)


def _suggest_entry(view: Top12View, typed: str) -> list[str]:
    """Entries that go on from what was typed, the number being optional; columns first where the joker
    leaves too many cells."""
    number, at, cell = typed.partition("@")
    if not at:
        cell = "" if str(view.number).startswith(number) else typed
    elif number != str(view.number):
        return []
    fitting = [one for one in entry_cells(view) if one.startswith(cell)]
    if len(fitting) > SUGGESTIONS:
        assert view.face == JOKER
        fitting = sorted({one[0] for one in fitting})
    return [f"{view.number}@{one}" for one in fitting]


async def setup(bot: Client) -> None:
    await bot.add_cog(Top12(bot))
