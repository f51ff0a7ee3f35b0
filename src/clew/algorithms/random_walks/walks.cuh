#pragma once
#include "common.cuh"
#include "random.cuh"
#include "rows_search.cuh"
// Random walks, a thread each, with the random numbers of the CPU: kernels.py has the comments.
//
// WEIGHTED is 1 where `sums` has the running sums of the weights of every row. SECOND is 1 where p or q is not 1.

#define DRAWS 21  // bits of the numbers of one step: two for every attempt

extern "C" __global__ void walk(const offset_t* offsets, const index_t* neighbours, const double* sums,
                                const long long* starts, u64 number, u64 key, u64 length, double back, double out,
                                index_t* walks) {
    const double largest = back > out ? (back > 1.0 ? back : 1.0) : (out > 1.0 ? out : 1.0);
    for (u64 i = thread_in_grid(); i < number; i += threads_in_grid()) {
        const u64 own = random_bits(key, i);
        index_t* mine = walks + i * (length + 1);
        index_t u = (index_t)starts[i], before = u;
        mine[0] = u;
        bool going = true;
        for (u64 step = 0; step < length; step++) {
            const offset_t start = offsets[u], stop = offsets[u + 1];
            going = going && start < stop && (!WEIGHTED || sums[stop - 1] > 0.0);
            if (!going) {
                mine[step + 1] = (index_t)-1;
                continue;
            }
            index_t v;
            for (u64 draw = step << DRAWS;; draw += 2) {
                const u64 chosen = random_bits(own, draw);
                if (WEIGHTED) {
                    v = neighbours[first_above(sums, start, stop, random_unit(chosen) * sums[stop - 1])];
                } else {
                    v = neighbours[start + (offset_t)random_below(chosen, (u64)(stop - start))];
                }
                if (!SECOND || step == 0 || stop - start == 1) break;
                const double bias = v == before ? back : has_edge(offsets, neighbours, before, v) ? 1.0 : out;
                if (random_unit(random_bits(own, draw + 1)) * largest < bias) break;
            }
            before = u;
            u = v;
            mine[step + 1] = u;
        }
    }
}
