// Atomics, for exactly the types CUDA has them for. Blocks run at once, so they are true ones. For cuda_on_cpu.h.
#pragma once

namespace emulated {

// What all those have in common that the CPU has no instruction for.
template <class T, class F>
inline T atomic_update(T* address, F next) {
    T before;
    __atomic_load(address, &before, __ATOMIC_RELAXED);
    T after = next(before);
    while (!__atomic_compare_exchange(address, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        after = next(before);
    return before;
}

}  // namespace emulated

#define CLEW_FETCH(name, builtin, T) \
    inline T name(T* address, T value) { return builtin(address, value, __ATOMIC_RELAXED); }
CLEW_FETCH(atomicAdd, __atomic_fetch_add, int)
CLEW_FETCH(atomicAdd, __atomic_fetch_add, unsigned)
CLEW_FETCH(atomicAdd, __atomic_fetch_add, unsigned long long)
CLEW_FETCH(atomicSub, __atomic_fetch_sub, int)
CLEW_FETCH(atomicSub, __atomic_fetch_sub, unsigned)
CLEW_FETCH(atomicAnd, __atomic_fetch_and, int)
CLEW_FETCH(atomicAnd, __atomic_fetch_and, unsigned)
CLEW_FETCH(atomicAnd, __atomic_fetch_and, unsigned long long)
CLEW_FETCH(atomicOr, __atomic_fetch_or, int)
CLEW_FETCH(atomicOr, __atomic_fetch_or, unsigned)
CLEW_FETCH(atomicOr, __atomic_fetch_or, unsigned long long)
CLEW_FETCH(atomicXor, __atomic_fetch_xor, int)
CLEW_FETCH(atomicXor, __atomic_fetch_xor, unsigned)
CLEW_FETCH(atomicXor, __atomic_fetch_xor, unsigned long long)
CLEW_FETCH(atomicExch, __atomic_exchange_n, int)
CLEW_FETCH(atomicExch, __atomic_exchange_n, unsigned)
CLEW_FETCH(atomicExch, __atomic_exchange_n, unsigned long long)
#undef CLEW_FETCH

#define CLEW_UPDATE(name, T, after)                                                        \
    inline T name(T* address, T value) {                                                   \
        return emulated::atomic_update(address, [value](T before) -> T { return after; }); \
    }
CLEW_UPDATE(atomicAdd, float, before + value)
CLEW_UPDATE(atomicAdd, double, before + value)
CLEW_UPDATE(atomicExch, float, ((void)before, value))
CLEW_UPDATE(atomicMin, int, before < value ? before : value)
CLEW_UPDATE(atomicMin, unsigned, before < value ? before : value)
CLEW_UPDATE(atomicMin, long long, before < value ? before : value)
CLEW_UPDATE(atomicMin, unsigned long long, before < value ? before : value)
CLEW_UPDATE(atomicMax, int, before > value ? before : value)
CLEW_UPDATE(atomicMax, unsigned, before > value ? before : value)
CLEW_UPDATE(atomicMax, long long, before > value ? before : value)
CLEW_UPDATE(atomicMax, unsigned long long, before > value ? before : value)
CLEW_UPDATE(atomicInc, unsigned, before >= value ? 0 : before + 1)
CLEW_UPDATE(atomicDec, unsigned, before == 0 || before > value ? value : before - 1)
#undef CLEW_UPDATE

#define CLEW_CAS(T)                                                                                              \
    inline T atomicCAS(T* address, T compare, T value) {                                                         \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);        \
        return compare;                                                                                          \
    }
CLEW_CAS(unsigned short)
CLEW_CAS(int)
CLEW_CAS(unsigned)
CLEW_CAS(unsigned long long)
#undef CLEW_CAS

// Atomic among the threads of one block only, or also with the host: the same here.
#define atomicAdd_block atomicAdd
#define atomicMin_block atomicMin
#define atomicMax_block atomicMax
#define atomicAnd_block atomicAnd
#define atomicOr_block atomicOr
#define atomicExch_block atomicExch
#define atomicCAS_block atomicCAS
