"""The emulated device runs blocks, warps, barriers and shared memory as CUDA defines them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from clew.engines.cuda.device import GRID_BARRIER_WORDS
from clew.engines.cuda.emulation.builder import share
from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.source import C_TYPES, compiled, ctype
from clew.errors import DeviceError, OperatorError, ResourceError
from tests.cuda.emulated import kernel

ALL = 0xFFFFFFFF
MASKS = (ALL, 0x0000FFFF, 0x80000001, 0x00000001, 0xAAAAAAAA, 0x7FFFFFFF)
NUMBERS = ("int32", "uint32", "int64", "uint64", "float32", "float64")


@pytest.fixture(scope="module")
def device():
    return EmulatedDevice()


# ---- Warps ----

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


# ---- Blocks and grids ----

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


# ---- Arguments, operators and memory ----

ARGUMENTS = """
extern "C" __global__ void store(PARAMETERS) { STORE }
extern "C" __global__ void nothing() {}
extern "C" __global__ void missing(const int* array, int* out) { *out = array == nullptr; }
"""


def test_arguments_of_every_type(device):
    names = list(C_TYPES)
    parameters = ", ".join(f"const {C_TYPES[name]} v{k}, {C_TYPES[name]}* a{k}" for k, name in enumerate(names))
    stores = " ".join(f"*a{k} = v{k};" for k in range(len(names)))
    store = kernel(device, ARGUMENTS, "store", {"PARAMETERS": parameters, "STORE": stores})
    args, arrays = [], []
    for name in names:
        kind = np.dtype(name).kind
        value = {"b": True, "f": -1.25}.get(kind) or (np.iinfo(name).max if kind == "u" else np.iinfo(name).min)
        arrays.append(device.zeros(1, name))
        args += [np.dtype(name).type(value), arrays[-1]]
    device.launch(store, 1, 1, *args)
    assert [array[0] for array in arrays] == args[::2]


def test_arguments_are_checked(device):
    store = kernel(
        device,
        ARGUMENTS,
        "store",
        {"PARAMETERS": "int v, float* a, void* b, long long n", "STORE": "*a = (float)(v + n);"},
    )
    a, b = device.zeros(1, np.float32), device.zeros(1, np.int8)
    device.launch(store, 1, 32, np.int32(3), a, b, np.int64(4))
    assert a[0] == 7
    with pytest.raises(DeviceError, match="takes 4 arguments; 1 were given"):
        device.launch(store, 1, 32, a)
    wrong = [
        ((np.int64(3), a, b, np.int64(4)), "argument 0 .* is int64; the kernel takes int32"),
        ((3, a, b, np.int64(4)), "argument 0 .* is int; the kernel takes int32"),
        ((np.int32(3), b, b, np.int64(4)), "is an array of int8; the kernel takes a pointer to float32"),
        ((a, a, b, np.int64(4)), "is an array of float32; the kernel takes int32"),
        ((np.int32(3), np.float32(1), b, np.int64(4)), "is float32; the kernel takes a pointer to float32"),
        ((np.int32(3), device.zeros(4, np.float32)[::2], b, np.int64(4)), "array with gaps"),
    ]
    for args, message in wrong:
        with pytest.raises(DeviceError, match=message):
            device.launch(store, 1, 32, *args)
    out = device.zeros(1, np.int32)
    plain = {"PARAMETERS": "", "STORE": ""}
    device.launch(kernel(device, ARGUMENTS, "missing", plain), 1, 32, None, out)
    assert out[0] == 1
    device.launch(kernel(device, ARGUMENTS, "nothing", plain), 1, 32)


OPERATORS = """
extern "C" __global__ void apply(const left_t* a, const right_t* b, result_t* out) {
    out[threadIdx.x] = clew_multiply(a[threadIdx.x], b[threadIdx.x]);
}
"""


def apply(device, function, left, right, result):
    macros = {"left_t": ctype(left.dtype), "right_t": ctype(right.dtype), "result_t": ctype(result)}
    operator = compiled(function, (left.dtype, right.dtype), result)
    out = device.zeros(left.size, result)
    chosen = kernel(device, OPERATORS, "apply", macros, {"clew_multiply": operator})
    device.launch(chosen, 1, left.size, device.upload(left), device.upload(right), out)
    return out.tolist()


def helper(a, b):
    return a * 2 + b


def test_operators_are_python_functions(device):
    left, right = np.arange(32, dtype=np.int32), np.arange(32)[::-1] / 4
    assert apply(device, lambda a, b: a * b, left, right, "float64") == (left * right).tolist()
    # Other functions of the same types use the same library, one after the other.
    assert apply(device, lambda a, b: a + helper(a, b), left, right, "float64") == (3 * left + right).tolist()
    assert apply(device, lambda a, b: a * b, left, right, "float64") == (left * right).tolist()
    assert apply(device, lambda a, b: a * b, left, right, "int16") == (left * right).astype(np.int16).tolist()


def test_operators_on_truth_values(device):
    left, right = np.arange(4) % 2 == 0, np.arange(4) < 2
    assert apply(device, lambda a, b: a and b, left, right, "bool") == (left & right).tolist()
    assert apply(device, lambda a, b: a ^ b, left, right, "bool") == (left ^ right).tolist()
    numbers = np.array([256, 0, 1, -1])
    assert apply(device, lambda a, b: a, numbers, right, "bool") == [True, False, True, True]


def test_division_by_zero_is_no_error(device):
    zeros = np.zeros(2)
    assert apply(device, lambda a, b: a / b, np.array([1.0, -1.0]), zeros, "float64") == [np.inf, -np.inf]


def test_operators_that_do_not_compile_are_named(device):
    with pytest.raises(OperatorError, match="cannot be compiled for the emulation"):
        apply(device, lambda a, b: a.no_such_thing, np.arange(4), np.arange(4), "int64")


def test_memory_is_counted_and_fails_where_asked():
    device = EmulatedDevice(capacity=1000)
    first, second = device.empty(10, np.int32), device.full((2, 3), 7, np.float64)
    assert first.tobytes() == b"\xcd" * 40
    assert second.tolist() == [[7.0] * 3] * 2
    assert (device.live_allocations, device.live_bytes) == (2, 88)
    view = second[1:]
    del second
    assert device.live_bytes == 88
    del view
    assert (device.live_allocations, device.live_bytes) == (1, 40)
    with pytest.raises(ResourceError, match="8,000 bytes are needed and 960 bytes are free"):
        device.zeros(1000, np.int64)
    device.fail_at(2)
    kept = [device.zeros(1, np.int8)]
    with pytest.raises(ResourceError, match="1 bytes are needed"):
        device.zeros(1, np.int8)
    kept.append(device.upload(np.arange(3)[::-1]))
    assert device.download(kept[1]).tolist() == [2, 1, 0]
    assert device.live_allocations == 3
    assert device.empty(0, np.int64).shape == (0,)
    assert device.empty((0, 4), np.int8).shape == (0, 4)
