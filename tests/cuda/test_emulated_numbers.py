"""CUDA's functions of single values, in the emulation, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clew.engines.cuda.emulation.device import EmulatedDevice
from tests.cuda.emulated import kernel

SOURCE = """
extern "C" __global__ void compute(const in_t* left, const in_t* right, long long n, out_t* out) {
    for (long long k = threadIdx.x; k < n; k += blockDim.x) {
        const in_t a = left[k], b = right[k];
        EXPRESSIONS
    }
}
"""
WORDS = [0, 1, 2, 3, 0x80000000, 0xFFFFFFFF, 0x12345678, 0x00FF00FF, 31, 32, 33, 0xDEADBEEF]
LONGS = [0, 1, 2, 3, 1 << 63, 2**64 - 1, 0x123456789ABCDEF0, 1 << 32, (1 << 32) - 1, 63]
REALS = [0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 1e6, 3.14159, -0.001]


@pytest.fixture(scope="module")
def device():
    return EmulatedDevice()


def compute(device, definitions, values, c_type, dtype):
    """All expressions of all pairs of values, one kernel for all; and the pairs."""
    pairs = [(a, b) for a in values for b in values]
    left, right = np.array(pairs, dtype).T
    result = device.empty((len(definitions), left.size), dtype)
    lines = " ".join(f"{{ out_t* o = out + {row} * n + k; *o = {text}; }}" for row, text in enumerate(definitions))
    chosen = kernel(device, SOURCE, "compute", {"in_t": c_type, "out_t": c_type, "EXPRESSIONS": lines})
    device.launch(chosen, 1, 32, device.upload(left), device.upload(right), np.int64(left.size), result)
    return dict(zip(definitions, result.tolist(), strict=True)), list(zip(left.tolist(), right.tolist(), strict=True))


def leading(x, width):
    return width - x.bit_length()


def first(x):
    return (x & -x).bit_length()


def turned(x, width):
    return int(f"{x:0{width}b}"[::-1], 2)


def signed(x, width):
    x %= 1 << width
    return x - (1 << width) if x >> (width - 1) else x


def permuted(a, b, selector):
    return sum(((b << 32 | a) >> 8 * (selector >> 4 * k & 7) & 0xFF) << 8 * k for k in range(4))


OF_32_BITS = {
    "__popc(a)": lambda a, b: a.bit_count(),
    "__ffs((int)a)": lambda a, b: first(a),
    "__clz((int)a)": lambda a, b: leading(a, 32),
    "__brev(a)": lambda a, b: turned(a, 32),
    "__byte_perm(a, b, 0x5173)": lambda a, b: permuted(a, b, 0x5173),
    "__funnelshift_l(a, b, 5)": lambda a, b: ((b << 32 | a) << 5) >> 32 & 0xFFFFFFFF,
    "__funnelshift_r(a, b, 37)": lambda a, b: (b << 32 | a) >> 5 & 0xFFFFFFFF,
    "__umulhi(a, b)": lambda a, b: a * b >> 32,
    "(unsigned)__mulhi((int)a, (int)b)": lambda a, b: (signed(a, 32) * signed(b, 32) >> 32) % 2**32,
    "min(a, b)": min,
    "max(a, b)": max,
    "(unsigned)min((int)a, (int)b)": lambda a, b: min(signed(a, 32), signed(b, 32)) % 2**32,
    "(unsigned)max((int)a, (int)b)": lambda a, b: max(signed(a, 32), signed(b, 32)) % 2**32,
    "max((int)a, b)": max,
    "__float_as_uint(__uint_as_float(a & 0x7f7fffffu))": lambda a, b: a & 0x7F7FFFFF,
    "(unsigned)__float_as_int(__int_as_float((int)a & 0x7f7fffff))": lambda a, b: a & 0x7F7FFFFF,
    "__ldg(&left[k]) + 0 * b": lambda a, b: a,
    "__ldcg(&left[k]) ^ __ldcs(&left[k]) ^ __ldca(&left[k])": lambda a, b: a,
    "__ldlu(&left[k]) ^ __ldcv(&left[k])": lambda a, b: 0,
    "(__stcg(o, a), __stcs(o, *o + 1), __stwb(o, *o), __stwt(o, *o), *o)": lambda a, b: (a + 1) % 2**32,
    "make_uint4(a, b, 3, 4).w + make_uint2(a, b).y": lambda a, b: (b + 4) % 2**32,
    "sizeof(int2) + 100 * alignof(int2) + 10000 * alignof(int4)": lambda a, b: 160808,
    "alignof(longlong2) + 100 * sizeof(float4) + 10000 * sizeof(int3)": lambda a, b: 121616,
    "(unsigned)warpSize": lambda a, b: 32,
}


def test_32_bits(device):
    results, pairs = compute(device, OF_32_BITS, WORDS, "unsigned", np.uint32)
    for expression, definition in OF_32_BITS.items():
        assert results[expression] == [definition(a, b) for a, b in pairs], expression


OF_64_BITS = {
    "__popcll(a)": lambda a, b: a.bit_count(),
    "__ffsll((long long)a)": lambda a, b: first(a),
    "__clzll((long long)a)": lambda a, b: leading(a, 64),
    "__brevll(a)": lambda a, b: turned(a, 64),
    "__umul64hi(a, b)": lambda a, b: a * b >> 64,
    "(unsigned long long)__mul64hi((long long)a, (long long)b)": lambda a, b: (
        (signed(a, 64) * signed(b, 64) >> 64) % 2**64
    ),
    "min(a, b)": min,
    "(unsigned long long)max((long long)a, (long long)b)": lambda a, b: max(signed(a, 64), signed(b, 64)) % 2**64,
    "(unsigned long long)min((long long)a, (long long)b)": lambda a, b: min(signed(a, 64), signed(b, 64)) % 2**64,
    "(unsigned long long)__double_as_longlong(__longlong_as_double((long long)(a >> 2)))": lambda a, b: a >> 2,
    "(unsigned long long)(unsigned)__double2loint(__hiloint2double((int)(a >> 34), (int)b))": lambda a, b: b % 2**32,
    "(unsigned long long)(unsigned)__double2hiint(__hiloint2double((int)(a >> 34), (int)b))": lambda a, b: a >> 34,
    "make_ulonglong2(a, b).y": lambda a, b: b,
}


def test_64_bits(device):
    results, pairs = compute(device, OF_64_BITS, LONGS, "unsigned long long", np.uint64)
    for expression, definition in OF_64_BITS.items():
        assert results[expression] == [definition(a, b) for a, b in pairs], expression


OF_FLOATS = {
    "__fdividef(a, b + 3)": lambda a, b: a / (b + 3),
    "__fadd_rn(a, b)": lambda a, b: a + b,
    "__fsub_rn(a, b)": lambda a, b: a - b,
    "__fmul_rn(a, b)": lambda a, b: a * b,
    "__fmaf_rn(a, b, 1)": lambda a, b: a * b + 1,
    "__frcp_rn(a + 3)": lambda a, b: 1 / (a + 3),
    "__fsqrt_rn(fabsf(a))": lambda a, b: math.sqrt(abs(a)),
    "rsqrtf(fabsf(a) + 1)": lambda a, b: 1 / math.sqrt(abs(a) + 1),
    "__saturatef(a)": lambda a, b: min(max(a, 0), 1),
    "__expf(min(a, 2.0f))": lambda a, b: math.exp(min(a, 2)),
    "__logf(fabsf(a) + 1)": lambda a, b: math.log(abs(a) + 1),
    "__log2f(fabsf(a) + 1)": lambda a, b: math.log2(abs(a) + 1),
    "__powf(fabsf(a) + 1, 1.5f)": lambda a, b: (abs(a) + 1) ** 1.5,
    "min(a, b)": min,
    "max(a, __int_as_float(0x7fc00000))": lambda a, b: a,
    "max(a, (double)b)": max,
    "(float)__float2int_rn(a)": lambda a, b: round(a),
    "(float)__float2int_rz(a)": lambda a, b: math.trunc(a),
    "(float)__float2int_rd(a)": lambda a, b: math.floor(a),
    "(float)__float2int_ru(a)": lambda a, b: math.ceil(a),
    "(float)__double2ll_rn(a) + (float)__double2ll_rz(b)": lambda a, b: round(a) + math.trunc(b),
    "(float)__double2ll_rd(a) + (float)__double2ll_ru(b)": lambda a, b: math.floor(a) + math.ceil(b),
    "__int2float_rn(3) + (float)__ll2double_rn(4ll)": lambda a, b: 7,
    "(float)__dadd_rn(a, __dmul_rn(b, __ddiv_rn(__dsub_rn(a, b), 2)))": lambda a, b: a + b * (a - b) / 2,
    "(float)(__fma_rn(a, b, 1) + __dsqrt_rn(4) + rsqrt(0.25))": lambda a, b: a * b + 1 + 4,
    "isnan(a) || isinf(b) ? 1.0f : INFINITY": lambda a, b: math.inf,
    "make_float4(a, b, 3, 4).y": lambda a, b: b,
}


def test_floats(device):
    results, pairs = compute(device, OF_FLOATS, REALS, "float", np.float32)
    for expression, definition in OF_FLOATS.items():
        expected = [float(np.float32(definition(a, b))) for a, b in pairs]
        np.testing.assert_allclose(results[expression], expected, rtol=1e-5, atol=1e-6, err_msg=expression)
