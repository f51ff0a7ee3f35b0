// Launches: blocks shared out to threads of the operating system, which live as long as the process.
#include <pthread.h>

#include <thread>

#include "block.h"

namespace emulated {

// The TLS model is repeated, because g++ forgets that of a declaration. Without it, the variables might be allocated
// where later kernels cannot reach them.
__thread Position* current __attribute__((tls_model("initial-exec"))) = nullptr;
__thread Worker* worker __attribute__((tls_model("initial-exec"))) = nullptr;

int block_barrier(BlockOperation operation, int predicate, Place place) {
    return worker->block_barrier(operation, predicate, place);
}

word warp_barrier(WarpOperation operation, const char* name, unsigned mask, word value, unsigned source, Place place) {
    return worker->warp_barrier(operation, name, mask, value, source, place);
}

void grid_barrier(Place place) { worker->block_barrier(GRID_SYNCHRONIZE, 0, place); }

void* dynamic_shared() { return worker->dynamic_shared(); }

void* shared_variable(const void* id, unsigned long bytes) { return worker->shared_variable(id, bytes); }

void yield() { worker->yield(); }

void fail(const char* format, ...) {
    char problem[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    worker->fail(problem);
}

namespace {

void run_blocks(Worker& runner, Grid& grid) {
    for (;;) {
        const unsigned block = grid.next_block.fetch_add(1);
        if (block >= grid.blocks || grid.failed.load()) return;
        runner.run_block(grid, block);
        grid.block_ended();
    }
}

// The threads that help the caller. They sleep between launches and end with the process.
class Helpers {
   public:
    void run(Grid& grid, unsigned needed) {
        const std::lock_guard<std::mutex> one_launch_at_a_time(launching_);
        if (needed) call(grid, needed);
        run_blocks(caller_, grid);
        if (!needed) return;
        std::unique_lock<std::mutex> held(mutex_);
        needed_ = 0;  // all blocks are taken: the other helpers need not start
        idle_.wait(held, [&] { return busy_ == 0; });
    }

   private:
    void call(Grid& grid, unsigned needed) {
        const std::lock_guard<std::mutex> held(mutex_);
        for (; count_ < needed; count_++) std::thread([this] { help(); }).detach();
        grid_ = &grid;
        needed_ = needed;
        work_.notify_all();
    }

    void help() {
        Worker runner;
        std::unique_lock<std::mutex> held(mutex_);
        for (;;) {
            work_.wait(held, [&] { return needed_ > 0; });
            needed_--;
            busy_++;
            Grid& grid = *grid_;
            held.unlock();
            run_blocks(runner, grid);
            held.lock();
            if (--busy_ == 0) idle_.notify_one();
        }
    }

    std::mutex launching_, mutex_;
    std::condition_variable work_, idle_;
    Worker caller_;
    Grid* grid_ = nullptr;
    unsigned count_ = 0, needed_ = 0, busy_ = 0;
};

Helpers* helpers = new Helpers;  // never destroyed: its threads outlive the destructors of the process

// A child process has none of its parent's threads.
__attribute__((constructor)) void watch_forks() {
    pthread_atfork(nullptr, nullptr, [] { helpers = new Helpers; });
}

struct Settings {
    unsigned most_helpers = 3;
    double seconds = 120;
    word seed = 0;
} settings;

thread_local std::string last_message;

}  // namespace

int launch(const Work& work, unsigned blocks, unsigned threads, unsigned shared_bytes, int cooperative) {
    last_message.clear();
    if (blocks < 1 || blocks > 0x7fffffffu)
        last_message = "a grid has 1 to 2,147,483,647 blocks, not " + std::to_string(blocks);
    else if (threads < 1 || threads > 1024)
        last_message = "a block has 1 to 1,024 threads, not " + std::to_string(threads);
    else if (shared_bytes > SharedMemory::MOST)
        last_message = "a block has at most 232,448 bytes of shared memory, not " + std::to_string(shared_bytes);
    else if (cooperative && blocks > 256)
        last_message = "a cooperative launch has at most 256 blocks here, not " + std::to_string(blocks);
    if (!last_message.empty()) return 1;
    Grid grid;
    grid.work = &work, grid.blocks = blocks, grid.threads = threads, grid.shared_bytes = shared_bytes;
    grid.cooperative = cooperative != 0, grid.seed = settings.seed;
    grid.deadline = std::chrono::steady_clock::now() +
                    std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                        std::chrono::duration<double>(settings.seconds));
    helpers->run(grid, cooperative ? blocks - 1 : std::min(blocks - 1, settings.most_helpers));
    if (!grid.failed.load()) return 0;
    last_message = std::string(work.name) + ", " + grid.message();
    return 1;
}

}  // namespace emulated

#pragma GCC visibility push(default)

// How the next launches run: `seed` chooses the order of threads, `seconds` after which a launch that meets barriers is
// stopped.
extern "C" void emulation_settings(unsigned long long seed, double seconds) {
    emulated::settings.seed = seed;
    emulated::settings.seconds = seconds;
}

// Why the last launch of this thread failed.
extern "C" const char* emulation_error() { return emulated::last_message.c_str(); }

// Device memory: fenced by the sanitizer also where NumPy would keep a spare byte.
extern "C" void* emulation_allocate(unsigned long long bytes) { return malloc(bytes); }
extern "C" void emulation_free(void* memory) { free(memory); }

#pragma GCC visibility pop
