#pragma once
// Two new colours a round, in one cooperative launch: every vertex has a random value, and each round gives one colour to
// those whose value is the largest among the neighbours that are left, and one to those where it is the smallest
// (J. Cohen, P. Castonguay: "Efficient graph matching and coloring on the GPU", GTC 2012). A vertex joins the queue when
// no neighbour with a larger value, or none with a smaller one, is left: rounds look at no others.
#include "common.cuh"
#include "random.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

#define NO_COLOR (-1)
#define QUEUED (-2)

struct Coloring {
    u32 queued, listed;
};
struct Control {
    Coloring steps[3];
    u32 rounds;
    u32 barrier[GRID_BARRIER_WORDS];
};

// Fills `color`. `above` and `below` count the neighbours left with a larger and a smaller value; `queue` and `list` are
// room for n vertices; `trace` takes how many vertices each of the first `traced` rounds coloured.
extern "C" __global__ void __launch_bounds__(512, 3)
    color_by_rounds(u64 n, const offset_t* offsets, const index_t* neighbours, const offset_t* in_offsets,
                    const index_t* in_neighbours, u64 key, int* color, u32* above, u32* below, index_t* queue, index_t* list,
                    long long* trace, u32 traced, Control* control) {
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    Steps<Coloring> steps = {control->steps, control->barrier, 0};
    index_t* room = queue;
    u32* queued = nullptr;
    const auto count = [&](index_t v, const auto& team) {
        const u64 mine = random_bits(key, (u64)v);
        u32 larger = 0, smaller = 0;  // neither for a loop
        rows.each(v, team, [&](index_t u) {
            const u64 other = random_bits(key, (u64)u);
            larger += other > mine;
            smaller += other < mine;
        });
        larger = team.sum(larger);
        smaller = team.sum(smaller);
        if (team.first() != 0) return;
        above[v] = larger;
        below[v] = smaller;
        const bool ready = larger == 0 || smaller == 0;
        color[v] = ready ? QUEUED : NO_COLOR;
        if (ready) room[atomicAdd(queued, 1u)] = v;
    };
    // Vertices that got a colour are not left any more. Those queued for the next round still have to know whether they
    // are maxima.
    const auto tell = [&](index_t v, const auto& team) {
        const u64 mine = random_bits(key, (u64)v);
        rows.each(v, team, [&](index_t u) {
            if (color[u] >= 0 || u == v) return;
            u32* left = random_bits(key, (u64)u) < mine ? above : below;
            if (atomicSub(&left[u], 1u) == 1 && atomicCAS(&color[u], NO_COLOR, QUEUED) == NO_COLOR)
                room[atomicAdd(queued, 1u)] = u;
        });
    };
    steps.begin();
    queued = &steps.current().queued;
    by_size(n, rows, [](u64 i) { return (index_t)i; }, list, &steps.current().listed, count);
    Coloring found = steps.end();
    steps.begin();
    room = queue + found.queued;
    queued = &steps.current().queued;
    long_rows(list, 0, found.listed, count);
    u32 size = found.queued + steps.end().queued;
    const index_t* wave = queue;
    u32 turn = 0;
    while (size > 0) {
        if (thread_in_grid() == 0 && turn < traced) trace[turn] = size;
        steps.begin();
        for (u64 i = thread_in_grid(); i < size; i += threads_in_grid())
            color[wave[i]] = above[wave[i]] == 0 ? 2 * (int)turn : 2 * (int)turn + 1;
        steps.end();
        steps.begin();
        room = queue + (wave - queue) + size;
        queued = &steps.current().queued;
        by_size(size, rows, [=](u64 i) { return wave[i]; }, list, &steps.current().listed, tell);
        found = steps.end();
        wave += size;
        size = found.queued;
        if (found.listed > 0) {
            steps.begin();
            room += size;
            queued = &steps.current().queued;
            long_rows(list, 0, found.listed, tell);
            size += steps.end().queued;
        }
        turn++;
    }
    if (thread_in_grid() == 0) control->rounds = turn;
}
