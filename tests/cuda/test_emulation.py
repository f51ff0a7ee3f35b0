"""The emulated device runs blocks, warps, barriers and shared memory as CUDA defines them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from clew.engines.cuda.emulation.builder import share
from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS
from clew.errors import DeviceError
from tests.cuda.emulated import kernel

ALL = 0xFFFFFFFF


@pytest.fixture(scope="module")
def device():
    return EmulatedDevice()


def test_an_array_that_was_passed_must_stay(device):
    double = kernel(device, BLOCKS, "reversed")
    source, target = device.upload(np.arange(32, dtype=np.int32)), device.empty(32, np.int32)
    passed = device.passed(source, target)
    device.start(double, (1, 32, 0, False, 1), passed)
    assert device.download(target).tolist() == list(range(31, -1, -1))
    del source
    with pytest.raises(DeviceError, match="argument 0 of the kernel reversed is an array that has gone"):
        device.start(double, (1, 32, 0, False, 1), passed)


BLOCKS = """
#include "common.cuh"
extern "C" __global__ void where(u32* out) {
    u32* mine = out + 4 * thread_in_grid();
    mine[0] = threadIdx.x, mine[1] = blockIdx.x, mine[2] = blockDim.x, mine[3] = gridDim.x;
}
// Every third thread returns before the barriers.
extern "C" __global__ void counted(int early, int* out) {
    if (early && threadIdx.x % 3 == 1) return;
    out[4 * threadIdx.x] = __syncthreads_count(threadIdx.x < 10);
    out[4 * threadIdx.x + 1] = __syncthreads_or(threadIdx.x == 9);
    out[4 * threadIdx.x + 2] = __syncthreads_and(threadIdx.x != 9);
    out[4 * threadIdx.x + 3] = __syncthreads_and(1) + __syncthreads_or(0);
}
// Threads leave one by one while the others go on meeting.
extern "C" __global__ void leaving(int* out) {
    for (u32 k = 0; k <= threadIdx.x; k++) out[threadIdx.x] += __syncthreads_count(1);
}
extern "C" __global__ void reversed(const int* in, int* out) {
    __shared__ int values[256];
    values[threadIdx.x] = in[thread_in_grid()];
    __syncthreads();
    out[thread_in_grid()] = values[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void reversed_dynamic(const int* in, int* out) {
    int* values = dynamic_shared<int>();
    values[threadIdx.x] = in[thread_in_grid()];
    __syncthreads();
    out[thread_in_grid()] = values[blockDim.x - 1 - threadIdx.x];
}
template <class T, int N> struct Pair { T first[N]; T second; };
template <class T> __device__ T* scratch() { __shared__ T memory[64]; return memory; }
extern "C" __global__ void kinds(long long* out) {
    __shared__ volatile int counter;
    __shared__ __align__(16) double table[4][8];
    __shared__ Pair<short, 4> pair;
    __shared__ const int* pointer;
    if (threadIdx.x == 0) {
        counter = 1, table[3][7] = 2, pair.second = 3, pair.first[3] = 4, pointer = nullptr;
        scratch<int>()[63] = 5, scratch<float>()[63] = 6;
        out[4] = (long long)sizeof(table), out[5] = (unsigned long long)&table[0][0] % 16 == 0;
    }
    __syncthreads();
    out[0] = counter + (int)table[3][7], out[1] = pair.second + pair.first[3];
    out[2] = scratch<int>()[63], out[3] = (long long)scratch<float>()[63] + (pointer == nullptr);
}
// What no thread of this block has written.
extern "C" __global__ void unwritten(u32* out) {
    __shared__ u32 word;
    if (threadIdx.x == 0) out[2 * blockIdx.x] = word, out[2 * blockIdx.x + 1] = *dynamic_shared<u32>();
    __syncthreads();
    word = 1, *dynamic_shared<u32>() = 2;
}
extern "C" __global__ void rounds(int count, u32* sum, u32* wrong, u32* barrier) {
    for (int k = 1; k <= count; k++) {
        atomicAdd(sum, 1u);
        grid_sync(barrier);
        if (*(volatile u32*)sum != (u32)k * (u32)threads_in_grid()) atomicAdd(wrong, 1u);
        grid_sync(barrier);
    }
}
// Wrong: the first thread reads what others may not have written.
extern "C" __global__ void race(int* out) {
    __shared__ int last;
    __shared__ int first;
    last = first = 0;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) last = 1;
    if (threadIdx.x == 0) first = 1;
    if (threadIdx.x == 0) out[0] = last;
    if (threadIdx.x == blockDim.x - 1) out[1] = first;
}
extern "C" __global__ void architecture(int* out) { *out = __CUDA_ARCH__; }
// A barrier in memory; on a GPU this needs a cooperative launch too.
extern "C" __global__ void patient(u32* flag) {
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0u) == 0) __nanosleep(100);
    else if (threadIdx.x == 40)
        atomicExch(flag, 1u);
}
"""


@pytest.mark.parametrize(("blocks", "threads"), [(1, 1), (1, 32), (3, 64), (7, 33), (2, 1024), (40, 32)])
def test_every_thread_knows_its_place(device, blocks, threads):
    out = device.zeros((blocks * threads, 4), np.uint32)
    device.launch(kernel(device, BLOCKS, "where"), blocks, threads, out)
    expected = [[thread, block, threads, blocks] for block in range(blocks) for thread in range(threads)]
    assert out.tolist() == expected


@pytest.mark.parametrize("early", [0, 1])
@pytest.mark.parametrize("threads", [32, 96, 1024])
def test_barriers_count_the_threads_that_are_left(device, early, threads):
    for _ in range(4):  # in several orders
        out = device.zeros((threads, 4), np.int32)
        device.launch(kernel(device, BLOCKS, "counted"), 1, threads, np.int32(early), out)
        there = [thread for thread in range(threads) if not (early and thread % 3 == 1)]
        count = sum(thread < 10 for thread in there)
        assert all(out[thread].tolist() == [count, 1, 0, 1] for thread in there)


def test_threads_may_leave_one_by_one(device):
    for _ in range(4):
        out = device.zeros(64, np.int32)
        device.launch(kernel(device, BLOCKS, "leaving"), 1, 64, out)
        assert out.tolist() == [sum(64 - k for k in range(thread + 1)) for thread in range(64)]


@pytest.mark.quick
@pytest.mark.parametrize("name", ["reversed", "reversed_dynamic"])
def test_shared_memory_belongs_to_one_block(device, name):
    for blocks, threads in ((1, 32), (9, 256), (40, 64)):
        values = np.arange(blocks * threads, dtype=np.int32)
        out = device.empty(values.shape, np.int32)
        device.launch(kernel(device, BLOCKS, name), blocks, threads, device.upload(values), out, shared=4 * threads)
        assert out.tolist() == values.reshape(blocks, threads)[:, ::-1].ravel().tolist()


def test_shared_variables_of_all_kinds(device):
    out = device.zeros(6, np.int64)
    device.launch(kernel(device, BLOCKS, "kinds"), 1, 64, out)
    assert out.tolist() == [3, 7, 5, 7, 4 * 8 * 8, 1]


def test_shared_memory_starts_as_rubbish_in_every_block(device):
    out = device.zeros(20, np.uint32)
    device.launch(kernel(device, BLOCKS, "unwritten"), 10, 32, out, shared=4)
    assert set(out.tolist()) == {0xCDCDCDCD}


def test_several_shared_variables_in_one_declaration_are_refused():
    with pytest.raises(DeviceError, match="one variable in a declaration"):
        share("__shared__ int a, b[3];")
    assert share("int shared__;") == "int shared__;"


@pytest.mark.quick
@pytest.mark.parametrize("blocks", [1, 2, 5, 17])
def test_grid_sync(blocks):
    device = EmulatedDevice(cooperative_blocks=blocks)
    total, wrong = device.zeros(1, np.uint32), device.zeros(1, np.uint32)
    barrier = device.zeros(GRID_BARRIER_WORDS, np.uint32)
    device.launch_cooperative(kernel(device, BLOCKS, "rounds"), 64, np.int32(20), total, wrong, barrier)
    assert (total[0], wrong[0]) == (20 * 64 * blocks, 0)
    device.launch_cooperative(kernel(device, BLOCKS, "rounds"), 64, np.int32(0), total, wrong, barrier, most=2)


def test_a_missing_barrier_shows_in_some_order(device):
    seen = set()
    for _ in range(4):
        out = device.empty(2, np.int32)
        device.launch(kernel(device, BLOCKS, "race"), 1, 64, out)
        seen.add(tuple(out.tolist()))
    assert len(seen) > 1


def test_the_architecture_can_be_chosen(device):
    for arch in (700, 900):
        out = device.zeros(1, np.int32)
        chosen = EmulatedDevice(cuda_arch=arch)
        chosen.launch(kernel(chosen, BLOCKS, "architecture"), 1, 32, out)
        assert out[0] == arch


def test_nanosleep_lets_others_run(device):
    for _ in range(4):
        device.launch(kernel(device, BLOCKS, "patient"), 1, 64, device.zeros(1, np.uint32))


def test_launches_from_many_threads_take_turns(device):
    where = kernel(device, BLOCKS, "where")
    arrays = [device.zeros((8 * 64, 4), np.uint32) for _ in range(8)]
    threads = [threading.Thread(target=device.launch, args=(where, 8, 64, array)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(array[:, 1].tolist() == np.repeat(np.arange(8), 64).tolist() for array in arrays)


# ---- Atomics ----

ATOMICS = """
#include "common.cuh"
extern "C" __global__ void adds(int* i, u32* u, u64* l, float* f, double* d) {
    atomicAdd(i, -1), atomicAdd(u, 1u), atomicAdd(l, 1ull << 33), atomicAdd(f, 1.0f), atomicAdd(d, 0.5);
    atomicSub(i + 1, 1), atomicSub(u + 1, 1u);
}
extern "C" __global__ void orders(int* i, u32* u, long long* s, u64* l) {
    const int me = (int)thread_in_grid();
    atomicMin(i, -me), atomicMax(i + 1, me), atomicMin(u, 5000u - (u32)me), atomicMax(u + 1, (u32)me);
    atomicMin(s, -me * 10000000000ll), atomicMax(s + 1, me * 10000000000ll);
    atomicMin(l, ~0ull - (u64)me), atomicMax(l + 1, (u64)me << 40);
}
extern "C" __global__ void bits(int* i, u32* u, u64* l) {
    const u32 bit = 1u << lane();
    const u64 wide = (u64)bit << 32;
    atomicOr(i, (int)bit), atomicOr(u, bit), atomicOr(l, wide);
    atomicAnd(i + 1, ~(int)bit), atomicAnd(u + 1, ~bit), atomicAnd(l + 1, ~wide);
    atomicXor(i + 2, (int)bit), atomicXor(u + 2, bit), atomicXor(l + 2, wide);
}
// Whoever takes a number takes it alone.
extern "C" __global__ void exchange(int* taken_i, u32* taken_u, u64* taken_l, float* token, u32* tokens) {
    for (int k = 0;; k++) if (atomicCAS(taken_i + k, 0, 1) == 0) break;
    for (int k = 0;; k++) if (atomicCAS(taken_u + k, 0u, 1u) == 0) break;
    for (int k = 0;; k++) if (atomicCAS(taken_l + k, 0ull, 1ull << 40) == 0) break;
    if (atomicExch(token, 0.0f) == 1.0f) atomicAdd(tokens, 1u);
    if (atomicExch(token + 1, 0.0f) == 2.0f) atomicAdd(tokens + 1, 1u);
    atomicInc(tokens + 2, 6u), atomicDec(tokens + 3, 6u);
}
"""


def test_atomics_of_many_blocks(device):
    blocks, threads = 32, 128
    n = blocks * threads
    arrays = [device.zeros(2, kind) for kind in ("i4", "u4", "u8", "f4", "f8")]
    device.launch(kernel(device, ATOMICS, "adds"), blocks, threads, *arrays)
    assert [array[0] for array in arrays] == [-n, n, n << 33, n, n / 2]
    assert (arrays[0][1], arrays[1][1]) == (-n, 2**32 - n)

    arrays = [
        device.upload(np.array([first, 0], kind))
        for kind, first in zip(("i4", "u4", "i8", "u8"), (0, 9999, 0, 2**64 - 1), strict=True)
    ]
    device.launch(kernel(device, ATOMICS, "orders"), blocks, threads, *arrays)
    last = n - 1
    expected = [[-last, last], [5000 - last, last], [-last * 10**10, last * 10**10], [2**64 - 1 - last, last << 40]]
    assert [array.tolist() for array in arrays] == expected

    arrays = [device.upload(np.array([0, -1, 0]).astype(kind)) for kind in ("i4", "u4", "u8")]
    device.launch(kernel(device, ATOMICS, "bits"), 5, 32, *arrays)
    assert arrays[0].tolist() == [-1, 0, -1]
    assert arrays[1].tolist() == [ALL, 0, ALL]
    assert arrays[2].tolist() == [ALL << 32, ALL, ALL << 32]


def test_one_thread_wins_each_exchange(device):
    arrays = [device.zeros(512, kind) for kind in ("i4", "u4", "u8")]
    token, tokens = device.upload(np.array([1, 2], np.float32)), device.zeros(4, np.uint32)
    device.launch(kernel(device, ATOMICS, "exchange"), 8, 64, *arrays, token, tokens)
    assert all(array.all() for array in arrays)
    assert tokens.tolist() == [1, 1, 512 % 7, (7 - 512 % 7) % 7]
