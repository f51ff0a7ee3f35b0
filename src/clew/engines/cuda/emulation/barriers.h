// The barriers of a block and of its warps, and the message when one can never open. Included by block.h.
#pragma once

namespace emulated {

inline const char* name_of(int operation) {
    static const char* const NAMES[] = {"__syncthreads", "__syncthreads_or", "__syncthreads_and",
                                        "__syncthreads_count", "grid_sync"};
    return NAMES[operation];
}

inline int Worker::block_barrier(BlockOperation operation, int predicate, Place place) {
    Thread& thread = self();
    thread.operation = operation, thread.operation_name = name_of(operation), thread.place = place;
    thread.value = predicate != 0;
    thread.state = AT_BLOCK_BARRIER;
    if (at_barrier_) {
        const Thread& first = *first_at_barrier_;
        if (first.operation != operation || !same(first.place, place))
            fail("threads of one block wait at different barriers: thread " + std::to_string(first.thread.x) +
                 " at " + first.operation_name + " (" + text(first.place) + "), thread " +
                 std::to_string(thread.thread.x) + " at " + thread.operation_name + " (" + text(place) + ")");
    } else {
        first_at_barrier_ = &thread;
    }
    if (operation == GRID_SYNCHRONIZE) {
        if (!grid_->cooperative) fail("grid_sync (" + text(place) + ") needs a cooperative launch");
        if (alive_ < threads_.size()) fail("grid_sync (" + text(place) + ") after threads of the block have returned");
    }
    at_barrier_++;
    if (at_barrier_ == alive_)
        complete_block_barrier(&thread);
    else
        suspend(thread);
    return static_cast<int>(thread.result);
}

inline void Worker::complete_block_barrier(const Thread* arriving) {
    word count = 0;
    int operation = SYNCHRONIZE;
    Place place{};
    for (const Thread& thread : threads_)
        if (thread.state == AT_BLOCK_BARRIER) count += thread.value, operation = thread.operation, place = thread.place;
    if (operation == GRID_SYNCHRONIZE) {
        if (!arriving) fail("a thread has returned while others wait in grid_sync (" + text(place) + ")");
        if (!grid_->wait_for_all_blocks(text(place))) give_up();
    }
    word result = count;
    if (operation == SYNCHRONIZE_OR) result = count > 0;
    if (operation == SYNCHRONIZE_AND) result = count == at_barrier_;
    at_barrier_ = 0;
    for (unsigned number : order_) {
        Thread& thread = threads_[number];
        if (thread.state != AT_BLOCK_BARRIER) continue;
        thread.result = result;
        if (&thread == arriving)
            thread.state = READY;
        else
            make_ready(thread);
    }
    check_time();
}

inline word Worker::warp_barrier(WarpOperation operation, const char* name, unsigned mask, word value,
                                 unsigned source, Place place) {
    Thread& thread = self();
    const unsigned number = thread.thread.x, lane = number % 32;
    if (!(mask >> lane & 1)) {
        char problem[160];
        snprintf(problem, sizeof problem, "thread %u (lane %u) calls %s (%s) with mask 0x%08x, which does not name it",
                 number, lane, name, text(place).c_str(), mask);
        fail(problem);
    }
    thread.operation = operation, thread.operation_name = name, thread.place = place;
    thread.mask = mask, thread.value = value, thread.source = source;
    thread.state = AT_WARP_BARRIER;
    Warp& warp = warps_[number / 32];
    warp.waiting |= 1u << lane;
    if (is_complete(warp, thread, number - lane))
        complete_warp_barrier(warp, mask, number - lane, &thread);
    else
        suspend(thread);
    return thread.result;
}

// Whether every lane that a thread waits for waits for the same.
inline bool Worker::is_complete(const Warp& warp, const Thread& thread, unsigned first) const {
    const unsigned group = thread.mask & warp.alive;
    if (group & ~warp.waiting) return false;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        const Thread& other = threads_[first + static_cast<unsigned>(__builtin_ctz(rest))];
        if (other.mask != thread.mask || other.operation_name != thread.operation_name) return false;
    }
    return true;
}

inline word combine(int operation, word a, word b) {
    const long long signed_a = static_cast<long long>(a), signed_b = static_cast<long long>(b);
    switch (operation) {
        case REDUCE_ADD: return a + b;
        case REDUCE_MIN: return std::min(a, b);
        case REDUCE_MAX: return std::max(a, b);
        case REDUCE_MIN_SIGNED: return signed_a < signed_b ? a : b;
        case REDUCE_MAX_SIGNED: return signed_a > signed_b ? a : b;
        case REDUCE_AND: return a & b;
        case REDUCE_OR: return a | b;
        default: return a ^ b;
    }
}

inline void Worker::complete_warp_barrier(Warp& warp, unsigned mask, unsigned first, const Thread* arriving) {
    const unsigned group = mask & warp.alive;
    Thread* const lanes = &threads_[first];
    const int operation = lanes[__builtin_ctz(group)].operation;
    // What is the same for all lanes.
    word common = 0;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (operation == BALLOT) common |= (lanes[lane].value != 0 ? 1ull : 0ull) << lane;
        if (operation == MATCH_ALL) common |= (lanes[lane].value != lanes[__builtin_ctz(group)].value ? 1ull : 0ull);
        if (operation >= REDUCE_ADD)
            common = rest == group ? lanes[lane].value : combine(operation, common, lanes[lane].value);
    }
    if (operation == MATCH_ALL) common = common ? 0 : group;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        Thread& thread = lanes[__builtin_ctz(rest)];
        thread.result = common;
        if (operation == SHUFFLE) thread.result = group >> thread.source & 1 ? lanes[thread.source].value : POISON;
        if (operation == MATCH_ANY)
            for (unsigned others = group; others; others &= others - 1)
                if (lanes[__builtin_ctz(others)].value == thread.value) thread.result |= others & -others;
    }
    warp.waiting &= ~group;
    for (unsigned rest = group; rest;) {  // in the order that this launch has chosen, or the other way round
        const unsigned lane = static_cast<unsigned>(seed_ % 2 ? 31 - __builtin_clz(rest) : __builtin_ctz(rest));
        rest &= ~(1u << lane);
        if (&lanes[lane] == arriving)
            lanes[lane].state = READY;
        else
            make_ready(lanes[lane]);
    }
    check_time();
}

// Numbers as "0-31, 40".
inline std::string Worker::ranges(const std::vector<unsigned>& numbers) {
    std::string result;
    for (size_t k = 0; k < numbers.size();) {
        size_t last = k;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) last++;
        result += (k ? ", " : "") + std::to_string(numbers[k]);
        if (last > k) result += "-" + std::to_string(numbers[last]);
        k = last + 1;
    }
    return result;
}

inline std::string Worker::deadlock() const {
    std::string result = "deadlock:";
    std::vector<char> reported(threads_.size());
    for (size_t k = 0; k < threads_.size(); k++) {
        const Thread& thread = threads_[k];
        if (reported[k] || (thread.state != AT_BLOCK_BARRIER && thread.state != AT_WARP_BARRIER)) continue;
        std::vector<unsigned> alike;
        for (size_t other = k; other < threads_.size(); other++) {
            const Thread& candidate = threads_[other];
            if (candidate.state != thread.state || candidate.operation_name != thread.operation_name ||
                !same(candidate.place, thread.place) ||
                (thread.state == AT_WARP_BARRIER && (candidate.mask != thread.mask || k / 32 != other / 32)))
                continue;
            alike.push_back(static_cast<unsigned>(other));
            reported[other] = 1;
        }
        result += (result.back() == ':' ? " threads " : "; threads ") + ranges(alike) + " wait in " +
                  thread.operation_name + " (" + text(thread.place) + ")";
        if (thread.state == AT_WARP_BARRIER) {
            char mask[40];
            snprintf(mask, sizeof mask, " with mask 0x%08x", thread.mask);
            result += mask;
        }
    }
    if (const size_t gone = threads_.size() - alive_) result += "; " + std::to_string(gone) + " threads have returned";
    return result;
}

}  // namespace emulated
