// CUDA C++ for g++: included before a kernel's source. What CUDA itself does not have is not here either, so that what
// compiles here compiles there: no __activemask, no atomicAdd for long long.
//
// __shared__ is no macro: builder.py turns the declarations into references to the block's memory (shared_variable).
#pragma once

// NVRTC knows these functions without an include. C++17's Bessel functions and their like take longer to compile than a
// small kernel: libstdc++ leaves them out where its configuration does not name them.
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif

#include "runtime.h"

#define CLEW_EMULATED 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __grid_constant__
#define __forceinline__ inline  // not forced: long copies would take g++ most of its time
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_assume(condition) ((void)0)

#define threadIdx (emulated::current->thread)
#define blockIdx (emulated::current->block)
#define blockDim (emulated::current->block_size)
#define gridDim (emulated::current->grid_size)
static const int warpSize = 32;

#define CLEW_PLACE emulated::Place place = {__builtin_FILE(), __builtin_LINE()}

// ---- The block ----
inline void __syncthreads(CLEW_PLACE) { emulated::block_barrier(emulated::SYNCHRONIZE, 0, place); }
inline int __syncthreads_or(int predicate, CLEW_PLACE) {
    return emulated::block_barrier(emulated::SYNCHRONIZE_OR, predicate, place);
}
inline int __syncthreads_and(int predicate, CLEW_PLACE) {
    return emulated::block_barrier(emulated::SYNCHRONIZE_AND, predicate, place);
}
inline int __syncthreads_count(int predicate, CLEW_PLACE) {
    return emulated::block_barrier(emulated::SYNCHRONIZE_COUNT, predicate, place);
}

// ---- Memory ----
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned) { emulated::yield(); }
inline void __trap() { emulated::fail("__trap was called"); }

// Loads and stores with hints for the cache, which have no meaning here.
#define CLEW_LOAD(name) \
    template <class T>  \
    inline T name(const T* address) { return *address; }
CLEW_LOAD(__ldg)
CLEW_LOAD(__ldca)
CLEW_LOAD(__ldcg)
CLEW_LOAD(__ldcs)
CLEW_LOAD(__ldlu)
CLEW_LOAD(__ldcv)
#undef CLEW_LOAD
namespace emulated {
template <class T>
struct Same {
    typedef T type;
};
}  // namespace emulated
#define CLEW_STORE(name) \
    template <class T>   \
    inline void name(T* address, typename emulated::Same<T>::type value) { *address = value; }
CLEW_STORE(__stwb)
CLEW_STORE(__stcg)
CLEW_STORE(__stcs)
CLEW_STORE(__stwt)
#undef CLEW_STORE

#include "cuda_atomics.h"
#include "cuda_numbers.h"
#include "cuda_vectors.h"
#include "cuda_warps.h"

// ---- Starting a kernel with arguments as CUDA's kernelParams: the address of each ----
namespace emulated {

template <int... K>
struct Numbers {};

template <class... A, int... K>
inline void call(void (*kernel)(A...), void** arguments, Numbers<K...>) {
    (void)arguments;
    kernel(*static_cast<A*>(arguments[K])...);
}

template <class... A>
struct Call {
    static void run(void* kernel, void** arguments) {
        call(reinterpret_cast<void (*)(A...)>(kernel), arguments, Numbers<__integer_pack(sizeof...(A))...>());
    }
};

template <class... A>
inline int start(const char* name, void (*kernel)(A...), unsigned blocks, unsigned threads, unsigned shared_bytes,
                 int cooperative, void** arguments) {
    const Work work = {name, &Call<A...>::run, reinterpret_cast<void*>(kernel), arguments};
    return launch(work, blocks, threads, shared_bytes, cooperative);
}

// A letter and a digit for each type, so that arguments can be checked: i4, u8, f8, and p before what is pointed at.
// v0 is what cannot be checked.
template <class T>
struct Code {
    static void write(char*& end) {
        if constexpr (__is_class(T)) {
            *end++ = 'v', *end++ = '0';
        } else {
            *end++ = T(1) / T(2) != T(0) ? 'f' : T(-1) < T(0) ? 'i' : 'u';
            *end++ = static_cast<char>('0' + sizeof(T));
        }
    }
};
template <>
struct Code<bool> {
    static void write(char*& end) { *end++ = 'u', *end++ = '1'; }
};
template <>
struct Code<void> {
    static void write(char*& end) { *end++ = 'v', *end++ = '0'; }
};
template <class T>
struct Code<const T> : Code<T> {};
template <class T>
struct Code<volatile T> : Code<T> {};
template <class T>
struct Code<T*> {
    static void write(char*& end) {
        *end++ = 'p';
        Code<T>::write(end);
    }
};

template <class... A>
inline const char* signature(void (*)(A...)) {
    static char codes[4 * sizeof...(A) + 1];
    char* end = codes;
    (Code<A>::write(end), ...);
    *end = 0;
    return codes;
}

}  // namespace emulated
