"""``clew doctor``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from clew.engines.cuda.toolchain import failures
from tests.cli import running
from tests.cli.running import OK


def test_a_person_sees_the_machine():
    code, out, err = running.clew("doctor")
    assert (code, err) == (OK, "")
    for word in ("CPU", "GPU", "Packages", "GB/s", "GiB", np.__version__):
        assert word in out


def test_a_program_gets_numbers():
    code, out, _ = running.clew("doctor", "--json")
    told = json.loads(out)
    assert code == OK
    assert told["cpu"]["copy_bytes_per_second"] > 1e8
    assert 0 < told["cpu"]["memory_free_bytes"] <= told["cpu"]["memory_bytes"]
    assert told["versions"]["numpy"] == np.__version__
    if isinstance(told["gpu"], str):
        assert told["gpu"] == failures.reason_unavailable()


@pytest.mark.parametrize(
    ("missing", "said"),
    [(["cupy"], "needs cupy, which is not installed"), (["cuda-core", "numba-cuda"], "which are not installed")],
)
def test_what_is_missing_is_named(monkeypatch, missing, said):
    monkeypatch.setattr(failures, "missing_packages", lambda: missing)
    assert said in str(failures.reason_unavailable())


def test_ray_is_shown_with_the_command_that_installs_it(monkeypatch):
    from clew.engines import survey

    monkeypatch.setattr(survey, "versions", lambda: {"ray": None})
    assert "pip install 'clew[cluster]'" in " ".join(running.clew("doctor")[1].split())
