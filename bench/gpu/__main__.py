"""``python -m bench.gpu [TOPIC…] --data FOLDER``: clew's kernels on a GPU, checked, next to the best peers' times.

A topic is a module of this folder with ``cases(device, case)``, which yields ``Work`` for a graph: the run, timed by
CUDA events with the graph in GPU memory, and a check of its answer.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from bench.gpu.graphs import make
from bench.gpu.peers import BEST, GRAPHS
from bench.gpu.timing import Timed, table, timed

TOPICS = ("searches", "traversal", "fixpoints", "counting", "products", "programs")  # others by name alone


def main() -> None:
    """Run, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topics", nargs="*", default=[])
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--only", default="", help="run only variants whose work or variant contains this")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--kept", type=Path, default=Path("bench/out/graphs"))
    parser.add_argument("--json", type=Path, default=Path("bench/out/gpu.json"))
    parser.add_argument("--budget", type=float, default=0.4, help="seconds of repeated runs per row")
    options = parser.parse_args()
    from clew.engines.cuda.memory.ledger import forget_all
    from clew.engines.cuda.toolchain.cuda_device import the_device

    device = the_device()
    rows: list[Timed] = []
    for name in options.graphs.split(","):
        started = time.perf_counter()
        case = make(name, options.data, options.kept)
        print(
            f"# {name}: {case.graph.num_vertices:,} vertices, {case.graph.num_arcs:,} arcs, "
            f"made in {time.perf_counter() - started:.1f} s",
            flush=True,
        )
        for topic in options.topics or TOPICS:
            for work in import_module(f"bench.gpu.{topic}").cases(device, case):
                if options.only and options.only not in f"{work.work} {work.variant}":
                    continue
                try:
                    note = work.check(work.run()) if work.check else ""
                    row = timed(
                        work.work,
                        name,
                        work.variant,
                        work.run,
                        device,
                        note=note or "",
                        budget=options.budget,
                        held=work.held,
                    )
                    rows.append(row)
                    print(table([row], BEST), flush=True)
                except Exception as error:  # one failure must not cost the other figures
                    print(f"{work.work} {name} {work.variant} FAILED: {type(error).__name__}: {error}", flush=True)
                    traceback.print_exc(limit=-2)
        forget_all()
        device.xp.get_default_memory_pool().free_all_blocks()
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
