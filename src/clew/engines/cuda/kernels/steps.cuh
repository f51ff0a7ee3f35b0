#pragma once
// Counters of the steps of a cooperative launch, between which the grid meets. What a step has counted is read by all
// after the meeting, while the fast ones already count for the next step: three sets take turns, and the one that is up
// next is cleared during a step in which nobody can be reading or counting there.

// What a launch does before the host has a look, so that Ctrl-C is heard: so many steps, or what takes their time. That
// is a number of edges beyond what a step has to do anyway, or long rows that a block takes one after the other. All
// threads count the same.
#define EDGES_OF_STEP (1u << 14)
#define STEPS_OF_LONG_ROW 8
struct Share {
    int steps;
    __device__ __forceinline__ void take(u64 edges) { steps -= 1 + (int)(edges / EDGES_OF_STEP); }
    __device__ __forceinline__ void take_long(u32 rows) { steps -= (int)((rows - 1) / gridDim.x + 1) * STEPS_OF_LONG_ROW; }
    __device__ __forceinline__ bool is_left() const { return steps > 0; }
};

// Every launch begins with number 0 and sets that are zeroed again: where the number came from memory, the compiler would
// not see that all lanes of a warp count in one place, and would add what they count one by one.
template <class Counters>
struct Steps {
    Counters* sets;  // three, zeroed
    u32* barrier;
    u32 number;

    // To be called by all before a step; counts go to current().
    __device__ __forceinline__ void begin() {
        if (thread_in_grid() == 0) sets[(number + 1) % 3] = Counters{};
    }
    __device__ __forceinline__ Counters& current() const { return sets[number % 3]; }
    // Meet; what the step has counted.
    __device__ __forceinline__ Counters end() {
        grid_sync(barrier);
        const Counters found = sets[number % 3];
        number++;
        return found;
    }
};
