"""What several tests of readers share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clew import threads
from clew.io.text import tables


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cut even a few bytes into pieces for several threads."""
    monkeypatch.setattr(tables, "PIECE_BYTES", 6)
    threads.set_count(3)
    yield
    threads.set_count(None)
