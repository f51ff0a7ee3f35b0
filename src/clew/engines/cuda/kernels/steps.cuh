#pragma once
// Counters of the steps of a cooperative launch, between which the grid meets. What a step has counted is read by all
// after the meeting, while the fast ones already count for the next step: three sets take turns, and the one that is up
// next is cleared during a step in which nobody can be reading or counting there.

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
