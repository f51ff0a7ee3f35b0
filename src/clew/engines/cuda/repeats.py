"""Layouts that a skewed graph earns by being multiplied with again and again.

Each makes a product faster and takes time to make: new names for hot columns (hot.py) are worth it after a few
products, a sweep over the columns (sweep.py) after many. With few edges, x is small enough for the caches as it is; and
where no few columns have much of the edges, tiles are faster than either.
"""

from __future__ import annotations

import weakref

from clew.engines.cuda.device import Device
from clew.engines.cuda.hot import forget_all_renamed, forget_renamed, renamed
from clew.engines.cuda.rows import DeviceRows
from clew.engines.cuda.sweep import can_sweep, forget_all_sweeps, is_swept, sweep_of

FROM_ARCS = 1 << 23
#: Products after which a layout is made: about as many as it saves the time of.
HOT_AFTER = 16
SWEEP_AFTER = 100

#: The part of the edges that the columns which shared memory has room for must have. On an H200, PageRank by hot ones
#: took 0.78 of the time by tiles on Kronecker 24 (by estimate 31 %), and 1.8 times as long on R-MAT 24 (9 %).
HOT_COLUMNS, HOT_PART = 24_576, 0.25
SAMPLE = 1 << 20  # edges looked at to tell

_hot: weakref.WeakKeyDictionary[DeviceRows, bool] = weakref.WeakKeyDictionary()
_products: weakref.WeakKeyDictionary[DeviceRows, int] = weakref.WeakKeyDictionary()
_too_large: weakref.WeakKeyDictionary[DeviceRows, set[str]] = weakref.WeakKeyDictionary()


def earned_layout(
    device: Device, rows: DeviceRows, products: int = 1, *, hot_after: int | None = None, sweeps: bool = True
) -> str:
    """What the next ``products`` products should go over: "tiles", "hot", or, where ``sweeps``, "sweep"."""
    if rows.num_arcs < FROM_ARCS or not rows.in_device_memory:
        return "tiles"
    count = _products[rows] = _products.get(rows, 0) + products
    hot_after = HOT_AFTER if hot_after is None else hot_after
    if count <= min(hot_after, SWEEP_AFTER) or not _has_hot_columns(device, rows):
        return "tiles"
    if count > SWEEP_AFTER and sweeps and can_sweep(rows) and _made(device, rows, "sweep"):
        return "sweep"
    if count > hot_after and _made(device, rows, "hot"):
        return "hot"
    return "tiles"


def _has_hot_columns(device: Device, rows: DeviceRows) -> bool:
    """Whether a few columns have much of the edges, by a sample of those."""
    found = _hot.get(rows)
    if found is None:
        sample = rows.neighbours[:: max(1, rows.num_arcs // SAMPLE)]
        counts = device.xp.sort(device.xp.unique(sample, return_counts=True)[1])[-HOT_COLUMNS:]
        found = _hot[rows] = float(counts.sum()) >= HOT_PART * sample.size
    return found


def forget_layouts() -> bool:
    """Let go of all layouts, which graphs may earn anew; whether there were any."""
    return forget_all_renamed() | forget_all_sweeps()


def _made(device: Device, rows: DeviceRows, kind: str) -> bool:
    """Make a layout where there is none; where there is no room for it, never again."""
    failed = _too_large.setdefault(rows, set())
    if kind in failed:
        return False
    try:
        if kind == "hot":
            renamed(device, rows)
        elif not is_swept(rows):
            sweep_of(device, rows)
            forget_renamed(rows)  # whoever needs them beside a sweep has them made once more
    except MemoryError:  # what there is will do
        failed.add(kind)
        return False
    return True
