"""NumPy ``.npz`` archives: edge arrays, SciPy's sparse matrices, and what clew writes.

What the arrays are called decides:

- ``format``, ``shape`` and ``data``: a matrix as ``scipy.sparse.save_npz`` writes it (csr, csc, coo, bsr or dia). An
  entry is a directed edge, its value the weight.
- ``src`` and ``dst`` (or ``source`` and ``target``, ``row`` and ``col``): an edge per entry. There may also be weights
  (``weights``, ``weight``, ``w``, ``data``), the number of vertices (``n``, ``num_vertices``, ``num_nodes``) and a
  flag: ``directed``, or ``sym`` (``symmetric``, ``undirected``), which says that each pair, given once, stands for an
  edge in both directions. Without a flag edges are directed.

clew writes a csr matrix, which ``scipy.sparse.load_npz`` can read, and besides ``directed``, ``weighted`` (where it is
false, ``data`` is all ones) and the names of the vertices.

Nothing is ever unpickled. A member's size is checked against its own header and against ``max_expanded_bytes`` before
memory is taken for it.
"""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.errors import FormatError
from clew.graph import Graph
from clew.io import name_arrays
from clew.io.apply import graph_from_edges, graph_from_rows
from clew.io.binary import SinkFile, little_endian, refuse_rows
from clew.io.npz.archive import SUFFIX, Archive
from clew.io.options import ReadOptions, WriteOptions
from clew.io.registry import Format, Match
from clew.io.sink import Sink
from clew.io.source import Source

ENDS = (("src", "dst"), ("source", "target"), ("row", "col"))
WEIGHTS = ("weights", "weight", "w", "data")
COUNTS = ("n", "num_vertices", "num_nodes")
LEVEL = 1  # of deflate: several times faster than the usual 6, for files hardly larger
SYMMETRIC = ("sym", "symmetric", "undirected")


def sniff(head: bytes) -> Match:
    """A zip file whose first member is an array."""
    if not head.startswith(b"PK\x03\x04"):
        return Match.NO
    length = int.from_bytes(head[26:28], "little")
    return Match.SURE if head[30 : 30 + length].endswith(b".npy") else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph from whichever arrays there are."""
    archive = Archive(source, options)
    if "shape" in archive and "format" in archive:
        return _from_matrix(archive, source, options)
    for pair in ENDS:
        if all(name in archive for name in pair):
            return _from_edges(archive, pair, source, options)
    raise source.error(
        f"the archive holds the arrays {', '.join(archive.names[:20]) or '(none)'}; expected src and dst, source and "
        "target, or what scipy.sparse.save_npz or clew writes."
    )


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write the graph's rows as SciPy would, and what else there is to know about it."""
    n = graph.num_vertices
    arrays: dict[str, Array] = {
        "format": np.array(b"csr"),
        "shape": np.array([n, n], dtype=np.int64),
        "directed": np.array(graph.directed),
        "weighted": np.array(graph.weighted),
        "indptr": graph.indptr,
        "indices": graph.indices,
        "data": np.ones(graph.num_arcs, dtype=np.int8) if graph.weights is None else graph.weights,
        **name_arrays.to_arrays(graph.names),
    }
    total = sum(array.nbytes for array in arrays.values())
    done = 0
    with zipfile.ZipFile(SinkFile(sink), "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, array in arrays.items():
            with archive.open(name + SUFFIX, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, little_endian(array), version=(1, 0), allow_pickle=False)
            done += array.nbytes
            if options.progress:
                options.progress(done, total)


def _from_edges(archive: Archive, ends: tuple[str, str], source: Source, options: ReadOptions) -> Graph:
    first, second = (archive.array(name) for name in ends)
    weights = _weights(archive, archive.first(*WEIGHTS), options)
    count = archive.first(*COUNTS)
    num_vertices = None if count is None else int(archive.value(count, "iu"))
    if num_vertices is not None:
        refuse_rows(source, num_vertices)
    directed = _is_directed(archive)
    return graph_from_edges(first, second, weights, options, directed=directed, num_vertices=num_vertices)


def _from_matrix(archive: Archive, source: Source, options: ReadOptions) -> Graph:
    kind = archive.value("format", "SU")
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    shape = archive.array("shape").tolist()
    if len(shape) != 2 or shape[0] != shape[1] or type(shape[0]) is not int or shape[0] < 0:
        raise source.error(f"the matrix has shape {shape}; expected a square one, a row and a column per vertex.")
    if kind not in ("csr", "csc", "coo", "bsr", "dia"):
        raise source.error(f"the matrix is in SciPy's format {kind!r}; expected csr, csc, coo, bsr or dia.")
    weighted = archive.value("weighted", "b") if "weighted" in archive else True
    weights_in = "data" if weighted else None
    directed = _is_directed(archive)
    if kind in ("csr", "csc"):
        indptr, indices = archive.array("indptr"), archive.array("indices")
        if indptr.size != shape[0] + 1:
            raise source.error(f"indptr has {indptr.size:,} entries; expected {shape[0] + 1:,}, one more than rows.")
        stored = {name: archive.array(name) for name in name_arrays.ALL if name in archive}
        names = name_arrays.from_arrays(stored)
        weights = _weights(archive, weights_in, options)
        graph = graph_from_rows(indptr, indices, weights, options, directed=directed, names=names)
        return graph if kind == "csr" else graph.reversed()  # the rows of a CSC matrix are its columns
    refuse_rows(source, shape[0])
    if kind == "coo":
        row, col, data = archive.array("row"), archive.array("col"), _weights(archive, weights_in, options)
    else:
        row, col, data = _expanded(kind, archive, shape[0], source)
    return graph_from_edges(row, col, data, options, directed=directed, num_vertices=shape[0])


def _expanded(kind: str, archive: Archive, size: int, source: Source) -> tuple[Array, Array, Array]:
    """The entries of a matrix stored by blocks or diagonals."""
    import scipy.sparse as sp

    data: Any = archive.array("data", ndim=3 if kind == "bsr" else 2)
    matrix: Any
    try:
        if kind == "bsr":
            matrix = sp.bsr_array((data, archive.array("indices"), archive.array("indptr")), shape=(size, size))
            matrix.check_format(full_check=True)
        else:
            matrix = sp.dia_array((data, archive.array("offsets")), shape=(size, size))
        entries = matrix.tocoo()
    except FormatError:
        raise
    except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError) as error:
        raise source.error(f"the arrays do not make a {kind} matrix of {size:,} rows: {error}.") from None
    return entries.row, entries.col, entries.data


def _weights(archive: Archive, name: str | None, options: ReadOptions) -> Array | None:
    return None if name is None or options.weights is False else archive.array(name)


def _is_directed(archive: Archive) -> bool:
    if "directed" in archive:
        return bool(archive.value("directed", "biu"))
    flag = archive.first(*SYMMETRIC)
    return flag is None or not archive.value(flag, "biu")


FORMAT = Format("npz", "NumPy .npz: edge arrays or a SciPy matrix", (".npz",), sniff, read, write, keeps_names=True)
