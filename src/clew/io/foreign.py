"""Formats that clew does not read: recognised, so that none of them is taken for an edge list.

The content tells most of them, the suffix the others. A refusal names the format and what to do about it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.errors import FormatError

START_BYTES = 1 << 13  # a root element or a first keyword stands in these; comments rarely are longer
_MARK = b"\xef\xbb\xbf"

#: What to do about a file whose suffix or format was mistaken: in Python, and on the command line.
IF_EDGES = (
    "If every line is an edge, pass format='edge-list'.",
    "If every line is an edge, read it with --format edge-list.",
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format that clew does not read.

    Parameters
    ----------
    title
        What it is called, with its article: "a Pajek network".
    remedy
        What to do about it, as a sentence that holds in Python and on the command line.
    start
        A pattern that matches the first bytes of such files; None where nothing tells them from edge lists.
    suffixes
        File name endings that stand for it, without a compression suffix.
    never
        Whether it is never a graph, so that it is refused also where the caller has named the format.
    """

    title: str
    remedy: str
    start: re.Pattern[bytes] | None = None
    suffixes: tuple[str, ...] = ()
    never: bool = False


def by_content(head: bytes) -> Foreign | None:
    """The foreign format that the first bytes of a file show, or None."""
    start = head[:START_BYTES].removeprefix(_MARK)
    return next((one for one in KNOWN if one.start is not None and one.start.match(start)), None)


def by_suffix(suffix: str) -> Foreign | None:
    """The foreign format that a suffix stands for, or None."""
    return next((one for one in KNOWN if suffix in one.suffixes), None)


def refusal(one: Foreign, name: str, suffix: str | None = None) -> FormatError:
    """The error about a file in a foreign format, for the caller to raise; ``suffix``, where nothing else tells."""
    if suffix is None:
        why = ", not a graph" if one.never else ", which clew does not read"
        return FormatError(f"the file is {one.title}{why}. {one.remedy}", path=name)
    remedy, option = IF_EDGES
    return FormatError(
        f"the suffix {suffix!r} stands for {one.title}, which clew does not read. {one.remedy}",
        path=name,
        remedy=remedy,
        option=option,
    )


def refuse_what_is_no_graph(head: bytes, name: str) -> None:
    """Refuse what is no graph in any format: a web page, or a pointer where a file should be."""
    if (found := by_content(head)) is not None and found.never:
        raise refusal(found, name)


def _starts(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _after(comments: bytes, pattern: bytes) -> re.Pattern[bytes]:
    """Text that starts with a pattern, after blanks, comments of C, and lines that start with one of ``comments``."""
    return _starts(rb"(?:\s+|/\*.*?\*/|(?:%s)[^\n]*\n)*+%s" % (comments, pattern))


def _networkx(call: str) -> str:
    return f"In Python, clew.Graph.from_networkx({call}) reads it through NetworkX."


def _igraph(reader: str) -> str:
    return f"In Python, clew.Graph.from_networkx(igraph.Graph.{reader}(path).to_networkx()) reads it through igraph."


_TABLE = "In Python, load the edges as a data frame and pass it to clew.Graph.from_arrow(frame, 'source', 'target')."
_UNPACK = "Unpack it, and read the file in it that holds the graph."
_DOWNLOAD = "Look at it in an editor: a failed download leaves such a file. Download it again."

#: Content that is told by a fixed start comes first, then text, from the strictest pattern to the loosest.
KNOWN: tuple[Foreign, ...] = (
    Foreign(
        "a Git LFS pointer",
        "The graph itself was not downloaded: run `git lfs pull`.",
        _starts(rb"version https?://(git-lfs\.github\.com|hawser\.github\.com)/spec/"),
        never=True,
    ),
    Foreign(
        "a git-annex pointer",
        "The graph itself was not downloaded: run `git annex get`.",
        _starts(rb"\S{0,200}/annex/objects/"),
        never=True,
    ),
    Foreign(
        "a web page (HTML)",
        _DOWNLOAD,
        _starts(rb"\s*(<!--.{0,2000}?-->\s*)?<(!doctype\s+html|html|head|body)\b"),
        (".html", ".htm"),
        never=True,
    ),
    Foreign("a PDF document", "Read the data that it describes.", _starts(rb"%PDF-"), (".pdf",), never=True),
    Foreign("a PostScript file", "Read the data that it describes.", _starts(rb"%!PS"), (".ps", ".eps"), never=True),
    Foreign(
        "an image",
        "Read the data that it shows.",
        _starts(rb"\x89PNG\r|\xff\xd8\xff|GIF8[79]a"),
        (".png", ".jpg", ".jpeg", ".gif", ".svg"),
        never=True,
    ),
    Foreign("a program (ELF)", "Read a file that it writes.", _starts(rb"\x7fELF"), never=True),
    Foreign("a script", "Run it, and read the file that it writes.", _starts(rb"#!\s*/")),
    Foreign(
        "an Excel workbook",
        f"Save the sheet as CSV and read that. {_TABLE}",
        _starts(rb"PK\x03\x04.{22}.{4}(\[Content_Types\]\.xml|_rels/|xl/)|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        (".xlsx", ".xls", ".ods"),
    ),
    Foreign(
        "a PyTorch archive",
        "In Python, load it, and pass its edge_index to clew.Graph.from_edges(*edge_index).",
        _starts(rb"PK\x03\x04.{26}[^/]{1,200}/(data\.pkl|byteorder|version|\.format_version)"),
        (".pt", ".pth"),
    ),
    Foreign("a zip archive", _UNPACK, _starts(rb"PK(\x03\x04|\x05\x06|\x07\x08)"), (".zip",)),
    Foreign("a tar archive", _UNPACK, _starts(rb".{257}ustar"), (".tar", ".tgz", ".tbz2", ".txz")),
    Foreign("a 7-Zip archive", _UNPACK, _starts(rb"7z\xbc\xaf\x27\x1c"), (".7z",)),
    Foreign("a RAR archive", _UNPACK, _starts(rb"Rar!\x1a\x07"), (".rar",)),
    Foreign("an LZ4 file", "Unpack it with `lz4 -d`, and read the result.", _starts(rb"\x04\x22\x4d\x18"), (".lz4",)),
    Foreign(
        "a file packed by compress", "Unpack it with `uncompress`, and read the result.", _starts(rb"\x1f\x9d"), (".z",)
    ),
    Foreign(
        "an SQLite database",
        f"Query the edges from it. {_TABLE}",
        _starts(rb"SQLite format 3\0"),
        (".sqlite", ".sqlite3", ".db"),
    ),
    Foreign(
        "an HDF5 file",
        "In Python, load its arrays and pass them to clew.Graph.from_edges(source, target).",
        _starts(rb"\x89HDF\r\n"),
        (".h5", ".hdf5", ".hdf"),
    ),
    Foreign(
        "a MATLAB file",
        "In Python, clew.Graph.from_scipy(scipy.io.loadmat(path)['A']) reads the matrix A in it.",
        _starts(rb"MATLAB 5\.0 MAT-file"),
        (".mat",),
    ),
    Foreign(
        "a NumPy array",
        "In Python, edges = numpy.load(path), then clew.Graph.from_edges(edges[:, 0], edges[:, 1]).",
        _starts(rb"\x93NUMPY"),
        (".npy",),
    ),
    Foreign(
        "a Python pickle",
        "In Python, unpickle it if you trust it, and pass what it holds to a constructor of clew.Graph.",
        _starts(rb"\x80[\x02-\x05](\x95.{8}|[cK}\](\x8c])"),
        (".pkl", ".pickle", ".gpickle"),
    ),
    Foreign(
        "R data",
        "In R, write the edges with write.csv, and read that.",
        _starts(rb"RD[AX][23]\n"),
        (".rda", ".rdata", ".rds"),
    ),
    Foreign("an Avro file", _TABLE, _starts(rb"Obj\x01"), (".avro",)),
    Foreign(
        "an ORC file",
        f"pyarrow.orc.read_table(path) loads it. {_TABLE}",
        _starts(rb"ORC[\x00-\x1f\x80-\xff]"),
        (".orc",),
    ),
    Foreign(
        "a graph-tool file",
        "In graph-tool, save it as GraphML, and read that through NetworkX.",
        _starts(rb"\xe2\x9b\xbe gt"),
        (".gt",),
    ),
    Foreign(
        "text in UTF-16",
        "Save it as UTF-8, for example with `iconv -f utf-16 -t utf-8`.",
        _starts(rb"\xff\xfe|\xfe\xff"),
    ),
    Foreign("graph6", _networkx("networkx.read_graph6(path)"), _starts(rb">>graph6<<"), (".g6", ".graph6")),
    Foreign("sparse6", _networkx("networkx.read_sparse6(path)"), _starts(rb">>sparse6<<"), (".s6", ".sparse6")),
    Foreign("digraph6", "In Python, igraph or SageMath reads it.", _starts(rb">>digraph6<<"), (".d6", ".digraph6")),
    Foreign(
        "GraphML",
        _networkx("networkx.read_graphml(path)"),
        _starts(rb"\s*<.{0,4000}?<graphml\b|\s*<graphml\b"),
        (".graphml",),
    ),
    Foreign("GEXF", _networkx("networkx.read_gexf(path)"), _starts(rb"\s*<.{0,4000}?<gexf\b|\s*<gexf\b"), (".gexf",)),
    Foreign("XGMML", "In Cytoscape, export it as GraphML, and read that through NetworkX.", None, (".xgmml",)),
    Foreign(
        "an error message of a server (XML)", _DOWNLOAD, _starts(rb"\s*(<\?xml[^>]{0,200}>\s*)?<Error>"), never=True
    ),
    Foreign(
        "RDF",
        "In Python, load it with rdflib, and pass subjects and objects to clew.Graph.from_edges.",
        _starts(rb"\s*<[a-z]+:[^<>\s]{1,400}>\s+<[^<>\s]+>\s|\s*@prefix\s|\s*<.{0,4000}?<rdf:RDF\b"),
        (".nt", ".nq", ".ttl", ".rdf", ".n3"),
    ),
    Foreign("XML", "Convert it to a format that `clew formats` lists.", _starts(rb"\s*<(\?xml|[a-z!])"), (".xml",)),
    Foreign(
        "JSON of nodes and links",
        _networkx("networkx.node_link_graph(json.load(open(path)))"),
        _starts(rb"\s*\{(?=.*\"nodes\"\s*:)(?=.*\"(links|edges)\"\s*:)"),
    ),
    Foreign(
        "JSON",
        "In Python, load it, and pass sources and targets to clew.Graph.from_edges.",
        _starts(rb"\s*[{\[]\s*([\"{}\[\]\d-]|$)"),
        (".json", ".jsonl", ".ndjson", ".geojson"),
    ),
    Foreign(
        "a Pajek network",
        _networkx("networkx.read_pajek(path)"),
        _after(rb"%", rb"\*(vertices|network|arcs|arcslist|edges|edgeslist|matrix|partition|vector)\b"),
        (".net", ".paj", ".pajek"),
    ),
    Foreign(
        "a NetDraw file (VNA)", "Export it as an edge list, and read that.", _starts(rb"\s*\*(node|tie)\s"), (".vna",)
    ),
    Foreign(
        "GML",
        _networkx("networkx.read_gml(path)"),
        _after(rb"#|creator\s|version\s|comment\s|label\s|name\s", rb"graph\s*\["),
        (".gml",),
    ),
    Foreign(
        "Graphviz DOT",
        _networkx("networkx.nx_pydot.read_dot(path)"),
        _after(rb"#|//", rb"(strict\s+)?(di)?graph\b\s*(\"[^\"\n]*\"|\w+)?\s*\{"),
        (".dot", ".gv"),
    ),
    Foreign(
        "a GUESS file (GDF)",
        "In Gephi, export it as GraphML, and read that through NetworkX.",
        _starts(rb"\s*nodedef\s*>"),
        (".gdf",),
    ),
    Foreign(
        "a LEMON graph",
        "Export the arcs as an edge list, and read that.",
        _after(rb"#", rb"@(nodes|arcs|edges|attributes|red_nodes|blue_nodes)\b"),
        (".lgf",),
    ),
    Foreign("a LEDA graph", _networkx("networkx.read_leda(path)"), _after(rb"#", rb"LEDA\.GRAPH\b"), (".lgr", ".leda")),
    Foreign("a UCINET DL file", _igraph("Read_DL"), _starts(rb"\s*dl\s+(n|nr|nc|nm|format|labels)\s*[= ]"), (".dl",)),
    Foreign(
        "a file of SQL statements",
        f"Load it into a database. {_TABLE}",
        _after(rb"--", rb"(create|insert|drop|use|set|begin)\s+(table|into|database|transaction|names)\b"),
        (".sql",),
    ),
    Foreign("a Large Graph Layout file", _igraph("Read_Lgl"), None, (".lgl",)),
    Foreign("a NetworkX adjacency list", _networkx("networkx.read_adjlist(path)"), None, (".adjlist",)),
    Foreign(
        "a Cytoscape network (SIF)",
        "Its middle column is the kind of an edge: leave it out, and read the rest.",
        None,
        (".sif",),
    ),
    Foreign(
        "a Trivial Graph Format file",
        "Leave out the lines up to '#', and read the others as an edge list.",
        None,
        (".tgf",),
    ),
    Foreign(
        "a hypergraph",
        "Its lines are sets of vertices, not edges: expand them into pairs first.",
        None,
        (".hgr", ".hmetis"),
    ),
    Foreign(
        "a Harwell-Boeing matrix",
        "In Python, clew.Graph.from_scipy(scipy.io.hb_read(path)) reads it.",
        None,
        (".rb", ".hb", ".rua", ".rsa", ".pua", ".psa"),
    ),
    Foreign(
        "a WebGraph",
        "Convert it with WebGraph's ASCIIGraph or ArcListASCIIGraph, and read the list of arcs.",
        None,
        (".webgraph", ".bvgraph"),
    ),
)
