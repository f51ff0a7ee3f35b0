"""Vertex colours from a result or an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.checks import array
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError
from clew.graph import Graph
from clew.plots.binning import is_skewed
from clew.plots.meaning import GROUPS, WORDS, answered, labels_of, short
from clew.plots.theme import Look, rgb
from clew.result import Result

SHOWN_GROUPS = 6  # groups with a colour of their own; the others share one


@dataclass(frozen=True)
class Paint:
    """The colouring of vertices.

    Either ``group`` is the index in ``labels`` of every vertex, where the last label is for all other groups. Or
    ``value`` is a number per vertex, mapped to the colour scale, with NaN for none.
    """

    title: str
    group: Array | None = None
    labels: tuple[str, ...] = ()
    value: Array | None = None

    def colors(self, look: Look) -> Array:
        """Red, green and blue of every vertex."""
        if self.group is not None:
            return np.array([rgb(look.palette[tint]) for tint in self.tints], dtype=np.float32)[self.group]
        assert self.value is not None
        scale = np.array([rgb(color) for color in look.scale], dtype=np.float32)
        low, high = self.limits
        along = (np.nan_to_num(self.value, nan=low) - low) / ((high - low) or 1) * (len(scale) - 1)
        below = np.minimum(along.astype(np.int64), len(scale) - 2)
        part = (along - below).astype(np.float32)[:, None]
        mixed = scale[below] * (1 - part) + scale[below + 1] * part
        return np.where(np.isnan(self.value)[:, None], np.array(rgb(look.faint), dtype=np.float32), mixed)

    @property
    def tints(self) -> list[int]:
        """The palette index of every label; "others" has the last one."""
        return [i if i < SHOWN_GROUPS else -1 for i in range(len(self.labels))]

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest number."""
        assert self.value is not None
        known = self.value[~np.isnan(self.value)]
        return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def paint_of(graph: Graph, color: Any, value: str | None) -> Paint | None:
    """The colouring by a result (its first value, or the named one), or by an array with an entry per vertex."""
    if color is None:
        return None
    if isinstance(color, Result):
        host = color.numpy()
        name = value or next(iter(host.values), "")
        column, title = np.asarray(host._column(value)), name
    else:
        host, name, title = None, value or "", value or "value"
        column = array("color", color.get() if is_on_gpu(color) else color)
    if column.shape != (graph.num_vertices,):
        raise GraphError(
            f"color has shape {column.shape}; expected a value per vertex, that is ({graph.num_vertices},)."
        )
    if name in GROUPS or column.dtype.kind in "bOUS":
        return _grouped(host, name, column, WORDS.get(name, title))
    if column.dtype.kind not in "iuf":
        raise GraphError(f"color has dtype {column.dtype}; expected numbers, booleans or strings.")
    return _scaled(host, name, column, title)


def _grouped(host: Result | None, name: str, column: Array, title: str) -> Paint:
    values, group, sizes = np.unique(column, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.minimum(np.arange(order.size), SHOWN_GROUPS)
    labels = labels_of(host, name, values[order[:SHOWN_GROUPS]])
    if order.size > SHOWN_GROUPS:
        labels.append("others")
    return Paint(title, group=rank[group.ravel()], labels=tuple(map(short, labels)))


def _scaled(host: Result | None, name: str, column: Array, title: str) -> Paint:
    known = answered(name, column, host)
    value = np.where(known, column.astype(np.float64), np.nan)
    some = value[known]
    if is_skewed(some[some > 0]) and (some >= 0).all():
        with np.errstate(divide="ignore"):
            value = np.where(value > 0, np.log10(np.where(value > 0, value, 1)), np.nan)
        title = f"log₁₀ {title}"
    return Paint(title, value=value)
