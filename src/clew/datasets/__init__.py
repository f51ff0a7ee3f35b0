"""What the packages of Debian 12 need: a real graph to try things on, made by tools/make_debian.py."""

from __future__ import annotations

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, id_dtype
from clew.graph import Graph
from clew.names import VertexNames

#: Fields of a package index that name what a package needs, and the weights of their edges.
STRENGTH = {"Pre-Depends": 3, "Depends": 2, "Recommends": 1}


def debian() -> Graph:
    """The dependency graph of Debian 12 (bookworm, main, amd64).

    Vertices are the names of packages. An edge leads from a package to one that it needs. Its weight is the strength of
    the need. 3 is Pre-Depends: needed before the package is unpacked. 2 is Depends: needed for it to work. 1 is
    Recommends: usually installed with it.

    Of alternatives the first counts; versions do not. A name that only one package provides stands for that package. A
    name that several provide, or none in the index, is a vertex of its own. Packages without any edge are there too. So
    63,436 of the vertices are packages and 421 are names of something that none of them is called.

    The graph is made of facts from the package index of 11 July 2026 (Debian 12.15); ``metadata`` has title, source,
    date, licence and the meaning of the weights.

    Returns
    -------
    Graph
        Directed, 63,857 vertices with strings as names, in alphabetical order, and 292,538 edges with uint8 weights;
        no self-loops, no duplicates.

    Examples
    --------
    >>> import clew
    >>> g = clew.datasets.debian()
    >>> g.neighbors("cowsay")
    ['libtext-charwidth-perl', 'perl']
    >>> g.name(g.degrees("in").argmax())
    'libc6'
    """
    from importlib.resources import as_file, files

    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with as_file(files("clew.datasets") / "debian12.parquet") as path, pq.ParquetFile(path) as file:
        table, stored = file.read(), file.metadata.metadata or {}
    about = {key: stored[key.encode()].decode() for key in ("title", "source", "date", "licence", "weights")}
    isolated = pa.array(stored[b"isolated"].decode().split(" "))
    vertices = pc.unique(pa.chunked_array([*table["source"].chunks, *table["target"].chunks, isolated]))
    names = VertexNames(vertices.take(pc.array_sort_indices(vertices)))
    # The file's rows are sorted by name, and so are the vertices: the columns are compressed rows already.
    source, target = names.ids_of(table["source"]), names.ids_of(table["target"])
    indptr = np.searchsorted(source, np.arange(len(names) + 1)).astype(OFFSET, copy=False)
    indices = target.astype(id_dtype(len(names)))
    return Graph(Adjacency(indptr, indices, table["weight"].to_numpy()), names=names, metadata=about)
