"""A packed array: rows of ascending integers in as many bits as their differences need, with access to every row.

Entries are taken in groups of 64, across rows. The first entry of a group is stored as it is, so that a group can be
unpacked by itself. The first of a row is, too. All others are stored as the difference to the entry before. A group has
two widths. A mask says which entries are wide. If one width is best for all, there is no mask.

=========  ===========================================================================================
words      uint64: the bits of all groups, and two words more. Blocks of 64 groups start at a word
bases      uint64: the first word of every block, and of the end
heads      uint32 per group: bits 0-18 where it starts, in bits from its block's first word; bits 19-24
           the narrow width; bits 25-30 the wide one
a group    the mask in 64 bits, if the widths differ: bit i is set if entry i is wide; the first entry in
           ``bits`` bits, which all groups share; the others, each in the narrow or in the wide width
=========  ===========================================================================================

Bits are counted from the lowest of a word. Offsets of rows are an array of one row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import Array, as_bits
from clew.errors import GraphError

GROUP, GROUPS = 64, 64  # entries to a group, groups to a block
CHUNK = 1 << 16  # groups whose masks one thread reads at a time
PLACE = (1 << 19) - 1  # bits of a head that say where its group starts
PORTIONS = 64  # in which values are packed whose memory is returned
SPARE = 2  # words that are read, but not used, after the last entry
PARTS = ("words", "heads", "bases")
DTYPES = {"words": np.dtype(np.uint64), "heads": np.dtype(np.uint32), "bases": np.dtype(np.uint64)}


@dataclass(frozen=True, slots=True)
class PackedArray:
    """Packed integers from 0 to ``largest``, ``size`` of them; their rows are known elsewhere."""

    words: Array
    heads: Array
    bases: Array
    size: int
    largest: int
    dtype: np.dtype[Any]

    def __post_init__(self) -> None:
        for name in PARTS:
            array = getattr(self, name)
            array.flags.writeable = False
            if array.ndim != 1 or array.dtype != DTYPES[name]:
                raise GraphError(f"{name} have shape {array.shape} and dtype {array.dtype}; expected {DTYPES[name]}.")
        groups, blocks = counts(self.size)
        if self.heads.size != groups or self.bases.size != blocks + 1:
            raise GraphError(
                f"there are {self.heads.size:,} heads and {self.bases.size:,} bases; expected {groups:,} and "
                f"{blocks + 1:,} for {self.size:,} entries."
            )
        if self.words.size != int(self.bases[-1]) + SPARE:
            raise GraphError(f"there are {self.words.size:,} words; expected {int(self.bases[-1]) + SPARE:,}.")

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(int(getattr(self, name).nbytes) for name in PARTS)

    @property
    def given(self) -> tuple[Array, Array, Array, Any]:
        """What kernels take."""
        return self.words, self.heads, self.bases, np.uint64(bits_of(self.largest))

    def check(self) -> None:
        """Raise GraphError if a group reads outside its block, which only damaged arrays do."""
        from clew.packed import kernels

        pieces = threads.pieces(self.size)
        if not all(threads.each(kernels.fits, pieces, pieces, self.given, np.uint64(self.size))):
            raise GraphError("a group of packed entries ends after its block.")

    def masks(self) -> Array:
        """The first 64 bits of every group. They are its mask, if its widths differ."""
        found: Array = np.empty(self.heads.size, np.uint64)

        def read(piece: int) -> None:
            part = slice(piece * CHUNK, min((piece + 1) * CHUNK, found.size))
            groups = np.arange(part.start, part.stop)
            place = (self.bases[groups // GROUPS] << np.uint64(6)) + (self.heads[part] & np.uint32(PLACE))
            word, bit = place >> np.uint64(6), place & np.uint64(63)
            above = self.words[word + np.uint64(1)] << (np.uint64(63) - bit) << np.uint64(1)
            found[part] = self.words[word] >> bit | above

        threads.each(read, -(-found.size // CHUNK))
        return found

    def unpacked(self) -> Array:
        """The entries of an array that is one row."""
        from clew.packed import kernels

        out: Array = np.empty(self.size, self.dtype)
        threads.in_pieces(kernels.unpack_groups, self.size, self.given, as_bits(out))
        return out


def pack(values: Array, largest: int, indptr: Array | None = None, *, consume: bool = False) -> PackedArray:
    """Pack rows of ascending integers from 0 to ``largest``; without ``indptr``, all are one row.

    With ``consume``, memory of ``values`` is returned to the system as soon as what is in it has been packed.
    """
    groups, blocks = counts(values.size)
    heads, bases = np.empty(groups, np.uint32), np.zeros(blocks + 1, np.uint64)
    words = write_blocks(values, largest, indptr, heads, bases, lambda size: np.zeros(size + SPARE, np.uint64), consume)
    return PackedArray(words, heads, bases, int(values.size), largest, values.dtype)


def write_blocks(
    values: Array,
    largest: int,
    indptr: Array | None,
    heads: Array,
    bases: Array,
    room: Callable[[int], Array],
    consume: bool = False,
) -> Array:
    """Pack blocks into ``heads``, ``bases`` (zeros), and words of value 0, which ``room`` returns for their number."""
    from clew.build import give_back
    from clew.packed import kernels

    blocks = bases.size - 1
    entries, starts = _frozen(as_bits(values)), None if indptr is None else _frozen(as_bits(indptr))
    pieces = min(max(1, blocks), threads.pieces(values.size))
    bits = bits_of(largest)
    threads.each(kernels.measure, pieces, pieces, starts, entries, bits, heads, bases[1:])
    np.cumsum(bases, out=bases)
    words = room(int(bases[-1]))
    shares = max(pieces, min(blocks, PORTIONS)) if consume else pieces

    def write(share: int) -> None:
        kernels.write(share, shares, starts, entries, np.uint64(bits), heads, bases, words)
        if consume:
            give_back(values, *(min(k * blocks // shares * GROUPS * GROUP, values.size) for k in (share, share + 1)))

    threads.each(write, shares)
    return words


def counts(size: int) -> tuple[int, int]:
    """The numbers of groups and of blocks."""
    groups = -(-size // GROUP)
    return groups, -(-groups // GROUPS)


def bits_of(largest: int) -> int:
    """The bits of the largest entry."""
    return int(largest).bit_length()


def _frozen(array: Array) -> Array:
    """A read-only view: kernels are compiled for one kind of array."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
