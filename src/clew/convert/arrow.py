"""Tables that speak the Arrow stream protocol."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.checks import counted
from clew.convert.edges import Edges
from clew.dtypes import Array, IdArray
from clew.errors import GraphError, MissingDependencyError
from clew.names import VertexNames

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

WEIGHT = "weight"
#: What pandas calls columns of numbers that may be missing, by Arrow's type.
NULLABLE = {f"{kind.lower()}{bits}": f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)}
NULLABLE["bool"] = "boolean"


def from_arrow(table: Any, source: str, target: str, weight: str | None) -> Edges:
    """The named columns of a table; endpoints stay Arrow arrays, so that names are never made Python objects.

    A column of weights may be missing where it has the name that is looked for by default.
    """
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
            raise GraphError(
                f"a {type(table).__name__} does not speak the Arrow stream protocol; expected a table of pandas, "
                "polars, pyarrow, duckdb or the like. For two arrays, use Graph.from_edges."
            )
        try:
            table = _taken(table, source, target, weight)
        except (pa.ArrowException, ValueError) as error:
            raise GraphError(
                f"Arrow cannot take the table: {'; '.join(map(str, error.args))}. "
                "Expected columns of one type each; convert them first, for example with table.astype('str')."
            ) from None
    if weight == WEIGHT and weight not in table.column_names:
        weight = None
    for column in (source, target, *([weight] if weight is not None else [])):
        if (count := table.column_names.count(column)) > 1:
            raise GraphError(f"the table has {count} columns called {column!r}; expected one.")
        if not count:
            raise GraphError(
                f"the table has no column {column!r}; it has {', '.join(map(repr, table.column_names)) or 'none'}. "
                "Name the columns with source=, target= and weight=."
            )
    weights = None if weight is None else _weights(table[weight], weight)
    return Edges(table[source], table[target], weights)


def column_roles(table: Any, source: str, target: str, weight: str | None) -> dict[str, str]:
    """Every column of a table and what becomes of it; nothing where the table does not say what it has."""
    names = table.column_names if hasattr(table, "column_names") else getattr(table, "columns", ())
    roles = {weight: "weight", target: "target", source: "source"}
    return {str(name): roles.get(name, "ignored") for name in names}


def about_ignored(roles: dict[str, str], weight: str | None) -> list[str]:
    """What is said where columns are ignored and nobody said that there are no weights."""
    ignored = [repr(name) for name, role in roles.items() if role == "ignored"]
    if not ignored or weight != WEIGHT or "weight" in roles.values():
        return []
    return [f"Ignored: {', '.join(ignored)}. Pass weight=… to take one of them as the weight."]


def _taken(table: Any, *wanted: str | None) -> pa.Table:
    """The table as Arrow's; of a data frame of pandas only what is asked for: Arrow may not know what else there is."""
    import pyarrow as pa

    pandas = sys.modules.get("pandas")  # the table can be its own only if it is there already
    if pandas is None or not isinstance(table, pandas.DataFrame) or set(wanted) - {None, WEIGHT, *table.columns}:
        return pa.table(table)
    columns = [name for name in dict.fromkeys(wanted) if name is not None and name in table.columns]
    return pa.Table.from_pandas(table, columns=columns, preserve_index=False)


def _weights(column: pa.ChunkedArray[Any], name: str) -> Array:
    import pyarrow as pa

    if column.null_count:
        raise GraphError(
            f"column {name!r} has {counted(column.null_count, 'null')}; expected a weight for every edge. "
            "Fill them, or leave those rows out."
        )
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)):
        raise GraphError(f"column {name!r} has type {column.type}; expected numbers or booleans.")
    return np.asarray(column.to_numpy())


def to_arrow(source: IdArray, target: IdArray, weights: Array | None, names: VertexNames | None) -> pa.Table:
    """A table of edges; vertices by name where they have names."""
    import pyarrow as pa

    def column(ids: IdArray) -> pa.Array[Any]:
        return pa.array(ids) if names is None else names.take(ids)

    columns = {"source": column(source), "target": column(target)}
    if weights is not None:
        columns[WEIGHT] = pa.array(weights)
    return pa.table(columns)


def to_pandas(table: pa.Table, nullable: tuple[str, ...] = ()) -> pd.DataFrame:
    """The table as a pandas data frame; integers and truth values of some columns in dtypes that know NA."""
    try:
        frame = table.to_pandas()
        import pandas as pd
    except ImportError:
        raise MissingDependencyError("pandas is not installed; install it with: pip install 'clew[pandas]'") from None
    for name in nullable:
        dtype = NULLABLE.get(str(table.schema.field(name).type))
        if dtype is not None:
            named = {table.schema.field(name).type: pd.api.types.pandas_dtype(dtype)}
            frame[name] = table.select([name]).to_pandas(types_mapper=named.get)[name]
    return frame
