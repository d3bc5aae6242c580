"""Chance that is the same on every machine: drawn from a seed, by streams that know nothing of each other."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_WORDS = struct.Struct(">4Q").unpack
_ALL = 1 << 64  # how many values a word has


def child_seed(seed: str, purpose: str) -> str:
    """A seed of its own for one purpose (64 hexadecimal digits): the same for the same seed, and nothing
    leads from it back to that seed or to what else comes of it. For whoever may have chance of their own but
    must not know the table's, a computer player above all."""
    return hashlib.sha256(f"parlour/1 child\0{seed}\0{purpose}".encode()).hexdigest()


class Generator:
    """Deterministic chance on SHA-256(seed, stream, counter), the same on every Python.

    `stream` keeps independent uses of one seed apart. A table draws the chance
    event number n (its index among the record's events) from stream `event:n`, so
    nothing but the seed need be stored to go on after a restart.
    """

    __slots__ = ("_counter", "_prefix", "_words")

    def __init__(self, seed: str, stream: str) -> None:
        self._prefix = f"parlour/1\0{seed}\0{stream}\0".encode()
        self._counter = 0
        self._words: list[int] = []  # 64-bit words of the last block, not yet used; the next one last

    def _word(self) -> int:
        """The next 64 bits: a block's four words in order, most significant byte first."""
        if not self._words:
            digest = hashlib.sha256(b"%b%d" % (self._prefix, self._counter)).digest()
            self._counter += 1
            self._words = list(_WORDS(digest))[::-1]
        return self._words.pop()

    def below(self, bound: int) -> int:
        """A whole number 0 <= x < bound <= 2**64, without bias: a word beyond the last whole multiple of
        `bound` is drawn again."""
        if not 1 <= bound <= _ALL:
            raise ValueError("bound must be from 1 to 2**64")
        while True:
            value = self._word()
            rest = value % bound
            if value - rest <= _ALL - bound:
                return rest

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different positions' items, in the order drawn."""
        pool = list(items)
        if count > len(pool):
            raise ValueError("more asked for than there is")
        drawn: list[T] = []
        for _ in range(count):
            drawn.append(pool.pop(self.below(len(pool))))
        return drawn

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.sample(items, len(items))
