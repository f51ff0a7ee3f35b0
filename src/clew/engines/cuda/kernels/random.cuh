#pragma once
// Random numbers without a state, the same as on the CPU: number `counter` of the stream `key` (SplitMix64).

__device__ __forceinline__ u64 random_bits(u64 key, u64 counter) {
    u64 x = key + (counter + 1) * 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}
// Random bits as a number in [0, 1), a multiple of 2^-53.
__device__ __forceinline__ double random_unit(u64 x) { return (double)(x >> 11) * (1.0 / 9007199254740992.0); }
// Random bits as an integer 0…limit-1.
__device__ __forceinline__ u64 random_below(u64 x, u64 limit) { return __umul64hi(x, limit); }
