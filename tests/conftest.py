"""What all tests share."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing about clew.
settings.register_profile("clew", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("clew")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


if os.environ.get("CLEW_TESTS_ON_GPU"):
    from tests import on_gpu

    on_gpu.install()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real graphs with known answers that lies beside the project, where there is one."""
    if not SHARED.is_dir():
        pytest.skip("the folder of real graphs (../shared/data) is not beside this checkout")
    return SHARED


#: Files with tests that take half a minute or more. They begin first, so that no process is left with one at the end.
#: The last one finds what others have compiled for the CPU: under AddressSanitizer, Numba takes a third longer.
LONG = (
    "test_faults",
    "test_newest_python",
    "test_networkx_suite",
    "test_packages",
    "test_shared_cache",
    "test_sanitized_kernels",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests."""
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


def pytest_collection_finish() -> None:
    """What was imported stays: the search for garbage need not go through a million objects again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def small_heap() -> None:
    """Have ``gc.collect()`` look at what the tests of a module make, not at millions of objects from before them.

    For modules that call it often, or what calls it when memory runs out: it takes seconds in a process that has
    compiled much.
    """
    gc.collect()
    gc.freeze()
