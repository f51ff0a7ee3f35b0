"""Vertex names on a cluster: every name gets an id, in ascending order, without any member seeing all names.

The members sample their names and cut the order of all names into a range per member. Every name goes to the member of
its range, which counts the distinct ones. Ids follow from the counts of the ranges before it.

Integers that lie close together need no exchange of names: a bit for each of them, combined over all members, is enough
to number them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.dtypes import Array
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Partition
from clew.engines.cluster.share import Share
from clew.errors import GraphError
from clew.names import Name, VertexNames

ROUND = 1 << 20  # names that a member sends in one round
SAMPLE = 64  # names that every member samples per range


@dataclass(frozen=True)
class Numbers:
    """How integers become ids: a function of arrays, and how many there are.

    ``names`` are the integers of this member's range in ascending order, None if the integers are exactly 0…n-1.
    ``first`` is the id of the first of them.
    """

    ids: Callable[[Array], Array]
    count: int
    names: Any = None
    first: int = 0


def number_integers(member: Member, values: Iterable[Array], low: int, high: int, *, always: bool) -> Numbers:
    """Number the integers of all members, which lie between ``low`` and ``high``, in ascending order.

    ``always`` names the vertices even if the integers are exactly 0…n-1.
    """
    import pyarrow as pa

    from clew.io.edge_list import kernels

    words = np.zeros((high - low) // 64 + 1, np.uint64)
    for column in values:
        threads.in_pieces(kernels.mark, column.size, column, low, words)
    cuts = np.arange(member.size + 1) * words.size // member.size
    parts = member.all_to_all("all", [words[start:stop] for start, stop in pairwise(cuts)])
    words = np.concatenate(member.all_gather("all", np.bitwise_or.reduce(parts)))
    before = np.empty(words.size + 1, np.int64)
    before[-1] = count = int(kernels.rank_words(words, before[:-1]))
    if low == 0 and count == high + 1 and not always:
        return Numbers(lambda column: column, count)

    def ids(column: Array) -> Array:
        ranks = np.empty(column.size, np.int64)
        threads.in_pieces(kernels.to_ranks, column.size, column, low, words, before, ranks)
        return ranks

    start, stop = cuts[member.rank], cuts[member.rank + 1]
    names = np.empty(before[stop] - before[start], np.int64)
    kernels.to_values(words[start:stop], low + 64 * int(start), names)
    return Numbers(ids, count, pa.array(names), int(before[start]))


def number_names(member: Member, names: Any) -> tuple[npt.NDArray[np.int64], int, Any, int]:
    """Give every name an id.

    Returns the ids of this member's names and the number of distinct names on all members. Then the names of this
    member's range in order, and the id of the first of them.
    """
    import pyarrow.compute as pc

    order = pc.sort_indices(names).to_numpy()
    ordered = names.take(order)
    bounds = _cut(member, ordered)
    sent = [ordered.slice(low, high - low) for low, high in pairwise(bounds)]
    arrived = exchange_names(member, sent)
    mine = pc.unique(_joined(arrived))
    mine = mine.take(pc.sort_indices(mine))
    counts = np.concatenate(member.all_gather("all", np.array([len(mine)], np.int64)))
    first = int(counts[: member.rank].sum())
    answers = [pc.index_in(part, value_set=mine).to_numpy(zero_copy_only=False).astype(np.int64) for part in arrived]
    ids = np.empty(len(names), np.int64)
    ids[order] = np.concatenate(member.all_to_all("all", [answer + first for answer in answers]))
    return ids, int(counts.sum()), mine, first


def owned_names(member: Member, partition: Partition, names: Any, first: int) -> VertexNames:
    """The names of this member's vertices, from the names of everybody's range."""
    return send_names(member, partition, names, lambda low, high: np.arange(first + low, first + high))


def send_names(member: Member, partition: Partition, names: Any, ids: Callable[[int, int], Array]) -> VertexNames:
    """The names of this member's vertices, from names that all members give; ``ids`` has the ids of some of them."""
    import pyarrow as pa

    integers = pa.types.is_integer(names.type)
    whole = np.empty(partition.num_owned(member.rank) if integers else 0, np.int64)
    arrived, places = [names.slice(0, 0)], [np.empty(0, np.int32)]
    for start in range(0, int(member.all_reduce(np.int64(len(names)), np.maximum)), ROUND):
        few = names.slice(min(start, len(names)), ROUND)
        owner, local = partition.place(ids(start, start + len(few)))
        _, parts = member.by_owner(owner)
        texts = exchange_names(member, [few.take(pa.array(part)) for part in parts])
        there = member.all_to_all("all", [local[part].astype(np.int32) for part in parts])
        if integers:
            whole[np.concatenate(there)] = _joined(texts).to_numpy()
        else:
            arrived += texts
            places += there
    if integers:
        return VertexNames.trusted(pa.array(whole))
    return VertexNames.trusted(_joined(arrived).take(pa.array(np.argsort(np.concatenate(places)))))


def names_by_id(share: Share, ids: Array) -> Any:
    """The names of vertices anywhere in a graph that has names, by their ids; null for a negative id."""
    import pyarrow as pa

    member, partition, own = share.member, share.partition, share._names
    assert own is not None

    known = np.flatnonzero(ids >= 0)
    owner, local = partition.place(ids[known])
    order, parts = member.by_owner(owner)
    asked = member.all_to_all("all", [local[part] for part in parts])
    arrived = _joined(exchange_names(member, [own.take(each) for each in asked]))
    places = np.full(ids.size, -1)
    places[known[order]] = np.arange(known.size)
    return arrived.take(pa.array(places, mask=places < 0))


def ids_by_name(share: Share, names: Sequence[Name]) -> Array:
    """The ids of named vertices anywhere; all members pass the same names."""
    assert share._names is not None
    here = share._names.known_ids_of(names)
    ids = np.full(here.size, -1)
    ids[here >= 0] = share.ids[here[here >= 0]]
    found: Array = share.member.all_reduce(ids, np.maximum)
    if (found < 0).any():
        raise GraphError(f"no vertex is called {names[int(np.argmin(found))]!r}.")
    return found


def exchange_names(member: Member, parts: Sequence[Any]) -> list[Any]:
    """Send names to every member and receive some from each: integers, or the offsets and bytes of text."""
    import pyarrow as pa

    if pa.types.is_integer(parts[0].type):
        numbers = [part.to_numpy(zero_copy_only=False).astype(np.int64) for part in parts]
        return [pa.array(part) for part in member.all_to_all("all", numbers)]
    ends, texts = zip(*map(_text, parts), strict=True)
    arrived = zip(member.all_to_all("all", ends), member.all_to_all("all", texts), strict=True)
    return [_names(offsets, text) for offsets, text in arrived]


def _cut(member: Member, ordered: Any) -> Array:
    """Where the ranges of all members begin in this member's names."""
    import pyarrow.compute as pc

    count = min(len(ordered), SAMPLE * member.size)
    sample = ordered.take((np.arange(count) * len(ordered) // max(1, count)).astype(np.int64))
    everybody = _joined(exchange_names(member, [sample] * member.size))
    everybody = everybody.take(pc.sort_indices(everybody))
    inner = [len(everybody) * rank // member.size for rank in range(1, member.size)]
    if len(everybody) == 0:
        return np.zeros(member.size + 1, np.int64)
    cuts = [bisect_left(ordered, everybody[place].as_py(), key=lambda name: name.as_py()) for place in inner]
    return np.array([0, *cuts, len(ordered)], np.int64)


def _joined(parts: Sequence[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_arrays(parts)


def _text(part: Any) -> tuple[Array, Array]:
    """The offsets and the bytes of text, from its first byte on."""
    _, offsets, data = part.buffers()
    ends = np.frombuffer(offsets, np.int64, len(part) + 1, part.offset * 8) if len(part) else np.zeros(1, np.int64)
    low, high = int(ends[0]), int(ends[-1])
    text = np.frombuffer(data, np.uint8)[low:high] if high > low else np.empty(0, np.uint8)
    return ends - low, text


def _names(ends: Array, text: Array) -> Any:
    import pyarrow as pa

    return pa.LargeStringArray.from_buffers(ends.size - 1, pa.py_buffer(ends.data), pa.py_buffer(text.data))
