"""Vertex names on a cluster: every name gets an id, in ascending order, without any member seeing all names.

The members sample their names and cut the order of all names into a range per member. Every name goes to the member of
its range, which counts the distinct ones. Ids follow from the counts of the ranges before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Partition
from clew.names import VertexNames

SAMPLE = 64  # names that every member samples per range


def number_names(member: Member, names: Any) -> tuple[npt.NDArray[np.int64], int, Any, int]:
    """Give every name an id.

    Returns the ids of this member's names, the number of distinct names on all members, the names of this member's
    range in order, and the id of the first of them.
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
    ids = np.arange(first, first + len(names))
    owner, local = partition.place(ids)
    _, parts = member.by_owner(owner)
    arrived = exchange_names(member, [names.take(part) for part in parts])
    places = np.concatenate(member.all_to_all("all", [local[part] for part in parts]))
    return VertexNames.trusted(_joined(arrived).take(np.argsort(places)))


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
    cuts = [pc.sum(pc.less(ordered, everybody[place])).as_py() or 0 for place in inner]
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
