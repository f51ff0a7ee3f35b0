#pragma once
// A maximal independent set in rounds, in few cooperative launches. Vertices with the largest key among their
// neighbours join, and these are discarded. The same set, by the same rounds, as on the CPU.
//
// key[v] is the state of a vertex: 0 if discarded (a neighbour joined), UNDRAWN if it skips this round, else its key.
// Steps that read keys of others write none, or none that makes a difference to what is read.
#include "common.cuh"
#include "random.cuh"
#include "rows_by_size.cuh"
#include "steps.cuh"

#define UNDRAWN 1ull
#define LEAST_KEY 2ull
#define DEGREE_SHIFT 24  // keys by degree: 40 bits of degree, then 24 random ones
#define RANDOM_SHIFT 40

struct Joining {
    u32 kept, joined, listed;
};
struct Progress {
    u32 begun;   // whether there was a launch before
    u32 rounds;  // how many there were
    u32 left;    // vertices that the next round begins with
    u32 done;
};
struct Control {
    Progress progress;
    Joining steps[3];
    u32 barrier[GRID_BARRIER_WORDS];
};

// Fills `member`, or does as much of it as is this launch's share. BY_DEGREE: every round draws vertices with one half
// of the chance 1/degree and gives those their degree as key; else keys are random and stay. `live`, `later`, `joining`
// and `list` are room for n vertices. `trace` gets the vertices at the start of each of the first `traced` rounds.
// `control` is zeroed.
extern "C" __global__ void __launch_bounds__(512, 3)
    independent_set(u64 n, const offset_t* offsets, const ids_t* neighbours, const offset_t* in_offsets,
                    const ids_t* in_neighbours, int work, u64 key_stream, u64 draw_stream, u64* key, u8* member,
                    index_t* live, index_t* later, index_t* joining, index_t* list, long long* trace, u32 traced,
                    Control* control) {
    const Rows rows = {offsets, neighbours, in_offsets, in_neighbours};
    const Progress at = control->progress;
    Steps<Joining> steps = {control->steps, control->barrier, 0};
    Share share = {work};
    u32 left = at.left, turn = at.rounds;
    if (!at.begun) {
        steps.begin();
        for (u64 v = thread_in_grid(); v < n; v += threads_in_grid()) {
            const u64 own = random_bits(key_stream, v);
            key[v] = own < LEAST_KEY ? LEAST_KEY : own;
            member[v] = 0;
            live[v] = (index_t)v;
        }
        steps.end();
        left = (u32)n;
    }
    if (turn % 2) {
        index_t* swapped = live;
        live = later;
        later = swapped;
    }
    Joining before = {0, 0, 0};  // what the step for shorter rows has counted, when it is the long ones' turn
    Joining* now = nullptr;
    u64 round_key = 0;
    // New keys for this round: the remaining degree of drawn vertices, UNDRAWN for the others.
    const auto draw = [&](index_t v, const auto& team) {
        u32 degree = 0;
        rows.each(v, team, [&](index_t u) { degree += key[u] != 0 && u != v; });
        degree = team.sum(degree);
        const bool drawn = degree == 0 || random_unit(random_bits(round_key, (u64)v)) * 2.0 * (double)degree < 1.0;
        const u64 own = ((u64)degree + 1) << DEGREE_SHIFT | random_bits(key_stream, (u64)v) >> RANDOM_SHIFT;
        if (team.first() == 0) key[v] = drawn ? own : UNDRAWN;
    };
    // Ties are broken by id, so a self-loop never wins.
    const auto join = [&](index_t v, const auto& team) {
        const u64 mine = key[v];
        const bool beaten = team.any(rows.find(v, team, [&](const auto& entries, offset_t, offset_t j) {
            const index_t u = entries[j];
            return mine < LEAST_KEY || key[u] > mine || (key[u] == mine && u > v);
        }) || mine < LEAST_KEY);
        if (team.first() != 0) return;
        if (beaten) {
            later[before.kept + atomicAdd(&now->kept, 1u)] = v;
        } else {
            member[v] = 1;
            joining[before.joined + atomicAdd(&now->joined, 1u)] = v;
        }
    };
    const auto discard = [&](index_t v, const auto& team) { rows.each(v, team, [&](index_t u) { key[u] = 0; }); };
    const auto undecided = [&](u64 i) { return key[live[i]] != 0 ? live[i] : (index_t)-1; };
    while (left > 0 && share.is_left()) {
        share.take(rows.about(left, n));
        if (thread_in_grid() == 0 && turn < traced) trace[turn] = left;
#if BY_DEGREE
        round_key = random_bits(draw_stream, turn);
        steps.begin();
        by_size(left, rows, undecided, list, &steps.current().listed, draw);
        const u32 drawing = steps.end().listed;
        steps.begin();
        long_rows(list, 0, drawing, draw);
        steps.end();
#endif
        before = {0, 0, 0};
        steps.begin();
        now = &steps.current();
        by_size(left, rows, undecided, list, &now->listed, join);
        before = steps.end();
        steps.begin();
        now = &steps.current();
        long_rows(list, 0, before.listed, join);
        const Joining more = steps.end();
        const u32 joined = before.joined + more.joined;
        steps.begin();
        by_size(joined, rows, [=](u64 i) { return joining[i]; }, list, &steps.current().listed, discard);
        const u32 listed = steps.end().listed;
        steps.begin();
        long_rows(list, 0, listed, discard);
        steps.end();
        left = before.kept + more.kept;
        index_t* swapped = live;
        live = later;
        later = swapped;
        turn++;
    }
    if (thread_in_grid() == 0) control->progress = {1, turn, left, left == 0};  // all have read it
}
