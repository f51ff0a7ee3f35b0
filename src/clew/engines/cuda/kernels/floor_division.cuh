#pragma once
// Python's // and % of integers: quotients are rounded down, and a remainder has its divisor's sign. Zero as a divisor
// gives 0, as in NumPy.

__device__ __forceinline__ unsigned long long floor_quotient(unsigned long long a, unsigned long long b) {
    return b == 0 ? 0 : a / b;
}
__device__ __forceinline__ unsigned long long floor_remainder(unsigned long long a, unsigned long long b) {
    return b == 0 ? 0 : a % b;
}
__device__ __forceinline__ long long floor_quotient(long long a, long long b) {
    if (b == 0) return 0;
    if (b == -1) return a == (long long)(1ULL << 63) ? 0 : -a;  // there is no such number: 0, as on the CPU
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
__device__ __forceinline__ long long floor_remainder(long long a, long long b) {
    if (b == 0 || b == -1) return 0;
    const long long rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
