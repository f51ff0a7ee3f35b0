"""What reaches emulated kernels: arguments, Python functions, memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.toolchain.source import C_TYPES, compiled, ctype
from clew.errors import DeviceError, OperatorError, ResourceError
from tests.cuda.emulated import kernel


@pytest.fixture(scope="module")
def device():
    return EmulatedDevice()


ARGUMENTS = """
extern "C" __global__ void store(PARAMETERS) { STORE }
extern "C" __global__ void nothing() {}
extern "C" __global__ void missing(const int* array, int* out) { *out = array == nullptr; }
"""


def test_arguments_of_every_type(device):
    names = list(C_TYPES)
    parameters = ", ".join(f"const {C_TYPES[name]} v{k}, {C_TYPES[name]}* a{k}" for k, name in enumerate(names))
    stores = " ".join(f"*a{k} = v{k};" for k in range(len(names)))
    store = kernel(device, ARGUMENTS, "store", {"PARAMETERS": parameters, "STORE": stores})
    args, arrays = [], []
    for name in names:
        kind = np.dtype(name).kind
        value = {"b": True, "f": -1.25}.get(kind) or (np.iinfo(name).max if kind == "u" else np.iinfo(name).min)
        arrays.append(device.zeros(1, name))
        args += [np.dtype(name).type(value), arrays[-1]]
    device.launch(store, 1, 1, *args)
    assert [array[0] for array in arrays] == args[::2]


def test_arguments_are_checked(device):
    store = kernel(
        device,
        ARGUMENTS,
        "store",
        {"PARAMETERS": "int v, float* a, void* b, long long n", "STORE": "*a = (float)(v + n);"},
    )
    a, b = device.zeros(1, np.float32), device.zeros(1, np.int8)
    device.launch(store, 1, 32, np.int32(3), a, b, np.int64(4))
    assert a[0] == 7
    with pytest.raises(DeviceError, match="takes 4 arguments; 1 were given"):
        device.launch(store, 1, 32, a)
    wrong = [
        ((np.int64(3), a, b, np.int64(4)), "argument 0 .* is int64; the kernel takes int32"),
        ((3, a, b, np.int64(4)), "argument 0 .* is int; the kernel takes int32"),
        ((np.int32(3), b, b, np.int64(4)), "is an array of int8; the kernel takes a pointer to float32"),
        ((a, a, b, np.int64(4)), "is an array of float32; the kernel takes int32"),
        ((np.int32(3), np.float32(1), b, np.int64(4)), "is float32; the kernel takes a pointer to float32"),
        ((np.int32(3), device.zeros(4, np.float32)[::2], b, np.int64(4)), "array with gaps"),
    ]
    for args, message in wrong:
        with pytest.raises(DeviceError, match=message):
            device.launch(store, 1, 32, *args)
    out = device.zeros(1, np.int32)
    plain = {"PARAMETERS": "", "STORE": ""}
    device.launch(kernel(device, ARGUMENTS, "missing", plain), 1, 32, None, out)
    assert out[0] == 1
    device.launch(kernel(device, ARGUMENTS, "nothing", plain), 1, 32)


OPERATORS = """
extern "C" __global__ void apply(const left_t* a, const right_t* b, result_t* out) {
    out[threadIdx.x] = clew_multiply(a[threadIdx.x], b[threadIdx.x]);
}
"""


def apply(device, function, left, right, result):
    macros = {"left_t": ctype(left.dtype), "right_t": ctype(right.dtype), "result_t": ctype(result)}
    operator = compiled(function, (left.dtype, right.dtype), result)
    out = device.zeros(left.size, result)
    chosen = kernel(device, OPERATORS, "apply", macros, {"clew_multiply": operator})
    device.launch(chosen, 1, left.size, device.upload(left), device.upload(right), out)
    return out.tolist()


def helper(a, b):
    return a * 2 + b


def test_operators_are_python_functions(device):
    left, right = np.arange(32, dtype=np.int32), np.arange(32)[::-1] / 4
    assert apply(device, lambda a, b: a * b, left, right, "float64") == (left * right).tolist()
    # Other functions of the same types use the same library, one after the other.
    assert apply(device, lambda a, b: a + helper(a, b), left, right, "float64") == (3 * left + right).tolist()
    assert apply(device, lambda a, b: a * b, left, right, "float64") == (left * right).tolist()
    assert apply(device, lambda a, b: a * b, left, right, "int16") == (left * right).astype(np.int16).tolist()


def test_operators_on_truth_values(device):
    left, right = np.arange(4) % 2 == 0, np.arange(4) < 2
    assert apply(device, lambda a, b: a and b, left, right, "bool") == (left & right).tolist()
    assert apply(device, lambda a, b: a ^ b, left, right, "bool") == (left ^ right).tolist()
    numbers = np.array([256, 0, 1, -1])
    assert apply(device, lambda a, b: a, numbers, right, "bool") == [True, False, True, True]


def test_division_by_zero_is_no_error(device):
    zeros = np.zeros(2)
    assert apply(device, lambda a, b: a / b, np.array([1.0, -1.0]), zeros, "float64") == [np.inf, -np.inf]


def test_operators_that_do_not_compile_are_named(device):
    with pytest.raises(OperatorError, match="cannot be compiled for the emulation"):
        apply(device, lambda a, b: a.no_such_thing, np.arange(4), np.arange(4), "int64")


def test_memory_is_counted_and_fails_where_asked():
    device = EmulatedDevice(capacity=1000)
    first, second = device.empty(10, np.int32), device.full((2, 3), 7, np.float64)
    assert first.tobytes() == b"\xcd" * 40
    assert second.tolist() == [[7.0] * 3] * 2
    assert (device.memory.live_allocations, device.memory.live_bytes) == (2, 88)
    view = second[1:]
    del second
    assert device.memory.live_bytes == 88
    del view
    assert (device.memory.live_allocations, device.memory.live_bytes) == (1, 40)
    with pytest.raises(ResourceError, match="8,000 bytes are needed and 960 bytes are free"):
        device.zeros(1000, np.int64)
    device.memory.fail_at(2)
    kept = [device.zeros(1, np.int8)]
    with pytest.raises(ResourceError, match="1 bytes are needed"):
        device.zeros(1, np.int8)
    kept.append(device.upload(np.arange(3)[::-1]))
    assert device.download(kept[1]).tolist() == [2, 1, 0]
    assert device.memory.live_allocations == 3
    assert device.empty(0, np.int64).shape == (0,)
    assert device.empty((0, 4), np.int8).shape == (0, 4)


FIRST_WITHOUT_PLACE = """
import numpy as np
from clew.engines.cuda.emulation.device import EmulatedDevice
from tests.cuda.emulated import kernel

device = EmulatedDevice()
out = device.zeros(1, np.int32)
device.launch(kernel(device, 'extern "C" __global__ void one(int* out) { *out = 1; }', "one"), 1, 1, out)
device.launch(kernel(device, 'extern "C" __global__ void two(int* out) { *out += 1 + threadIdx.x; }', "two"), 1, 1, out)
print(out.tolist())
"""


def test_a_first_kernel_need_not_ask_for_its_place():
    """A later one that does could not be loaded: its thread's variables were where it does not look for them."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", FIRST_WITHOUT_PLACE], capture_output=True, text=True, check=False, cwd=root
    )
    assert done.stdout == "[2]\n", done.stderr
