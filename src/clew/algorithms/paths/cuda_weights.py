"""What a search must know of the weights beforehand, found on the device once per graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device

SAMPLE = 1 << 14  # weights looked at for their mean
PIECE = 1 << 24  # weights looked at at a time: more of them may be on the host than the device has room for


class WeightFacts(NamedTuple):
    """The smallest and largest weight, of finite ones in the case of floats, and about their mean."""

    smallest: float | int
    largest: float | int
    mean: float


def weight_facts(device: Device, rows: DeviceRows) -> WeightFacts:
    """The facts of the weights; the second call finds what the first has computed."""
    return rows.once("weight facts", lambda: _computed(device, rows))


def _computed(device: Device, rows: DeviceRows) -> WeightFacts:
    weights = rows.weights
    if weights.size == 0:
        return WeightFacts(0, 0, 0.0)
    floats = np.dtype(weights.dtype).kind == "f"
    sample = weights[:: max(1, weights.size // SAMPLE)].astype(np.float64)
    ends: list[Any] = []
    step = PIECE if floats or rows.paired else weights.size
    for start in range(0, weights.size, step):
        part = rows.weights_of(start, start + step)
        if floats:
            part = part[device.xp.isfinite(part)]
        if part.size:
            ends += [part.min().item(), part.max().item()]
    if not ends:
        return WeightFacts(0.0, 0.0, 0.0)
    if floats:
        sample = sample[device.xp.isfinite(sample)]
    with np.errstate(over="ignore"):  # the largest floats add up to inf, which has all vertices in one bucket
        mean = float(sample.mean()) if sample.size else 0.0
    return WeightFacts(min(ends), max(ends), mean)
