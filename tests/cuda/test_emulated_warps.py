"""Warps in the emulation: shuffles, votes and reductions against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.toolchain.source import ctype
from tests.cuda.emulated import kernel

ALL = 0xFFFFFFFF
MASKS = (ALL, 0x0000FFFF, 0x80000001, 0x00000001, 0xAAAAAAAA, 0x7FFFFFFF)
NUMBERS = ("int32", "uint32", "int64", "uint64", "float32", "float64")


@pytest.fixture(scope="module")
def device():
    return EmulatedDevice()


WARPS = """
#include "common.cuh"
// Lanes that the mask does not name go round the call, or have returned before it.
extern "C" __global__ void shuffle(u32 mask, int leave, int kind, int by, int width, const value_t* in, value_t* out) {
    const u32 t = threadIdx.x;
    if (leave && !(mask >> lane() & 1)) return;
    if (mask >> lane() & 1) {
        const value_t v = in[t];
        out[t] = kind == 0   ? __shfl_sync(mask, v, by, width)
                 : kind == 1 ? __shfl_up_sync(mask, v, (u32)by, width)
                 : kind == 2 ? __shfl_down_sync(mask, v, (u32)by, width)
                             : __shfl_xor_sync(mask, v, by, width);
    }
}
extern "C" __global__ void vote(u32 mask, int leave, const value_t* in, u32* ballot, int* any, int* all, u32* match,
                                u32* match_all, int* equal) {
    const u32 t = threadIdx.x;
    const bool named = mask >> lane() & 1;
    if (leave && !named) return;
    if (named) {
        ballot[t] = __ballot_sync(mask, in[t] > 2);
        any[t] = __any_sync(mask, in[t] > 2);
        all[t] = __all_sync(mask, in[t] > 2);
        match[t] = __match_any_sync(mask, in[t]);
        match_all[t] = __match_all_sync(mask, in[t], &equal[t]);
        __syncwarp(mask);
    }
}
extern "C" __global__ void reduce(u32 mask, const int* in, int* out, u32* bits) {
    const u32 t = threadIdx.x;
    if (!(mask >> lane() & 1)) return;
    out[3 * t] = __reduce_add_sync(mask, in[t]);
    out[3 * t + 1] = __reduce_min_sync(mask, in[t]);
    out[3 * t + 2] = __reduce_max_sync(mask, in[t]);
    const u32 u = (u32)in[t];
    bits[6 * t] = __reduce_add_sync(mask, u);
    bits[6 * t + 1] = __reduce_min_sync(mask, u);
    bits[6 * t + 2] = __reduce_max_sync(mask, u);
    bits[6 * t + 3] = __reduce_and_sync(mask, u);
    bits[6 * t + 4] = __reduce_or_sync(mask, u);
    bits[6 * t + 5] = __reduce_xor_sync(mask, u);
}
// Two halves of a warp, each at operations of its own, any number of times.
extern "C" __global__ void halves(int* out) {
    int sum = (int)lane();
    if (lane() < 16)
        for (int k = 0; k < 3; k++) sum += __shfl_xor_sync(0x0000ffffu, sum, 1 << k);
    else
        sum = __popc(__ballot_sync(0xffff0000u, lane() % 2 == 0));
    __syncwarp();
    out[threadIdx.x] = sum + __shfl_sync(ALL_LANES, sum, 31);
}
// A lane waits for one lane, then for another, which waits for it first.
extern "C" __global__ void chain(int* out) {
    if (lane() == 0) out[0] = __shfl_sync(0x3u, 7, 1);
    if (lane() == 1) {
        const int right = __shfl_sync(0x6u, 5, 2);
        __shfl_sync(0x3u, right, 0);
        out[1] = right;
    }
    if (lane() == 2) __shfl_sync(0x6u, 9, 1);
}
"""


def source_lane(kind, lane, by, width):
    """The lane that a shuffle reads, as the CUDA C++ Programming Guide says it in words."""
    first = lane // width * width
    if kind == 0:
        return first + by % width
    if kind == 1:
        return lane - by if lane - by >= first else lane
    if kind == 2:
        return lane + by if lane + by < first + width else lane
    return lane ^ by if lane ^ by < first + width else lane


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("leave", [0, 1])
def test_shuffles(device, dtype, leave):
    shuffle = kernel(device, WARPS, "shuffle", {"value_t": ctype(dtype)})
    threads = 96
    values = (np.arange(threads) * 7 + 3).astype(dtype)
    values[5] = np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else np.inf
    for mask in MASKS:
        for kind in range(4):
            for by, width in ((0, 32), (1, 32), (3, 8), (5, 16), (16, 32), (1, 1), (2, 4), (31, 32)):
                out = device.zeros(threads, dtype)
                scalars = (np.uint32(mask), np.int32(leave), np.int32(kind), np.int32(by), np.int32(width))
                device.launch(shuffle, 1, threads, *scalars, device.upload(values), out)
                for thread in range(threads):
                    if not mask >> thread % 32 & 1:
                        assert out[thread] == 0
                        continue
                    source = source_lane(kind, thread % 32, by, width)
                    if mask >> source & 1:  # else the value is undefined
                        assert out[thread] == values[thread // 32 * 32 + source], (mask, kind, by, width, thread)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("leave", [0, 1])
def test_votes_and_matches(device, dtype, leave):
    vote = kernel(device, WARPS, "vote", {"value_t": ctype(dtype)})
    random = np.random.default_rng(1)
    for mask in MASKS:
        for values in (random.integers(0, 6, 64), random.integers(3, 6, 64), np.full(64, 2), np.full(64, 4)):
            values = values.astype(dtype)
            results = [device.zeros(64, kind) for kind in ("u4", "i4", "i4", "u4", "u4", "i4")]
            device.launch(vote, 1, 64, np.uint32(mask), np.int32(leave), device.upload(values), *results)
            for thread in range(64):
                if not mask >> thread % 32 & 1:
                    continue
                named = [k for k in range(32) if mask >> k & 1]
                warp = values[thread // 32 * 32 :][:32]
                ballot = sum(1 << k for k in named if warp[k] > 2)
                alike = sum(1 << k for k in named if warp[k] == values[thread])
                equal = alike == mask
                expected = (ballot, ballot != 0, ballot == mask, alike, mask if equal else 0, equal)
                assert tuple(int(result[thread]) for result in results) == tuple(map(int, expected))


@pytest.mark.parametrize("mask", MASKS)
def test_reductions_of_a_warp(device, mask):
    values = np.random.default_rng(2).integers(-1000, 1000, 64).astype(np.int32)
    out, bits = device.zeros((64, 3), np.int32), device.zeros((64, 6), np.uint32)
    reduce = kernel(device, WARPS, "reduce", {"value_t": "int"})
    device.launch(reduce, 1, 64, np.uint32(mask), device.upload(values), out, bits)
    for thread in range(64):
        if not mask >> thread % 32 & 1:
            continue
        named = np.array([values[thread // 32 * 32 + k] for k in range(32) if mask >> k & 1])
        plain = named.view(np.uint32)
        assert out[thread].tolist() == [named.sum(), named.min(), named.max()]
        folds = [np.bitwise_and.reduce(plain), np.bitwise_or.reduce(plain), np.bitwise_xor.reduce(plain)]
        total = int(plain.sum(dtype=np.uint64)) % 2**32
        assert bits[thread].tolist() == [total, plain.min(), plain.max(), *folds]


def test_parts_of_a_warp_go_their_own_ways(device):
    out = device.zeros(64, np.int32)
    device.launch(kernel(device, WARPS, "halves", {"value_t": "int"}), 1, 64, out)
    below = [sum(range(lane // 8 * 8, lane // 8 * 8 + 8)) for lane in range(16)]
    assert out.tolist() == [value + 8 for value in below + [8] * 16] * 2
    out = device.zeros(2, np.int32)
    device.launch(kernel(device, WARPS, "chain", {"value_t": "int"}), 1, 32, out)
    assert out.tolist() == [9, 9]
