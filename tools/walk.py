"""Which files of clew a call runs through; exit 1 where there are more than budget.toml allows.

A newcomer opens these files to follow the call. The second call is traced, after everything is loaded and compiled. A
file counts if one of its Python functions is called. A kernel counts if Python calls it.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import clew

SOURCE = Path(clew.__file__).parent
BUDGET = Path(__file__).resolve().parents[1] / "budget.toml"


def walk(call: Callable[[], Any]) -> dict[str, set[str]]:
    """The functions that a warm call enters, by file."""
    call()
    seen: dict[str, set[str]] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            seen.setdefault(str(path.relative_to(SOURCE)), set()).add(frame.f_code.co_name)

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return seen


def walks() -> dict[str, dict[str, set[str]]]:
    """The calls that budget.toml limits."""
    graph = clew.generate.path(50)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.txt"
        path.write_text("0 1\n1 2\n")
        return {
            "bfs_cpu": walk(lambda: clew.bfs(graph, 0, device="cpu")),
            "bfs_cuda": walk(lambda: clew.bfs(graph, 0, device="emulated")),
            "read_edge_list": walk(lambda: clew.read(path)),
        }


def main() -> None:
    """Print every walk and its limit."""
    limits = tomllib.loads(BUDGET.read_text())["walks"]
    over = 0
    for name, files in walks().items():
        over += len(files) > limits[name]
        print(f"{name}: {len(files)} of {limits[name]} files")
        for file in sorted(files):
            print(f"    {file}: {', '.join(sorted(files[file]))}")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
