// The shared memory of a block: filled with rubbish at its start, and fenced for AddressSanitizer.
#pragma once
#include <stdlib.h>
#include <string.h>

#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace emulated {

class SharedMemory {
   public:
    static const size_t MOST_STATIC = 48 << 10;  // what CUDA allows for variables
    static const size_t MOST = 227 << 10;        // and in all, on the GPUs with most (sm_90)

    void start(size_t dynamic_bytes) {
        if (!memory_) {
            memory_ = static_cast<char*>(aligned_alloc(ALIGNMENT, CAPACITY));
            used_ = CAPACITY;
        }
#ifdef __SANITIZE_ADDRESS__
        __asan_poison_memory_region(memory_, used_);
#endif
        variables_.clear();
        used_ = static_bytes_ = 0;
        dynamic_ = take(dynamic_bytes);
    }

    void* dynamic() { return dynamic_; }

    // The variable's memory in this block; null where there is no room.
    void* variable(const void* id, size_t bytes) {
        for (const Variable& known : variables_)
            if (known.id == id) return known.memory;
        static_bytes_ += bytes;
        if (static_bytes_ > MOST_STATIC) return nullptr;
        variables_.push_back({id, take(bytes)});
        return variables_.back().memory;
    }

   private:
    static const size_t ALIGNMENT = 128, CAPACITY = 1 << 20;

    struct Variable {
        const void* id;
        void* memory;
    };

    void* take(size_t bytes) {
        char* start = memory_ + used_;
        used_ += (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;  // at least one byte stays free between two
#ifdef __SANITIZE_ADDRESS__
        __asan_unpoison_memory_region(start, bytes);
#endif
        memset(start, 0xcd, bytes);
        return start;
    }

    char* memory_ = nullptr;
    void* dynamic_ = nullptr;
    size_t used_ = 0, static_bytes_ = 0;
    std::vector<Variable> variables_;
};

}  // namespace emulated
