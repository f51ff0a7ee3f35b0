#pragma once
// Counters of the steps of a cooperative launch, between which the grid meets. All threads read the counters of a step
// after its barrier, while the fast ones already count for the next step. So three sets alternate, and the next one is
// cleared during a step in which no thread uses it.

// The limits of a launch, after which the host can handle Ctrl-C: steps, or an equivalent amount of work. That is a
// number of edges beyond what a step has to do anyway, or long rows that a block takes one after the other. All threads
// count the same.
#define EDGES_OF_STEP (1u << 14)
#define STEPS_OF_LONG_ROW 8
struct Share {
    int steps;
    __device__ __forceinline__ void take(u64 edges) { steps -= 1 + (int)(edges / EDGES_OF_STEP); }
    __device__ __forceinline__ void take_long(u32 rows) { steps -= (int)((rows - 1) / gridDim.x + 1) * STEPS_OF_LONG_ROW; }
    __device__ __forceinline__ bool is_left() const { return steps > 0; }
};

// Every launch begins with number 0 and zeroed sets. If the number came from memory, the compiler would not see that
// all lanes of a warp use one counter. It would add lane by lane.
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
