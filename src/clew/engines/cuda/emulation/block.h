// One block: its threads as fibers, their waits, and the message at a deadlock.
#pragma once
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "fiber.h"
#include "grid.h"
#include "runtime.h"
#include "shared_memory.h"

namespace emulated {

const word POISON = 0xcdcdcdcdcdcdcdcdull;  // what a shuffle reads from a lane that takes no part

enum State : char { UNBORN, READY, AT_BLOCK_BARRIER, AT_WARP_BARRIER, RETURNED };

struct Thread : Position {
    State state;
    Fiber* fiber;
    const char* operation_name;
    int operation;
    Place place;
    unsigned mask, source;
    word value, result;
};

struct Warp {
    unsigned alive, waiting;  // a bit per lane
};

inline bool same(const Place& a, const Place& b) { return a.line == b.line && strcmp(a.file, b.file) == 0; }

inline std::string text(const Place& place) {
    const char* slash = strrchr(place.file, '/');
    return std::string(slash ? slash + 1 : place.file) + ":" + std::to_string(place.line);
}

// Runs blocks, one after the other, on one thread of the operating system.
class Worker {
   public:
    void run_block(Grid& grid, unsigned block);
    int block_barrier(BlockOperation operation, int predicate, Place place);
    word warp_barrier(WarpOperation operation, const char* name, unsigned mask, word value, unsigned source,
                      Place place);
    void yield();
    void fail(const std::string& problem);
    void* dynamic_shared() { return shared_.dynamic(); }
    void* shared_variable(const void* id, size_t bytes);

   private:
    static void fiber_entry();
    static std::string ranges(const std::vector<unsigned>& numbers);
    Thread& self() { return *static_cast<Thread*>(current); }
    void start(Grid& grid, unsigned block);
    void live();
    void suspend(Thread& thread);
    void give_up();
    void returned(Thread& thread);
    void complete_block_barrier(const Thread* arriving);
    bool is_complete(const Warp& warp, const Thread& thread, unsigned first) const;
    void complete_warp_barrier(Warp& warp, unsigned mask, unsigned first, const Thread* arriving);
    void check_time();
    void make_ready(Thread& thread);
    Fiber* fresh_fiber();
    std::string deadlock() const;

    Grid* grid_ = nullptr;
    unsigned block_ = 0, alive_ = 0, at_barrier_ = 0, next_unborn_ = 0, completions_ = 0;
    const Thread* first_at_barrier_ = nullptr;
    word seed_ = 0;
    Fiber main_;
    Fiber* starting_ = nullptr;
    Fiber* came_from_ = nullptr;
    std::vector<Fiber*> fibers_, free_;
    std::vector<Thread> threads_;
    std::vector<Warp> warps_;
    std::vector<unsigned> order_, ready_;  // ready_ is a ring; at most every thread is in it
    size_t ready_head_ = 0, ready_count_ = 0;
    SharedMemory shared_;
};

extern __thread Worker* worker __attribute__((tls_model("initial-exec")));

inline void Worker::start(Grid& grid, unsigned block) {
    const unsigned count = grid.threads;
    grid_ = &grid, block_ = block, alive_ = count, at_barrier_ = next_unborn_ = 0;
    free_ = fibers_;  // also those that a failed block has left asleep
    threads_.resize(count), order_.resize(count), ready_.resize(count);
    ready_head_ = ready_count_ = 0;
    for (unsigned k = 0; k < count; k++) {
        Thread& thread = threads_[k];
        thread.thread = {k, 0, 0}, thread.block = {block, 0, 0};
        thread.block_size = {count, 1, 1}, thread.grid_size = {grid.blocks, 1, 1};
        thread.state = UNBORN, thread.fiber = nullptr;
    }
    warps_.assign((count + 31) / 32, Warp{0xffffffffu, 0});
    if (count % 32) warps_.back().alive = (1u << count % 32) - 1;
    // Threads run in no order on a GPU. Each launch takes another one here, so that a missing barrier shows.
    std::iota(order_.begin(), order_.end(), 0);
    seed_ = grid.seed;
    if (seed_ % 4 == 1) std::reverse(order_.begin(), order_.end());
    if (seed_ % 4 >= 2) {
        word random = seed_ * 0x9e3779b97f4a7c15ull + block;
        for (unsigned k = count; k > 1; k--) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            std::swap(order_[k - 1], order_[(random >> 33) % k]);
        }
    }
    shared_.start(grid.shared_bytes);
}

inline void Worker::run_block(Grid& grid, unsigned block) {
    worker = this;
    start(grid, block);
    main_.bottom = nullptr;
    came_from_ = &main_;
    Fiber* first = fresh_fiber();
    if (first) switch_fiber(&main_, first, false);
    current = nullptr;
    if (alive_)  // the block was given up, with its fibers in the middle of their work
        for (Fiber* fiber : fibers_) unfence(fiber, fiber->size);
}

inline void Worker::fiber_entry() {
    arrived(nullptr, worker->came_from_);
    worker->live();
}

// The life of a fiber: it takes threads as long as there are some that have not begun and none that can go on.
inline void Worker::live() {
    Fiber* fiber = starting_;
    came_from_ = nullptr;
    for (;;) {
        Thread& thread = threads_[order_[next_unborn_++]];
        thread.fiber = fiber;
        thread.state = READY;
        current = &thread;
        grid_->work->run(grid_->work->kernel, grid_->work->arguments);
        returned(thread);
        if (ready_count_) {
            free_.push_back(fiber);
            suspend(thread);
        }
        if (next_unborn_ == threads_.size()) {
            if (alive_) fail(deadlock());
            give_up();
        }
    }
}

inline Fiber* Worker::fresh_fiber() {
    if (free_.empty()) {
        Fiber* fiber = new_fiber();
        if (!fiber) {
            grid_->report("there is no memory for the stacks of the emulated threads");
            return nullptr;
        }
        fibers_.push_back(fiber);
        free_.push_back(fiber);
    }
    starting_ = free_.back();
    free_.pop_back();
    prepare(starting_, fiber_entry, static_cast<unsigned>(free_.size()));
    return starting_;
}

// Run another thread until this one is ready; one that has returned is never resumed.
inline void Worker::suspend(Thread& thread) {
    Fiber* next = nullptr;
    if (ready_count_) {
        Thread& chosen = threads_[ready_[ready_head_]];
        ready_head_ = (ready_head_ + 1) % ready_.size();
        ready_count_--;
        if (&chosen == &thread) return;
        current = &chosen;
        next = chosen.fiber;
    } else if (next_unborn_ < threads_.size()) {
        next = fresh_fiber();
        if (!next) give_up();
    } else {
        fail(deadlock());
    }
    switch_fiber(thread.fiber, next, thread.state == RETURNED);
}

// Back to the thread of the operating system, leaving all fibers of the block as they are.
inline void Worker::give_up() { switch_fiber(self().fiber, &main_, true); }

inline void Worker::fail(const std::string& problem) {
    grid_->report("block " + std::to_string(block_) + ": " + problem);
    give_up();
}

inline void Worker::make_ready(Thread& thread) {
    thread.state = READY;
    ready_[(ready_head_ + ready_count_++) % ready_.size()] = thread.thread.x;
}

inline void Worker::yield() {
    check_time();
    make_ready(self());
    if (next_unborn_ < threads_.size()) {  // it may be waiting for one of these
        Fiber* next = fresh_fiber();
        if (!next) give_up();
        switch_fiber(self().fiber, next, false);
    } else {
        if (ready_count_ == 1) sched_yield();
        suspend(self());
    }
}

// Loops that never end are ended where they meet a barrier.
inline void Worker::check_time() {
    if (++completions_ % 4096 == 0) grid_->check_time();
    if (grid_->failed.load(std::memory_order_relaxed)) give_up();
}

inline void Worker::returned(Thread& thread) {
    thread.state = RETURNED;
    alive_--;
    Warp& warp = warps_[thread.thread.x / 32];
    warp.alive &= ~(1u << thread.thread.x % 32);
    if (at_barrier_ && at_barrier_ == alive_) complete_block_barrier(nullptr);
    const unsigned first = thread.thread.x / 32 * 32;
    for (unsigned lane = 0; warp.waiting && lane < 32; lane++)
        if (warp.waiting >> lane & 1 && is_complete(warp, threads_[first + lane], first))
            complete_warp_barrier(warp, threads_[first + lane].mask, first, nullptr);
}

inline void* Worker::shared_variable(const void* id, size_t bytes) {
    void* found = shared_.variable(id, bytes);
    if (!found) fail("more than " + std::to_string(SharedMemory::MOST_STATIC) + " bytes of __shared__ variables");
    return found;
}

}  // namespace emulated

#include "barriers.h"
