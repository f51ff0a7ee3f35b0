"""A folder of compiled code that several processes fill at once.

Numba counts functions in every process and puts the number into the names of what it compiles. Names of two processes
must differ for two variants of one kernel: a third process loads both (numba #10486).
"""

from __future__ import annotations

import ast
import json
import os
import pickle
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import clew
from tests.environment import variants

PROCESSES = 4
ROOT = Path(__file__).resolve().parents[2]


def start(folder, numbers):
    """Another process that computes some of the variants."""
    env = {**os.environ, "CLEW_CACHE_DIR": str(folder), "CLEW_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", "-m", "tests.environment.variants", *map(str, numbers)]
    return subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return json.loads(out)


def makes_cached(function):
    """Whether a function has compiled functions in it that are kept on disk."""
    inner = [node for node in function.body if isinstance(node, ast.FunctionDef)]
    return any("cache=True" in "".join(map(ast.unparse, node.decorator_list)) for node in inner)


def called_by(function):
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {call.id for call in calls if isinstance(call, ast.Name)}


def test_every_factory_has_two_variants():
    """Whoever adds a factory adds it there, too."""
    factories = set()
    for path in Path(clew.__file__).parent.rglob("*.py"):
        functions = [
            node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
        ]
        making = {function.name for function in functions if makes_cached(function)}
        # A private part counts for whoever puts the parts together.
        factories |= {name for name in making if not name.startswith("_")}
        factories |= {function.name for function in functions if making & called_by(function)}
    factories = {name for name in factories if not name.startswith("_")}
    assert set(variants.FIRST) == set(variants.SECOND) == factories


def test_processes_fill_a_folder_at_once_and_another_uses_it(tmp_path):
    """In one test, since compiling takes long. Names are checked, since they collide where answers may not.

    Two processes compile the two variants of the same factories in the same order: so they count alike.
    """
    first = range(len(variants.FIRST))
    shares = [first[k :: PROCESSES // 2] for k in range(PROCESSES // 2)]
    shares += [[number + len(first) for number in share] for share in shares]
    started = [start(tmp_path, share) for share in shares]
    check_names([finished(process) for process in started])
    check_names_on_disk(tmp_path / "compiled")
    used = finished(start(tmp_path, range(len(variants.VARIANTS))))
    assert {factory for factory, *_ in used} == set(variants.FIRST)
    assert [kernel for *kernel, misses, _ in used if misses] == []


def check_names(compiled):
    """The two variants of a factory are compiled in two processes here, and have different names."""
    named = defaultdict(set)
    for process, used in enumerate(compiled):
        for factory, kernel, _, name in used:
            named[name].add((process, factory, kernel))
    assert [(name, users) for name, users in named.items() if len(users) > 1] == []
    assert len(named) == sum(map(len, compiled)) > 2 * len(variants.FIRST)


def check_names_on_disk(folder):
    """No name stands for two functions, nor for two environments of what is linked into them."""
    owners, constants = {}, {}
    for path in folder.glob("*.nbc"):
        key, _, (_, function, *_, environments) = pickle.loads(path.read_bytes())
        for name in (function.env_name, function.mangled_name):
            assert owners.setdefault(name, path) == path, (key, name)
        for environment in environments:
            known = constants.setdefault(environment.env_name, repr(environment.consts))
            assert known == repr(environment.consts), environment.env_name
    assert len(owners) > 2 * len(variants.VARIANTS)
