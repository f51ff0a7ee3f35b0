#pragma once
#include "chunk_rows.cuh"
// The rows of marked vertices as a list in ascending order, each with the number of listed edges before it: so the
// active rows of a chunk are one run of the list. Vertices whose key is not below the threshold stay marked and wait
// until nothing else is left; then the threshold moves on.

// As the host reads it; then follow three numbers for every boundary between chunks.
struct Told {
    u64 count, edges;      // of the list
    u64 threshold, least;  // keys
    u64 step, buckets;
    u64 done, reached, orphans;
};

struct Waiting {
    u64 n;
    const offset_t* offsets;
    u32* bits;
    const key_t* keys;  // null: nobody waits
    key_t unreached;
    double delta;
};

__device__ __forceinline__ bool is_near(const Waiting& waiting, u64 v, key_t threshold, u64& least) {
    if (waiting.keys == nullptr) return true;
    const key_t key = waiting.keys[v];
    if (key < threshold) return true;
    if (key < least) least = key;
    return false;
}

// Calls use(word number, near and marked, first, end) with all lanes for every word of the bits from `begin` to `end`
// that has any; a lane without a row has first = end.
template <class Use>
__device__ __forceinline__ void for_marked(const Waiting& waiting, u64 begin, u64 end, key_t threshold, u64& least,
                                           Use use) {
    for (u64 base = begin; base < end; base += WARP) {
        const u32 mine = base + lane() < end ? waiting.bits[base + lane()] : 0;
        for (u32 left = __ballot_sync(ALL_LANES, mine != 0); left != 0; left &= left - 1) {
            const u32 which = __ffs(left) - 1;
            const u32 word = __shfl_sync(ALL_LANES, mine, which);
            const u64 v = (base + which) * 32 + lane();
            const bool marked = word >> lane() & 1u;
            offset_t first = 0, last = 0;
            if (marked) first = waiting.offsets[v], last = waiting.offsets[v + 1];
            // Rows without edges have nothing to wait for.
            const bool near = marked && (first == last || is_near(waiting, v, threshold, least));
            use(base + which, near, v, first, near ? last : first);
        }
    }
}

// Fill the list; all threads of a cooperative launch. `sums` has room for 4 numbers a block. On return everybody knows
// what was found and may read the list.
__device__ __forceinline__ void select_rows(const Waiting& waiting, Row* rows, u64* sums, Told* told, u32* barrier,
                                            u64& count, u64& edges, key_t& threshold) {
    __shared__ u64 counts[WARP];
    __shared__ u64 degrees[WARP];
    __shared__ u64 room[4];
    const u64 words = (waiting.n + 31) / 32, team = warps_in_grid(), each = (words + team - 1) / team;
    // Neighbouring warps of a block take neighbouring words.
    const u64 begin = warp_in_grid() * each < words ? warp_in_grid() * each : words;
    const u64 end = begin + each < words ? begin + each : words;
    for (u32 turn = 0; turn < 2; ++turn) {
        u64 found = 0, length = 0, least = ~0ull;
        for_marked(waiting, begin, end, threshold, least, [&](u64, bool, u64, offset_t first, offset_t last) {
            found += first < last;
            length += (u64)(last - first);
        });
        found = warp_sum(found), length = warp_sum(length), least = ~warp_max(~least);
        __syncthreads();
        if (lane() == 0) counts[warp_in_block()] = found, degrees[warp_in_block()] = length;
        if (lane() == 0 && least != ~0ull) atomicMin(&told->least, least);
        if (threadIdx.x < 4) room[threadIdx.x] = 0;
        __syncthreads();
        u64* all = sums + 2 * turn * (u64)gridDim.x;
        if (threadIdx.x == 0) {
            found = length = 0;
            for (u32 i = 0; i < blockDim.x / WARP; ++i) {
                const u64 one = counts[i], other = degrees[i];
                counts[i] = found, degrees[i] = length;
                found += one, length += other;
            }
            all[2 * blockIdx.x] = found, all[2 * blockIdx.x + 1] = length;
        }
        grid_sync(barrier);
        for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
            if (all[2 * i] == 0) continue;
            if (i < blockIdx.x) atomicAdd(&room[0], all[2 * i]), atomicAdd(&room[1], all[2 * i + 1]);
            atomicAdd(&room[2], all[2 * i]), atomicAdd(&room[3], all[2 * i + 1]);
        }
        __syncthreads();
        count = room[2], edges = room[3];
        const u64 nearest = told->least;
        if (count > 0 || nearest == ~0ull) break;
        threshold = end_of_bucket((key_t)nearest, waiting.delta, waiting.unreached);
        __syncthreads();
        if (thread_in_grid() == 0) told->buckets += 1;
    }
    u64 place = room[0] + counts[warp_in_block()], rank = room[1] + degrees[warp_in_block()], least = ~0ull;
    for_marked(waiting, begin, end, threshold, least, [&](u64 word, bool near, u64 v, offset_t first, offset_t last) {
        const u32 takers = __ballot_sync(ALL_LANES, first < last), gone = __ballot_sync(ALL_LANES, near);
        const u64 length = (u64)(last - first), through = warp_prefix(length);
        if (first < last) {
            rows[place + __popc(takers & lanes_below())] =
                Row{(index_t)v, first, last, (offset_t)(rank + through - length)};
        }
        place += __popc(takers);
        rank += __shfl_sync(ALL_LANES, through, WARP - 1);
        if (lane() == 0) waiting.bits[word] &= ~gone;
    });
    grid_sync(barrier);
    if (thread_in_grid() == 0) {
        told->count = count, told->edges = edges, told->threshold = threshold, told->least = ~0ull;
    }
}

// The list, unless there is one of `listed` rows already, and where every boundary falls: the first listed row that
// ends after it, whether that row begins before it, and how many listed edges come before. A cooperative launch.
extern "C" __global__ void __launch_bounds__(256)
    chunk_select(u64 n, const offset_t* offsets, u32* bits, const key_t* keys, value_t unreached, double delta,
                 void* memory, u64* sums, u64 listed, u64 listed_edges, const u64* bounds, u64 num_bounds, u64* told,
                 u32* barrier) {
    Row* rows = reinterpret_cast<Row*>(memory);
    Told* known = reinterpret_cast<Told*>(told);
    u64 count = listed, edges = listed_edges;
    key_t threshold = (key_t)known->threshold;
    if (count == 0) {
        const Waiting waiting{n, offsets, bits, keys, key_of(unreached), delta};
        select_rows(waiting, rows, sums, known, barrier, count, edges, threshold);
    }
    u64* table = told + sizeof(Told) / sizeof(u64);
    for (u64 b = thread_in_grid(); b < num_bounds; b += threads_in_grid()) {
        u64 low = 0, high = count;
        while (low < high) {
            const u64 middle = (low + high) / 2;
            if ((u64)rows[middle].end > bounds[b]) high = middle;
            else low = middle + 1;
        }
        const bool cut = low < count && (u64)rows[low].first < bounds[b];
        table[3 * b] = low;
        table[3 * b + 1] = cut;
        table[3 * b + 2] = low == count ? edges : (u64)rows[low].rank + (cut ? bounds[b] - (u64)rows[low].first : 0);
    }
}

// Before a chunk's edges are followed: its rows will be read with the values they have then, so what marked them
// earlier in this step is done with. Rows that are cut are not.
extern "C" __global__ void chunk_clear(const void* memory, u64 start, u64 count, u64 low, u64 high, u32* bits) {
    const Row* rows = reinterpret_cast<const Row*>(memory) + start;
    for (u64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
        const Row row = rows[i];
        if ((u64)row.first >= low && (u64)row.end <= high && has_bit(bits, row.vertex)) clear_bit(bits, row.vertex);
    }
}
