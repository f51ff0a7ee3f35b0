"""The compiled-code cache notices by itself that a kernel was edited, whichever file it stands in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import clew

#: ``float_weights`` calls ``unit`` of another file; ``sources`` calls neither.
SCRIPT = """
import json
import numpy as np
from clew.build.kernels import sources
from clew.generate.kernels import float_weights

rows = (np.array([0, 1]), np.array([0, 1]), np.array([0], np.int32))
weights, ends = np.zeros(1), np.zeros(1, np.int32)
float_weights(0, *rows, np.uint64(7), 0.0, 1.0, 100.0, weights)
sources(0, *rows[:2], ends)
print(json.dumps([weights[0], float_weights.stats.cache_misses.total(), sources.stats.cache_misses.total()]))
"""


def run(package):
    env = {name: value for name, value in os.environ.items() if not name.endswith("CACHE_DIR")}
    env |= {"PYTHONPATH": str(package.parent)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_edit_of_what_a_kernel_calls_is_noticed(tmp_path):
    package = tmp_path / "clew"
    shutil.copytree(Path(clew.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "*.parquet"))
    first, compiled, others = run(package)
    assert 0 < first < 1
    assert (compiled, others) == (1, 1)
    assert run(package) == [first, 0, 0]
    edited = package / "generate" / "kernels_random.py"
    edited.write_text(edited.read_text().replace("(x >> U11) * TO_UNIT", "(x >> U11) * TO_UNIT + 2"))
    assert run(package) == [first + 2, 1, 0]
    assert run(package) == [first + 2, 0, 0]
