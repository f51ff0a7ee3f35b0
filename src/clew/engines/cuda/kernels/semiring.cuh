#pragma once
// Products and sums over a semiring: what all kernels of the waist are made of.
//
// Macros: value_t is the type of x, weight_t of the weights, sum_t of products and sums. WEIGHTED 0 takes every weight
// for 1. ABSORBING 1 makes the product with `nothing` the identity. X_BITS 1 reads x as bits, 32 a word. SEGMENTS 1
// sums the values in x themselves, without neighbours. RESULT_IS_BOOL 1 says that results are truth values. The users'
// functions are clew_multiply(weight_t, value_t) and clew_add(sum_t, sum_t).

#include "common.cuh"

#ifndef SEGMENTS
#define SEGMENTS 0
#endif
#ifndef WEIGHTED
#define WEIGHTED 0
#endif
#ifndef ABSORBING
#define ABSORBING 0
#endif
#ifndef X_BITS
#define X_BITS 0
#endif
#ifndef RESULT_IS_BOOL
#define RESULT_IS_BOOL 0
#endif

// What is read once must not push x out of the caches.
template <class T>
__device__ __forceinline__ T load_once(const T* place) {
#ifdef CLEW_EMULATED
    return *place;
#else
    return __ldcs(place);
#endif
}

// Shuffles exist for 4 and 8 bytes.
template <class T>
__device__ __forceinline__ T from_lane_above(T value, u32 distance) {
    if constexpr (sizeof(T) < 4) return (T)__shfl_down_sync(ALL_LANES, (int)value, distance);
    else return __shfl_down_sync(ALL_LANES, value, distance);
}
template <class T>
__device__ __forceinline__ T from_lane_below(T value, u32 distance) {
    if constexpr (sizeof(T) < 4) return (T)__shfl_up_sync(ALL_LANES, (int)value, distance);
    else return __shfl_up_sync(ALL_LANES, value, distance);
}
template <class T>
__device__ __forceinline__ T from_lane(T value, u32 which) {
    if constexpr (sizeof(T) < 4) return (T)__shfl_sync(ALL_LANES, (int)value, which);
    else return __shfl_sync(ALL_LANES, value, which);
}

#if X_BITS
typedef u32 x_word_t;
#else
typedef value_t x_word_t;
#endif

// Where products come from; with SEGMENTS, x holds the values to sum.
struct Source {
    const index_t* neighbours;
    const stored_t* weights;
    const x_word_t* x;
    sum_t identity;
    value_t nothing;
};

#if SEGMENTS
__device__ __forceinline__ sum_t product_at(const Source& source, offset_t k) {
#if RESULT_IS_BOOL
    return load_once(source.x + k) != 0;
#else
    return (sum_t)load_once(source.x + k);
#endif
}
#else
__device__ __forceinline__ value_t x_at(const Source& source, index_t column) {
#if X_BITS
    return (value_t)((__ldg(source.x + (column >> 5)) >> (column & 31)) & 1u);
#else
    return __ldg(source.x + column);
#endif
}
__device__ __forceinline__ sum_t product_of(const Source& source, weight_t weight, value_t value) {
#if ABSORBING
    if (value == source.nothing) return source.identity;
#endif
    return clew_multiply(weight, value);
}
__device__ __forceinline__ weight_t weight_at(const Source& source, offset_t k) {
#if WEIGHTED
    return (weight_t)load_once(source.weights + k);
#else
    return (weight_t)1;
#endif
}
__device__ __forceinline__ sum_t product_at(const Source& source, offset_t k) {
    const index_t column = load_once(source.neighbours + k);
    const weight_t weight = weight_at(source, k);
    return product_of(source, weight, x_at(source, column));
}
#endif

// Up to COUNT products, `step` edges apart, before `end`. All columns are loaded before the first value of x. Entries
// past the end are of no use.
template <int COUNT>
__device__ __forceinline__ void products_at(const Source& source, offset_t k, offset_t end, u32 step,
                                            sum_t (&found)[COUNT]) {
#if SEGMENTS
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        found[i] = source.identity;
        if (end - k > i * step) found[i] = product_at(source, k + i * step);
    }
#else
    index_t columns[COUNT];
    weight_t weights[COUNT];
    value_t values[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        columns[i] = 0;
        weights[i] = 1;
        if (end - k > i * step) {
            columns[i] = load_once(source.neighbours + k + i * step);
            weights[i] = weight_at(source, k + i * step);
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) values[i] = end - k > i * step ? x_at(source, columns[i]) : (value_t)1;
#pragma unroll
    for (int i = 0; i < COUNT; i++) found[i] = product_of(source, weights[i], values[i]);
#endif
}

// The sum over the first `count` of LANES neighbouring lanes, in the first of them. All lanes of the warp take part.
template <int LANES>
__device__ __forceinline__ sum_t sum_of_lanes(sum_t sum, u32 member, u32 count) {
#pragma unroll
    for (u32 step = LANES / 2; step > 0; step /= 2) {
        const sum_t other = from_lane_above(sum, step);
        if (member + step < count) sum = clew_add(sum, other);
    }
    return sum;
}
