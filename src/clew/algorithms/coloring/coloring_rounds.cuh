#pragma once
// Two new colours per round, in few cooperative launches. Every vertex has a random value. Each round gives one colour
// to vertices with the largest value among their remaining neighbours, and one to those with the smallest (J. Cohen, P.
// Castonguay: "Efficient graph matching and coloring on the GPU", GTC 2012). A vertex joins the queue when no neighbour
// with a larger value, or none with a smaller one, is left. Rounds process no others.
#include "coloring_waves.cuh"
#include "random.cuh"

#define NO_COLOR (-1)
#define QUEUED (-2)

// How far it has come: every thread has a copy, and all compute the same.
struct Progress {
    u32 begun;   // whether there was a launch before
    u32 rounds;  // how many there were
    u32 stop;    // what is before this in the queue has a colour
    u32 queued;  // what is to get one next
    u32 done;
};
struct Control {
    Progress progress;
    Coloring steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

// Fills `color`, or does as much of it as is this launch's share. `above` and `below` count the remaining neighbours
// with a larger and a smaller value. `queue` and `list` are room for n vertices. `trace` gets the vertices coloured by
// each of the first `traced` rounds. `control` is zeroed.
extern "C" __global__ void __launch_bounds__(512, 3)
    color_by_rounds(u64 n, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets,
                    const ids_t* in_neighbours, int work, u64 key, int* color, u32* above, u32* below, index_t* queue,
                    index_t* list, long long* trace, u32 traced, Control* control) {
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    Progress at = control->progress;
    Steps<Coloring> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    Joining joining = {};
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
        if (ready) joining.add(v);
    };
    // Vertices that got a colour are not left any more. Those queued for the next round still have to know whether they
    // are maxima.
    const auto tell = [&](index_t v, const auto& team) {
        const u64 mine = random_bits(key, (u64)v);
        rows.each(v, team, [&](index_t u) {
            if (color[u] >= 0 || u == v) return;
            u32* left = random_bits(key, (u64)u) < mine ? above : below;
            if (atomicSub(&left[u], 1u) == 1 && atomicCAS(&color[u], NO_COLOR, QUEUED) == NO_COLOR)
                joining.add(u);
        });
    };
    if (!at.begun) at.queued = first_wave(n, rows, queue, list, steps, joining, count);
    while (at.queued > 0 && share.is_left()) {
        const index_t* wave = queue + at.stop;
        const u32 size = at.queued;
        const int first = 2 * (int)at.rounds;
        share.take(rows.about(size, n));
        if (thread_in_grid() == 0 && at.rounds < traced) trace[at.rounds] = size;
        steps.begin();
        for (u64 i = thread_in_grid(); i < size; i += threads_in_grid())
            color[wave[i]] = above[wave[i]] == 0 ? first : first + 1;
        steps.end();
        at.stop += size;
        joining.begin(steps, queue + at.stop);
        by_size(size, rows, [=](u64 i) { return wave[i]; }, list, &steps.current().listed, tell);
        const Coloring found = steps.end();
        at.queued = found.queued;
        if (found.listed > 0) {
            share.take_long(found.listed);
            joining.begin(steps, queue + at.stop + at.queued);
            long_rows(list, 0, found.listed, tell);
            at.queued += steps.end().queued;
        }
        at.rounds++;
    }
    at.begun = 1;
    at.done = at.queued == 0;
    if (thread_in_grid() == 0) control->progress = at;  // all have read it: there was a step
}
