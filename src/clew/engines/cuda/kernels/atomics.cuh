#pragma once
// *place = *place ⊕ value, at once as far as other threads can see, for any monoid and any type.
//
// ATOMIC says how. ATOMIC_ADD and its like if the hardware has the operation for the type. ATOMIC_STORE if any value
// will do. ATOMIC_TRUE for "or" of truth values. Otherwise ATOMIC_SWAP: compute, and compare and swap. Types of 8 and
// 16 bits are swapped together with the rest of their 32-bit word.

#include "common.cuh"

#define ATOMIC_SWAP 0
#define ATOMIC_ADD 1
#define ATOMIC_MIN 2
#define ATOMIC_MAX 3
#define ATOMIC_AND 4
#define ATOMIC_OR 5
#define ATOMIC_XOR 6
#define ATOMIC_STORE 7
#define ATOMIC_TRUE 8

template <int BYTES>
struct Word {
    typedef u32 type;
};
template <>
struct Word<8> {
    typedef u64 type;
};
typedef Word<sizeof(sum_t)>::type word_t;

#if ATOMIC == ATOMIC_SWAP
template <class To, class From>
__device__ __forceinline__ To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "bits are neither added nor lost");
    union {
        From from;
        To to;
    } bits;
    bits.from = from;
    return bits.to;
}

// The word that holds a place, and how far up in it the place is.
__device__ __forceinline__ word_t* word_around(sum_t* place, u32* shift) {
    const u64 address = reinterpret_cast<u64>(place);
    const u64 within = address % sizeof(word_t);
    *shift = (u32)within * 8;
    return reinterpret_cast<word_t*>(address - within);
}
#endif

__device__ __forceinline__ void combine_at(sum_t* place, sum_t value) {
#if ATOMIC == ATOMIC_STORE
    *place = value;
#elif ATOMIC == ATOMIC_TRUE
    if (value) *place = 1;
#elif ATOMIC == ATOMIC_ADD
    atomicAdd(reinterpret_cast<atomic_t*>(place), (atomic_t)value);
#elif ATOMIC == ATOMIC_MIN
    if (value < *static_cast<volatile sum_t*>(place)) atomicMin(place, value);
#elif ATOMIC == ATOMIC_MAX
    if (value > *static_cast<volatile sum_t*>(place)) atomicMax(place, value);
#elif ATOMIC == ATOMIC_AND
    atomicAnd(reinterpret_cast<atomic_t*>(place), (atomic_t)value);
#elif ATOMIC == ATOMIC_OR
    atomicOr(reinterpret_cast<atomic_t*>(place), (atomic_t)value);
#elif ATOMIC == ATOMIC_XOR
    atomicXor(reinterpret_cast<atomic_t*>(place), (atomic_t)value);
#else
    u32 shift;
    word_t* word = word_around(place, &shift);
    word_t seen = *static_cast<volatile word_t*>(word);
    for (;;) {
        word_t next;
        if constexpr (sizeof(sum_t) < 4) {
            const u32 mask = ((1u << (8 * sizeof(sum_t) & 31)) - 1) << shift;
            const sum_t sum = clew_add((sum_t)((seen & mask) >> shift), value);
            next = (seen & ~mask) | (((u32)sum << shift) & mask);
        } else {
            next = same_bits<word_t>(clew_add(same_bits<sum_t>(seen), value));
        }
        if (next == seen) return;
        const word_t before = atomicCAS(word, seen, next);
        if (before == seen) return;
        seen = before;
    }
#endif
}
