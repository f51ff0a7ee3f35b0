#pragma once
// y[i] = ⊕ over row i of w ⊗ x[j]: every warp takes tiles with equal sums of rows and edges, for any degrees.
//
// A warp puts a tile's products into shared memory with all its gathers in flight at once. Then each lane processes
// EACH items of the tile and closes the rows that end there. It passes its partial sum of an unfinished row to the lane
// above. The partial sum of a row that continues in the next tile is its carry; `join_tiles` adds the carries of rows
// that span tiles. The order of additions follows from the graph alone. EACH is odd, so that lanes walk through
// different banks.
//
// PACKED 1: the neighbours of a tile are unpacked into shared memory first, in place of their products.

#ifndef PACKED
#define PACKED 0
#endif
#include "merge_path.cuh"
#include "semiring.cuh"
#if PACKED
#include "packed_rows.cuh"
typedef u64 word_t;
#else
typedef index_t word_t;
#endif

#define TILE (WARP * EACH)
#define FEW_CARRIES 4
#ifndef TWO_MEMORIES
#define TWO_MEMORIES 0  // whether the edges of the first tiles are on the host, and those of the others are not
#endif
#define LOADS (EACH + (ON_HOST && !PACKED))  // by each lane, of a tile

// One place per item: an end of a row takes 4 bytes, a product its own size.
union Place {
    u32 end;
    sum_t product;
#if PACKED
    index_t column;
#endif
};

__device__ __forceinline__ sum_t appended(bool has, sum_t sum, sum_t more) {
    return has ? clew_add(sum, more) : more;
}

// Over the link, a warp begins with the line that the tile begins in: how many edges that is before. Nothing before the
// first edge of all is read.
__device__ __forceinline__ u32 head_of(const Source& source, offset_t edge) {
#if ON_HOST && !PACKED
    const u32 head = after_line(source.neighbours, (u64)edge);
    return (u64)edge >= head ? head : 0;
#else
    (void)source, (void)edge;
    return 0;
#endif
}

// The products of a tile's edges: this lane's are WARP apart, from `edge` less `head` on. With PACKED, `columns` has its
// neighbours.
__device__ __forceinline__ void products_of_tile(const Source& source, offset_t edge, u32 head, u32 num_edges,
                                                 const Place* columns, sum_t (&found)[LOADS]) {
#if PACKED
    value_t values[LOADS];
    (void)head;
#pragma unroll
    for (u32 i = 0; i < LOADS; i++) {
        const u32 k = lane() + i * WARP;
        values[i] = k < num_edges ? x_at(source, columns[k].column) : (value_t)1;
    }
#pragma unroll
    for (u32 i = 0; i < LOADS; i++) {
        const u32 k = lane() + i * WARP;
        found[i] = product_of(source, k < num_edges ? weight_at(source, edge + k) : (weight_t)1, values[i]);
    }
#else
    (void)columns;
    products_at<LOADS>(source, edge - head + lane(), edge + num_edges, WARP, found);
#endif
}

#if PACKED
#define STARTS (2 * GROUPS_OF(TILE))
#define WARP_WORDS (ROOM_OF(TILE) + STARTS)
// The neighbours of a tile into the places of its products. Ends of rows are there already. `begun` is the edge at which
// the first row begins.
__device__ __forceinline__ void unpack_tile(const Packed& packed, u64 begun, u64 edge, u32 num_rows, u32 num_edges,
                                            Place* places, u32* room) {
    u32* starts = room + ROOM_OF(TILE);
    const u64 first = edge / GROUP * GROUP;
    for (u32 k = lane(); k < STARTS; k += WARP) starts[k] = 0;
    __syncwarp(ALL_LANES);
    if (lane() == 0 && begun >= first) atomicOr(starts + (begun - first) / 32, 1u << ((begun - first) & 31));
    for (u32 k = lane(); k < num_rows; k += WARP) {
        const u32 place = (u32)(edge - first) + places[k].end;
        if (places[k].end < num_edges) atomicOr(starts + place / 32, 1u << (place & 31));
    }
    __syncwarp(ALL_LANES);
    unpack(packed, edge, num_edges, starts, room, [&](u32 k, index_t column) { places[num_rows + k].column = column; });
    __syncwarp(ALL_LANES);
}
#endif

// A tile inside one row: nothing ends, so the lanes add up what they have loaded.
__device__ __forceinline__ void tile_of_one_row(const Source& source, offset_t edge, u32 num_edges,
                                                const Place* columns, sum_t* carry) {
    sum_t sum = source.identity;
    sum_t found[LOADS];
    const u32 head = head_of(source, edge);
    if (lane() < head + num_edges) {
        products_of_tile(source, edge, head, num_edges, columns, found);
        sum = lane() >= head ? found[0] : found[LOADS > 1];
#pragma unroll
        for (u32 i = 1; i < LOADS; i++)
            if (lane() + i * WARP < head + num_edges && (i > 1 || lane() >= head)) sum = clew_add(sum, found[i]);
    }
#if ON_HOST && !PACKED
    sum = from_lane(sum, (lane() + head) % WARP);  // who would have had these edges without the head
#endif
    sum = sum_of_lanes<WARP>(sum, lane(), num_edges < WARP ? num_edges : WARP);
    if (lane() == 0) *carry = sum;
}

__device__ __forceinline__ void load_ends(const offset_t* offsets, u64 row, offset_t edge, u32 num_rows,
                                          Place* places) {
    for (u32 k = lane(); k < num_rows; k += WARP) places[k].end = (u32)(offsets[row + k + 1] - edge);
}

// Products and ends of a tile into shared memory: first the ends, then the products. With PACKED, the ends are there.
__device__ __forceinline__ void load_tile(const offset_t* offsets, const Source& source, u64 row, offset_t edge,
                                          u32 num_rows, u32 num_edges, Place* places) {
    const u32 head = head_of(source, edge);
    if (lane() < head + num_edges) {
        sum_t found[LOADS];
        products_of_tile(source, edge, head, num_edges, places + num_rows, found);
#pragma unroll
        for (u32 i = 0; i < LOADS; i++) {
            const u32 place = lane() + i * WARP;
            if (place >= head && place < head + num_edges) places[num_rows + place - head].product = found[i];
        }
    }
    if (!PACKED) load_ends(offsets, row, edge, num_rows, places);
}

__device__ __forceinline__ u32 ends_before(const Place* places, u32 num_rows, u32 num_edges, u32 diagonal) {
    u32 low = diagonal > num_edges ? diagonal - num_edges : 0;
    u32 high = diagonal < num_rows ? diagonal : num_rows;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (places[middle].end <= diagonal - 1 - middle) low = middle + 1;
        else high = middle;
    }
    return low;
}

__device__ __forceinline__ void put(sum_t* out, const u8* mask, u64 row, sum_t sum) {
    if (mask == nullptr || mask[row]) out[row] = sum;
}

// Walk through the items of a tile that is in shared memory, EACH for every lane.
__device__ __forceinline__ void sum_tile(const Place* places, u64 row, u32 num_rows, u32 num_edges, const u8* mask,
                                         sum_t* out, sum_t identity, sum_t* carry) {
    const u32 items = num_rows + num_edges;
    const u32 first = lane() * EACH < items ? lane() * EACH : items;
    const u32 last = first + EACH < items ? first + EACH : items;
    u32 ended = ends_before(places, num_rows, num_edges, first);
    u32 edge = first - ended;
    u32 end = ended < num_rows ? places[ended].end : ~0u;
    bool has = false, closed = false, head_has = false;
    u32 head_row = 0;
    sum_t sum = identity, head = identity;
    for (u32 item = first; item < last; item++) {
        if (end <= edge) {
            if (closed) {
                put(out, mask, row + ended, has ? sum : identity);
            } else {  // lanes below may have the beginning of this row
                closed = true;
                head_has = has;
                head = sum;
                head_row = ended;
            }
            has = false;
            ended++;
            end = ended < num_rows ? places[ended].end : ~0u;
        } else {
            sum = appended(has, sum, places[num_rows + edge].product);
            has = true;
            edge++;
        }
    }
    // The sum up to this lane of the row that is open after it. A lane in which a row ended starts afresh.
    bool cut = closed;
#pragma unroll
    for (u32 step = 1; step < WARP; step *= 2) {
        const sum_t below = from_lane_below(sum, step);
        const u32 marks = __shfl_up_sync(ALL_LANES, (u32)has | (u32)cut << 1, step);
        if (lane() >= step && !cut) {
            if (marks & 1) {
                sum = has ? clew_add(below, sum) : below;
                has = true;
            }
            cut = marks >> 1;
        }
    }
    const sum_t before = from_lane_below(sum, 1);
    const bool begun = __shfl_up_sync(ALL_LANES, (u32)has, 1) && lane() > 0;
    if (closed) {
        if (begun) head = head_has ? clew_add(before, head) : before;
        put(out, mask, row + head_row, begun || head_has ? head : identity);
    }
    if (lane() == WARP - 1 && has) *carry = sum;
}

// The tile that a warp takes. Those on the host take longer: a block has only such tiles, or none.
__device__ __forceinline__ u64 tile_of(u64 turn, u64 num_tiles, u64 share_on_host) {
#if TWO_MEMORIES
    const u64 warps = THREADS / WARP, blocks = num_tiles / warps, block = turn / warps;
    return block < blocks ? spread(block, share_on_host, blocks) * warps + turn % warps : turn;
#else
    (void)num_tiles, (void)share_on_host;
    return turn;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) spmv_tiles(const offset_t* offsets, const word_t* neighbours, const stored_t* weights,
                                      const x_word_t* x, const u8* mask, sum_t* out, u64 num_rows, u64 num_items,
                                      u64 num_tiles, const index_t* tile_rows, u64 share_on_host, sum_t* carries,
                                      sum_t identity, value_t nothing
#if PACKED
                                      , const u32* heads, const u64* bases, u32 bits
#endif
) {
    Place* places = dynamic_shared<Place>() + warp_in_block() * TILE;
#if PACKED
    u32* room = reinterpret_cast<u32*>(dynamic_shared<Place>() + THREADS / WARP * TILE) + warp_in_block() * WARP_WORDS;
    const Packed packed = {reinterpret_cast<const u32*>(neighbours), heads, bases, bits,
                           (num_items - num_rows + GROUP - 1) / GROUP};
#endif
#if PACKED
    const Source source = {nullptr, weights, x, identity, nothing};
#else
    const Source source = {neighbours, weights, x, identity, nothing};
#endif
    const offset_t base = offsets[0];
    u64 turn = warp_in_grid();
    if (turn >= num_tiles) return;
    u64 tile = tile_of(turn, num_tiles, share_on_host);
    index_t row = tile_rows[tile], row_after = tile_rows[tile + 1];
    while (turn < num_tiles) {
        // Where the tile after this one begins is on its way while this one is summed.
        turn += warps_in_grid();
        const u64 next = tile_of(turn, num_tiles, share_on_host);
        index_t next_row = 0, next_row_after = 0;
        if (turn < num_tiles) {
            next_row = tile_rows[next];
            next_row_after = tile_rows[next + 1];
        }
        const u64 item = tile * TILE, item_after = item + TILE < num_items ? item + TILE : num_items;
        const u32 rows_here = (u32)(row_after - row);
        const u32 edges_here = (u32)(item_after - item) - rows_here;
        const offset_t edge = base + (offset_t)(item - (u64)row);
#if PACKED
        load_ends(offsets, (u64)row, edge, rows_here, places);
        __syncwarp(ALL_LANES);
        if (edges_here) unpack_tile(packed, (u64)offsets[row], (u64)edge, rows_here, edges_here, places, room);
#endif
        if (rows_here == 0) {
            tile_of_one_row(source, edge, edges_here, places, carries + tile);
#if PACKED
            __syncwarp(ALL_LANES);
#endif
        } else {
            load_tile(offsets, source, (u64)row, edge, rows_here, edges_here, places);
            __syncwarp(ALL_LANES);
            sum_tile(places, (u64)row, rows_here, edges_here, mask, out, identity, carries + tile);
            __syncwarp(ALL_LANES);
        }
        tile = next;
        row = next_row;
        row_after = next_row_after;
    }
}

// A row that began in an earlier tile gets the carries of all tiles from there on. A lane finds such a row and adds a few
// carries itself, the warp many.
extern "C" __global__ void join_tiles(const offset_t* offsets, const u8* mask, sum_t* out, u64 num_tiles,
                                      const index_t* tile_rows, const sum_t* carries) {
    const offset_t base = offsets[0];
    for (u64 start = warp_in_grid() * WARP; start < num_tiles; start += warps_in_grid() * WARP) {
        const u64 mine = start + lane();
        u64 first = 0, row = 0;
        bool spans = false, more_here = false;
        if (mine < num_tiles) {
            row = tile_rows[mine];
            const offset_t edge = base + (offset_t)(mine * TILE - row);
            if ((u64)tile_rows[mine + 1] > row && offsets[row] < edge && (mask == nullptr || mask[row])) {
                spans = true;
                more_here = offsets[row + 1] > edge;
                first = (row + (u64)(offsets[row] - base)) / TILE;
            }
        }
        // Nearly every tile ends within a row, and nearly every such row is over in the next: a lane each.
        const u64 tiles = mine - first;
        const bool few = spans && tiles <= FEW_CARRIES;
        if (few) {
            sum_t sum = carries[first];
            for (u32 k = 1; k < tiles; k++) sum = clew_add(sum, carries[first + k]);
            out[row] = more_here ? clew_add(sum, out[row]) : sum;
        }
        for (u32 left = __ballot_sync(ALL_LANES, spans && !few); left; left &= left - 1) {
            const int finder = __ffs(left) - 1;
            const u64 from = __shfl_sync(ALL_LANES, first, finder);
            const u64 count = start + finder - from;
            sum_t sum = carries[from];
            if (lane() < count) sum = carries[from + lane()];
            for (u64 k = lane() + WARP; k < count; k += WARP) sum = clew_add(sum, carries[from + k]);
            sum = sum_of_lanes<WARP>(sum, lane(), count < WARP ? (u32)count : WARP);
            sum = from_lane(sum, 0);
            if ((int)lane() == finder) out[row] = more_here ? clew_add(sum, out[row]) : sum;
        }
    }
}
