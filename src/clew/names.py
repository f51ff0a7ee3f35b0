"""Vertex names: what the user calls a vertex, against the 0…n-1 that the arrays use.

Names live in one Arrow array (integers or strings). They never become Python objects: Arrow does the hashing, or a
table of our own where there are many strings.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from clew import strings
from clew.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

Name = int | str


class VertexNames:
    """The names of vertices 0…n-1, distinct and in that order.

    Parameters
    ----------
    values
        Anything Arrow takes as an array of integers or strings.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        array = _as_arrow(values)
        if len(array) == 0 and not pa.types.is_integer(array.type):
            array = pa.array([], pa.large_string())  # an empty list has no type that would say what its names are
        self._values = array
        if isinstance(values, VertexNames):
            return  # these were checked when they were made
        if array.null_count:
            raise GraphError(f"{array.null_count:,} vertex names are null; expected a name for every vertex.")
        if not (pa.types.is_integer(array.type) or pa.types.is_large_string(array.type)):
            raise GraphError(f"vertex names have type {array.type}; expected integers or strings.")
        if not _is_ascending(array) and len(array) != (distinct := pc.count_distinct(array).as_py()):
            raise GraphError(f"{len(array) - distinct:,} vertex names occur more than once; expected distinct names.")
        if pa.types.is_integer(array.type) and not isinstance(values, (pa.Array, pa.ChunkedArray)):
            # Arrow does not copy NumPy's numbers, and a graph must not change when the caller's array does.
            self._values = pa.array(array.to_numpy().copy())

    @classmethod
    def trusted(cls, values: pa.Array[Any]) -> VertexNames:
        """Names that are known to be distinct: to hash millions of them again would take seconds."""
        names = cls.__new__(cls)
        names._values = values
        return names

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VertexNames) and bool(self._values.equals(other._values))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"VertexNames([{self._first_few()}{', …' if len(self) > 3 else ''}], n={len(self):,})"

    def _first_few(self) -> str:
        return ", ".join(repr(name) for name in self._values[:3].to_pylist())

    @property
    def array(self) -> pa.Array[Any]:
        """The names as an Arrow array."""
        return self._values

    @property
    def are_integers(self) -> bool:
        """Whether names are integers rather than strings."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self._values.type))

    @property
    def nbytes(self) -> int:
        """The bytes they take."""
        return int(self._values.nbytes)

    @overload
    def __getitem__(self, vertex: int | np.integer[Any]) -> Name: ...
    @overload
    def __getitem__(self, vertex: slice | list[int] | npt.NDArray[Any]) -> list[Name]: ...
    def __getitem__(self, vertex: Any) -> Name | list[Name]:
        """The name of a vertex; of a slice, of several vertices or of a mask, a list of names."""
        if isinstance(vertex, slice):
            return list(VertexNames.trusted(self._values[vertex]))
        if isinstance(vertex, (list, tuple, np.ndarray)) and np.ndim(vertex):
            return [self[one] for one in self._of_mask(np.asarray(vertex))]
        try:
            name: Name = self._values[index(vertex)].as_py()
        except TypeError:
            raise GraphError(
                f"names are looked up by vertex, 0 to {len(self) - 1}, not by {vertex!r}. For the vertex of a name, "
                "call names.id_of(name)."
            ) from None
        except IndexError:
            raise GraphError(f"there is no vertex {vertex}; expected 0 to {len(self) - 1}.") from None
        return name

    def _of_mask(self, vertices: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The vertices where a mask such as ``result.reached`` is True; vertices as they are."""
        if vertices.dtype != bool:
            return vertices
        if vertices.shape != (len(self),):
            raise GraphError(
                f"the mask has shape {vertices.shape}; expected an entry per vertex, that is ({len(self)},)."
            )
        return np.flatnonzero(vertices)

    def __iter__(self) -> Iterator[Name]:
        return (name.as_py() for name in self._values)

    def take(self, vertices: npt.ArrayLike) -> pa.Array[Any]:
        """The names of several vertices."""
        return self._values.take(_as_arrow(np.asarray(vertices, dtype=np.int64)))

    def take_known(self, vertices: npt.ArrayLike) -> pa.Array[Any]:
        """The names of several vertices; null for what is no vertex, such as -1."""
        import pyarrow as pa

        ids = np.asarray(vertices, dtype=np.int64)
        known: Any = pa.array(ids, mask=ids < 0)
        return self._values.take(known)

    def id_of(self, name: Name) -> int:
        """The vertex called ``name``."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(name, int if self.are_integers else str):
            # True is an int to Python, and not to Arrow.
            with suppress(pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeError):
                # Looking at all names for one is faster than hashing all, and takes no memory.
                found: int = pc.index(self._values, name).as_py()
                if found < 0:
                    raise self._no_vertex(_as_arrow([name])[0].as_py())
                return found
        if isinstance(name, SEVERAL):
            raise _not_one(name)
        return int(self.ids_of([name])[0])

    def ids_of(self, names: Iterable[Name] | Any) -> npt.NDArray[np.int64]:
        """The vertices called ``names``."""
        requested = _as_arrow(names)
        found = self.known_ids_of(requested)
        if (found < 0).any():
            raise self._no_vertex(requested[int(np.argmin(found))].as_py())
        return found

    def _no_vertex(self, name: Name) -> GraphError:
        return GraphError(f"no vertex is called {name!r}; this graph has names such as {self._first_few()}.")

    def known_ids_of(self, names: Iterable[Name] | Any) -> npt.NDArray[np.int64]:
        """The vertices called ``names``, and -1 for what is no name here."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            requested = _as_arrow(names)
            if len(requested) == 0:
                return np.empty(0, dtype=np.int64)
            if pa.types.is_integer(requested.type) != self.are_integers:
                raise GraphError(
                    f"{requested[0].as_py()!r} is not the name of a vertex: this graph's names are "
                    f"{'integers' if self.are_integers else 'strings'}, such as {self[0]!r}."
                    if len(self)
                    else "this graph has no vertices, so no vertex has a name."
                )
            found = pc.index_in(requested.cast(self._values.type), value_set=self._values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise GraphError(f"these are not names of vertices: {error}.") from None
        return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


#: What is never one vertex: truth values, which are integers to Python, and several vertices.
SEVERAL = (bool, list, tuple, set, np.ndarray)


def no_vertex(name: Any, count: int) -> GraphError:
    """The error about what is no vertex of a graph of ``count`` vertices without names."""
    if isinstance(name, SEVERAL):
        return _not_one(name)
    known = f"; expected an integer from 0 to {count - 1}." if count else ": the graph is empty."
    return GraphError(f"{name!r} is not a vertex{known}")


def _not_one(name: Any) -> GraphError:
    if isinstance(name, bool):
        return GraphError(f"{name} is not the name of a vertex, but a truth value; expected an integer or a string.")
    return GraphError(
        f"{reprlib.repr(name)} is not one vertex; expected the name or the number of one.",
        remedy="clew.multi_source_bfs searches from several vertices.",
    )


def called(names: VertexNames | None, vertices: npt.ArrayLike) -> npt.NDArray[Any]:
    """What the user calls several vertices: their names, or their ids where they have none."""
    if names is None:
        return np.asarray(vertices, dtype=np.int64)
    found: npt.NDArray[Any] = names.take(vertices).to_numpy(zero_copy_only=False)
    return found


def shown(names: VertexNames | None, *vertices: int) -> str:
    """A vertex as messages show it, ``'ann'``; of several, the edges from each to the next, ``'ann' -> 'bob'``.

    What is no vertex of the graph, as a wrong answer may contain it, is shown as the number it is.
    """
    known = 0 if names is None else len(names)
    return " -> ".join(
        repr(names[vertex]) if names is not None and 0 <= vertex < known else str(int(vertex)) for vertex in vertices
    )


def encode(*columns: Any) -> tuple[list[npt.NDArray[Any]], VertexNames]:
    """Map the values of several columns to 0…n-1 by one shared dictionary.

    Integers are numbered in ascending order, strings in the order in which they first occur.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    arrays = [_as_arrow(column) for column in columns]
    for array in arrays:
        if len(array) and not (pa.types.is_integer(array.type) or pa.types.is_large_string(array.type)):
            raise GraphError(f"values of type {array.type} cannot name a vertex; expected integers or strings.")
    kinds = {pa.types.is_integer(array.type) for array in arrays if len(array)}
    if kinds == {True}:
        widest = pa.uint64() if any(_exceeds_int64(array) for array in arrays) else pa.int64()
        try:
            arrays = [array.cast(widest) for array in arrays]
        except pa.ArrowInvalid:
            raise GraphError("vertex names mix negative integers with integers of 2^63 or more; use strings.") from None
    else:
        arrays = [array.cast(pa.large_string()) for array in arrays]
    if any(array.null_count for array in arrays):
        raise GraphError("a vertex name is null; expected an integer or a string in every row.")
    rows = sum(map(len, arrays))
    if kinds != {True} and rows >= strings.MANY:
        table = strings.StringTable()
        return [table.number(array) for array in arrays], VertexNames.trusted(table.strings())
    together = pa.chunked_array(arrays)
    values: Any = pc.unique(together)
    if pa.types.is_integer(values.type):
        values = values.take(pc.array_sort_indices(values))
    ids = [
        np.asarray(pc.index_in(array, value_set=values).to_numpy(zero_copy_only=False), dtype=np.int64)
        for array in arrays
    ]
    return ids, VertexNames.trusted(values)


def _exceeds_int64(array: pa.Array[Any]) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_uint64(array.type) or not len(array):
        return False
    largest = pc.max(array).as_py()
    return largest is not None and largest > 2**63 - 1


def _is_ascending(array: pa.Array[Any]) -> bool:
    import pyarrow as pa

    if not pa.types.is_integer(array.type):
        return False
    values = array.to_numpy(zero_copy_only=False)
    return bool(np.all(values[:-1] < values[1:]))


def _plain(values: Any) -> Any:
    """Integers of up to 64 bits as an array: Arrow on its own takes a list of unsigned ones for an overflow."""
    if isinstance(values, (list, tuple)) and all(type(value) is int for value in values):
        array = np.asarray(values)
        return array if array.dtype.kind in "iu" else values
    return values


def _as_arrow(values: Any) -> pa.Array[Any]:
    """One contiguous Arrow array of 64-bit-offset strings or of integers."""
    import pyarrow as pa

    if isinstance(values, VertexNames):
        return values.array
    try:
        array: Any = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(_plain(values))
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # older Arrow keeps one chunk as a chunked array
            array = array.chunk(0) if array.num_chunks else pa.array([], array.type)
        if pa.types.is_dictionary(array.type):
            if pa.types.is_string_view(array.type.value_type):  # polars' categories, which Arrow cannot decode
                array = pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.large_string()))
            array = array.dictionary_decode()
        if pa.types.is_string(array.type) or pa.types.is_string_view(array.type):
            array = array.cast(pa.large_string())
    except (pa.ArrowInvalid, TypeError, OverflowError, UnicodeError) as error:
        raise GraphError(f"these cannot be vertex names: {error}. Expected integers or strings.") from None
    found: pa.Array[Any] = array
    return found
