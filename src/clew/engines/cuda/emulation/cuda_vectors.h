// Vectors of two to four numbers, aligned as CUDA aligns them: a load of four ints needs 16-byte alignment.
#pragma once

#define CLEW_VECTORS(name, T, align2, align4)                                                  \
    struct __attribute__((aligned(align2))) name##2 {                                          \
        T x, y;                                                                                \
    };                                                                                         \
    struct name##3 {                                                                           \
        T x, y, z;                                                                             \
    };                                                                                         \
    struct __attribute__((aligned(align4))) name##4 {                                          \
        T x, y, z, w;                                                                          \
    };                                                                                         \
    inline name##2 make_##name##2(T x, T y) { return name##2 {x, y}; }                         \
    inline name##3 make_##name##3(T x, T y, T z) { return name##3 {x, y, z}; }                 \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return name##4 {x, y, z, w}; }
CLEW_VECTORS(char, signed char, 2, 4)
CLEW_VECTORS(uchar, unsigned char, 2, 4)
CLEW_VECTORS(short, short, 4, 8)
CLEW_VECTORS(ushort, unsigned short, 4, 8)
CLEW_VECTORS(int, int, 8, 16)
CLEW_VECTORS(uint, unsigned, 8, 16)
CLEW_VECTORS(float, float, 8, 16)
CLEW_VECTORS(longlong, long long, 16, 16)
CLEW_VECTORS(ulonglong, unsigned long long, 16, 16)
CLEW_VECTORS(double, double, 16, 16)
#undef CLEW_VECTORS

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
