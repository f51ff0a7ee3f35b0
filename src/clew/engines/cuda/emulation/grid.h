// One launch: its blocks, the barrier between them, and the first thing that went wrong.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "runtime.h"

namespace emulated {

struct Grid {
    const Work* work;
    unsigned blocks, threads, shared_bytes;
    bool cooperative;
    word seed;
    std::chrono::steady_clock::time_point deadline;

    std::atomic<unsigned> next_block{0};
    std::atomic<bool> failed{false};

    // Keep the first problem, and let all blocks know.
    void report(const std::string& problem) {
        const std::lock_guard<std::mutex> held(mutex_);
        report_held(problem);
    }

    void check_time() {
        if (std::chrono::steady_clock::now() > deadline) report("it did not end in the time allowed");
    }

    // Whether all blocks have come; false where they never will.
    bool wait_for_all_blocks(const std::string& place) {
        std::unique_lock<std::mutex> held(mutex_);
        const word before = syncs_;
        place_ = place;
        waiting_++;
        if (waiting_ == blocks) {
            waiting_ = 0;
            syncs_++;
            changed_.notify_all();
        }
        check_stranded();
        while (syncs_ == before && !failed.load())
            if (changed_.wait_until(held, deadline) == std::cv_status::timeout)
                report_held("it did not end in the time allowed: blocks wait in grid_sync (" + place + ")");
        return !failed.load();
    }

    void block_ended() {
        if (!cooperative) return;
        const std::lock_guard<std::mutex> held(mutex_);
        ended_++;
        check_stranded();
    }

    std::string message() {
        const std::lock_guard<std::mutex> held(mutex_);
        return message_;
    }

   private:
    void report_held(const std::string& problem) {
        if (!failed.load()) message_ = problem;
        failed.store(true);
        changed_.notify_all();
    }

    void check_stranded() {
        if (waiting_ && ended_ && waiting_ + ended_ == blocks)
            report_held("deadlock: " + std::to_string(waiting_) + " blocks wait in grid_sync (" + place_ + "), but " +
                        std::to_string(ended_) + " have returned");
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string message_, place_;
    unsigned waiting_ = 0, ended_ = 0;
    word syncs_ = 0;
};

}  // namespace emulated
