"""Who takes part: each module here offers algorithms by name, and is imported only where its library is there."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from clew.bench.task import Maker

#: By name, the module that must be importable; programs are looked for on the PATH instead.
LIBRARIES = {"scipy": "scipy", "igraph": "igraph", "networkit": "networkit", "graphblas": "graphblas"}
PROGRAMS = ("gap", "ligra", "lagraph")
NAMES = (*LIBRARIES, *PROGRAMS)


def available(name: str) -> bool:
    """Whether a peer is there."""
    if name in LIBRARIES:
        return find_spec(LIBRARIES[name]) is not None
    return bool(offers(name))


def package(name: str) -> str:
    """What to install for a library."""
    return {"graphblas": "python-graphblas"}.get(name, name)


def offers(name: str) -> dict[str, Maker]:
    """What a contender can do: algorithm to the function that makes everything ready."""
    module = import_module(f"clew.bench.peers.with_{name}")
    found: dict[str, Maker] = module.offers()
    return found
