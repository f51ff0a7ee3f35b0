#pragma once
#include "path_keys.cuh"
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

// PAIRED 1: neighbour and weight of an edge are beside each other, `neighbours` is the address of the first pair, and
// `weights` is null. They come with one load, and over the link with one request.
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
    const index_t* neighbours;
    const weight_t* weights;

    __device__ __forceinline__ Edge edge(offset_t position) const {
#if PAIRED
        const Stored stored = reinterpret_cast<const Stored*>(neighbours)[position];
        return Edge{stored.neighbour, value_of_weight(stored.weight)};
#elif UNIT
        return Edge{neighbours[position], (value_t)1};
#else
        return Edge{neighbours[position], value_of_weight(weights[position])};
#endif
    }
};
struct Paths {
    word_t* words;
    u32* marks;
    u64* links;
    key_t unreached;
};
