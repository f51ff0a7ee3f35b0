"""All formats, and detection: unambiguous content decides first, the suffix second.

A new format is one module with ``sniff``, ``read`` and ``write``, and one entry in ``FORMATS``. A module is loaded only
when its format is needed. The patterns in the entries distinguish most files.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from clew.adjacency import BOUNDARY
from clew.convert.libraries import METHODS
from clew.errors import ClewError, FormatError
from clew.io import foreign
from clew.io.options import ReadOptions, WriteOptions
from clew.io.source import HEAD_BYTES, Match, Source

if TYPE_CHECKING:
    from clew.graph import Graph
    from clew.io.sink import Sink

TABLE_SUFFIXES = (".csv", ".tsv")  # edge lists whose first line names the columns
GAP_SUFFIXES = (".el", ".wel")  # edge lists without comments, whose integers are vertex ids
NO_HEADER = b"# no header: every line is an edge"  # clew writes it if the first edge looks like something else
EDGE_LIST = "edge-list"  # its suffixes, such as .txt, say little: any other format may be in such a file


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Parameters
    ----------
    name
        What a caller passes as ``format=``.
    title
        What a person reads in a table.
    endings
        The suffixes of its files, without a compression suffix.
    module
        Where it is read and written, below ``clew.io``.
    mark
        A pattern in the first bytes of every file that ``sniff`` is sure of; empty where it is never sure.
    variant
        What follows ``sniff``, ``read`` and ``write`` in the module, where it has several formats.
    keeps
        What a file holds besides edges and weights. "names": what vertices are called, rather than that they are
        0…n-1. "direction": that a graph is undirected, unless the format holds no others. "metadata": all metadata.
        "columns": those of vertices and edges.
        Other words are the keys of the metadata that it has a place for.
    needs_suffix
        Whether ``Match.MAYBE`` is not enough without one of the suffixes.
    may_be_empty
        Whether a file without a byte is one of this format.
    read_only
        Whether clew does not write it.
    may_be_edges
        Whether a file with one of the suffixes may be an edge list all the same: ``has_bare_edges`` of the module says.
    """

    name: str
    title: str
    endings: str
    module: str
    mark: bytes = b""
    variant: str = ""
    keeps: str = "direction"
    needs_suffix: bool = False
    may_be_empty: bool = False
    may_be_edges: bool = False
    read_only: bool = False

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes one by one."""
        return tuple(self.endings.split())

    def function(self, name: str) -> Any:
        """A function of the module, which is loaded for it."""
        return getattr(import_module(f"clew.io.{self.module}"), name + self.variant)

    @property
    def names_weights(self) -> bool:
        """Whether its weights have names, of which a caller can choose one."""
        return "columns" in self.keeps or self.module in ("tables", "edge_list", "ldbc", "tntp", "flow")

    @property
    def sniff(self) -> Callable[[bytes], Match]:
        """From the first bytes (decompressed, at most 64 KiB; the whole file if it is shorter) to a ``Match``."""
        return self.function("sniff")  # type: ignore[no-any-return]

    @property
    def read(self) -> Callable[[Source, ReadOptions], Graph]:
        """The reader."""
        return self.function("read")  # type: ignore[no-any-return]

    @property
    def write(self) -> Callable[[Graph, Sink, WriteOptions], None] | None:
        """The writer, if there is one."""
        return None if self.read_only else self.function("write")


#: One % too few is a slip that some writers made; other readers forgive it as well.
BANNER = re.compile(rb"(?i)\A\s*%%?matrixmarket(?![^ \t\r\n])")
PROPERTY = re.compile(rb"(?m)^[ \t]*graph\.\S+\.(directed|vertex-file|edge-file)[ \t]*[=:]")
_ADJACENCY = rb"\A\s*(Weighted)?AdjacencyGraph(\s|\Z)"
_EDGE_LISTS = ".txt .csv .tsv .el .wel .edges .edgelist .snap .konect .ncol .dat"
NAMED, COLUMNS, ALL = "names direction", "names direction columns", "names direction metadata"
_PROBLEM = rb"(?:\A|[\r\n])[^\S\r\n]*p[ \t]"

#: In the order of detection. The first that is sure wins, then the first whose suffix fits, then the first that is
#: possible. Formats that look like edge lists come after these, binary formats after text formats of the same suffix.
FORMATS: tuple[Format, ...] = (
    Format("clew", "clew's own, memory-mapped", ".clew", "native", rb"\ACLEW\r\n\x1a\n", keeps=ALL),
    Format("clewd", "clew's own, a folder of tiles", ".clewd", "tiles", rb'\A{"clewd": ', keeps=ALL),
    Format("parquet", "Parquet edge table", ".parquet .pq", "tables", rb"\APAR1", "_parquet", NAMED),
    Format("arrow", "Arrow IPC edge table", ".arrow .feather .ipc", "tables", rb"\A(ARROW1|FEA1)", "_arrow", NAMED),
    Format("graphml", "GraphML", ".graphml", "graphml", rb"(?s)\A\s*<.{0,4000}?graphml\b", keeps=COLUMNS),
    Format("gexf", "GEXF", ".gexf", "gexf", rb"(?s)\A\s*<.{0,4000}?gexf\b", keeps=COLUMNS),
    Format("gml", "GML", ".gml", "gml", rb"(?i)\bgraph\s*\[", keeps=COLUMNS),
    Format("dot", "Graphviz DOT", ".dot .gv", "dot", rb"(?i)graph\b", keeps=COLUMNS),
    Format("pajek", "Pajek network", ".net .pajek", "pajek", rb"(?i)\*vertices\b", keeps=COLUMNS),
    Format("node-link", "JSON of nodes and links", ".json", "node_link", rb'(?s)\A\s*\{.*"nodes"\s*:', keeps=COLUMNS),
    Format("npy", "NumPy .npy: an edge array", ".npy", "npy", rb"\A\x93NUMPY", keeps=""),
    Format("matlab", "MATLAB .mat: a matrix", ".mat", "matlab", rb"\AMATLAB 5\.0 MAT-file"),
    Format("npz", "NumPy .npz: edge arrays or a SciPy matrix", ".npz", "npz", rb"\APK\x03\x04", keeps=NAMED),
    Format(
        "matrix-market",
        "Matrix Market",
        ".mtx .mm",
        "matrix_market",
        BANNER.pattern,
        keeps="direction bipartite",
        needs_suffix=True,  # without its banner, a file reads like an edge list with weights
        may_be_edges=True,
    ),
    Format("dimacs", "DIMACS shortest paths", ".gr", "dimacs", _PROBLEM, "_paths", keeps=""),
    Format(
        "dimacs-col",
        "DIMACS graph colouring and cliques",
        ".col .clq",
        "dimacs",
        _PROBLEM,
        "_graph",
        keeps="direction vertex_weights",
    ),
    Format("galois", "Galois binary, versions 1 and 2", ".gr", "binary", rb"\A[\x01\x02]\0{7}", "_galois", keeps=""),
    Format("graph6", "graph6: dense undirected graphs", ".g6 .graph6", "graph6", rb"\A>>graph6<<"),
    Format("sparse6", "sparse6: undirected graphs", ".s6 .sparse6", "graph6", rb"\A>>sparse6<<", "_sparse"),
    Format(
        "digraph6", "digraph6: dense directed graphs", ".d6 .digraph6", "graph6", rb"\A>>digraph6<<", "_directed", ""
    ),
    Format("dimacs-max", "DIMACS maximum flow", ".max", "flow", _PROBLEM, "_max", keeps="source sink"),
    Format("dimacs-min", "DIMACS minimum-cost flow", ".min", "flow", _PROBLEM, "_min", read_only=True),
    Format("tsplib", "TSPLIB", ".tsp .atsp .hcp", "tsplib", rb"(?m)^[ \t]*DIMENSION[ \t]*:", read_only=True),
    Format("tntp", "TNTP network", ".tntp", "tntp", rb"<NUMBER OF LINKS>", read_only=True),
    Format("gap", "GAP serialized graph", ".sg .wsg", "binary", variant="_gap"),
    Format("ligra", "Ligra adjacency graph", ".adj .ligra", "ligra", _ADJACENCY, keeps=BOUNDARY),
    Format(EDGE_LIST, "Edge list", _EDGE_LISTS, "edge_list", keeps=NAMED),
    Format("metis", "METIS graph", ".graph .mgraph .metis", "metis", keeps="direction vertex_weights vertex_sizes"),
    Format(
        "ldbc",
        "LDBC Graphalytics graph (.v, .e, .properties)",
        ".e .v .properties",
        "ldbc",
        PROPERTY.pattern,
        keeps="names direction ldbc",
        needs_suffix=True,  # the other files are found by it
        may_be_empty=True,  # a graph without edges has no line in its .e file
    ),
)


def formats() -> tuple[Format, ...]:
    """Every format, in the order they are tried."""
    return FORMATS


def named(name: str) -> Format:
    """The format called ``name``."""
    known = {one.name: one for one in FORMATS}
    if name not in known:
        expected = f"there is no format called {name!r}; expected one of {', '.join(known)}."
        raise FormatError(expected, remedy=_meant(str(name).lower().lstrip("."), list(known)))
    return known[name]


def _meant(word: str, known: list[str]) -> str:
    """What a caller may mean who takes the suffix of a file, the name of a library or a slip for a format's name."""
    own = _by_suffix(f".{word}")
    if own:
        return f"The format of .{word} files is called {' or '.join(one.name for one in own)}."
    if word in METHODS:
        return f"clew.Graph.{METHODS[word]} makes a graph of what {word} has in memory."
    if (strange := foreign.by_suffix(f".{word}")) is not None:
        return f"The suffix .{word} stands for {strange.title}, which clew does not read. {strange.remedy}"
    close = difflib.get_close_matches(word, known, 1)
    return f"Did you mean {close[0]}?" if close else ""


def detect(head: bytes, suffix: str, name: str, otherwise: str | None = None) -> Format:
    """The format of a file that starts with ``head`` and whose name ends in ``suffix``.

    Unambiguous content decides, for any suffix. Otherwise the suffix of a format decides, also of one that clew does
    not read. If the suffix belongs to none, or to edge lists, the content is guessed. ``otherwise`` names the format if
    the guess finds none.
    """
    if NO_HEADER in head[: 4 * len(NO_HEADER)]:
        return named(EDGE_LIST)
    for one in FORMATS:
        if one.mark and re.search(one.mark, head) and one.sniff(head) == Match.SURE:
            return one
    if (strange := foreign.by_content(head)) is not None:
        raise foreign.refusal(strange, name)
    own = _by_suffix(suffix)
    if not head:
        return _format_of_empty(own, suffix, name)
    if (fitting := _first_possible(own, head)) is not None:
        return fitting
    if otherwise is not None:
        return named(otherwise)
    if (strange := foreign.by_suffix(suffix)) is not None:
        raise foreign.refusal(strange, name, suffix)
    if own and own[0].name != EDGE_LIST:
        return _format_of_suffix(own, head)
    if (guessed := _first_possible([one for one in FORMATS if not one.needs_suffix], head)) is not None:
        return guessed
    if own and (mistake := _first_mistake(own[0], head, name)) is not None:
        raise mistake
    raise FormatError(
        f"the content is in no known graph format (it starts with {head[:24]!r}); expected {_expected(own, suffix)}.",
        path=name,
        remedy="If you know the format, name it with format=…; `clew formats` lists them.",
    )


def contradiction(one: Format, suffix: str) -> str | None:
    """What to say about a file that is in another format than its suffix stands for; None where it is not."""
    own = _by_suffix(suffix)
    if not own or own[0].name == EDGE_LIST or suffix in one.suffixes:
        return None
    return (
        f"The suffix {suffix!r} stands for {own[0].title}, but the content was read as {one.name}. "
        f"Pass format={own[0].name!r} (--format {own[0].name}) to override it."
    )


def _first_possible(candidates: list[Format], head: bytes) -> Format | None:
    return next((one for one in candidates if one.sniff(head) != Match.NO), None)


def _format_of_empty(own: list[Format], suffix: str, name: str) -> Format:
    """The format of an empty file, where its suffix stands for one that has such files."""
    if own and own[0].may_be_empty:
        return own[0]
    raise FormatError(f"the file is empty; expected {_expected(own, suffix)}.", path=name)


def _format_of_suffix(own: list[Format], head: bytes) -> Format:
    """The format that a suffix stands for, although the first bytes do not look like it: its reader says what is wrong.

    Where there are several, as for ``.gr``, the one for text stands before the other in ``FORMATS``.
    """
    if own[0].may_be_edges and own[0].function("has_bare_edges")(head):
        return named(EDGE_LIST)
    return own[-1] if b"\0" in head else own[0]


def _expected(own: list[Format], suffix: str) -> str:
    return f"the format that {suffix!r} stands for ({own[0].title})" if own else "a graph in a known format"


def _first_mistake(one: Format, head: bytes, name: str) -> FormatError | None:
    """Where the first bytes of a file break the rules of the format that its name promises; None if no line does."""
    is_whole = len(head) < HEAD_BYTES
    text = head if is_whole else head[: head.rfind(b"\n") + 1]
    try:
        one.read(Source(text), ReadOptions())
    except FormatError as error:
        lines = text.count(b"\n")
        if error.line is not None and (is_whole or error.line < lines):  # else the cut may be the reason
            error.path = name
            return error
    except ClewError:
        pass
    return None


def for_writing(suffix: str, name: str, format_name: str | None = None) -> Format:
    """The format to write: the one that is named, or else that of ``suffix``."""
    own = _by_suffix(suffix) if format_name is None else [named(format_name)]
    writable = [one for one in own if not one.read_only]
    if writable:
        return writable[0]
    strange = foreign.by_suffix(suffix)
    problem = f"cannot tell the format from the suffix {suffix!r}"
    if own:
        problem = f"clew reads {own[0].title}, but does not write it"
    elif strange is not None:
        problem = f"the suffix {suffix!r} stands for {strange.title}, which clew does not write"
    known = ", ".join(sorted({end for one in FORMATS for end in one.suffixes if not one.read_only}))
    raise FormatError(
        f"{problem}; expected one of {known}.",
        path=name,
        remedy="Or name it with format=…; `clew formats` lists them.",
        option="Or name it with --to; `clew formats` lists them.",
    )


def _by_suffix(suffix: str) -> list[Format]:
    return [one for one in FORMATS if suffix in one.suffixes]
