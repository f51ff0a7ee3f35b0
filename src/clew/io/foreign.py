"""Formats that clew does not read. They are recognised, so that none is read as an edge list.

The content shows most of them, the suffix the others. A refusal names the format and says what to do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.errors import FormatError

START_BYTES = 1 << 13  # a root element or a first keyword is in these; comments rarely are longer
_MARK = b"\xef\xbb\xbf"

#: What to do about a file whose suffix or format was mistaken.
IF_EDGES = "If every line is an edge, pass format='edge-list'."


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format that clew does not read.

    Parameters
    ----------
    title
        Its name with the article: "a Pajek network".
    remedy
        What to do about it, as a sentence that holds in Python and on the command line.
    start
        A pattern of the first bytes, in any case; empty where nothing distinguishes such files from edge lists.
    endings
        The suffixes of such files, without a compression suffix.
    """

    title: str
    remedy: str
    start: bytes = b""
    endings: str = ""

    @property
    def suffixes(self) -> list[str]:
        """The suffixes one by one."""
        return self.endings.split()


def by_content(head: bytes) -> Foreign | None:
    """The foreign format that the first bytes of a file show, or None."""
    start = head[:START_BYTES].removeprefix(_MARK)
    return next((one for one, pattern in _PATTERNS if pattern.match(start)), None)


def by_suffix(suffix: str) -> Foreign | None:
    """The foreign format that a suffix stands for, or None."""
    return next((one for one in KNOWN if suffix in one.suffixes), None)


def refusal(one: Foreign, name: str, suffix: str | None = None) -> FormatError:
    """The error about a file in a foreign format, for the caller to raise; ``suffix``, where nothing else shows it."""
    if suffix is None:
        why = ", not a graph" if one in NO_GRAPHS else ", which clew does not read"
        return FormatError(f"the file is {one.title}{why}. {one.remedy}", path=name)
    problem = f"the suffix {suffix!r} stands for {one.title}, which clew does not read. {one.remedy}"
    return FormatError(problem, path=name).advised(IF_EDGES)


def refuse_what_is_no_graph(head: bytes, name: str) -> None:
    """Refuse what is no graph in any format: a web page, or a pointer where a file should be."""
    if (known := by_content(head)) is not None and known in NO_GRAPHS:
        raise refusal(known, name)


def _after(comments: bytes, pattern: bytes) -> bytes:
    """A pattern after blanks, comments of C, and lines that start with one of ``comments``."""
    return rb"(?:\s+|/\*.*?\*/|(?:%s)[^\n]*\n)*+%s" % (comments, pattern)


def _networkx(reader: str) -> str:
    return f"In Python, clew.Graph.from_networkx(networkx.{reader}(path)) reads it through NetworkX."


def _igraph(reader: str) -> str:
    return f"In Python, clew.Graph.from_networkx(igraph.Graph.{reader}(path).to_networkx()) reads it through igraph."


_TABLE = "In Python, load the edges as a data frame and pass it to clew.Graph.from_arrow(frame, 'source', 'target')."
_UNPACK = "Unpack it, and read the file in it that holds the graph."
_DOWNLOAD = "Open it in an editor: a failed download leaves such a file. Download it again."

#: Files that are never graphs. They are refused even if the caller names a format.
NO_GRAPHS: tuple[Foreign, ...] = (
    Foreign(
        "a Git LFS pointer",
        "The graph itself was not downloaded: run `git lfs pull`.",
        rb"version https?://(git-lfs\.github\.com|hawser\.github\.com)/spec/",
    ),
    Foreign(
        "a git-annex pointer", "The graph itself was not downloaded: run `git annex get`.", rb"\S{0,200}/annex/objects/"
    ),
    Foreign(
        "a web page (HTML)", _DOWNLOAD, rb"\s*(<!--.{0,2000}?-->\s*)?<(!doctype\s+html|html|head|body)\b", ".html .htm"
    ),
    Foreign("a PDF document", "Read the data that it describes.", rb"%PDF-", ".pdf"),
    Foreign("a PostScript file", "Read the data that it describes.", rb"%!PS", ".ps .eps"),
    Foreign(
        "an image", "Read the data that it shows.", rb"\x89PNG\r|\xff\xd8\xff|GIF8[79]a", ".png .jpg .jpeg .gif .svg"
    ),
    Foreign("a program (ELF)", "Read a file that it writes.", rb"\x7fELF"),
    Foreign("an error message of a server (XML)", _DOWNLOAD, rb"\s*(<\?xml[^>]{0,200}>\s*)?<Error>"),
)
#: Content with a fixed start comes first, then text, from the strictest pattern to the loosest.
KNOWN: tuple[Foreign, ...] = (
    *NO_GRAPHS,
    Foreign("a script", "Run it, and read the file that it writes.", rb"#!\s*/"),
    Foreign(
        "an Excel workbook",
        f"Save the sheet as CSV and read that. {_TABLE}",
        rb"PK\x03\x04.{22}.{4}(\[Content_Types\]\.xml|_rels/|xl/)|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        ".xlsx .xls .ods",
    ),
    Foreign(
        "a PyTorch archive",
        "In Python, load it, and pass its edge_index to clew.Graph.from_edges(*edge_index).",
        rb"PK\x03\x04.{26}[^/]{1,200}/(data\.pkl|byteorder|version|\.format_version)",
        ".pt .pth",
    ),
    Foreign("a tar archive", _UNPACK, b"", ".tar .tgz .tbz2 .txz"),  # those with a mark are read
    Foreign("a 7-Zip archive", _UNPACK, rb"7z\xbc\xaf\x27\x1c", ".7z"),
    Foreign("a RAR archive", _UNPACK, rb"Rar!\x1a\x07", ".rar"),
    Foreign("an LZ4 file", "Unpack it with `lz4 -d`, and read the result.", rb"\x04\x22\x4d\x18", ".lz4"),
    Foreign("a file packed by compress", "Unpack it with `uncompress`, and read the result.", rb"\x1f\x9d", ".z"),
    Foreign("an SQLite database", f"Query the edges from it. {_TABLE}", rb"SQLite format 3\0", ".sqlite .sqlite3 .db"),
    Foreign(
        "an HDF5 file",
        "In Python, load its arrays and pass them to clew.Graph.from_edges(source, target).",
        rb"\x89HDF\r\n",
        ".h5 .hdf5 .hdf",
    ),
    Foreign(
        "a MATLAB file of version 7.3",
        "In MATLAB, save it with save(file, 'A', '-v7'), and read that.",
        rb"MATLAB 7\.3 MAT-file",
    ),
    Foreign(
        "a Python pickle",
        "In Python, unpickle it if you trust it, and pass what it holds to a constructor of clew.Graph.",
        rb"\x80[\x02-\x05](\x95.{8}|[cK}\](\x8c])",
        ".pkl .pickle .gpickle",
    ),
    Foreign("R data", "In R, write the edges with write.csv, and read that.", rb"RD[AX][23]\n", ".rda .rdata .rds"),
    Foreign("an Avro file", _TABLE, rb"Obj\x01", ".avro"),
    Foreign("an ORC file", f"pyarrow.orc.read_table(path) loads it. {_TABLE}", rb"ORC[\x00-\x1f\x80-\xff]", ".orc"),
    Foreign(
        "a graph-tool file",
        "In graph-tool, save it as GraphML, and read that.",
        rb"\xe2\x9b\xbe gt",
        ".gt",
    ),
    Foreign("text in UTF-16", "Save it as UTF-8, for example with `iconv -f utf-16 -t utf-8`.", rb"\xff\xfe|\xfe\xff"),
    Foreign("XGMML", "In Cytoscape, export it as GraphML, and read that.", b"", ".xgmml"),
    Foreign(
        "RDF",
        "In Python, load it with rdflib, and pass subjects and objects to clew.Graph.from_edges.",
        rb"\s*<[a-z]+:[^<>\s]{1,400}>\s+<[^<>\s]+>\s|\s*@prefix\s|\s*<.{0,4000}?<rdf:RDF\b",
        ".nt .nq .ttl .rdf .n3",
    ),
    Foreign("XML", "Convert it to a format that `clew formats` lists.", rb"\s*<(\?xml|[a-z!])", ".xml"),
    Foreign(
        "JSON",
        "In Python, load it, and pass sources and targets to clew.Graph.from_edges.",
        rb"\s*[{\[]\s*([\"{}\[\]\d-]|$)",
        ".jsonl .ndjson .geojson",
    ),
    Foreign(
        "a Pajek project",
        "In Pajek, save the network in it as a .net file, and read that.",
        _after(rb"%", rb"\*(arcs|arcslist|edges|edgeslist|matrix|partition|vector|network)\b"),
        ".paj",
    ),
    Foreign("a NetDraw file (VNA)", "Export it as an edge list, and read that.", rb"\s*\*(node|tie)\s", ".vna"),
    Foreign(
        "a GUESS file (GDF)",
        "In Gephi, export it as GraphML, and read that.",
        rb"\s*nodedef\s*>",
        ".gdf",
    ),
    Foreign(
        "a LEMON graph",
        "Export the arcs as an edge list, and read that.",
        _after(rb"#", rb"@(nodes|arcs|edges|attributes|red_nodes|blue_nodes)\b"),
        ".lgf",
    ),
    Foreign("a LEDA graph", _networkx("read_leda"), _after(rb"#", rb"LEDA\.GRAPH\b"), ".lgr .leda"),
    Foreign("a UCINET DL file", _igraph("Read_DL"), rb"\s*dl\s+(n|nr|nc|nm|format|labels)\s*[= ]", ".dl"),
    Foreign(
        "a file of SQL statements",
        f"Load it into a database. {_TABLE}",
        _after(rb"--", rb"(create|insert|drop|use|set|begin)\s+(table|into|database|transaction|names)\b"),
        ".sql",
    ),
    Foreign("a Large Graph Layout file", _igraph("Read_Lgl"), b"", ".lgl"),
    Foreign("a NetworkX adjacency list", _networkx("read_adjlist"), b"", ".adjlist"),
    Foreign(
        "a Cytoscape network (SIF)",
        "Its middle column is the kind of an edge: leave it out, and read the rest.",
        b"",
        ".sif",
    ),
    Foreign(
        "a Trivial Graph Format file",
        "Remove the lines up to '#', and read the others as an edge list.",
        b"",
        ".tgf",
    ),
    Foreign(
        "a hypergraph", "Its lines are sets of vertices, not edges: expand them into pairs first.", b"", ".hgr .hmetis"
    ),
    Foreign(
        "a Harwell-Boeing matrix",
        "In Python, clew.Graph.from_scipy(scipy.io.hb_read(path)) reads it.",
        b"",
        ".rb .hb .rua .rsa .pua .psa",
    ),
    Foreign(
        "a WebGraph",
        "Convert it with WebGraph's ASCIIGraph or ArcListASCIIGraph, and read the list of arcs.",
        b"",
        ".webgraph .bvgraph",
    ),
)
_PATTERNS = [(one, re.compile(one.start, re.IGNORECASE | re.DOTALL)) for one in KNOWN if one.start]
