#pragma once
#include "common.cuh"
#include "neighbours.cuh"
// Values of paths as unsigned numbers in the same order (keys), so that one atomicMin serves every dtype.
//
// value_t: what values are computed in; key_t: u32 or u64, as wide. WIDEST 1: a path's value is its largest weight
// after turning weights upside down (so smaller is better again); 0: their sum.

__device__ __forceinline__ u32 key_of(u32 value) { return value; }
__device__ __forceinline__ u64 key_of(u64 value) { return value; }
__device__ __forceinline__ u32 key_of(int value) { return (u32)value ^ 0x80000000u; }
__device__ __forceinline__ u64 key_of(long long value) { return (u64)value ^ 0x8000000000000000ull; }
// The bits of floats of 0 or more are in order; those of negative ones in the opposite order.
__device__ __forceinline__ u32 key_of(float value) {
    const u32 bits = __float_as_uint(value);
    return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
}
__device__ __forceinline__ u64 key_of(double value) {
    const u64 bits = (u64)__double_as_longlong(value);
    return bits ^ ((bits >> 63) ? 0xffffffffffffffffull : 0x8000000000000000ull);
}

// The inverse; the second argument only gives the type.
__device__ __forceinline__ u32 value_of(u32 key, u32) { return key; }
__device__ __forceinline__ u64 value_of(u64 key, u64) { return key; }
__device__ __forceinline__ int value_of(u32 key, int) { return (int)(key ^ 0x80000000u); }
__device__ __forceinline__ long long value_of(u64 key, long long) { return (long long)(key ^ 0x8000000000000000ull); }
__device__ __forceinline__ float value_of(u32 key, float) {
    return __uint_as_float(key ^ ((key >> 31) ? 0x80000000u : 0xffffffffu));
}
__device__ __forceinline__ double value_of(u64 key, double) {
    return __longlong_as_double((long long)(key ^ ((key >> 63) ? 0x8000000000000000ull : 0xffffffffffffffffull)));
}
__device__ __forceinline__ value_t value_in(key_t key) { return value_of(key, (value_t)0); }

#if WIDEST
// In opposite order. Floats are taken from 0, which makes both zeros the same one.
__device__ __forceinline__ u32 turned(u32 value) { return ~value; }
__device__ __forceinline__ u64 turned(u64 value) { return ~value; }
__device__ __forceinline__ int turned(int value) { return ~value; }
__device__ __forceinline__ long long turned(long long value) { return ~value; }
__device__ __forceinline__ float turned(float value) { return 0.0f - value; }
__device__ __forceinline__ double turned(double value) { return 0.0 - value; }
__device__ __forceinline__ value_t value_of_weight(weight_t weight) { return turned((value_t)weight); }
__device__ __forceinline__ value_t extended(value_t value, value_t weight) { return weight > value ? weight : value; }
#else
__device__ __forceinline__ value_t value_of_weight(weight_t weight) { return (value_t)weight; }
__device__ __forceinline__ value_t extended(value_t value, value_t weight) { return value + weight; }
#endif

// Whether the value of an extended path cannot be represented: a sum beyond 32 bits, or the one for "unreached".
template <class V>
__device__ __forceinline__ bool runs_over(V, V) {
    return false;
}
#if !WIDEST
__device__ __forceinline__ bool runs_over(u32 value, u32 sum) { return sum < value || sum == 0xffffffffu; }
#endif

// Where a bucket that begins at `key` ends: delta further, at least one key further, never beyond `most`.
__device__ __forceinline__ u32 moved(u32 key, double delta, float, u32 most) {
    const u32 end = key_of((float)((double)value_of(key, 0.0f) + delta));
    return end > most ? most : end > key ? end : key < most ? key + 1 : most;
}
__device__ __forceinline__ u64 moved(u64 key, double delta, double, u64 most) {
    const u64 end = key_of(value_of(key, 0.0) + delta);
    return end > most ? most : end > key ? end : key < most ? key + 1 : most;
}
template <class K, class V>  // integers: keys are as far apart as values
__device__ __forceinline__ K moved(K key, double delta, V, K most) {
    if (key >= most || delta >= (double)(most - key)) return most;
    return key + (delta < 1 ? (K)1 : (K)delta);
}
__device__ __forceinline__ key_t end_of_bucket(key_t begin, double delta, key_t unreached) {
    return moved(begin, delta, (value_t)0, unreached);
}

// What searches keep of a vertex.
//
// WORDS 1 (keys of 32 bits): a vertex's word is (key, step of its last fall). One atomicMin then tells both whether the
// value falls and whether the vertex is in the next frontier already. WORDS 0: keys alone, and marks in a second array.
// LINKS 1: links[v] takes the smallest (key, parent); since values fall strictly, one parent offers the last key.

#ifndef LINKS
#define LINKS WORDS
#endif
#if WORDS
typedef u64 word_t;
__device__ __forceinline__ key_t key_in(word_t word) { return (key_t)(word >> 32); }
__device__ __forceinline__ word_t word_of(key_t key, u32 step) { return (word_t)key << 32 | step; }
#else
typedef key_t word_t;
__device__ __forceinline__ key_t key_in(word_t word) { return word; }
__device__ __forceinline__ word_t word_of(key_t key, u32) { return key; }
#endif

struct Edge {
    index_t target;
    value_t weight;
};

// PAIRED 1: each neighbour is stored next to its weight, `neighbours` is the address of the first pair, and `weights`
// is null. They come with one load, and over the link with one request.
#ifndef PAIRED
#define PAIRED 0
#endif
#if PAIRED
struct __align__(8) Stored {
    index_t neighbour;
    weight_t weight;
};
static_assert(sizeof(Stored) == 8, "a pair is two words");
#else
typedef index_t Stored;  // the weights are elsewhere
#endif

// UNIT 1: there are no weights, and every edge counts 1.
#ifndef UNIT
#define UNIT 0
#endif

struct Graph {
    const offset_t* offsets;
    Neighbours neighbours;
    const weight_t* weights;

    __device__ __forceinline__ Graph(const offset_t* starts, const ids_t* ids, const weight_t* costs)
        : offsets(starts), neighbours(ids, starts), weights(costs) {}

    __device__ __forceinline__ value_t weigh(bool valid, offset_t position) const {
#if UNIT
        (void)valid, (void)position;
        return (value_t)1;
#else
        return valid ? value_of_weight(weights[position]) : (value_t)0;
#endif
    }

    // The edge at a position of the row of `vertex`. All lanes of a warp take part.
    __device__ __forceinline__ Edge edge(bool valid, index_t vertex, offset_t position) {
#if PAIRED
        (void)vertex;
        if (!valid) return Edge{0, (value_t)0};
        const Stored stored = reinterpret_cast<const Stored*>(neighbours.ids)[position];
        return Edge{stored.neighbour, value_of_weight(stored.weight)};
#elif UNIT
        return Edge{neighbours.at(valid, vertex, position), (value_t)1};
#else
        const value_t weight = weigh(valid, position);
        return Edge{neighbours.at(valid, vertex, position), weight};
#endif
    }
};

// How many edges the first is after the beginning of a line.
__device__ __forceinline__ u32 skew_of(const ids_t* neighbours) {
#if PACKED
    (void)neighbours;
    return 0;
#else
    return after_line(reinterpret_cast<const Stored*>(neighbours));
#endif
}

struct Paths {
    word_t* words;
    u32* marks;
    u64* links;
    key_t unreached;
};
