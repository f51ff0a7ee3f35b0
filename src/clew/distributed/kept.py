"""What a worker keeps of a result: entries for its own vertices, for some edges, or some of the walks."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clew.algorithms.registry import ALGORITHMS
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.engines.cluster.names import names_by_id
from clew.engines.cluster.owned import OwnedFact
from clew.engines.cluster.share import Share
from clew.errors import GraphError
from clew.result import Result, in_rows
from clew.walk_result import WalkResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

ENDS = ("source", "target")


class Kept(NamedTuple):
    """The numbers of entries in ascending order, and their values; those of edges have the ends of every edge too."""

    numbers: Array
    result: Result
    kind: Literal["vertices", "edges", "walks"]
    facts: Mapping[str, tuple[Array, Array]] = MappingProxyType({})  # arrays, by the keys and values that are here


def kept_of(share: Share, result: Result) -> Kept:
    """The part of a result, by ascending number, so that ties are broken as on one machine."""
    numbers = share.ids if result.rows is None else result.rows.numbers
    order = np.argsort(numbers)
    values = {column: array[order] for column, array in result.values.items()}
    if isinstance(result, WalkResult):
        return Kept(numbers[order], WalkResult(result.algorithm, values, vertices=()), "walks")
    if isinstance(result, EdgeResult):
        if values:
            values |= zip(ENDS, (ends[order] for ends in result.pairs()), strict=True)
        return Kept(numbers[order], Result(result.algorithm, values, vertices=()), "edges")
    kept = Result(result.algorithm, values, vertices=(), unreached=result.unreached)
    facts = {name: (fact.keys, fact.values) for name, fact in result.facts.items() if isinstance(fact, OwnedFact)}
    return Kept(numbers[order], kept, "vertices", facts)


def column_for(share: Share, kept: Kept, name: str) -> Array:
    """A column of a result in the order of this member's vertices; refused if it is about others."""
    if kept.kind != "vertices" or not np.array_equal(kept.numbers, np.sort(share.ids)):
        raise GraphError(
            f"the column {name!r} has no number for each vertex of this graph, where the vertex is.",
            remedy="Pass numpy.asarray(column).",
        )
    values: Array = kept.result.values[name]
    return values[np.searchsorted(kept.numbers, share.ids)]


def about(share: Share, kept: Kept, result: Result) -> dict[str, Any]:
    """What the driver keeps of a result; one worker sends it."""
    shared = ("unreached", "iterations", "converged")
    return {
        "kind": kept.kind,
        "size": share.num_vertices if result.rows is None else result.rows.size,
        "columns": {column: (array.dtype.str, array.shape[1:]) for column, array in result.values.items()},
        "facts": {name: fact for name, fact in result.facts.items() if name not in kept.facts},
        "arrays": tuple(kept.facts),
        "trace": dict(result.trace.columns),
        "vertices": tuple(result.vertex_values) if result.algorithm in ALGORITHMS else (),  # programs have none
        "title": result.algorithm,
        **{name: getattr(result, name) for name in shared},
    }


def table_of(share: Share, kept: Kept, vertices: Sequence[str]) -> pa.Table:
    """The entries as a table with names; ``vertices`` are columns of ids. Collective: names may be on other workers."""
    import pyarrow as pa

    if isinstance(kept.result, WalkResult):
        return kept.result.table(pa.array if share._names is None else lambda ids: names_by_id(share, ids))
    table = kept.result.to_arrow()
    if kept.kind == "edges":
        vertices = [*vertices, *ENDS]
        table = table.select([*ENDS, *(name for name in table.column_names if name not in ("vertex", *ENDS))])
    else:
        names = share._names
        vertex = pa.array(kept.numbers) if names is None else names.take(np.argsort(share.ids))
        table = table.set_column(0, "vertex", vertex)
    for column in vertices if share._names is not None else ():
        values = kept.result.values[column]
        names = in_rows(names_by_id(share, values.ravel()), values.shape)
        table = table.set_column(table.column_names.index(column), column, names)
    return table
