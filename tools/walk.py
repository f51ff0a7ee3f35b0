"""Which files of clew a call runs through: what a newcomer has to open to follow it.

Counted are the files whose Python functions are entered by a second call, when nothing is loaded or compiled any more;
compiled kernels count by the file of the kernel that Python calls.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import clew

SOURCE = Path(clew.__file__).parent


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
    """Print every walk."""
    for name, files in walks().items():
        print(f"{name}: {len(files)} files")
        for file in sorted(files):
            print(f"    {file}: {', '.join(sorted(files[file]))}")


if __name__ == "__main__":
    main()
