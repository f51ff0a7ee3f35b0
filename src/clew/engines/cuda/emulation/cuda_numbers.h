// Bits, integers and floating-point numbers: CUDA's functions of single values. Included by cuda_on_cpu.h.
#pragma once

// ---- Bits ----
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline unsigned long long __brevll(unsigned long long x) {
    x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(x);
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (unsigned k = 0; k < 4; k++)
        result |= static_cast<unsigned>(bytes >> (selector >> 4 * k & 7) * 8 & 0xff) << 8 * k;
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

// ---- Integers ----
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
    return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

// CUDA's own set: two types give the wider one, and the unsigned one of the same width.
#define CLEW_MIN_MAX(result, A, B)                                                                          \
    inline result min(A a, B b) {                                                                           \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }                                                                                                       \
    inline result max(A a, B b) {                                                                           \
        return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }
CLEW_MIN_MAX(int, int, int)
CLEW_MIN_MAX(unsigned, unsigned, unsigned)
CLEW_MIN_MAX(unsigned, int, unsigned)
CLEW_MIN_MAX(unsigned, unsigned, int)
CLEW_MIN_MAX(long, long, long)
CLEW_MIN_MAX(unsigned long, unsigned long, unsigned long)
CLEW_MIN_MAX(unsigned long, long, unsigned long)
CLEW_MIN_MAX(unsigned long, unsigned long, long)
CLEW_MIN_MAX(long long, long long, long long)
CLEW_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CLEW_MIN_MAX(unsigned long long, long long, unsigned long long)
CLEW_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef CLEW_MIN_MAX
// Of a number and a NaN these give the number.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

// ---- The bits of floating-point numbers ----
namespace emulated {
template <class To, class From>
inline To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From), "the same number of bits");
    To result;
    __builtin_memcpy(&result, &value, sizeof(To));
    return result;
}
}  // namespace emulated
inline float __int_as_float(int x) { return emulated::bits_as<float>(x); }
inline float __uint_as_float(unsigned x) { return emulated::bits_as<float>(x); }
inline int __float_as_int(float x) { return emulated::bits_as<int>(x); }
inline unsigned __float_as_uint(float x) { return emulated::bits_as<unsigned>(x); }
inline double __longlong_as_double(long long x) { return emulated::bits_as<double>(x); }
inline long long __double_as_longlong(double x) { return emulated::bits_as<long long>(x); }
inline int __double2hiint(double x) { return static_cast<int>(emulated::bits_as<long long>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(emulated::bits_as<long long>(x)); }
inline double __hiloint2double(int high, int low) {
    return emulated::bits_as<double>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                                     static_cast<unsigned>(low));
}

// ---- Arithmetic that rounds to nearest and never fuses, and the fast forms, which are exact here ----
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1 / x; }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
inline int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
inline long long __double2ll_rn(double x) { return static_cast<long long>(rint(x)); }
inline long long __double2ll_rz(double x) { return static_cast<long long>(x); }
inline long long __double2ll_rd(double x) { return static_cast<long long>(floor(x)); }
inline long long __double2ll_ru(double x) { return static_cast<long long>(ceil(x)); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
