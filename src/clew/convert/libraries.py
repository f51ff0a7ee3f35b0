"""Other libraries' graphs and tables as plain arrays, and back: SciPy, NumPy, NetworkX, Arrow and pandas.

Entry (i, j) of a matrix is the edge from i to j. A table has a row per edge and speaks the Arrow stream protocol.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.checks import array as as_array
from clew.checks import counted, kind_of
from clew.dtypes import OFFSET, WEIGHT_DTYPES, Array, IdArray
from clew.errors import ArgumentError, GraphError, MissingDependencyError, install_command
from clew.names import VertexNames

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import pyarrow as pa
    import scipy.sparse as sp

    from clew.graph import Graph

WEIGHT = "weight"  # the default: where no edge has it, the graph is unweighted
#: pandas' dtypes with missing values, by Arrow's type.
NULLABLE = {f"{kind.lower()}{bits}": f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)}
NULLABLE["bool"] = "boolean"
#: Strings that are converted at once: their objects fit in a core's cache.
BLOCK = 8192
Rows = tuple[Array, Array, Array | None]


def from_scipy(matrix: Any) -> Rows:
    """The rows of a SciPy sparse matrix or array; they share its arrays where they can."""
    import scipy.sparse as sp

    sparse: Any = sp
    if not sparse.issparse(matrix):
        raise GraphError(f"a {type(matrix).__name__} is not a SciPy sparse matrix; for a dense one use from_numpy.")
    _check_square(matrix.shape)
    if matrix.format == "coo":
        # SciPy would add duplicates up, in their own dtype. This view of the matrix claims to have none.
        view: Any = sp.coo_array((matrix.data, (matrix.row, matrix.col)), shape=matrix.shape)
        view.has_canonical_format = True
        matrix = view
    rows: Any = matrix.tocsr()
    # Views, so that the graph's arrays become read-only and not the matrix's.
    return rows.indptr.astype(OFFSET, copy=False).view(), rows.indices.view(), rows.data.view()


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"the matrix has shape {shape}; expected a square one, a row and a column per vertex.")


def from_dense(matrix: npt.ArrayLike) -> Rows:
    """The rows of a dense matrix; 0 and NaN mean that there is no edge."""
    array = as_array("the matrix", matrix)
    _check_square(array.shape)
    if array.dtype.kind not in "biuf":
        raise GraphError(f"the matrix has dtype {array.dtype}; expected booleans, integers or floats.")
    present = (array != 0) & (array == array)
    indptr = np.zeros(array.shape[0] + 1, dtype=OFFSET)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    return indptr, np.nonzero(present)[1], None if array.dtype == np.bool_ else array[present]


def to_scipy(graph: Graph) -> sp.csr_array[Any]:
    """A SciPy CSR array over the same memory; unweighted edges are 1.

    SciPy needs offsets and ids of one width. So the offsets (n of them) are narrowed where the ids have 32 bits.
    """
    import scipy.sparse as sp

    weights = np.ones(graph.num_arcs, dtype=np.int8) if graph.weights is None else graph.weights
    index = np.dtype(np.int32 if graph.indices.dtype == np.int32 and graph.num_arcs < 2**31 else np.int64)
    indptr, indices = graph.indptr.astype(index, copy=False), graph.indices.astype(index, copy=False)
    return sp.csr_array((weights, indices, indptr), shape=(graph.num_vertices,) * 2)


def from_networkx(
    graph: nx.Graph[Any], weight: str | None
) -> tuple[Array, Array, Array | None, int, VertexNames | None]:
    """Sources, targets, weights, the number of nodes and their names; nodes 0…n-1 in order need no names."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "edges")) or isinstance(graph, type):
        raise GraphError(f"this is {kind_of(graph)}; expected a NetworkX graph.")
    nodes = list(graph)
    position = {node: index for index, node in enumerate(nodes)}
    pairs = list(graph.edges())
    source = np.fromiter((position[u] for u, _ in pairs), dtype=np.int64, count=len(pairs))
    target = np.fromiter((position[v] for _, v in pairs), dtype=np.int64, count=len(pairs))
    names = None if nodes == list(range(len(nodes))) else _node_names(nodes)
    return source, target, _attribute(graph, weight), len(nodes), names


def about_attributes(graph: nx.Graph[Any], weight: str | None, weighted: bool) -> tuple[dict[str, str], list[str]]:
    """Every edge attribute and whether it became the weight, and what was decided about edges without one."""
    given: dict[Any, None] = {}
    without = 0
    for *_, attributes in graph.edges(data=True):
        given.update(dict.fromkeys(attributes))
        without += attributes.get(weight) is None
    roles = {str(name): "weight" if weighted and name == weight else "ignored" for name in given}
    said = []
    if weighted and without:
        have = "edge has" if without == 1 else "edges have"
        said.append(f"{without:,} {have} no attribute {weight!r}: the weight 1 was taken, as NetworkX does.")
    if ignored := [name for name, role in roles.items() if role == "ignored"]:
        choice = "" if weighted else "Pass weight=… to take one of them as the weight. "
        said.append(
            f"Ignored attributes of edges: {', '.join(map(repr, ignored))}. {choice}To keep all, write the graph with "
            "networkx.write_graphml and pass the file to clew.read."
        )
    if ignored := list(dict.fromkeys(name for _, attributes in graph.nodes(data=True) for name in attributes)):
        said.append(
            f"Ignored attributes of nodes: {', '.join(map(repr, ignored))}. To add one, pass its values as a column: "
            f"graph.with_vertex_columns({{{str(ignored[0])!r}: [value for _, value in G.nodes(data={ignored[0]!r})]}})."
        )
    return roles, said


def refuse_columns(options: Mapping[str, Any]) -> None:
    """Say that a NetworkX graph has no columns, to a caller who passes columns=."""
    for name in {"columns", "edge_columns", "vertex_columns"}.intersection(options):
        raise ArgumentError(
            f"from_networkx has no argument {name!r}: of all attributes it takes the weight only.",
            remedy="Write the graph with networkx.write_graphml and pass the file to clew.read, which keeps all "
            "attributes, or add columns to the graph with with_vertex_columns and with_edge_columns.",
        )


def _node_names(nodes: list[Any]) -> VertexNames:
    if all(isinstance(node, int | np.integer) and not isinstance(node, bool) for node in nodes):
        return VertexNames(list(map(int, nodes)))  # nodes from arrays are NumPy integers
    if all(isinstance(node, str) for node in nodes):
        return VertexNames(nodes)
    odd = next(node for node in nodes if not isinstance(node, str))
    raise GraphError(
        f"the node {odd!r} is of type {type(odd).__name__}; expected all nodes to be integers or all to be strings. "
        "Relabel them first, for example with networkx.relabel_nodes(graph, str)."
    )


def _attribute(graph: nx.Graph[Any], weight: str | None) -> Array | None:
    if weight is None:
        return None
    values = [value for _, _, value in graph.edges(data=weight)]
    if all(value is None for value in values):
        if values and weight != WEIGHT:
            raise GraphError(
                f"no edge has the attribute {weight!r}; expected the name of one that holds weights. "
                "Pass weight=None for an unweighted graph."
            )
        return None
    array = np.asarray([1 if value is None else value for value in values])
    if array.dtype not in WEIGHT_DTYPES:
        raise GraphError(f"the edge attribute {weight!r} holds values of {array.dtype}; expected numbers.")
    return array


def to_networkx(graph: Graph) -> nx.Graph[Any]:
    """A NetworkX graph; a multigraph only where some edge occurs more than once."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependencyError(
            f"networkx is not installed; install it with: {install_command('clew[networkx]')}"
        ) from None

    source, target, weights = graph.edges()
    names = graph.names
    pairs = np.stack([source, target], axis=1)
    repeated = len(np.unique(pairs, axis=0)) < len(pairs)
    types = ((nx.Graph, nx.DiGraph), (nx.MultiGraph, nx.MultiDiGraph))
    result = types[repeated][graph.directed]()
    result.add_nodes_from(range(graph.num_vertices) if names is None else names.array.to_pylist())
    ends = [ids.tolist() if names is None else names.take(ids).to_pylist() for ids in (source, target)]
    if weights is None:
        result.add_edges_from(zip(*ends, strict=True))
    else:
        result.add_weighted_edges_from(zip(*ends, weights.tolist(), strict=True))
    return result


def from_arrow(table: Any, source: str, target: str, weight: str | None) -> tuple[Any, Any, Array | None]:
    """The named columns of a table; endpoints stay Arrow arrays, so names never become Python objects.

    A column of weights may be missing where it has the name that is looked for by default.
    """
    table = checked_table(table, source, target, weight)
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
    weights = None if weight is None else weight_column(table[weight], weight)
    return table[source], table[target], weights


def weight_name(weight: str | None, options: dict[str, Any]) -> str | None:
    """The name of the weights, which callers may also pass as ``weights``; that is removed from the options."""
    if "weights" not in options:
        return weight
    given = options.pop("weights")
    if (given is None or given is False) and weight not in (WEIGHT, None):
        raise GraphError(f"weight is {weight!r}, and weights={given} ignores all weights; pass one of them.")
    if given is None or given is False:
        return None
    if not isinstance(given, str):
        raise GraphError(
            f"weights is {kind_of(given)}; expected the name of the column that holds them, such as weights='length'."
        )
    if weight not in (WEIGHT, None, given):
        raise GraphError(f"weight is {weight!r} and weights is {given!r}; pass one of them.")
    return given


def column_roles(
    table: Any, source: str, target: str, weight: str | None, columns: bool | Sequence[str] = ()
) -> dict[str, str]:
    """Every column of a table and what becomes of it; nothing where the table does not say what it has."""
    if type(table).__name__ == "LazyFrame":
        raise GraphError("a LazyFrame has no rows yet; pass frame.collect(), or use Graph.from_polars.")
    names = table.column_names if hasattr(table, "column_names") else getattr(table, "columns", ())
    if isinstance(columns, str) or not (isinstance(columns, bool) or all(isinstance(name, str) for name in columns)):
        raise GraphError(f"columns is {columns!r}; expected True, or a list of the names of columns.")
    kept = list(names if columns else ()) if isinstance(columns, bool) else columns
    if missing := [name for name in kept if name not in list(names)]:
        raise GraphError(f"the table has no column {missing[0]!r}; it has {', '.join(map(repr, names)) or 'none'}.")
    roles = {**dict.fromkeys(kept, "edge column"), weight: "weight", target: "target", source: "source"}
    return {str(name): roles.get(str(name), "ignored") for name in names}


def about_ignored(roles: dict[str, str], weight: str | None) -> list[str]:
    """The note about ignored columns, unless the caller said that there are no weights."""
    ignored = [repr(name) for name, role in roles.items() if role == "ignored"]
    if not ignored or weight != WEIGHT or "weight" in roles.values():
        return []
    return [f"Ignored: {', '.join(ignored)}. Pass weight=… to take one of them as the weight."]


def about_gaps(graph: Graph) -> list[str]:
    """What is said where integers were taken as vertex numbers, and ``ids="map"`` would make fewer vertices."""
    if graph.names is not None or not graph.num_vertices:
        return []
    used = np.diff(graph.indptr) > 0
    if graph.directed:
        used[graph.indices] = True
    alone = graph.num_vertices - int(np.count_nonzero(used))
    if not alone:
        return []
    have = "has" if alone == 1 else "have"
    return [
        f"Integers were taken as vertex numbers, 0 to {graph.num_vertices - 1:,}; {alone:,} of these "
        f"{counted(graph.num_vertices, 'vertex')} {have} no edges. Pass ids='map' to have only the vertices that occur."
    ]


#: The method that makes a graph of what a package has.
METHODS = {"pandas": "from_pandas", "polars": "from_polars", "networkx": "from_networkx", "scipy": "from_scipy"}
METHODS |= {"numpy": "from_numpy", "pyarrow": "from_arrow", "duckdb": "from_arrow", "torch": "from_edge_index"}


def how_to_convert(value: Any) -> str:
    """What to call for a graph of something else, as the end of a message; empty where nothing fits."""
    if isinstance(value, str | PathLike):
        return ": read the file with clew.read"
    method = METHODS.get(type(value).__module__.partition(".")[0].lstrip("_"))
    return "" if method is None else f": convert it with clew.Graph.{method}"


def check_library(value: Any, package: str, *types: str) -> None:
    """Refuse what is not one of a package's types."""
    if type(value).__module__.partition(".")[0] != package or type(value).__name__ not in types:
        expected = " or ".join(f"{package}.{one}" for one in types)
        raise GraphError(f"this is {kind_of(value)}; expected a {expected}. For other tables, use Graph.from_arrow.")


def checked_table(table: Any, *names: str | None) -> pa.Table:
    """The table as Arrow's, with at least the named columns."""
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
        raise GraphError(
            f"a {type(table).__name__} does not speak the Arrow stream protocol; expected a table of pandas, "
            "polars, pyarrow, duckdb or the like. For two arrays, use Graph.from_edges."
        )
    try:
        return as_table(table, *names)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        text = str(error) if isinstance(error, UnicodeError) else "; ".join(map(str, error.args))
        remedy = "Expected columns of one type each; convert them first, for example with table.astype('str')."
        if text.startswith("Duplicate column"):
            remedy = "Expected a column of each name; rename the others."
        raise GraphError(f"Arrow cannot take the table: {text.removesuffix('.')}. {remedy}") from None


def as_table(table: Any, *names: str | None) -> pa.Table:
    """The table as Arrow's; of pandas' data frames only the named columns, if any: Arrow may not know the rest."""
    import pyarrow as pa

    pandas = sys.modules.get("pandas")  # the table can be its own only if it is there already
    if pandas is None or not isinstance(table, pandas.DataFrame) or set(names) - {None, WEIGHT, *table.columns}:
        return pa.table(table)
    if not names:
        return pa.Table.from_pandas(table, preserve_index=False)
    columns = [name for name in dict.fromkeys(names) if name is not None and name in table.columns]
    objects = [name for name in columns if table.columns.is_unique and table[name].dtype == object]
    strings: dict[str, Any] = {name: only_strings(table[name].to_numpy()) for name in objects}
    others = [name for name in columns if strings.get(name) is None]
    found = pa.Table.from_pandas(table, columns=others, preserve_index=False)
    return found if others == columns else pa.table({n: found[n] if n in others else strings[n] for n in columns})


def only_strings(values: Sequence[Any] | Array) -> pa.ChunkedArray[Any] | None:
    """Python objects as an Arrow array, if all of them are strings; else None.

    Strings lie at random places in memory. So types are checked in blocks, and Arrow finds a block in the cache.
    """
    import pyarrow as pa

    parts = []
    for first in range(0, len(values), BLOCK):
        part = values[first : first + BLOCK]
        part = part.tolist() if isinstance(part, np.ndarray) else part
        if set(map(type, part)) != {str}:
            return None
        try:
            parts.append(pa.array(part, pa.large_string()))
        except UnicodeEncodeError as error:
            raise GraphError(f"the name {error.object!r} is not valid text: {error.reason}.") from None
    return pa.chunked_array(parts) if parts else None


def weight_column(column: pa.ChunkedArray[Any], name: str) -> Array:
    """The numbers of a column that holds weights."""
    import pyarrow as pa

    if column.null_count:
        raise GraphError(
            f"column {name!r} has {counted(column.null_count, 'null')}; expected a weight for every edge. "
            "Fill them, or leave those rows out."
        )
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)):
        raise GraphError(f"column {name!r} has type {column.type}; expected numbers or booleans.")
    return np.asarray(column.to_numpy())


def to_arrow(
    source: IdArray,
    target: IdArray,
    weights: Array | None,
    names: VertexNames | None,
    more: pa.Table | None = None,
) -> pa.Table:
    """A table of edges with the columns of ``more``; vertices by name where they have names."""
    import pyarrow as pa

    def column(ids: IdArray) -> pa.Array[Any]:
        return pa.array(ids) if names is None else names.take(ids)

    columns = {"source": column(source), "target": column(target)}
    if weights is not None:
        columns[WEIGHT] = pa.array(weights)
    return pa.table(columns if more is None else {**columns, **dict(zip(more.column_names, more.columns, strict=True))})


def to_pandas(table: pa.Table, nullable: tuple[str, ...] = ()) -> pd.DataFrame:
    """The table as a pandas data frame; integers and truth values of some columns in dtypes that know NA."""
    try:
        frame = table.to_pandas()
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            f"pandas is not installed; install it with: {install_command('clew[pandas]')}"
        ) from None
    for name in nullable:
        dtype = NULLABLE.get(str(table.schema.field(name).type))
        if dtype is not None:
            named = {table.schema.field(name).type: pd.api.types.pandas_dtype(dtype)}
            frame[name] = table.select([name]).to_pandas(types_mapper=named.get)[name]
    return frame
