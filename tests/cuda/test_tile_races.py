"""What threads do to the shared memory of a tile between two barriers: nobody touches what another writes.

compute-sanitizer's racecheck asks for this on a GPU. Here every access is written down in the emulation.
"""

from __future__ import annotations

import numpy as np

import clew
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.toolchain.source import kernel_path
from tests.cuda.emulated import kernel
from tests.on_gpu import emulation_only

pytestmark = emulation_only
THREADS, TILE = 64, 256
NOTES = """
#include <map>
#include <set>
#include <vector>
#include "common.cuh"
typedef int index_t;
typedef unsigned int offset_t;
#define SHORT_ROW 16
enum Kind { READ, WRITE, ATOMIC };
struct Access { u32 thread; Kind kind; };
static std::map<std::pair<u32, const void*>, std::vector<Access>> accesses;  // by barriers passed, and place
static u32 passed[1024];
static void note(const void* place, Kind kind) {
    accesses[{passed[threadIdx.x], place}].push_back({threadIdx.x, kind});
}
template <class T> struct Address { T* at; };
template <class T> struct Place {
    T* at;
    operator T() const { note(at, READ); return *at; }
    void operator=(T value) { note(at, WRITE); *at = value; }
    Address<T> operator&() const { return {at}; }
};
template <class T> struct Noted {
    T* first;
    Place<T> operator[](u64 i) const { return {first + i}; }
};
static u32 atomicMin(Address<u32> place, u32 value) { note(place.at, ATOMIC); return atomicMin(place.at, value); }
static u32 atomicOr(Address<u32> place, u32 value) { note(place.at, ATOMIC); return atomicOr(place.at, value); }
static u32 atomicCAS(Address<u32> place, u32 old, u32 value) {
    note(place.at, ATOMIC);
    return atomicCAS(place.at, old, value);
}
#define __syncthreads() (passed[threadIdx.x]++, __syncthreads())
#define __syncthreads_or(any) (passed[threadIdx.x]++, __syncthreads_or(any))
"""
ENTRY = """
extern "C" __global__ void noted(u64 n, const offset_t* offsets, const index_t* neighbours, int both_ways, int* label,
                                 u32* races) {
    __shared__ u32 parent[TILE];
    __shared__ u16 settled[TILE];
    if (threadIdx.x == 0) accesses.clear();
    passed[threadIdx.x] = 0;
    __syncthreads();
    const Tile tile = {{parent}, {settled}, 0, (u32)n};
    const ShortRows rows = {offsets, neighbours, 0, ALL_EDGES};
    plant(tile, rows);
    settle(tile);
    join_tile(tile, rows, both_ways);
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) label[i] = tile.settled[i];
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (const auto& entry : accesses) {
        std::set<u32> threads;
        bool plain = false, changed = false;
        for (const Access& access : entry.second) {
            threads.insert(access.thread);
            plain |= access.kind != ATOMIC;
            changed |= access.kind != READ;
        }
        *races += threads.size() > 1 && plain && changed;
    }
}
"""


def source() -> str:
    text = kernel_path("tile_trees.cuh").read_text()
    for plain, noted in (
        ("#pragma once\n", ""),
        ("u32* parent", "Noted<u32> parent"),
        ("u16* settled", "Noted<u16> settled"),
        ("const T* pointers", "const T& pointers"),
        ("u32* place", "Address<u32> place"),
    ):
        text = text.replace(plain, noted)
    return NOTES + f"#define TILE {TILE}\n" + text + ENTRY


def races(text: str, graph: clew.Graph) -> int:
    device = the_emulation()
    label, found = device.empty(graph.num_vertices, np.int32), device.zeros(1, np.uint32)
    offsets, neighbours = device.upload(graph.indptr.astype(np.uint32)), device.upload(graph.indices)
    arguments = (np.uint64(graph.num_vertices), offsets, neighbours, np.int32(not graph.directed))
    device.launch(kernel(device, text, "noted"), 1, THREADS, *arguments, label, found)
    if found[0] == 0:
        np.testing.assert_array_equal(label, clew.connected_components(graph, device="cpu").label)
    return int(found[0])


def test_no_races():
    text = source()
    order = np.random.default_rng(1).permutation(200)
    for graph in (
        clew.generate.grid(12, 20, delete=0.2, seed=1),
        clew.generate.path(250),
        clew.generate.uniform(256, 300, seed=4).symmetrized(),
        clew.generate.uniform(256, 300, seed=5),
        clew.Graph.from_edges(order[:-1], order[1:], num_vertices=200, directed=False),
    ):
        assert races(text, graph) == 0


def test_a_race_is_noticed():
    text = source()
    without = text.replace("(u32)tile.settled[i];\n        __syncthreads();", "(u32)tile.settled[i];")
    assert without != text
    assert races(without, clew.generate.path(250)) > 0
