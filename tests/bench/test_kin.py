"""What a process has begun counts as its own."""

from __future__ import annotations

import os
import subprocess
import sys

from bot.bench.kin import kin, resident

CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"


def test_children_and_their_children_are_found_while_they_live() -> None:
    before = set(kin(os.getpid()))
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "1\n"
        found = set(kin(os.getpid())) - before
        assert child.pid in found
        assert len(found) == 2
        assert set(kin(child.pid)) == found - {child.pid}
        assert all(resident(number) > 1_000_000 for number in found)
        child.communicate("")
    assert set(kin(os.getpid())) == before


def test_of_no_process_nothing_is_told() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    assert kin(child.pid) == {}
    assert resident(child.pid) == 0
