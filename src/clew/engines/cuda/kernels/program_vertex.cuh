#pragma once
// A vertex program's state and functions, as its kernels see them.
//
// The state is an array per field, so that a kernel reads only the fields that a function uses. The functions take the
// values of all fields and are inlined, which removes unused loads. FIELDS lists FIELD(type, name) for each,
// FIELD_VALUES their values in a Vertex called `vertex`, FIELDS_SET those that apply may change, as SET(name).
//
// The functions: clew_send(fields), clew_process(message, weight, fields), clew_accepts(fields),
// clew_matters(value, fields), clew_apply(total, fields) and clew_set_<name>(total, fields). clew_apply says whether
// the vertex is active, and clew_set_<name> what apply makes of a field. With ORDERED there is clew_priority(fields).
// clew_add(sum, sum) is there unless FIRST, which says that one message is as good as many.
#include "neighbours.cuh"

// PRODUCT_ONLY 1 omits send and apply, for products whose vertices are on the CPU; then there may be no fields.
#ifndef PRODUCT_ONLY
#define PRODUCT_ONLY 0
#endif
#ifndef AND_FIELD_VALUES
#define AND_FIELD_VALUES , FIELD_VALUES
#endif

typedef message_t sum_t;

struct State {
#define FIELD(type, name) type* name;
    FIELDS
#undef FIELD
};

struct Vertex {
#define FIELD(type, name) type name;
    FIELDS
#undef FIELD
};

__device__ __forceinline__ Vertex load(const State& state, u64 v) {
    Vertex vertex;
#define FIELD(type, name) vertex.name = state.name[v];
    FIELDS
#undef FIELD
    return vertex;
}

#if !PRODUCT_ONLY
__device__ __forceinline__ message_t send(const Vertex& vertex) { return clew_send(FIELD_VALUES); }
#endif

__device__ __forceinline__ bool accepts(const Vertex& vertex) { return clew_accepts(FIELD_VALUES) != 0; }

// What a message is worth to a vertex at the end of an edge, and whether it is of interest there.
__device__ __forceinline__ bool process(message_t message, weight_t weight, const Vertex& vertex, message_t& value) {
    value = clew_process(message, weight AND_FIELD_VALUES);
    return clew_matters(value AND_FIELD_VALUES) != 0;
}

#if !PRODUCT_ONLY
// Change the vertex, here and in the state; whether it is active next.
__device__ __forceinline__ bool apply(const State& state, u64 v, message_t total, Vertex& vertex) {
    const bool active = clew_apply(total, FIELD_VALUES) != 0;
    Vertex after = vertex;
#define SET(name) after.name = clew_set_##name(total, FIELD_VALUES);
    FIELDS_SET
#undef SET
#define SET(name) state.name[v] = after.name;
    FIELDS_SET
#undef SET
    vertex = after;
    return active;
}
#endif

// Rows of edges; weights of an unweighted graph are all 1.
struct Edges {
    const offset_t* offsets;
    const ids_t* neighbours;
    const stored_t* weights;

    __device__ __forceinline__ weight_t weight(offset_t k) const {
#if WEIGHTED
        return (weight_t)weights[k];
#else
        (void)k;
        return (weight_t)1;
#endif
    }
};
