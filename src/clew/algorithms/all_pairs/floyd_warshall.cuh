#pragma once
#include "common.cuh"
// All distances by Floyd and Warshall in tiles: SIDE rounds of the textbook's outer loop at once, in a cooperative
// launch.
//
// First the tile on the diagonal is closed, by every block for itself; with it, the tiles in its row and column are
// done. After a grid_sync, all other tiles are an outer sum and a minimum of two of those. A thread computes TALL x
// WIDE numbers of each in registers, from two tiles in shared memory. Every number is the same in every run.
//
// number_t is float, double, or int. The `far` of int can be added to any distance without overflow, so int weights
// must be 0 or more. What is not a number (infinity less infinity) is passed over.

#define SIDE 64
#ifndef TALL
#define TALL 4
#endif
#ifndef WIDE
#define WIDE 4
#endif
#define ACROSS (SIDE / WIDE)                // threads of a row of the tile
#define WORKERS ((SIDE / TALL) * ACROSS)    // blockDim.x
#define STEP 4                              // rounds whose numbers are fetched at a time

struct __align__(16) Four {
    number_t at[STEP];
};

// The smaller one, in one instruction where there is one (of int, with the sum that x is); y if x is not a number.
__device__ __forceinline__ int less(int x, int y) { return x < y ? x : y; }
__device__ __forceinline__ float less(float x, float y) { return fminf(x, y); }
__device__ __forceinline__ double less(double x, double y) { return x < y ? x : y; }

struct Matrix {
    number_t* distance;
    u64 n;
    number_t far;
};

// Copy a tile to shared memory; beyond the last vertex all is far.
__device__ __forceinline__ void load(const Matrix& of, u64 row, u64 column, number_t* tile) {
    for (u32 k = threadIdx.x; k < SIDE * SIDE; k += blockDim.x) {
        const u64 i = row * SIDE + k / SIDE, j = column * SIDE + k % SIDE;
        tile[k] = i < of.n && j < of.n ? of.distance[i * of.n + j] : of.far;
    }
}

// Shortest paths within the tile on the diagonal.
__device__ __forceinline__ void close(number_t* tile) {
    for (u32 k = 0; k < SIDE; k++) {
        __syncthreads();
        number_t better[TALL * WIDE];
        for (u32 c = 0; c < TALL * WIDE; c++) {
            const u32 at = c * WORKERS + threadIdx.x;
            better[c] = less(tile[at / SIDE * SIDE + k] + tile[k * SIDE + at % SIDE], tile[at]);
        }
        __syncthreads();
        for (u32 c = 0; c < TALL * WIDE; c++) tile[c * WORKERS + threadIdx.x] = better[c];
    }
    __syncthreads();
}

// A tile of the matrix = the minimum of itself and of left[i, k] + upper[k, j] for all k.
__device__ __forceinline__ void relax(const Matrix& of, u64 row, u64 column, const number_t* left,
                                      const number_t* upper) {
    const u32 top = threadIdx.x / ACROSS * TALL, side = threadIdx.x % ACROSS * WIDE;
    number_t best[TALL][WIDE];
#pragma unroll
    for (u32 i = 0; i < TALL; i++) {
#pragma unroll
        for (u32 j = 0; j < WIDE; j++) {
            const u64 r = row * SIDE + top + i, c = column * SIDE + side + j;
            best[i][j] = r < of.n && c < of.n ? of.distance[r * of.n + c] : of.far;
        }
    }
#pragma unroll 2
    for (u32 k = 0; k < SIDE; k += STEP) {
        Four a[TALL];
#pragma unroll
        for (u32 i = 0; i < TALL; i++) a[i] = *(const Four*)(left + (top + i) * SIDE + k);
#pragma unroll
        for (u32 s = 0; s < STEP; s++) {
#pragma unroll
            for (u32 part = 0; part < WIDE; part += STEP) {
                const Four b = *(const Four*)(upper + (k + s) * SIDE + side + part);
#pragma unroll
                for (u32 i = 0; i < TALL; i++) {
#pragma unroll
                    for (u32 j = 0; j < STEP; j++)
                        best[i][part + j] = less(a[i].at[s] + b.at[j], best[i][part + j]);
                }
            }
        }
    }
#pragma unroll
    for (u32 i = 0; i < TALL; i++) {
#pragma unroll
        for (u32 j = 0; j < WIDE; j++) {
            const u64 r = row * SIDE + top + i, c = column * SIDE + side + j;
            if (r < of.n && c < of.n) of.distance[r * of.n + c] = best[i][j];
        }
    }
}

// Rounds begin…end, of SIDE vertices each. `closed` has room for one tile.
extern "C" __global__ void __launch_bounds__(WORKERS)
floyd_warshall(number_t* distance, u64 n, number_t far, u64 begin, u64 end, number_t* closed, u32* barrier) {
    number_t* const one = dynamic_shared<number_t>();
    number_t* const other = one + SIDE * SIDE;
    const Matrix of = {distance, n, far};
    const u64 tiles = (n + SIDE - 1) / SIDE;
    for (u64 middle = begin; middle < end; middle++) {
        load(of, middle, middle, one);
        close(one);
        // Others may still be reading the tile as it was: it is put aside, and back when they have met.
        if (blockIdx.x == 0)
            for (u32 k = threadIdx.x; k < SIDE * SIDE; k += blockDim.x) closed[k] = one[k];
        for (u64 k = blockIdx.x; k < 2 * tiles; k += gridDim.x) {
            const u64 tile = k / 2;
            if (tile == middle) continue;
            const bool in_row = k % 2 == 0;
            const u64 row = in_row ? middle : tile, column = in_row ? tile : middle;
            load(of, row, column, other);
            __syncthreads();
            relax(of, row, column, in_row ? one : other, in_row ? other : one);
            __syncthreads();
        }
        grid_sync(barrier);
        if (blockIdx.x == 0) {
            for (u32 k = threadIdx.x; k < SIDE * SIDE; k += blockDim.x) {
                const u64 i = middle * SIDE + k / SIDE, j = middle * SIDE + k % SIDE;
                if (i < n && j < n) distance[i * n + j] = closed[k];
            }
        }
        // Consecutive tiles of a row share what is left of them: a block takes them one after the other.
        u64 loaded = tiles;
        const u64 share = (tiles * tiles + gridDim.x - 1) / gridDim.x;
        const u64 from = blockIdx.x * share, upto = from + share < tiles * tiles ? from + share : tiles * tiles;
        for (u64 k = from; k < upto; k++) {
            const u64 row = k / tiles, column = k % tiles;
            if (row == middle || column == middle) continue;
            __syncthreads();  // all threads have finished with the tiles
            if (row != loaded) load(of, row, middle, one);
            loaded = row;
            load(of, middle, column, other);
            __syncthreads();
            relax(of, row, column, one, other);
        }
        grid_sync(barrier);
    }
}

// The lightest edge to each vertex, 0 or less to the vertex itself, and far to all others: a warp for every row.
extern "C" __global__ void weights_as_matrix(u64 n, const offset_t* offsets, const index_t* neighbours,
                                             const weight_t* weights, number_t far, number_t* distance) {
    for (u64 u = warp_in_grid(); u < n; u += warps_in_grid()) {
        number_t* const row = distance + u * n;
        for (u64 v = lane(); v < n; v += WARP) row[v] = v == u ? (number_t)0 : far;
        __syncwarp();
        const offset_t begin = offsets[u], end = offsets[u + 1];
        // Edges to the same vertex are adjacent: the thread of the first one processes all.
        for (offset_t j = begin + lane(); j < end; j += WARP) {
            const index_t v = neighbours[j];
            if (j > begin && neighbours[j - 1] == v) continue;
            number_t lightest = row[v];
            for (offset_t k = j; k < end && neighbours[k] == v; k++) {
#if WEIGHTED
                lightest = less((number_t)weights[k], lightest);
#else
                lightest = less((number_t)1, lightest);
#endif
            }
            row[v] = lightest;
        }
    }
#if !WEIGHTED
    (void)weights;
#endif
}

// Distances as int64, where what is far is the largest of them. Going round negative cycles may have led to anything.
extern "C" __global__ void as_integers(u64 pairs, const number_t* distance, number_t far, long long* integers) {
    for (u64 k = thread_in_grid(); k < pairs; k += threads_in_grid()) {
        const number_t number = distance[k];
        const bool fits = (double)number > -9e18;
        integers[k] = number < far ? (fits ? (long long)number : -9000000000000000000ll) : 0x7fffffffffffffffll;
    }
}
