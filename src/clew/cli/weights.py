"""The ``--weights`` option: random weights instead of the graph's own, or no weights."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

import typer

from clew import generate
from clew.graph import Graph

HELP = "random:LOW:HIGH:SEED for random numbers from LOW to HIGH (the seed is optional), or none."
RANDOM = re.compile(r"random:(-?\d+(?:\.\d+)?):(-?\d+(?:\.\d+)?)(?::(\d+))?", re.ASCII)


class Random(NamedTuple):
    """Random numbers from ``low`` to ``high``; integers if both are."""

    low: float
    high: float
    seed: int


Wanted = Random | Literal["none"] | None


def parse(text: str | None) -> Wanted:
    """The requested weights; None leaves the graph's own."""
    if text is None or text == "none":
        return text  # type: ignore[return-value]
    found = RANDOM.fullmatch(text)
    if found is None or _number(found[1]) > _number(found[2]):
        raise typer.BadParameter(f"{text!r} is not supported; expected {HELP}", param_hint="--weights")
    return Random(_number(found[1]), _number(found[2]), int(found[3] or 0))


def apply(graph: Graph, wanted: Wanted) -> Graph:
    """``graph`` with the requested weights."""
    if isinstance(wanted, Random):
        return generate.random_weights(graph, wanted.low, wanted.high, wanted.seed)
    return graph.with_weights(None) if wanted == "none" and graph.weighted else graph


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
