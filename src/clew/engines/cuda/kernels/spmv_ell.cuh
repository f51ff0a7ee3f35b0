#pragma once
// y[i] = ⊕ over edges i → j of w ⊗ x[j], for a padded table in column order. A thread processes a row, so neighbouring
// threads read neighbouring words. Places without an edge hold a negative number.

#include "semiring.cuh"

extern "C" __global__ void spmv_ell(const index_t* columns, const weight_t* weights, const x_word_t* x, const u8* mask,
                                    sum_t* out, u64 num_rows, u64 width, sum_t identity, value_t nothing) {
    const Source source = {columns, weights, x, identity, nothing};
    for (u64 row = thread_in_grid(); row < num_rows; row += threads_in_grid()) {
        if (mask != nullptr && !mask[row]) continue;
        sum_t sum = identity;
        bool has = false;
        for (u64 column = 0; column < width; column++) {
            const u64 place = column * num_rows + row;
            const index_t neighbour = load_once(columns + place);
            if (neighbour < 0) continue;
            const sum_t found = product_of(source, weight_at(source, (offset_t)place), x_at(source, neighbour));
            sum = has ? clew_add(sum, found) : found;
            has = true;
        }
        out[row] = sum;
    }
}
