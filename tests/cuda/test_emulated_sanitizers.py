"""Kernels under AddressSanitizer and UBSan: what is right passes, what is wrong ends the process with a report.

``CLEW_SANITIZE=1 LD_PRELOAD=$(g++ -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 pytest -n0 tests/cuda`` runs
all tests of kernels so. Some of them are in every run: see ``test_sanitized_kernels``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.engines.cuda.emulation.builder import sanitizer_library
from tests.on_gpu import emulation_only

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    emulation_only,
    pytest.mark.skipif(os.environ.get("CLEW_SANITIZE") == "1", reason="everything is sanitized already"),
]

SCRIPT = '''
import sys
import numpy as np
from clew.engines.cuda.emulation.device import EmulatedDevice
from tests.cuda.emulated import kernel

SOURCE = """
#include "common.cuh"
extern "C" __global__ void beyond(int* out, int n) { if (threadIdx.x == 40) out[n + 15] = 1; }
extern "C" __global__ void before(int* out, int n) { if (threadIdx.x == 40) out[-n] = 1; }
extern "C" __global__ void none(int* out, int n) { out[n] = 1; }
extern "C" __global__ void shared(int* out, int n) {
    __shared__ int values[8];
    int* start = values;
    __syncthreads();
    start[8 + n] = 1;
    *out = start[8 + n];
}
extern "C" __global__ void dynamic(int* out, int n) { *out = dynamic_shared<int>()[n + 16]; }
extern "C" __global__ void declared(int* out, int n) {
    __shared__ int values[8];
    values[threadIdx.x + n] = 1;
    __syncthreads();
    *out = values[0];
}
extern "C" __global__ void overflow(int* out, int n) { *out = 2147483647 + n; }
extern "C" __global__ void shift(int* out, int n) { *out = 1 << (n + 31); }
extern "C" __global__ void misaligned(int* out, int n) { *out = ((int4*)(out + n))->x; }
extern "C" __global__ void fine(int* out, int n) {
    __shared__ int values[64];
    values[threadIdx.x] = n + warp_sum(1);
    __syncthreads();
    out[threadIdx.x % 16] = values[63 - threadIdx.x];
}
"""
device = EmulatedDevice()
name = sys.argv[1]
n = 0 if name in ("none", "dynamic") else 1
size = 0 if name == "none" else 16
out = device.zeros(size, np.int32)
device.launch(kernel(device, SOURCE, name), 3, 64, out, np.int32(n), shared=64)
print("ended", out.tolist())
'''


def run(*command: str, sanitize: bool = True) -> subprocess.CompletedProcess[str]:
    options = "detect_leaks=0:malloc_context_size=1"  # who allocated is Python, and to note how takes long
    extra = {"CLEW_SANITIZE": "1", "LD_PRELOAD": sanitizer_library(), "ASAN_OPTIONS": options}
    environment = {**os.environ, **(extra if sanitize else {})}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("beyond", "heap-buffer-overflow"),
        ("before", "heap-buffer-overflow"),
        ("none", "heap-buffer-overflow"),
        ("shared", "use-after-poison"),
        ("dynamic", "use-after-poison"),
        ("declared", "index 8 out of bounds"),
        ("overflow", "signed integer overflow"),
        ("shift", "shift exponent 32 is too large"),
        ("misaligned", "misaligned address"),
    ],
)
def test_what_is_wrong_is_reported(name, report):
    done = run("-c", SCRIPT, name)
    assert done.returncode != 0
    assert "ended" not in done.stdout
    assert report in done.stderr


def test_what_is_right_is_not():
    done = run("-c", SCRIPT, "fine")
    assert done.stdout == f"ended {[33] * 16}\n", done.stderr


def test_the_emulation_itself_is_clean():
    tests = ("tests/cuda/test_emulation.py", "tests/cuda/test_emulated_failures.py")
    chosen = "parts or block or left or one_by_one or grid_sync or undefined or atomics or truth or reductions"
    done = run("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests, "-k", chosen)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_fibers_of_the_c_library():
    """What CPUs other than x86-64 use."""
    patch = "from clew.engines.cuda.emulation import builder\nbuilder.FLAGS = (*builder.FLAGS, '-DCLEW_UCONTEXT')\n"
    done = run("-c", patch + SCRIPT, "fine", sanitize=False)
    assert done.stdout == f"ended {[33] * 16}\n", done.stderr
