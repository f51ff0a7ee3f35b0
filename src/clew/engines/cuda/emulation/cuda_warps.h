// The warp: barriers, shuffles, votes, matches and reductions. Included by cuda_on_cpu.h.
#pragma once

namespace emulated {

template <class T>
inline word to_word(T value) {
    word bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
inline T from_word(word bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

inline unsigned lane() { return current->thread.x % 32; }

inline unsigned segment(const char* name, int width) {  // the first lane of this lane's part of the warp
    if (width < 1 || width > 32 || (width & (width - 1))) fail("%s with width %d, not a power of two up to 32", name, width);
    return lane() & ~static_cast<unsigned>(width - 1);
}

inline unsigned shuffle_from(int source, int width) {
    return segment("__shfl_sync", width) | (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1));
}
inline unsigned shuffle_up(unsigned delta, int width) {
    const int source = static_cast<int>(lane()) - static_cast<int>(delta & 31);
    return source >= static_cast<int>(segment("__shfl_up_sync", width)) ? static_cast<unsigned>(source) : lane();
}
inline unsigned shuffle_down(unsigned delta, int width) {
    const unsigned source = lane() + (delta & 31);
    return source < segment("__shfl_down_sync", width) + static_cast<unsigned>(width) ? source : lane();
}
inline unsigned shuffle_xor(int mask, int width) {
    const unsigned source = lane() ^ (static_cast<unsigned>(mask) & 31);
    return source < segment("__shfl_xor_sync", width) + static_cast<unsigned>(width) ? source : lane();
}

}  // namespace emulated

inline void __syncwarp(unsigned mask = 0xffffffffu, CLEW_PLACE) {
    emulated::warp_barrier(emulated::WARP_SYNCHRONIZE, "__syncwarp", mask, 0, 0, place);
}

#define CLEW_SHUFFLE(name, T, argument, source)                                                                 \
    inline T name(unsigned mask, T value, argument by, int width = 32, CLEW_PLACE) {                            \
        return emulated::from_word<T>(emulated::warp_barrier(emulated::SHUFFLE, #name, mask,                    \
                                                             emulated::to_word(value), source(by, width), place)); \
    }
#define CLEW_SHUFFLES(T)                                                \
    CLEW_SHUFFLE(__shfl_sync, T, int, emulated::shuffle_from)           \
    CLEW_SHUFFLE(__shfl_up_sync, T, unsigned, emulated::shuffle_up)     \
    CLEW_SHUFFLE(__shfl_down_sync, T, unsigned, emulated::shuffle_down) \
    CLEW_SHUFFLE(__shfl_xor_sync, T, int, emulated::shuffle_xor)
CLEW_SHUFFLES(int)
CLEW_SHUFFLES(unsigned)
CLEW_SHUFFLES(long)
CLEW_SHUFFLES(unsigned long)
CLEW_SHUFFLES(long long)
CLEW_SHUFFLES(unsigned long long)
CLEW_SHUFFLES(float)
CLEW_SHUFFLES(double)
#undef CLEW_SHUFFLE
#undef CLEW_SHUFFLES

inline unsigned __ballot_sync(unsigned mask, int predicate, CLEW_PLACE) {
    return static_cast<unsigned>(
        emulated::warp_barrier(emulated::BALLOT, "__ballot_sync", mask, predicate != 0, 0, place));
}
inline int __any_sync(unsigned mask, int predicate, CLEW_PLACE) {
    return emulated::warp_barrier(emulated::BALLOT, "__any_sync", mask, predicate != 0, 0, place) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CLEW_PLACE) {
    return emulated::warp_barrier(emulated::BALLOT, "__all_sync", mask, predicate == 0, 0, place) == 0;
}

#define CLEW_MATCH(T)                                                                               \
    inline unsigned __match_any_sync(unsigned mask, T value, CLEW_PLACE) {                          \
        return static_cast<unsigned>(emulated::warp_barrier(emulated::MATCH_ANY, "__match_any_sync", mask, \
                                                            emulated::to_word(value), 0, place));   \
    }                                                                                               \
    inline unsigned __match_all_sync(unsigned mask, T value, int* all_equal, CLEW_PLACE) {          \
        const unsigned lanes = static_cast<unsigned>(emulated::warp_barrier(                        \
            emulated::MATCH_ALL, "__match_all_sync", mask, emulated::to_word(value), 0, place));    \
        *all_equal = lanes != 0;                                                                    \
        return lanes;                                                                               \
    }
CLEW_MATCH(int)
CLEW_MATCH(unsigned)
CLEW_MATCH(long)
CLEW_MATCH(unsigned long)
CLEW_MATCH(long long)
CLEW_MATCH(unsigned long long)
CLEW_MATCH(float)
CLEW_MATCH(double)
#undef CLEW_MATCH

#define CLEW_REDUCE(name, operation, T)                                                                    \
    inline T name(unsigned mask, T value, CLEW_PLACE) {                                                    \
        return static_cast<T>(emulated::warp_barrier(emulated::operation, #name, mask,                     \
                                                     static_cast<emulated::word>(value), 0, place));       \
    }
CLEW_REDUCE(__reduce_add_sync, REDUCE_ADD, unsigned)
CLEW_REDUCE(__reduce_add_sync, REDUCE_ADD, int)
CLEW_REDUCE(__reduce_min_sync, REDUCE_MIN, unsigned)
CLEW_REDUCE(__reduce_min_sync, REDUCE_MIN_SIGNED, int)
CLEW_REDUCE(__reduce_max_sync, REDUCE_MAX, unsigned)
CLEW_REDUCE(__reduce_max_sync, REDUCE_MAX_SIGNED, int)
CLEW_REDUCE(__reduce_and_sync, REDUCE_AND, unsigned)
CLEW_REDUCE(__reduce_or_sync, REDUCE_OR, unsigned)
CLEW_REDUCE(__reduce_xor_sync, REDUCE_XOR, unsigned)
#undef CLEW_REDUCE
