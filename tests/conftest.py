"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
