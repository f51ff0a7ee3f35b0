"""``clew tiers``: the memories of this machine, and their speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli import output
from clew.cli.output import Column
from clew.describe import human_bytes
from clew.progress import showing

if TYPE_CHECKING:
    from clew.tiers import Rates, Tier

LONGEST, STEP = 56, 3  # characters of the longest bar, and by how many one is shorter that is half as fast


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show this machine's memories, their size and their speed.

    Reads and writes are sequential, on all threads. Random reads are of 8-byte numbers. Rates are bytes per second of
    elapsed time. Files are measured cold, from disk. Pages of a GPU's managed memory are on the host when the clock
    starts. They move when a kernel touches them, or by prefetching. The variable MEMKIND_HBW_NODES lists high-bandwidth
    nodes, as --fast-nodes does.
    """
    from clew import tiers as memories
    from clew.placement import parse_bytes

    wanted = None if size is None else parse_bytes(size)
    found = memories.tiers(fast_nodes=fast_nodes, folder=folder)
    with showing("measuring"):
        rates = [memories.measure(tier, wanted) if measure else None for tier in found]
    if as_json:
        pairs = zip(found, rates, strict=True)
        output.as_json([tier.as_dict() | ({} if rate is None else rate.as_dict()) for tier, rate in pairs])
        return
    columns = [Column("tier", style="bold"), Column("what"), Column("capacity", "right"), Column("free", "right")]
    rows = [
        [tier.name, memories.KINDS[tier.kind], human_bytes(tier.capacity), human_bytes(tier.free)] for tier in found
    ]
    if measure:
        columns += [Column("read", "right"), Column("write", "right"), Column("random", "right")]
        for row, rate in zip(rows, rates, strict=True):
            if rate is not None:
                row += [_rate(rate.read), _rate(rate.write), _rate(rate.random)]
    output.heading("Memories of this machine", "speeds in GB/s" if measure else "")
    output.table(columns, rows)
    if measure:
        output.heading("Speeds", f"{STEP} characters per factor of two")
        output.table([Column("tier", style="bold"), Column(""), Column("")], _bars(found, rates))


def _rate(bytes_per_second: float) -> str:
    gigabytes = bytes_per_second / 1e9
    return f"{gigabytes:,.1f}" if gigabytes >= 10 else f"{gigabytes:.2g}"


def _bars(found: Sequence[Tier], rates: Sequence[Rates | None]) -> Iterator[tuple[str, str, str]]:
    """A bar for every speed on a logarithmic scale: memories differ by orders of magnitude."""
    measured = [(tier, rate) for tier, rate in zip(found, rates, strict=True) if rate is not None]
    fastest = max(max(rate.read, rate.write, rate.random) for _, rate in measured)
    for tier, rate in measured:
        for what in ("read", "write", "random"):
            length = round(LONGEST + STEP * log2(getattr(rate, what) / fastest))
            yield tier.name if what == "read" else "", what, "█" * max(1, length)
