"""Reading on a cluster: every worker reads a share of the files, and the workers exchange names and edges.

Files are cut into pieces of about as many bytes per worker (see ``clew.io.parts``). A worker keeps the edges of its
pieces in 4 bytes per end. Workers agree on columns, direction, the dtype of weights and the kind of ids by short JSON
texts. Names become ids in ascending order. Integers that are exactly 0…n-1 stay as they are.
"""

from __future__ import annotations

import fnmatch
import glob
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from clew import build
from clew.adjacency import BuildReport
from clew.build.rows import check_extent
from clew.distributed.locality import by_locality
from clew.dtypes import Array
from clew.engines.base import return_free_memory
from clew.engines.cluster.edges import EdgeExchange
from clew.engines.cluster.hubs import partition_by_degree, sampled
from clew.engines.cluster.member import Member
from clew.engines.cluster.names import number_integers, number_names, owned_names
from clew.engines.cluster.share import Share, share_of
from clew.errors import FormatError, GraphError
from clew.io.agreement import check_columns, decisions_of, facts_of, weights_dtype
from clew.io.options import ReadOptions, converted
from clew.io.parts import Edges, Part, Piece, read_part
from clew.io.ranges import file_system, url_of, without_password
from clew.io.tables import Coded

SMALLEST = 1 << 20  # bytes of a file that is worth cutting
BLOCK = 1 << 20  # edges that are numbered at once
SMALL_SPAN = 1 << 20


def files_of(pattern: str | Path) -> list[tuple[str, int]]:
    """The files that a path, a folder, an address or a pattern such as ``edges/*.parquet`` names, and their bytes."""
    url = url_of(pattern)
    files = _local_files(pattern) if url is None else _remote_files(url)
    if not files:
        raise FormatError("no file has this name, or matches this pattern.", path=without_password(str(pattern)))
    return files


def _local_files(pattern: str | Path) -> list[tuple[str, int]]:
    text = str(Path(pattern) / "*" if Path(pattern).is_dir() else pattern)
    found = [Path(path) for path in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207 -- it takes whole paths
    files = [path for path in found if path.is_file() and not path.name.startswith((".", "_"))]
    return [(str(path.absolute()), path.stat().st_size) for path in files]


def _remote_files(url: str) -> list[tuple[str, int]]:
    from pyarrow import fs

    scheme, _, rest = url.partition("://")
    options = "".join(rest.partition("?")[1:])  # such as ?endpoint_override=… of S3, which is no pattern
    rest = rest.partition("?")[0]
    head = re.split(r"[*\[]", rest, maxsplit=1)[0]
    folder = head if head == rest else head.rpartition("/")[0]
    system, place = file_system(f"{scheme}://{folder}{options}")
    try:
        if head == rest and system.get_file_info(place).is_file:
            return [(url, int(system.get_file_info(place).size))]
        found = system.get_file_info(fs.FileSelector(place, recursive="**" in rest))
    except OSError as error:
        problem = f"the files cannot be listed: {str(error).splitlines()[0]}"
        raise FormatError(problem, path=without_password(url)) from None
    below = rest[len(folder) :].strip("/") or "*"
    names = {each.path: each.path[len(place) :].strip("/") for each in found if each.is_file}
    chosen = sorted((each.path, each.size) for each in found if each.path in names and _fits(names[each.path], below))
    return [(f"{scheme}://{folder.rstrip('/')}/{names[path]}{options}", size) for path, size in chosen]


def _fits(name: str, pattern: str) -> bool:
    hidden = name.rpartition("/")[2].startswith((".", "_"))
    return not hidden and fnmatch.fnmatchcase(name, pattern.replace("**/", "*"))


def assign_files(files: Sequence[tuple[str, int]], workers: int) -> list[list[Piece]]:
    """Consecutive pieces of files for every worker, with about as many bytes each."""
    pieces: list[list[Piece]] = [[] for _ in range(workers)]
    total, place = max(1, sum(size for _, size in files)), 0
    for number, (path, size) in enumerate(files):
        if size < 2 * SMALLEST:
            rank = min((2 * place + size) * workers // (2 * total), workers - 1)
            pieces[rank].append(Piece(path, number, 0, size, size))
        else:
            cuts = [min(max(total * rank // workers - place, 0), size) for rank in range(workers + 1)]
            for rank, (start, stop) in enumerate(pairwise(cuts)):
                if start < stop:
                    pieces[rank].append(Piece(path, number, start, stop, size))
        place += size
    return pieces


def read_share(
    member: Member,
    assigned: Sequence[Sequence[Piece]],
    options: dict[str, Any],
    progress: Callable[[int], None] | None = None,
) -> Share:
    """Read this member's pieces of files, and take part in building the graph of all pieces; all members call this.

    ``progress`` is called with the number of stored bytes that were read.
    """
    try:
        return _read_share(member, assigned[member.rank], options, progress)
    except FormatError:
        raise
    except GraphError as error:
        paths = {piece.path for each in assigned for piece in each}
        path = without_password(paths.pop()) if len(paths) == 1 else None
        raise FormatError(error.problem, path=path, remedy=error.remedy, option=error.option) from None


def _read_share(
    member: Member, pieces: Sequence[Piece], options: dict[str, Any], progress: Callable[[int], None] | None
) -> Share:
    chosen = ReadOptions(**{name: value for name, value in options.items() if name not in ("progress", "format")})
    parts = _read_all(member, pieces, options.get("format"), chosen, progress)
    return_free_memory()  # the readers' buffers
    facts = _agree(member, [facts_of(piece.number, part) for piece, part in parts])
    check_columns(facts)
    dtype = weights_dtype(facts)
    directed = facts[0]["directed"] if facts else True
    to_ids, count, names, first = _vertices(member, [part for _, part in parts], facts, chosen)
    some = [sampled([part.source, part.target], member.size) for _, part in parts]
    ends = ([number(each[k]) for number, each in zip(to_ids, some, strict=True)] for k in (0, 1))
    edges = (np.concatenate([np.empty(0, np.int64), *each]) for each in ends)
    partition = partition_by_degree(member, count, *edges, both=not directed)
    exchange = EdgeExchange(member, partition, symmetrize=not directed, drop_loops=chosen.loops == "drop")
    for number, (_, part) in zip(to_ids, parts, strict=True):
        _hand_over(exchange, part, number, dtype)
    share = by_locality(share_of(exchange, dtype, directed=directed, duplicates=chosen.duplicates))
    if names is not None:
        share = share.with_names(owned_names(member, share.partition, names, first))
    if len({fact["file"] for fact in facts}) == 1 and chosen.duplicates == chosen.loops == "keep":
        counts = facts[0]["counts"]
        share = share if counts is None else share.with_report(BuildReport(*counts))
    return share.with_report(share.report.about(facts[0]["columns"] if facts else {}, decisions_of(facts)))


def _hand_over(
    exchange: EdgeExchange, part: Part, number: Callable[[Array], Array], dtype: np.dtype[Any] | None
) -> None:
    """Give the edges of a part to the exchange, and their memory back to the system."""
    source, target, weights = part.source, part.target, part.weights
    part.source = part.target = np.empty(0, np.int32)
    part.weights = None
    for start in range(0, source.size, BLOCK):
        stop = min(start + BLOCK, source.size)
        few = None if weights is None or dtype is None else converted(weights[start:stop], dtype)
        exchange.add(number(source[start:stop]), number(target[start:stop]), few)
        for array in (source, target, weights):
            if array is not None:
                build.give_back(array, start, stop)


def _read_all(
    member: Member,
    pieces: Sequence[Piece],
    format_name: str | None,
    options: ReadOptions,
    progress: Callable[[int], None] | None,
) -> list[tuple[Piece, Part]]:
    """Read all pieces; again those of a file about which another reader has found something out."""
    parts: list[tuple[Piece, Part]] = []
    done = 0
    for piece in pieces:
        size = piece.stop - piece.start
        if progress is not None:
            options = replace(options, progress=partial(_report, progress, done, size))
        if (part := read_part(piece, format_name, options)) is not None:
            parts.append((piece, part))
        done += size
        if progress is not None:
            progress(done)
    known: dict[int, tuple[bool, str | None]] = {}
    while True:
        found = dict(known)
        for each in _agree(member, [{"file": piece.number, **_dialect(part)} for piece, part in parts]):
            comma, header = found.get(each["file"], (False, None))
            if comma or header or each["comma"] or each["header"]:
                found[each["file"]] = (comma or each["comma"], header or each["header"])
        if found == known:
            return parts
        for k, (piece, part) in enumerate(parts):
            comma, header = found.get(piece.number, (False, None))
            news = found.get(piece.number) != known.get(piece.number)
            if news and (header or not part.decimal_comma):
                again = read_part(piece, format_name, options, decimal_comma=comma, header=header)
                parts[k] = piece, again or part
        known = found


def _report(progress: Callable[[int], None], before: int, size: int, done: int, total: int | None) -> None:
    """Report a piece of ``size`` bytes that is read in part, after those before it."""
    if total:
        progress(before + size * min(done, total) // total)


def _dialect(part: Part) -> dict[str, Any]:
    return {"comma": part.decimal_comma, "header": part.header}


def _agree(member: Member, facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts of all members, in the order of ranks; texts of JSON travel."""
    text = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    return [fact for each in member.all_gather("all", text) for fact in json.loads(each.tobytes())]


Numbering = tuple[list[Callable[[Array], Array]], int, Any, int]


def _vertices(
    member: Member, parts: Sequence[Part], facts: Sequence[dict[str, Any]], options: ReadOptions
) -> Numbering:
    """How the ends of every part become ids, the number of vertices, and the names of this member's range."""
    import pyarrow as pa

    files = len({fact["file"] for fact in facts})
    count = max((fact["count"] for fact in facts), default=0)
    low = min((fact["low"] for fact in facts if fact["low"] is not None), default=0)
    high = max((fact["high"] for fact in facts if fact["high"] is not None), default=-1)
    if files == 1 and any(fact["stored"] for fact in facts):  # ids and names are those of the file
        mine = next((part for part in parts if part.rows is not None), None)
        first, stop = (0, 0) if mine is None or mine.rows is None else mine.rows
        kind = pa.int64() if all(fact["integers"] for fact in facts) else pa.large_string()
        names = pa.array([], kind) if mine is None else mine.names.slice(first, stop - first).cast(kind)
        return [_as_they_are for _ in parts], count, names, first
    tables = not facts or any(fact["counts"] is None for fact in facts)
    if (options.ids == "text" and tables) or any(fact["text"] or fact["stored"] for fact in facts):
        return _by_names(member, [_named(part, text=True) for part in parts], parts, text=True)
    edges = sum(fact["size"] for fact in facts)
    if facts and all(fact["keep"] for fact in facts):
        return [_as_they_are for _ in parts], check_extent(low, max(high, -1), edges, count or None), None, 0
    always = options.ids == "map" or any(fact["named"] for fact in facts)
    low, high = (min(low, 0), max(high, count - 1)) if count else (low, high)
    if high < low:
        return [_as_they_are for _ in parts], 0, None, 0
    more = [part.more_names.to_numpy() for part in parts if part.more_names is not None]
    if not member.any(more) and high - low < max(SMALL_SPAN, 8 * edges // member.size):
        columns = [end for part in parts for end in (part.source, part.target)]
        numbers = number_integers(member, [*columns, np.arange(count)], low, high, always=always)
        return [numbers.ids for _ in parts], numbers.count, numbers.names, numbers.first
    return _by_names(member, [_named(part, text=False) for part in parts], parts, text=False)


def _as_they_are(ends: Array) -> Array:
    return ends


def _by_names(member: Member, named: Sequence[Part], parts: Sequence[Part], *, text: bool) -> Numbering:
    """Number the names of all parts; the parts hold codes of them."""
    import pyarrow as pa

    kind = pa.large_string() if text else pa.int64()
    held = [part.names.cast(kind) for part in named] + [
        part.more_names.cast(kind) for part in parts if part.more_names is not None
    ]
    for part, each in zip(parts, named, strict=True):
        part.source, part.target = each.source, each.target
    ids, count, mine, first = number_names(member, pa.concat_arrays([pa.array([], kind), *held]))
    cuts = np.cumsum([0, *map(len, held)])
    return [ids[cuts[k] : cuts[k + 1]].take for k in range(len(named))], count, mine, first


def _named(part: Part, *, text: bool) -> Part:
    """The part with codes of names in place of integers."""
    import pyarrow as pa

    if part.names is not None:
        return part
    edges = Edges(part.source.size)
    for start in range(0, part.source.size, BLOCK):
        coded = []
        for end in (part.source[start : start + BLOCK], part.target[start : start + BLOCK]):
            column = pa.array(end.astype(np.int64)).dictionary_encode()
            coded.append(Coded(column.indices.to_numpy(), column.dictionary))
        edges.append(coded[0], coded[1])
    found = edges.finished(part.directed)
    names = pa.array([], pa.int64()) if found.names is None else found.names
    names = pa.concat_arrays([names, pa.array(np.arange(part.count or 0))])  # vertices without edges
    return replace(found, names=names.cast(pa.large_string()) if text else names)
