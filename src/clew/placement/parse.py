"""Strategies on the command line: ``degree:out_degree=2,cutoff=80``."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from clew.errors import GraphError
from clew.placement.as_numbered import AsNumbered
from clew.placement.degree import Degree
from clew.placement.frontier import Frontier
from clew.placement.hot import Hot
from clew.placement.interleave import Interleave
from clew.placement.intraleave import Intraleave
from clew.placement.random import Random
from clew.placement.strategy import Strategy
from clew.placement.uniform import AllFast, AllSlow

STRATEGIES: dict[str, type[Strategy]] = {
    kind.name: kind for kind in (Degree, Frontier, Interleave, Intraleave, Random, AllFast, AllSlow, AsNumbered, Hot)
}
SHORT = {"cutoff": "cutoff_percentile"}
NO_AUTO = (
    'The strategy Auto was removed, because Hot by cost is as fast. Use Hot(fast_memory, by="cost"), or on the command '
    "line --strategy hot:by=cost."
)


def parse_strategy(text: str, **otherwise: Any) -> Strategy:
    """The strategy that a text names, with its options; ``otherwise`` has default values for some."""
    name, _, rest = text.partition(":")
    kind = STRATEGIES.get(name.strip().replace("-", "_"))
    if name.strip() == "auto":
        raise GraphError(NO_AUTO)
    if kind is None:
        raise GraphError(f"there is no strategy {name!r}; expected one of {', '.join(STRATEGIES)}.")
    knobs = {knob.name: knob for knob in fields(kind)}  # type: ignore[arg-type]
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        key = SHORT.get(key, key)
        if not equals or key not in knobs or key in given:
            raise GraphError(
                f"{part!r} is not an option of {kind.name}; expected {_usage(kind, knobs)}, each option at most once."
            )
        given[key] = _value(knobs[key].type, value, part)
    given = {key: value for key, value in otherwise.items() if key in knobs} | given
    missing = [key for key, knob in knobs.items() if key not in given and knob.default is MISSING]
    if missing:
        raise GraphError(f"{kind.name} needs {', '.join(missing)}; expected {_usage(kind, knobs)}.")
    return kind(**given)


def _value(wanted: Any, text: str, part: str) -> Any:
    """An option's value; sources and budgets stay text until they are used."""
    try:
        return {"int": int, "float": float}.get(str(wanted), str)(text)
    except ValueError:
        kind = "an integer" if wanted == "int" else "a number"
        raise GraphError(f"{part!r} is wrong: {text!r} is not {kind}.") from None


def _usage(kind: type[Strategy], knobs: dict[str, Any]) -> str:
    return f"{kind.name}:{','.join(f'{key}=…' for key in knobs)}" if knobs else f"{kind.name} alone"
