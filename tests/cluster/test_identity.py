"""The name under which a folder keeps the checkpoints of a run: one in all processes, and another for other code."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed.identity import identity

SCRIPT = """
import threading
import numpy as np
import clew
from clew.distributed.identity import identity

LOCK, SCALE = threading.Lock(), 2.0

def scaled(value, by={"a", "b", "c"}):
    with LOCK:
        return value * SCALE  # a comment

class Base(clew.VertexProgram):
    state = {"distance": np.float64}
    message = np.float64
    reduce = clew.monoids.min

    def __init__(self, source):
        self.source, self.names, self.table = source, {"x", "y", "z"}, np.arange(source)

    def start(self, graph):
        super().start(graph)
        return {"distance": scaled(1.0)}

class Program(Base):
    kinds = frozenset(["p", "q", "r"])

    def send(self, state):
        return state.distance if state.distance in (1.0, 2.0) else 0.5

program = Program(SOURCE)
program.itself = program if SOURCE == 4 else None
print(identity("run", (program,), [("device", "cpu")]))
"""


def digests(scripts: list[str], *command: str) -> list[str]:
    """What scripts print, run one after the other by another process; from its input unless a command is given."""
    root = Path(__file__).parents[2]
    source = "".join(f"exec({script!r}, {{'__name__': '__main__'}})\n" for script in scripts)
    run = subprocess.run(
        [sys.executable, *(command or ("-",))],
        input=source,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
    )
    return run.stdout.split()


def test_a_program_of_a_script_has_one_name_in_every_process(tmp_path: Path) -> None:
    """Also from standard input, which has no source to read, and with other comments."""
    script = SCRIPT.replace("SOURCE", "3")
    (tmp_path / "script.py").write_text("\n# moved\n" + script.replace("# a comment", ""))
    (name,) = digests([], str(tmp_path / "script.py"))
    changes = {"SOURCE": "4", "2.0\n": "3.0\n", "(1.0, 2.0)": "(1.0, 2.5)", '"q"': '"s"', "float64}": "float32}"}
    again, *others = digests([script, *(SCRIPT.replace(*change).replace("SOURCE", "3") for change in changes.items())])
    assert again == name
    assert len({name, *others}) == 1 + len(changes)


def test_values_count_and_not_their_objects() -> None:
    value = 1234.5
    assert identity([value, value], {"a": (1, 2)}) == identity([1234.5, float("1234.5")], {"a": (1, 2)})
    others: list[Any] = [1, 1.0, True, "1", b"1", np.int32(1), np.ones(1), [1], (1,), {1}, None, len, clew.bfs, np.add]
    assert len({identity(each) for each in others}) == len(others)
    assert identity(threading.Lock()) == identity(threading.Lock())  # counts by its type


@pytest.mark.parametrize("change", [0, 1, 2])
def test_lambdas_count_by_what_they_compute(change: int) -> None:
    def semiring(by: int) -> Any:
        return clew.Semiring(clew.Monoid(lambda a, b: a + by * b, 0), lambda w, x: w * x)

    assert (identity(semiring(1)) == identity(semiring(1 + change))) == (change == 0)
