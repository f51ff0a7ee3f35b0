"""Commands on the machine: ``clew doctor`` (hardware), ``tiers`` (memories) and ``warmup`` (compiled code)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew import cache_folder, generate
from clew.algorithms.registry import ALGORITHMS, Algorithm
from clew.checks import counted
from clew.cli import output
from clew.cli.options import AsJson
from clew.cli.output import Column, numeric
from clew.describe import human_bytes
from clew.errors import GraphError, install_command
from clew.graph import Graph
from clew.progress import showing

if TYPE_CHECKING:
    from clew.tiers import Rates, Tier

LONGEST, STEP = 56, 3  # characters of the longest bar, and per factor of two
MISSING = {"ray": f"not installed; clusters need it: {install_command('clew[cluster]')}"}
SPEEDS = ("read", "write", "random")


def doctor(as_json: AsJson = False) -> None:
    """Show processors, memories, their measured speed, and what is missing.

    Bandwidths are measured. A copy within one memory counts bytes read plus written; one between two, bytes moved.
    """
    from clew.engines import survey

    cache = cache_folder.writable_folder()
    with showing("measuring"):
        cpu, gpu, versions = survey.processor(), survey.graphics(), survey.versions()
    if as_json:
        output.as_json({"cpu": cpu, "gpu": gpu, "versions": versions, "cache": None if cache is None else str(cache)})
        return
    output.heading("CPU")
    cores = f"{cpu['cores']}, clew uses {counted(cpu['threads'], 'thread')}"
    output.facts([("name", cpu["name"]), ("cores", cores), *_speeds(cpu, copy="copy")])
    output.heading("GPU")
    if isinstance(gpu, str):
        output.facts([("none", gpu)])
    else:
        name = f"{gpu['name']}, {gpu['architecture']}, {gpu['processors']} processors"
        driver = f"for CUDA {gpu['driver']}; CUDA {gpu['runtime']} is installed"
        copies = _speeds(gpu, copy="copy", upload="from the host", download="to the host")
        output.facts([("name", name), ("driver", driver), *copies])
    output.heading("Packages")
    output.facts([(name, version or MISSING.get(name, "not installed")) for name, version in versions.items()])
    output.paragraph(_cache(cache))


def _cache(folder: Path | None) -> str:
    if folder is None:
        tried = ", ".join(map(str, cache_folder.folders()))
        return f"No folder for compiled code is writable (tried {tried}). {cache_folder.REMEDY}."
    cached = f"Compiled code is cached in {folder}"
    if cache_folder.is_temporary(folder):
        return f"{cached}, which a restart may delete. {cache_folder.REMEDY} and that lasts."
    return f"{cached}."


def _speeds(device: dict[str, Any], **copies: str) -> list[tuple[str, str]]:
    """The memory of a device and the rates of its copies, as rows of facts."""
    memory = f"{device['memory_bytes'] / 2**30:.1f} GiB, {device['memory_free_bytes'] / 2**30:.1f} GiB free"
    rates = [(label, f"{device[f'{copy}_bytes_per_second'] / 1e9:,.1f} GB/s") for copy, label in copies.items()]
    return [("memory", memory), *rates]


def tiers(
    fast_nodes: Annotated[
        str | None,
        typer.Option(metavar="NODES", help="NUMA nodes to treat as high-bandwidth memory, such as 1 or 0,2-3."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of the file tier; default: the temporary folder.")
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Amount of memory to measure on, such as 256MiB.")
    ] = None,
    measure: Annotated[bool, typer.Option("--measure/--list", help="Measure speeds, or only list the tiers.")] = True,
    as_json: AsJson = False,
) -> None:
    """Show this machine's memories, their size and their speed.

    Reads and writes are sequential, on all threads. Random reads are of 8-byte numbers. Rates are bytes per second of
    elapsed time. Files are measured cold, from disk. Pages of a GPU's managed memory are on the host when the clock
    starts. They move when a kernel touches them, or by prefetching. The variable MEMKIND_HBW_NODES lists high-bandwidth
    nodes, as --fast-nodes does.
    """
    from clew import tiers as memories
    from clew.placement import parse_bytes

    measured_bytes = None if size is None else parse_bytes(size)
    known = memories.tiers(fast_nodes=fast_nodes, folder=folder)
    with showing("measuring"):
        rates = [memories.measure(tier, measured_bytes) for tier in known] if measure else []
    if as_json:
        speeds = [rate.as_dict() for rate in rates] or [{}] * len(known)
        output.as_json([tier.as_dict() | speed for tier, speed in zip(known, speeds, strict=True)])
        return
    columns = [Column("tier", style="bold"), Column("what"), *numeric("capacity", "free")]
    rows = [[one.name, memories.KINDS[one.kind], human_bytes(one.capacity), human_bytes(one.free)] for one in known]
    if not measure:
        output.heading("Memories of this machine")
        output.table(columns, rows)
        return
    output.heading("Memories of this machine", "speeds in GB/s")
    columns += numeric(*SPEEDS)
    cells = ([_gigabytes(getattr(rate, what)) for what in SPEEDS] for rate in rates)
    output.table(columns, [row + speeds for row, speeds in zip(rows, cells, strict=True)])
    output.heading("Speeds", f"{STEP} characters per factor of two")
    output.table([Column("tier", style="bold"), Column(""), Column("")], _bars(known, rates))


def _gigabytes(bytes_per_second: float) -> str:
    gigabytes = bytes_per_second / 1e9
    return f"{gigabytes:,.1f}" if gigabytes >= 10 else f"{gigabytes:.2g}"


def _bars(known: Sequence[Tier], rates: Sequence[Rates]) -> Iterator[tuple[str, str, str]]:
    """A bar for every speed on a logarithmic scale: memories differ by orders of magnitude."""
    fastest = max(getattr(rate, what) for rate in rates for what in SPEEDS)
    for tier, rate in zip(known, rates, strict=True):
        for what in SPEEDS:
            length = round(LONGEST + STEP * log2(getattr(rate, what) / fastest))
            yield tier.name if what == "read" else "", what, "█" * max(1, length)


def warmup(as_json: AsJson = False) -> None:
    """Compile every algorithm before its first use.

    Compiled code is cached on disk (`clew doctor` shows where). Running this is optional. It helps after an
    installation or an update, for instance in a container image, so that all users share the code.
    """
    seconds = {}
    with showing("warming up") as progress:
        for done, (name, algorithm) in enumerate(sorted(ALGORITHMS.items())):
            if progress is not None:
                progress(done, len(ALGORITHMS))
            seconds[name] = compiled(algorithm)
    if as_json:
        output.as_json({name: round(time, 3) for name, time in seconds.items()})
        return
    output.heading("Compiled and cached on disk")
    rows = [(name, output.duration(time)) for name, time in seconds.items()]
    output.table([Column("algorithm", style="bold"), *numeric("time")], rows)


def compiled(algorithm: Algorithm) -> float:
    """The seconds to run an algorithm on typical graphs."""
    started = perf_counter()
    for graph in samples():
        try:
            ends: dict[str, Any] = {"source": 0} if algorithm.needs_source else {}
            ends |= {"sources": [0]} if algorithm.needs_sources else {}
            algorithm.function(graph, **ends | ({"sink": 1} if algorithm.needs_sink else {}))
        except GraphError:
            continue  # this algorithm does not support such graphs
    return perf_counter() - started


def samples() -> list[Graph]:
    """Small graphs of the usual types: unweighted, with integers, with floats; directed and undirected."""
    plain = [generate.grid(3, 4), generate.rmat(4, 2, duplicates="drop", loops="drop")]
    dtypes = ("int32", "int64", "float64")
    return plain + [generate.random_weights(graph, 1, 255, dtype=dtype) for graph in plain for dtype in dtypes]
