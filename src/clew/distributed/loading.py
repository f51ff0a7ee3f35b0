"""Reading on a cluster: every worker reads some of the files, and the workers exchange names and edges.

A worker reads a file with the reader of one machine, so formats, columns, headers and errors are the same. Names become
ids in ascending order; integers that are exactly 0…n-1 stay as they are.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew.adjacency import BuildReport
from clew.dtypes import Array
from clew.engines.cluster.member import Member
from clew.engines.cluster.names import number_names, owned_names
from clew.engines.cluster.share import Share, build_share
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io import read

#: Options that are about the whole graph, and so are applied when all parts are there.
WHOLE = ("directed", "duplicates", "loops", "ids")


def files_of(pattern: str | Path) -> list[tuple[str, int]]:
    """The files that a path, a folder or a pattern such as ``edges/*.parquet`` names, and their bytes."""
    text = str(Path(pattern) / "*" if Path(pattern).is_dir() else pattern)
    found = [Path(path) for path in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207 -- it takes whole paths
    files = [path for path in found if path.is_file() and not path.name.startswith((".", "_"))]
    if not files:
        raise FormatError("no file has this name, or matches this pattern.", path=text)
    return [(str(path.absolute()), path.stat().st_size) for path in files]


def assign_files(files: Sequence[tuple[str, int]], workers: int) -> list[list[str]]:
    """Consecutive files for every worker, with about as many bytes each."""
    sizes = np.array([max(1, size) for _, size in files], np.float64)
    middle = np.cumsum(sizes) - sizes / 2
    worker = np.minimum((middle * workers / sizes.sum()).astype(int), workers - 1)
    return [[path for (path, _), mine in zip(files, worker, strict=True) if mine == rank] for rank in range(workers)]


def read_share(member: Member, files: Sequence[str], options: dict[str, Any]) -> Share:
    """Read some files, and take part in building the graph of all of them; all members call this."""
    parts = [_read(path, options, "map") for path in files]
    wanted = options.get("ids", "auto")
    texts = [_is_text(part) for part in parts]
    if member.any(any(texts)) or wanted == "text":
        # One name that is no integer makes all of them text, whichever file it is in.
        parts = [
            part if text else _read(path, options, "text") for path, part, text in zip(files, parts, texts, strict=True)
        ]
    _check_columns(member, parts)
    source, target, weights, directed = _edges(member, parts)
    names = _all_names(parts, text=member.any(any(map(_is_text, parts))) or wanted == "text")
    ids, count, mine, first = number_names(member, names)
    keep = _are_ids(member, mine, first, wanted)
    share = build_share(
        member,
        ids[source],
        ids[target],
        weights,
        count,
        directed=directed,
        symmetrize=not directed,
        duplicates=options.get("duplicates", "keep"),
        loops=options.get("loops", "keep"),
    )
    if not keep:
        share = share.with_names(owned_names(member, share.partition, mine, first))
    report = parts[0].report if parts else BuildReport()
    return share.with_report(report.columns, report.decisions)


def _read(path: str, options: dict[str, Any], ids: str) -> Graph:
    rest = {name: value for name, value in options.items() if name not in WHOLE}
    if "directed" in options:
        rest["directed"] = options["directed"]
    return read(path, **rest, ids=ids)


def _is_text(part: Graph) -> bool:
    import pyarrow as pa

    return part.names is not None and not pa.types.is_integer(part.names.array.type)


def _check_columns(member: Member, parts: Sequence[Graph]) -> None:
    """Reject files whose columns differ; a digest of them goes to everybody."""
    import hashlib

    kinds = {str((tuple(part.report.columns), part.weighted, part.directed)) for part in parts}
    digests = np.array([int.from_bytes(hashlib.sha256(kind.encode()).digest()[:7], "big") for kind in kinds], np.int64)
    if np.unique(np.concatenate(member.all_gather("all", digests))).size > 1:
        listed = "; ".join(sorted(", ".join(part.report.columns) or "no header" for part in parts)) or "none here"
        raise GraphError(
            f"the files do not have the same columns, weights and direction; columns on this worker: {listed}.",
            remedy="Say whether the first lines name columns with header=True or header=False, or choose columns with "
            "source=, target= and weight=.",
        )


def _edges(member: Member, parts: Sequence[Graph]) -> tuple[Array, Array, Array | None, bool]:
    """The edges of all parts, with ends as places in the names of all parts; and whether they are directed."""
    offset, ends, weights = 0, [], []
    for part in parts:
        source, target, weight = part.edges()
        ends.append((source.astype(np.int64) + offset, target.astype(np.int64) + offset))
        weights.append(weight)
        offset += part.num_vertices
    kinds = member.all_gather(
        "all", np.array([[_code(part), part.directed] for part in parts[:1]], np.int64).reshape(-1)
    )
    known = next((kind for kind in kinds if kind.size), np.array([0, 1]))
    dtype = None if known[0] == 0 else np.dtype(chr(int(known[0])))
    empty = np.empty(0, np.int64)
    source, target = (np.concatenate([empty, *(pair[k] for pair in ends)]) for k in (0, 1))
    joined = None if dtype is None else np.concatenate([np.empty(0, dtype), *(each for each in weights)])
    return source, target, joined, bool(known[1])


def _code(part: Graph) -> int:
    return 0 if part.weights is None else ord(part.weights.dtype.char)


def _all_names(parts: Sequence[Graph], *, text: bool) -> Any:
    import pyarrow as pa

    kind = pa.large_string() if text else pa.int64()
    arrays = [
        pa.array(np.arange(part.num_vertices)) if part.names is None else part.names.array.cast(kind) for part in parts
    ]
    return pa.concat_arrays([pa.array([], kind), *(array.cast(kind) for array in arrays)])


def _are_ids(member: Member, names: Any, first: int, wanted: str) -> bool:
    """Whether the names are exactly 0…n-1, which need no names."""
    import pyarrow as pa

    if not pa.types.is_integer(names.type) or wanted in ("map", "text"):
        return False
    differ = bool(len(names)) and not np.array_equal(names.to_numpy(), np.arange(first, first + len(names)))
    return not member.any(differ)
