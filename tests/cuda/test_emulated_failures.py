"""What CUDA leaves undefined is an error in the emulated device, with the barrier and the threads, and never a hang."""

from __future__ import annotations

import os

import numpy as np
import pytest

from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS
from clew.errors import DeviceError
from tests.cuda.emulated import kernel


@pytest.fixture(scope="module")
def device():
    return EmulatedDevice()


WRONG = """
#include "common.cuh"
extern "C" __global__ void warp_left_out() { if (lane() != 3) __syncwarp(); else __syncthreads(); }
extern "C" __global__ void mask_too_wide(int* out) {
    if (lane() < 16) *out = __shfl_sync(ALL_LANES, 1, 0); else __syncthreads();
}
extern "C" __global__ void not_named(int* out) { *out = __shfl_sync(0x7fffffffu, 1, 0); }
extern "C" __global__ void two_barriers() {
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}
extern "C" __global__ void two_kinds() { if (threadIdx.x < 32) __syncthreads(); else __syncthreads_or(1); }
extern "C" __global__ void different_operations(int* out) {
    if (lane() % 2) *out = __any_sync(ALL_LANES, 1); else *out = (int)__ballot_sync(ALL_LANES, 1);
}
extern "C" __global__ void block_left_out(u32* barrier) { if (blockIdx.x != 1) grid_sync(barrier); }
extern "C" __global__ void thread_left_out(u32* barrier) { if (threadIdx.x != 1) grid_sync(barrier); }
extern "C" __global__ void for_ever() { for (;;) __syncthreads(); }
extern "C" __global__ void for_ever_in_grid(u32* barrier) { for (;;) grid_sync(barrier); }
extern "C" __global__ void odd_width(int* out) { *out = __shfl_sync(ALL_LANES, 1, 0, 3); }
extern "C" __global__ void trap() { if (thread_in_grid() == 70) __trap(); __syncthreads(); }
extern "C" __global__ void too_much() { __shared__ int a[8000]; __shared__ int b[8000]; a[0] = b[0] = 1; }
extern "C" __global__ void fine(int* out) {
    __syncthreads();
    out[thread_in_grid()] = __popc(__ballot_sync(ALL_LANES, 1));
}
"""
PROBLEMS = {
    "warp_left_out": r"threads .* wait in __syncwarp \(\w+.cuh:3\) with mask 0xffffffff.*; threads 3, 35 wait in __syn",
    "mask_too_wide": r"deadlock: threads 0-15 wait in __shfl_sync .* 0xffffffff; threads 16-31, 48-63 wait in __syn",
    "not_named": r"lane 31\) calls __shfl_sync .* with mask 0x7fffffff, which does not name it",
    "two_barriers": r"different barriers: thread \d+ at __syncthreads \(\w+.cuh:\d+\), thread \d+ at __syncthreads \(",
    "two_kinds": "different barriers: .*__syncthreads_or",
    "different_operations": "deadlock: .* in __ballot_sync .*; threads .* in __any_sync",
    "block_left_out": r"deadlock: 4 blocks wait in grid_sync \(common.cuh:\d+\), but 1 have returned",
    "thread_left_out": "grid_sync",
    "odd_width": "__shfl_sync with width 3, not a power of two",
    "trap": "block 1: __trap was called",
    "too_much": "more than 49152 bytes of __shared__ variables",
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_undefined_is_an_error(device, name):
    wrong, fine = kernel(device, WRONG, name), kernel(device, WRONG, "fine")
    takes = {"pi4": device.zeros(1, np.int32), "pu4": device.zeros(GRID_BARRIER_WORDS, np.uint32)}
    args = [takes[code] for code in wrong.takes]

    def launch(chosen, *args):
        if "pu4" in chosen.takes:
            device.launch_cooperative(chosen, 64, *args)
        else:
            device.launch(chosen, 4, 64, *args)

    for _ in range(4):
        with pytest.raises(DeviceError, match=f"the kernel {name}, .*{PROBLEMS[name]}"):
            launch(wrong, *args)
        out = device.zeros(6 * 64, np.int32)  # the device can be used again
        device.launch(fine, 6, 64, out)
        assert (out == 32).all()


def test_grid_sync_needs_a_cooperative_launch(device):
    with pytest.raises(DeviceError, match="needs a cooperative launch"):
        device.launch(kernel(device, WRONG, "block_left_out"), 3, 32, device.zeros(GRID_BARRIER_WORDS, np.uint32))


def test_loops_that_never_end_are_ended():
    device = EmulatedDevice(seconds=0.2)
    with pytest.raises(DeviceError, match="did not end in the time allowed"):
        device.launch(kernel(device, WRONG, "for_ever"), 4, 64)
    with pytest.raises(DeviceError, match="did not end in the time allowed"):
        device.launch_cooperative(kernel(device, WRONG, "for_ever_in_grid"), 64, device.zeros(64, np.uint32))


@pytest.mark.parametrize(
    ("blocks", "threads", "shared", "message"),
    [
        (0, 32, 0, "1 to 2,147,483,647 blocks"),
        (1, 0, 0, "1 to 1,024 threads"),
        (1, 1056, 0, "not 1056"),
        (1, 32, 1 << 20, "at most 232,448"),
    ],
)
def test_impossible_launches_are_refused(device, blocks, threads, shared, message):
    with pytest.raises(DeviceError, match=message):
        device.launch(kernel(device, WRONG, "for_ever"), blocks, threads, shared=shared)


def test_errors_in_the_source_are_told(device):
    with pytest.raises(DeviceError, match="no_such_function"):
        kernel(device, 'extern "C" __global__ void broken() { no_such_function(); }', "broken")
    with pytest.raises(DeviceError, match="no kernel other"):
        kernel(device, WRONG, "other")


@pytest.mark.skipif(os.environ.get("CLEW_SANITIZE") == "1", reason="the sanitizers are already there")
def test_the_sanitizers_need_to_come_first():
    with pytest.raises(DeviceError, match="LD_PRELOAD"):
        EmulatedDevice(sanitize=True)
