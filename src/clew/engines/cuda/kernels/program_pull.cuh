#pragma once
// Pull: every vertex that accepts messages reads its row and reduces the messages of its active neighbours.
//
// Rows are in four classes by length, processed by a block, a warp, 4 lanes or one lane each. So no thread waits for a
// long row. The division of entries and the order of reductions depend on the row's length alone, so float sums are
// reproducible.
#include "program_vertex.cuh"

#define ROW_CLASSES 4
#define IN_FLIGHT (FIRST ? 2 : 4)  // entries of a lane that are on their way at once
#define BY_LINES (ON_HOST && !PACKED)

struct Sum {
    message_t total;
    bool received;
};

// The arrays of rows, and the active vertices: a bit per vertex, or null if all are.
struct Pull {
    State state;
    Edges into;
    const message_t* messages;
    const u32* active;
    message_t identity;

    __device__ __forceinline__ bool is_active(index_t u) const {
        return active == nullptr || ((active[u >> 5] >> (u & 31)) & 1u);
    }
};

__device__ __forceinline__ Sum joined(const Sum& one, const Sum& other) {
#if FIRST
    return one.received ? one : other;
#else
    return Sum{clew_add(one.total, other.total), one.received || other.received};
#endif
}

#if BY_LINES
// Warps start at the line in which a row begins, with this many lanes idle.
__device__ __forceinline__ u32 head_of(const Edges& into, offset_t begin, offset_t length) {
    if (length == 0 || (offset_t)(length + WARP) < length) return 0;
    return after_line(into.neighbours, (u64)begin);
}
#endif

#if PACKED
// The entries of a row, read in ascending order by `step` members. Warps unpack together. Fewer lanes go through the
// row, each by itself, and take what they need.
struct RowReader {
    Neighbours together;
    OneRow alone;
    offset_t row, next;
    index_t last;
    bool is_alone;

    __device__ __forceinline__ RowReader(const Edges& into, offset_t begin, offset_t length, u32 step)
        : together(into.neighbours, into.offsets), alone(into.neighbours, begin, length > 0 && step < WARP), row(begin),
          next(begin), last(0), is_alone(step < WARP) {}

    __device__ __forceinline__ index_t at(bool valid, offset_t edge) {
        if (!is_alone) return together.in_row(valid, (u64)row, edge);
        for (; valid && next <= edge; next++) last = alone.next();
        return last;
    }
};
#endif

// Entries first, first + step, … of a row, by one of `step` members that take equally many turns. `any` says whether a
// member has found something. With BY_LINES the first `head` members are idle in their first turn, and the part of
// member i moves to member i + `head`.
template <class Any>
__device__ __forceinline__ Sum part_of_row(const Pull& from, const Vertex& vertex, offset_t begin, offset_t length,
                                           u32 first, u32 step, Any any, u32 head = 0) {
    Sum sum{from.identity, false};
#if PACKED
    RowReader entries(from.into, begin, length, step);
#endif
#if BY_LINES
    begin -= head;
    length += head;
#endif
    for (offset_t left = length; left > 0;) {
        index_t u[IN_FLIGHT];
        weight_t weight[IN_FLIGHT];
        message_t message[IN_FLIGHT];
        bool on[IN_FLIGHT];
#pragma unroll
        for (u32 k = 0; k < IN_FLIGHT; k++) {
            const offset_t place = first + k * step;
            on[k] = place < left;
#if BY_LINES
            on[k] = on[k] && place >= head;
#endif
#if PACKED
            u[k] = entries.at(on[k], begin + place);
#else
            u[k] = on[k] ? from.into.neighbours[begin + place] : (index_t)0;
#endif
            weight[k] = on[k] ? from.into.weight(begin + place) : (weight_t)1;
        }
#pragma unroll
        for (u32 k = 0; k < IN_FLIGHT; k++) on[k] = on[k] && from.is_active(u[k]);
#pragma unroll
        for (u32 k = 0; k < IN_FLIGHT; k++) message[k] = on[k] ? from.messages[u[k]] : from.identity;
#pragma unroll
        for (u32 k = 0; k < IN_FLIGHT; k++) {
            message_t value;
#if FIRST
            if (on[k] && !sum.received && process(message[k], weight[k], vertex, value)) sum = Sum{value, true};
#else
            if (on[k] && process(message[k], weight[k], vertex, value)) sum = Sum{clew_add(sum.total, value), true};
#endif
        }
#if FIRST
        if (any(sum.received)) break;
#endif
        const offset_t done = (offset_t)(IN_FLIGHT * step);
        begin += done;
        left -= left < done ? left : done;
        head = 0;
    }
    return sum;
}

// The sum over `members` neighbouring lanes, in the first of them. All lanes of the warp take part.
__device__ __forceinline__ Sum sum_of(Sum sum, u32 members) {
    for (u32 step = members / 2; step > 0; step /= 2) {
        const Sum other{__shfl_down_sync(ALL_LANES, sum.total, step),
                        __shfl_down_sync(ALL_LANES, (int)sum.received, step) != 0};
        if ((lane() & (members - 1)) < step) sum = joined(sum, other);
    }
    return sum;
}

// Rows number `start` to `upto` of `order` (null: their own), `members` lanes to each, a power of two. Calls
// finish(leads, v, vertex, accepts, sum) with all lanes of a warp; those that lead have a vertex and its sum. One
// function for any number of lanes: programs are long, and a processor has to fetch all of them.
template <class Finish>
__device__ __forceinline__ void pull_class(const Pull& from, const index_t* order, u64 start, u64 upto, u32 members,
                                           Finish& finish) {
    const u32 sub = lane() & (members - 1), per_warp = WARP / members;
    const u32 group = (ALL_LANES >> (WARP - members)) << (lane() - sub);
    const u64 warp = (u64)warp_in_block() * gridDim.x + blockIdx.x;
    for (u64 base = start + warp * per_warp; base < upto; base += warps_in_grid() * per_warp) {
        const u64 i = base + lane() / members;
        const bool there = i < upto;
        const u64 v = !there ? 0 : order ? (u64)order[i] : i;
        Vertex vertex = load(from.state, v);
        const bool open = there && accepts(vertex);
        offset_t begin = 0, length = 0;
        if (open) {
            begin = from.into.offsets[v];
            length = from.into.offsets[v + 1] - begin;
        }
        const auto any = [&](bool found) { return __any_sync(group, found) != 0; };
#if BY_LINES
        const u32 head = members == WARP ? head_of(from.into, begin, length) : 0, whose = (lane() + head) % WARP;
        Sum part = part_of_row(from, vertex, begin, length, sub, members, any, head);
        part = Sum{__shfl_sync(ALL_LANES, part.total, whose), __shfl_sync(ALL_LANES, (int)part.received, whose) != 0};
#else
        const Sum part = part_of_row(from, vertex, begin, length, sub, members, any);
#endif
        finish(there && sub == 0, (index_t)v, vertex, open, sum_of(part, members));
    }
}

// The same, a block to each row; `room` is shared memory for a sum per warp.
template <class Finish>
__device__ __forceinline__ void pull_long(const Pull& from, const index_t* order, u64 start, u64 upto, Sum* room,
                                          Finish& finish) {
#if BY_LINES
    __shared__ Sum parts[THREADS];
#endif
    for (u64 i = start + blockIdx.x; i < upto; i += gridDim.x) {
        const u64 v = order ? (u64)order[i] : i;
        Vertex vertex = load(from.state, v);
        const bool open = accepts(vertex);
        const offset_t begin = from.into.offsets[v], length = open ? from.into.offsets[v + 1] - begin : 0;
        const auto any = [&](bool found) { return __syncthreads_or(found) != 0; };
#if BY_LINES
        const u32 head = head_of(from.into, begin, length);
        parts[threadIdx.x] = part_of_row(from, vertex, begin, length, threadIdx.x, blockDim.x, any, head);
        __syncthreads();
        Sum sum = sum_of(parts[(threadIdx.x + head) % blockDim.x], WARP);
#else
        Sum sum = sum_of(part_of_row(from, vertex, begin, length, threadIdx.x, blockDim.x, any), WARP);
#endif
        __syncthreads();  // the last row's sums have been read
        if (lane() == 0) room[warp_in_block()] = sum;
        __syncthreads();
        if (warp_in_block() > 0) continue;
        if (lane() == 0)
            for (u32 k = 1; k < blockDim.x / WARP; k++) sum = joined(sum, room[k]);
        finish(lane() == 0, (index_t)v, vertex, open, sum);
    }
}

// All rows; `classes` has where in `order` each class begins, and the end.
template <class Finish>
__device__ __forceinline__ void pull_all(const Pull& from, const index_t* order, const u64* classes, Sum* room,
                                         Finish& finish) {
    pull_long(from, order, classes[0], classes[1], room, finish);
#pragma unroll 1
    for (u32 k = 1; k < ROW_CLASSES; k++)
        pull_class(from, order, classes[k], classes[k + 1], k == 1 ? WARP : k == 2 ? 4 : 1, finish);
}
