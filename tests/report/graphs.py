"""Graphs to report on, and reports of them made once for all tests of a module."""

from __future__ import annotations

import numpy as np

import clew

#: Names that would do harm, or look wrong, anywhere they get into a page as they are.
NASTY = (
    "<script>document.title = 'harmed'</script>",
    "</script><img src=x onerror=\"document.title = 'harmed'\">",
    "<b>bold</b> & <a href='https://example.org/'>link</a>",
    "'\"><svg onload=document.title='harmed'>",
    "]]>--><!--",
    "${title} $sections {0} %s %{x}",
    "\u202eright to left\x00\x1b[31m",
    "x" * 300,
)


def nasty() -> clew.Graph:
    """A small directed, weighted graph in which the busiest vertices have the worst names."""
    random = np.random.default_rng(3)
    source = random.integers(0, 60, 300)
    target = np.minimum(random.geometric(0.08, 300) - 1, 59)
    names = [*NASTY, *(f"vertex {number}" for number in range(60 - len(NASTY)))]
    return clew.Graph.from_edges(
        source,
        target,
        random.integers(1, 9, 300),
        num_vertices=60,
        names=names,
        metadata={"title": f"{NASTY[0]} & co", NASTY[1]: NASTY[2], "array": np.arange(3)},
    )


def large() -> clew.Graph:
    """A million vertices, most of them alone: to lay out a million that hang together would take too long here."""
    return clew.generate.uniform(1_000_000, 20_000, directed=False)
