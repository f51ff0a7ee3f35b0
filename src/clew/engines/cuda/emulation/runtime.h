// What a kernel compiled for the CPU needs of the runtime (runtime.cpp): where it is, barriers, warps, shared memory.
#pragma once
#pragma GCC visibility push(default)

namespace emulated {

typedef unsigned long long word;

struct Index {
    unsigned x, y, z;
};

struct Place {  // of a call in the source, for messages
    const char* file;
    int line;
};

struct Position {  // of the thread that runs
    Index thread, block, block_size, grid_size;
};

// The fiber that runs on this thread of the operating system. A fiber never moves to another one.
extern __thread Position* current __attribute__((tls_model("initial-exec")));

enum BlockOperation { SYNCHRONIZE, SYNCHRONIZE_OR, SYNCHRONIZE_AND, SYNCHRONIZE_COUNT, GRID_SYNCHRONIZE };

enum WarpOperation {
    WARP_SYNCHRONIZE,
    SHUFFLE,
    BALLOT,
    MATCH_ANY,
    MATCH_ALL,
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_MIN_SIGNED,
    REDUCE_MAX_SIGNED,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR
};

// Returns when all threads of the block that have not returned are there.
int block_barrier(BlockOperation operation, int predicate, Place place);

// Returns when all lanes in the mask that have not returned are there; `source` is the lane that a shuffle reads.
word warp_barrier(WarpOperation operation, const char* name, unsigned mask, word value, unsigned source, Place place);

// Every thread of every block of a cooperative launch; called by grid_sync of kernels/common.cuh.
void grid_barrier(Place place = {__builtin_FILE(), __builtin_LINE()});

// The dynamic shared memory of this block.
void* dynamic_shared();

// A __shared__ variable of this block; `id` is an address of its own for every variable.
void* shared_variable(const void* id, unsigned long bytes);

// Let the other threads of the block run first.
void yield();

// End the launch with a message.
void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

struct Work {  // a kernel with its arguments
    const char* name;
    void (*run)(void* kernel, void** arguments);
    void* kernel;
    void** arguments;
};

// 0, or 1 and a message in last_error().
int launch(const Work& work, unsigned blocks, unsigned threads, unsigned shared_bytes, int cooperative);

}  // namespace emulated
#pragma GCC visibility pop
