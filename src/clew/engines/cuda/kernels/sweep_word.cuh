#pragma once
// An edge of a sweep in 32 bits (see spmv_sweep.cuh). From the top, 11 bits are its row in the tile. 5 are its turn
// among the edges of its step to the same row. 16 are its column. The step's own word completes the column.
//
// A place that was left empty has the row after the tile's last, and a turn that never comes.
// The word of a step: 16 bits for the upper half of its columns, and above them the last turn that any of its edges has.

#include "common.cuh"

#define COLUMN_BITS 16
#define TURN_BITS 5

__device__ __forceinline__ u32 row_of(u32 word) { return word >> (COLUMN_BITS + TURN_BITS); }
__device__ __forceinline__ u32 turn_of(u32 word) { return (word >> COLUMN_BITS) & ((1u << TURN_BITS) - 1); }
__device__ __forceinline__ u32 column_of(u32 word) { return word & ((1u << COLUMN_BITS) - 1); }
__device__ __forceinline__ u32 word_of(u32 row, u32 column) {
    return row << (COLUMN_BITS + TURN_BITS) | (column & ((1u << COLUMN_BITS) - 1));
}
