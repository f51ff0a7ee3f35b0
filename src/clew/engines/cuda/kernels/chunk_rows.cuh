#pragma once
#include "balance_merge_path.cuh"
#include "path_keys.cuh"
// Rows of a graph whose edges are cut into chunks, each of them edges low…high-1, of which some lie in a buffer of
// their own. A row may begin in one chunk and end in another: every chunk has its part.

typedef Unsigned<sizeof(index_t)>::type parent_t;  // parents as unsigned numbers: none is the largest
#define NO_PARENT ((parent_t)~(parent_t)0)

// Where edges are read: those before `split` in one place, the others in another.
struct Edges {
    const index_t *low_neighbours, *high_neighbours;
    const weight_t *low_weights, *high_weights;
    offset_t split;

    __device__ __forceinline__ index_t neighbour(offset_t position) const {
        return position < split ? low_neighbours[position] : high_neighbours[position - split];
    }
    __device__ __forceinline__ value_t weight(offset_t position) const {
#if WEIGHTED
        return value_of_weight(position < split ? low_weights[position] : high_weights[position - split]);
#else
        (void)position;
        return (value_t)1;
#endif
    }
};
#define NO_SPLIT NO_RANK

// The rows that a chunk has a part of: `count` of a list in ascending order from number `start` on, or of all rows if
// there is no list. `before` of the listed edges come before the chunk. In a compacted buffer there is nothing but the
// edges of these rows, one after the other; in any other it is edge `base` that comes first.
struct Piece {
    const Row* listed;
    const offset_t* offsets;
    u64 start;
    count_t count, edges;
    offset_t low, high, before, base;
    bool compacted;

    __device__ __forceinline__ Row row(count_t i) const {
        Row row;
        if (listed != nullptr) {
            row = listed[start + i];
        } else {
            const u64 v = start + i;
            row = Row{(index_t)v, offsets[v], offsets[v + 1], offsets[v]};
        }
        const offset_t first = row.first > low ? row.first : low, end = row.end < high ? row.end : high;
        row.rank = row.rank > before ? row.rank - before : 0;
        row.first = compacted ? row.rank : first - base;
        row.end = row.first + (end - first);
        return row;
    }
};

// For edges that are read over the link: equally many for every warp, which takes one row at a time and begins at a
// multiple of 32 entries, so that its reads are whole lines of 128 bytes.
template <class V>
__device__ __forceinline__ void expand_aligned(const Piece& piece, const index_t* neighbours, const Team& team,
                                               V& visitor) {
    const u64 each = (piece.edges / team.warps + WARP) / WARP * WARP, from = team.warp * each;
    if (from >= piece.edges) return;
    const u64 until = from + each < piece.edges ? from + each : piece.edges;
    const u64 skew = reinterpret_cast<u64>(neighbours) / sizeof(index_t) % WARP;
    for (count_t i = row_holding(piece, (offset_t)from); i < piece.count; ++i) {
        const Row row = piece.row(i);
        if ((u64)row.rank >= until) break;
        const u64 skipped = from > (u64)row.rank ? from - (u64)row.rank : 0;
        const u64 rest = until - (u64)row.rank, length = (u64)(row.end - row.first);
        const u64 first = (u64)row.first + skipped, end = (u64)row.first + (rest < length ? rest : length);
        const auto value = visitor.value_at(true, row.vertex);
        // Counted from the last line's beginning before the array, so that nothing falls below 0.
        for (u64 base = (first + skew) / WARP * WARP; base < end + skew; base += UNROLL * WARP) {
            decltype(visitor.fetch(true, 0)) edge[UNROLL];
            decltype(visitor.look(true, edge[0])) seen[UNROLL];
            bool valid[UNROLL];
#pragma unroll
            for (u32 k = 0; k < UNROLL; ++k) {
                const u64 place = base + k * WARP + lane();
                valid[k] = place >= first + skew && place < end + skew;
                edge[k] = visitor.fetch(valid[k], (offset_t)(valid[k] ? place - skew : 0));
            }
#pragma unroll
            for (u32 k = 0; k < UNROLL; ++k) seen[k] = visitor.look(valid[k], edge[k]);
#pragma unroll
            for (u32 k = 0; k < UNROLL; ++k) visitor.visit(valid[k], row.vertex, value, edge[k], seen[k]);
        }
    }
}

template <class V>
__device__ __forceinline__ void expand_piece(const Piece& piece, const index_t* neighbours, bool aligned, V& visitor) {
    if (aligned) {
        expand_aligned(piece, neighbours, whole_grid(), visitor);
    } else {
        expand_merge_path(piece, whole_grid(), visitor);
    }
}

// What all kernels over a chunk take, in this order.
#define CHUNK_PARAMETERS                                                                                               \
    const void *listed, const offset_t *offsets, const index_t *neighbours, const weight_t *weights, u64 start,        \
        u64 count, u64 edges, u64 low, u64 high, u64 before, u64 base, int compacted, int aligned
#define CHUNK_PIECE                                                                                                    \
    Piece {                                                                                                            \
        reinterpret_cast<const Row*>(listed), offsets, start, (count_t)count, (count_t)edges, (offset_t)low,           \
            (offset_t)high, (offset_t)before, (offset_t)base, compacted != 0                                           \
    }
#define CHUNK_EDGES                                                                                                    \
    Edges { neighbours, nullptr, weights, nullptr, NO_SPLIT }

// ---- A bit for every vertex ----
__device__ __forceinline__ bool has_bit(const u32* bits, index_t v) { return bits[v / 32] >> (v % 32) & 1u; }
__device__ __forceinline__ void set_bit(u32* bits, index_t v) { atomicOr(&bits[v / 32], 1u << (v % 32)); }
__device__ __forceinline__ void clear_bit(u32* bits, index_t v) { atomicAnd(&bits[v / 32], ~(1u << (v % 32))); }
