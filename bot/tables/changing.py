"""How a change of a table is made: what `Tables` says of every entry function, done here once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from . import deadlines
from .line import Line
from .loading import Loading, Position, stored_table
from .model import Change, Person, TableId
from .ports import Aside, Busy, Clock, RevisionTaken, Store
from .settle import settle
from .transaction import Transaction

TRIES = 5
Step = Callable[[Transaction], object]


class Changes:
    """Makes them. A step is a plain function that does it to the transaction, or raises why not."""

    def __init__(self, store: Store, clock: Clock, line: Line, loading: Loading) -> None:
        self._store = store
        self._clock = clock
        self._line = line
        self._loading = loading

    async def make(
        self, table: TableId, kind: str, person: Person | None, step: Step, *, entries: bool = False
    ) -> Change:
        """Lock, load, let `step` do it, store and tell. kind: of the stored row, see `Entry`. entries:
        whether the step asks for every stored change. Raises NotFound, Busy, Aside, and what the step
        raises."""
        return await self._line.whole(self._changing(table, kind, person, step, entries))

    async def _changing(
        self, table: TableId, kind: str, person: Person | None, step: Step, entries: bool
    ) -> Change:
        async with self._line.at(table):
            change = await self.make_in_line(table, kind, person, step, entries=entries)
        self._line.tell(change)
        return change

    async def make_in_line(
        self,
        table: TableId,
        kind: str,
        person: Person | None,
        step: Step,
        *,
        entries: bool = False,
        loaded: Position | None = None,
    ) -> Change:
        """Under the table's lock. loaded: the table and its position, where they were just looked up."""
        for _ in range(TRIES):
            tx = await self.begin(table, kind, person, entries=entries, loaded=loaded)
            loaded = None
            step(tx)
            damaged = tx.before is not None and tx.before.damaged
            if damaged and tx.table.is_open:
                raise Aside(tx.before)  # what is left of its row is written back only to end it
            write, change = settle(tx)
            try:
                if damaged:
                    await self._store.write_over(write)
                else:
                    change = replace(change, freed=await self._store.write(write))
            except RevisionTaken:
                self._loading.forget(table)
                continue
            self._loading.keep(change.table, tx.state)
            self._loading.stored(write)
            return change
        raise Busy(tx.before)

    async def begin(
        self,
        table: TableId,
        kind: str,
        person: Person | None,
        *,
        entries: bool,
        loaded: Position | None = None,
    ) -> Transaction:
        """Load for a change: the state is an own copy. loaded: as for `make_in_line`."""
        if loaded is None:
            loaded = await self._loading.position(await stored_table(self._store, table), locked=True)
        found, state = loaded
        timed = found.clock.seconds is not None and state is not None
        history = await self._store.entries(table) if entries or timed else []
        return Transaction(
            table=found,
            state=state.clone() if state is not None else None,
            now=self._clock.now(),
            kind=kind,
            before=found,
            person=person,
            entries=history,
            left=deadlines.time_left(history),
        )
