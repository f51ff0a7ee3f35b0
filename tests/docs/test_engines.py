"""The page about GPUs says of every algorithm where it runs, as its record says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.algorithms import ALGORITHMS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "on-a-gpu.md"


@pytest.mark.quick
def test_the_table_of_algorithms_is_that_of_the_records():
    text = PAGE.read_text(encoding="utf-8").partition("## Where each algorithm runs")[2]
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    own, untimed, products, host = (re.findall(r"`(\w+)`", cell) for cell in cells)
    assert host == sorted(name for name, record in ALGORITHMS.items() if record.on_host)
    assert untimed == sorted(name for name, record in ALGORITHMS.items() if record.untimed is True)
    assert sorted(own + untimed) == sorted(name for name, record in ALGORITHMS.items() if record.cuda is not None)
    assert products == sorted(set(ALGORITHMS) - {*own, *untimed, *host})
