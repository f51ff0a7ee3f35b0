"""Which columns of a table hold the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clew.errors import GraphError
from clew.io.options import ReadOptions

if TYPE_CHECKING:
    import pyarrow as pa

ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("source_id", "target_id"),
    ("src_id", "dst_id"),
    ("from_id", "to_id"),
    ("from_node", "to_node"),
    ("start", "end"),
    ("row", "col"),
    ("i", "j"),
    ("node1", "node2"),
)
WEIGHTS = ("weight", "weights", "w", "value", "cost", "distance")


class Columns(NamedTuple):
    """Which fields of a table hold the edges; ``weight`` may be None."""

    source: str
    target: str
    weight: str | None

    def names(self) -> list[str]:
        """The columns to read."""
        return [name for name in self if name is not None]


def choose(schema: pa.Schema, options: ReadOptions) -> Columns:
    """The columns the caller names, else those with usual names, else the first two and a third one with numbers."""
    names = schema.names
    by_lower = {name.lower(): name for name in reversed(names)}
    usual = next(((by_lower[a], by_lower[b]) for a, b in ENDS if a in by_lower and b in by_lower), None)
    told = (options.source, options.target)
    if len(names) < 2 and None in told:
        raise GraphError(f"the table has {len(names)} columns; expected at least two, source and target.")
    first, second = (said or guessed for said, guessed in zip(told, usual or (*names, "", "")[:2], strict=True))
    if first == second and None in told:
        raise GraphError(f"both ends would come from the column {first!r}; name the other one with source= or target=.")
    weight = options.weight
    if weight is None:
        weight = next((by_lower[name] for name in WEIGHTS if name in by_lower), None)
        by_place = weight is None and usual is None and told == (None, None)
        if by_place and len(names) > 2 and _is_number(schema.field(2).type):
            weight = names[2]
        weight = None if weight in (first, second) else weight
    chosen = Columns(first, second, None if options.weights is False else weight)
    for name in chosen.names():
        if names.count(name) != 1:
            listed = ", ".join(map(repr, names[:20])) or "none"
            raise GraphError(
                f"the table has {names.count(name)} columns called {name!r}; expected one. Its columns: {listed}. "
                "Say which to take with source=, target= and weight=."
            )
    for name in (first, second):
        if not _is_vertex(schema.field(name).type):
            raise GraphError(
                f"column {name!r} holds {schema.field(name).type}, which cannot name vertices; expected integers or "
                "strings. Say which columns to take with source= and target=."
            )
    return chosen


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _is_vertex(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_integer(kind)) or is_string(kind)


def is_string(kind: pa.DataType) -> bool:
    """Whether it is one of Arrow's types of text."""
    import pyarrow as pa

    return any(of(kind) for of in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
