"""The methods of a graph that pack and unpack it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.packed import packed

if TYPE_CHECKING:
    from clew.graph import Graph


class PackableGraph:
    """A graph whose rows may be packed."""

    @property
    def is_packed(self: Any) -> bool:
        """Whether the rows are packed; see ``packed``."""
        return bool(self._out.is_packed)

    def packed(self: Any, *, consume: bool = False) -> Graph:
        """The same graph with its neighbours, offsets and integer weights packed into fewer bytes.

        Nothing is lost, and every function takes it. Those that need plain arrays unpack them, and the graph keeps
        them. ``nbytes`` counts both. ``neighbors`` and ``describe`` do not unpack all of it. Subgraphs and most
        other graphs made from it are plain.

        Parameters
        ----------
        consume
            Return the memory of this graph's neighbours while they are packed. This graph is packed afterwards, too.
            Pass True only if nothing else uses its arrays: no other graph made from it, and no view of them.

        Examples
        --------
        >>> import clew
        >>> g = clew.generate.grid(100, 100)
        >>> small = g.packed()
        >>> small == g, small.is_packed, small.nbytes < g.nbytes / 3
        (True, True, True)
        """
        graph: Any = self
        if graph.is_packed or not consume:
            return graph if graph.is_packed else graph._with(packed(graph._out))  # type: ignore[no-any-return]
        both = graph._in is graph._out
        graph._out = packed(graph._out, consume=True)
        graph._in = graph._out if both else graph._in
        return graph  # type: ignore[no-any-return]

    def unpacked(self: Any) -> Graph:
        """The same graph with plain rows."""
        result: Graph = self._with(self._out.plain()) if self.is_packed else self
        return result
