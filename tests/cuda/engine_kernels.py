"""The kernels of the CUDA and hybrid engines and macros to compile them with: every file, and every switch in it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from clew import operators
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.balance.symmetric_rows import Directions
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products import algebra, spmspv, spmv, sweep, vectors
from clew.engines.cuda.program import program
from clew.engines.cuda.program.functions import product_functions_of
from clew.engines.cuda.program.program import is_pushable
from clew.engines.cuda.toolchain.device import index_defines
from clew.engines.cuda.toolchain.source import KernelSource
from clew.engines.hybrid import row_product
from clew.operators import Operator, monoids, semirings


def _spgemm() -> list[KernelSource]:
    numbers = algebra.of_semiring(semirings.plus_times, *(np.dtype(np.float64),) * 3)
    defines = {**index_defines(np.dtype(np.int32), 1), **numbers.defines}
    found = [KernelSource.of("spgemm_small.cuh", {**defines, "FILL": fill}, numbers.operators) for fill in (0, 1)]
    return [*found, KernelSource.of("spgemm_masked.cuh", {**defines, "V": 8}, numbers.operators)]


def _spmspv() -> list[KernelSource]:
    index = index_defines(np.dtype(np.int32), 1)
    double, byte = np.dtype(np.float64), np.dtype(np.int8)
    sums = algebra.of_semiring(semirings.plus_times, double, double, double)
    paths = algebra.of_semiring(semirings.min_plus, None, byte, byte)
    found = [KernelSource.of("push_degrees.cuh", index)]
    for numbers, monoid, dtype in ((sums, semirings.plus_times.add, double), (paths, semirings.min_plus.add, byte)):
        defines = {**index, **numbers.defines, "EACH": spmspv.EACH}
        found.append(KernelSource.of("push_sum.cuh", {**defines, **spmspv.atomic_of(monoid, dtype)}, numbers.operators))
    for keys in (0, 1, 2):
        defines = {**index, **sums.defines, "EACH": spmspv.EACH, "KEYS": keys, "LEFT": int(keys == 2)}
        found.append(KernelSource.of("push_list.cuh", defines, sums.operators))
    return found


def _spmv() -> list[KernelSource]:
    single, truth = np.dtype(np.float32), np.dtype(np.bool_)
    sums = algebra.of_semiring(semirings.plus_times, single, single, single)
    paths = algebra.of_semiring(semirings.min_plus, np.dtype(np.int8), np.dtype(np.int8), np.dtype(np.int8))
    visits = algebra.of_semiring(semirings.or_and, None, truth, truth)
    narrow, wide = index_defines(np.dtype(np.int32), 1), index_defines(np.dtype(np.int64), 2**40)
    tiles = {"EACH": tiling.EACH, "THREADS": spmv.THREADS, "RESIDENT": spmv.RESIDENT}
    found = [KernelSource.of("tiles.cuh", {**wide, "TILE": tiling.WARP * tiling.EACH})]
    for numbers, macros in ((sums, narrow), (paths, wide)):
        both = {**macros, **numbers.defines}
        found += [
            KernelSource.of("spmv_rows.cuh", {**both, "V": 8, "STOP": 0}, numbers.operators),
            KernelSource.of("spmv_tiles.cuh", {**both, **tiles}, numbers.operators),
            KernelSource.of("spmv_coo.cuh", {**both, "EACH": spmv.CHUNK_ROUNDS}, numbers.operators),
            KernelSource.of("spmv_ell.cuh", both, numbers.operators),
        ]
    both = {**narrow, **sums.defines, **tiles, "TWO_MEMORIES": 1, "ON_HOST": 1}
    found.append(KernelSource.of("spmv_tiles.cuh", both, sums.operators))
    found.append(KernelSource.of("spmv_tiles.cuh", {**both, "PACKED": 1}, sums.operators))
    found.append(KernelSource.of("spmv_tiles.cuh", {**both, **wide, "ON_HOST": 0, "PACKED": 1}, sums.operators))
    stored = {**both, "ON_HOST": 0, "PACKED": 1, "stored_t": "unsigned char"}
    found.append(KernelSource.of("spmv_tiles.cuh", stored, sums.operators))
    both = {**narrow, **visits.defines, "V": 32, "STOP": 1}
    found.append(KernelSource.of("spmv_rows.cuh", {**both, "X_BITS": 1, "OUT_BITS": 1}, visits.operators))
    double, byte = np.dtype(np.float64), np.dtype(np.int8)
    segments = index_defines(np.dtype(np.int64), 2**62)
    sums, smallest = algebra.of_monoid(monoids.plus, double, double), algebra.of_monoid(monoids.min, byte, byte)
    both = {**segments, **smallest.defines, "V": 4, "STOP": 0}
    found.append(KernelSource.of("spmv_tiles.cuh", {**segments, **sums.defines, **tiles}, sums.operators))
    found.append(KernelSource.of("spmv_rows.cuh", both, smallest.operators))
    return found


def _sweep() -> list[KernelSource]:
    single, small = np.dtype(np.float32), np.dtype(np.int8)
    ids = index_defines(np.dtype(np.int32), 0)
    edges = {**ids, "weight_t": "float", "WEIGHTED": "1"}
    found = [KernelSource.of("sweep_build.cuh", sweep._build_macros(edges, 1))]
    for numbers in (
        algebra.of_semiring(semirings.plus_times, single, single, single),
        algebra.of_semiring(semirings.min_plus, None, small, small),
    ):
        macros = {**ids, **numbers.defines, **sweep._macros(sweep.MOST_ROWS, sweep.WARPS)}
        found.append(KernelSource.of("spmv_sweep.cuh", macros, numbers.operators))
    return found


def _vectors() -> list[KernelSource]:
    double, byte = np.dtype(np.float64), np.dtype(np.int8)
    remainder: Any = lambda a, b: a % b  # noqa: E731
    remainder.__module__ = "clew.operators"  # translated like clew's own functions, with floor_division.cuh
    taken = {"id_t": "long long", "taken_t": "double"}
    return [
        KernelSource.of("elementwise.cuh", *vectors._typed(operators.plus, byte, double, double)),
        KernelSource.of("elementwise.cuh", *vectors._typed(Operator(remainder), byte, byte, byte)),
        KernelSource.of("bits.cuh"),
        KernelSource.of("compact.cuh", {"mask_t": "unsigned char", "MASK_BITS": 0, "TAKE": 0, **taken}),
        KernelSource.of("compact.cuh", {"mask_t": "unsigned int", "MASK_BITS": 1, "TAKE": 1, **taken}),
        KernelSource.of("merge_sort.cuh"),
    ]


def _program() -> list[KernelSource]:
    """Programs that differ in what the kernels are made of."""

    def apply(total: Any, vertex: Any) -> bool:
        changed = total < vertex.value
        vertex.value = total
        return bool(changed)

    found = []
    usual, on_host = program.Tuning(), program.Tuning(order_from=1)
    narrow, wide, least = (np.int32, "unsigned int"), (np.int64, "long long"), {"priority": lambda vertex: vertex.value}
    for (index, offset), message, monoid, options, tuning in (
        (narrow, "int32", monoids.any, least, usual),
        (narrow, "float64", monoids.min, least, usual),
        (narrow, "float64", monoids.min, least, on_host),
        (narrow, "float64", monoids.plus, {"apply_to": "all"}, usual),
        (wide, "int64", monoids.plus, {}, usual),
        (wide, "int64", monoids.plus, {}, on_host),
        (wide, "int64", monoids.plus, {}, program.Tuning(balance="degree_cut")),
        (narrow, "int32", monoids.any, {}, program.Tuning(balance="thread")),
        (narrow, "int32", monoids.any, {}, program.Tuning(balance="warp")),
        (narrow, "int32", monoids.any, {}, program.Tuning(balance="block")),
        (narrow, "int32", monoids.any, {}, program.Tuning(balance="merge_path")),
        (narrow, "float64", monoids.plus, {"active_next": "all"}, usual),
        (narrow, "float64", monoids.plus, {"active_next": "all"}, on_host),
        (wide, "float32", monoids.any, {"active_next": "all"}, usual),
    ):
        given = {"priority": None, "apply_to": "received", "active_next": "changed", **options}
        example: Any = SimpleNamespace(
            fields={"value": message, "other": "bool"},
            message=message,
            send=lambda vertex: vertex.value,
            process=lambda message, weight, vertex: message + weight if vertex.other else message,
            apply=apply,
            accepts=lambda vertex: not vertex.other,
            matters=lambda value, vertex: value < vertex.value,
            **given,
        )
        rows = DeviceRows(None, np.empty(0, index), None, 1, 1)
        defines, operators = program._source(example, monoid, Directions(rows, rows), np.dtype(message), tuning)
        defines |= {"offset_t": offset, **({"ON_HOST": 1} if tuning is on_host else {})}
        name = "program_steady.cuh" if example.active_next == "all" else "program.cuh"
        found.append(KernelSource.of(name, defines, operators))
        if tuning is on_host or tuning.balance == "degree_cut":
            found.append(KernelSource.of(name, {**defines, "PACKED": 1, "stored_t": "short"}, operators))
    return found


def _row_product() -> list[KernelSource]:
    found = []
    for index, num_arcs, message, monoid, state in (
        (np.int32, 1, "float64", monoids.min, True),
        (np.int32, 1, "int32", monoids.any, False),
        (np.int64, 2**40, "float32", monoids.plus, True),
    ):
        program: Any = SimpleNamespace(
            fields={"value": message},
            message=message,
            apply_to="received",
            process=lambda message, weight, vertex: message + weight,
            accepts=lambda vertex: True,
            matters=(lambda value, vertex: value < vertex.value) if state else (lambda value, vertex: True),
        )
        rows = DeviceRows(None, np.empty(0, index), None, 1, num_arcs)
        functions = product_functions_of(program, np.dtype(message), monoid)
        files = ["row_pull.cuh", *(["row_push.cuh"] if is_pushable(program, monoid) else [])]
        defines = row_product._macros(functions, rows, program, monoid)
        found += [KernelSource.of(file, defines, functions.operators) for file in files]
    return found


EXCHANGE = [
    KernelSource.of("exchange.cuh", {"id_t": index, "unit_t": unit})
    for index, unit in (("int", "unsigned int"), ("long long", "unsigned long long"), ("int", "unsigned char"))
]
ENGINE_KERNELS = [
    KernelSource.of("bandwidth.cuh"),
    KernelSource.of("pack.cuh", index_defines(np.dtype(np.int32), 0)),
    KernelSource.of("pack.cuh", index_defines(np.dtype(np.int64), 1 << 32)),
    KernelSource.of("firsts.cuh", {**index_defines(np.dtype(np.int32), 0), "PACKED": 1, "ON_HOST": 0}),
    *_spgemm(),
    *_spmspv(),
    *_spmv(),
    *_sweep(),
    *_vectors(),
    *_program(),
    *EXCHANGE,
    *_row_product(),
]
