"""The layout that a skewed graph earns by being multiplied with again and again: a sweep over the columns (sweep.py).

It makes a product faster and takes time to make. With few edges, x is small enough for the caches as it is; and where
no few columns have much of the edges, tiles are faster.
"""

from __future__ import annotations

from clew.engines.cuda.device import Device
from clew.engines.cuda.device_rows import DeviceRows
from clew.engines.cuda.sweep import can_sweep, sweep_of

FROM_ARCS = 1 << 23
#: Products after which a sweep is made: about as many as it saves the time of.
SWEEP_AFTER = 100

#: The part of the edges that the columns with the most edges must have, and how many columns those are.
HOT_COLUMNS, HOT_PART = 24_576, 0.25
SAMPLE = 1 << 20  # edges looked at to tell


def earned_layout(device: Device, rows: DeviceRows, products: int = 1, *, sweeps: bool = True) -> str:
    """What the next ``products`` products should go over: "tiles" or, where ``sweeps``, "sweep"."""
    if rows.num_arcs < FROM_ARCS or not rows.in_device_memory:
        return "tiles"
    count = rows.facts["products"] = rows.facts.get("products", 0) + products
    if count <= SWEEP_AFTER or not sweeps or not can_sweep(rows) or not _has_hot_columns(device, rows):
        return "tiles"
    return "sweep" if _has_sweep(device, rows) else "tiles"


def _has_hot_columns(device: Device, rows: DeviceRows) -> bool:
    """Whether a few columns have much of the edges, by a sample of those."""

    def look() -> bool:
        sample = rows.neighbours[:: max(1, rows.num_arcs // SAMPLE)]
        counts = device.xp.sort(device.xp.unique(sample, return_counts=True)[1])[-HOT_COLUMNS:]
        return bool(float(counts.sum()) >= HOT_PART * sample.size)

    return rows.once("hot columns", look)


def _has_sweep(device: Device, rows: DeviceRows) -> bool:
    """Make a sweep where there is none; where there is no room for it, never again."""
    if "no room for a sweep" in rows.facts:
        return False
    try:
        sweep_of(device, rows)
    except MemoryError:  # tiles will do
        rows.facts["no room for a sweep"] = True
        return False
    return True
