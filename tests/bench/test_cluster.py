"""The simulation of a cluster counts the bytes that members send."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from bench import simulate
from bench.cluster import members_of


@pytest.mark.parametrize("members", [4, 6])
def test_counted_bytes_are_those_that_members_send(members: int) -> None:
    graph = clew.generate.kronecker(9, seed=1)
    source = int(np.argmax(graph.degrees()))
    counted = simulate.count(graph, clew.bfs(graph, source).depth, members)
    with members_of(graph, members) as team:
        meter: Any = team
        sent = []
        for rounds in (1, 1, 11):  # the first run also agrees on who needs which values
            before = meter.bytes_sent()
            team(lambda share, rounds=rounds: clew.pagerank(share, tolerance=0, max_iterations=rounds))
            sent.append(meter.bytes_sent() - before)
        small = members * counted.peers * 16  # two numbers of the stopping test, to every peer
        assert (sent[2] - sent[1]) / 10 == counted.values * 8 + small
        before = meter.bytes_sent()
        found = team(lambda share: clew.bfs(share, source))
        searched = meter.bytes_sent() - before
    levels = found[0].iterations + 1
    heads = members * (counted.peers * levels + simulate.Grid(members).rows - 1) * simulate.superstep.HEAD
    messages = counted.search_bytes + counted.parent_bytes + heads
    assert searched == pytest.approx(messages, rel=0.15)
    assert 1 <= counted.balance < 1.5


def test_the_model_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    simulate.main(["--scale", "8", "--workers", "1", "4"])
    out = capsys.readouterr().out
    for words in ("Counted", "Balance by the scale", "Weak scaling", "Strong scaling", "libgrape-lite", "Fugaku"):
        assert words in out
