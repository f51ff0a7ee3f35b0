"""The lines of a METIS file taken apart: sizes and weights of vertices, neighbours, weights of edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError
from clew.io.metis.header import Header
from clew.io.misfits import first_misfit, shown_number
from clew.io.text import Tokens

_INT64 = np.iinfo(np.int64)
_EXACT = 1 << 53  # a double beyond it may be another integer than the one in the file


@dataclass(frozen=True, slots=True)
class Rows:
    """One way of reading the lines; whether the numbers make sense that way is not known yet.

    Parameters
    ----------
    tokens
        The numbers of the file.
    indptr
        Where the entries of each line start among all entries.
    entries
        The neighbours as they stand in the file, counted from 1.
    weights
        Their weights, or None.
    heads
        What stands before the entries: for each, an array with a value per line.
    sized
        Whether the first of the heads is the vertex's size.
    """

    tokens: Tokens
    indptr: OffsetArray
    entries: Array
    weights: Array | None
    heads: list[Array]
    sized: bool

    @property
    def num_vertices(self) -> int:
        """The number of lines."""
        return self.indptr.size - 1

    @property
    def num_entries(self) -> int:
        """The number of entries of all lines."""
        return int(self.entries.size)

    def loops(self) -> OffsetArray:
        """Which entries name the vertex whose line they stand on."""
        dtype = np.int32 if self.entries.dtype == np.int32 else np.int64
        owners = np.repeat(np.arange(1, self.num_vertices + 1, dtype=dtype), np.diff(self.indptr))
        return np.flatnonzero(self.entries == owners)

    def neighbours(self) -> Array:
        """The entries as vertex ids, counted from 0."""
        wrong = first_misfit(self.entries, 1, self.num_vertices)
        if wrong is not None:
            found = shown_number(self.entries[wrong])
            raise self.error_at(wrong, f"the neighbour is {found}; expected an integer from 1 to {self.num_vertices}.")
        ids = self.entries if self.entries.dtype.kind == "i" else self.entries.astype(np.int64)
        ids -= 1
        return ids

    def vertex_data(self) -> dict[str, Array]:
        """The sizes and weights of the vertices, under the names they have in a graph's metadata."""
        found = {}
        heads = [self._integers(place) for place in range(len(self.heads))]
        if self.sized and heads:
            found["vertex_sizes"] = heads.pop(0)
        if heads:
            found["vertex_weights"] = heads[0] if len(heads) == 1 else np.stack(heads, axis=1)
        return found

    def error_at(self, entry: int, sentence: str) -> FormatError:
        """An error about one entry, with its line and column."""
        line = int(np.searchsorted(self.indptr, entry, side="right"))
        step = 1 if self.weights is None else 2
        return self.tokens.error_at(step * entry + line * len(self.heads), sentence)

    def _integers(self, place: int) -> Array:
        values = self.heads[place]
        low, high = (-_EXACT, _EXACT) if values.dtype.kind == "f" else (_INT64.min, _INT64.max)
        wrong = first_misfit(values, low, high)
        if wrong is not None:
            assert self.tokens.line_starts is not None
            what = "size" if self.sized and place == 0 else "weight"
            raise self.tokens.error_at(
                int(self.tokens.line_starts[wrong]) + place,
                f"the {what} of the vertex is {shown_number(values[wrong])}; expected an integer from {low} to {high}.",
            )
        return values.astype(np.int64, copy=False)


def take_apart(tokens: Tokens, header: Header, *, sized: bool) -> Rows | int:
    """The first n lines, read with or without sizes; or the number of the first one that cannot be read that way."""
    assert tokens.line_starts is not None
    starts = tokens.line_starts[: header.num_vertices + 1]
    num_heads = sized + header.num_vertex_weights
    step = 1 + header.edge_weights
    lengths = np.diff(starts) - num_heads
    misfits = (lengths < 0) | (lengths % step != 0)
    if misfits.any():
        return int(misfits.argmax())
    entries = tokens.values
    heads: list[Array] = []
    if num_heads and header.num_vertices:  # every line has its heads, so there are no more of them than the file holds
        places = [starts[:-1] + place for place in range(num_heads)]
        heads = [tokens.values[place] for place in places]
        is_entry = np.ones(entries.size, dtype=np.bool_)
        for place in places:
            is_entry[place] = False
        entries = entries[is_entry]
    weights = entries[1::2].copy() if header.edge_weights else None
    if header.edge_weights:
        entries = entries[::2].copy()
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths // step)])
    return Rows(tokens, indptr, entries, weights, heads, sized)
