"""``clew relabel``: renumber vertices into a slow and a fast group."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from clew.checks import counted
from clew.cli import output
from clew.cli.files import format_to_write, load, save, tell
from clew.cli.reading import Reading, reads_graph
from clew.describe import human_bytes
from clew.placement import parse_bytes, parse_strategy
from clew.placement.strategies import STRATEGIES
from clew.progress import showing

STRATEGY_HELP = f"A strategy and its options, such as degree:out_degree=2,cutoff=80. One of {', '.join(STRATEGIES)}."


@reads_graph
def relabel(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A graph in any format; - for stdin.")],
    strategy: Annotated[str, typer.Option("--strategy", "-s", metavar="STRATEGY", help=STRATEGY_HELP)],
    destination: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The file to write; the suffix sets the format. - for stdout."
        ),
    ],
    fast_memory: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Limit on fast memory, such as 8GiB.")
    ] = None,
    *,
    reading: Reading,
    to_format: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format of OUT.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Renumber vertices for slow and fast memory.

    In the output, vertices 0 to D-1 belong in slow memory and the others in fast memory. A .clew file stores D and the
    old ids, so results use the old ids. Ligra's format (.adj) stores D above the numbers of vertices and edges, but no
    old ids. Other formats store only the order.
    """
    budget = None if fast_memory is None else parse_bytes(fast_memory)
    chosen = parse_strategy(strategy, **({} if budget is None else {"fast_memory": budget}))
    wanted_format = format_to_write(destination, to_format, as_json=as_json)
    graph, was_read = load(file, reading)
    graph = reading.weighted(graph)
    started = perf_counter()
    with showing("placing vertices"):
        placement = chosen.place(graph, budget)
        placed = placement.apply(graph)
    seconds = perf_counter() - started
    written = save(placed, destination, wanted_format)
    if as_json:
        output.as_json(
            {
                "read": was_read.as_dict(),
                "strategy": placement.strategy,
                "boundary": placement.boundary,
                "slow": {"vertices": placement.boundary, "bytes": placement.slow_bytes},
                "fast": {"vertices": placement.num_fast, "bytes": placement.fast_bytes},
                "seconds": round(seconds, 6),
                "written": written.as_dict(),
            }
        )
        return
    tell(
        [
            ("read", str(was_read)),
            *was_read.decisions(),
            ("graph", output.size(graph)),
            ("strategy", f"{placement.strategy}  ({output.duration(seconds)})"),
            ("slow memory", f"{counted(placement.boundary, 'vertex')}, {human_bytes(placement.slow_bytes)}"),
            ("fast memory", f"{counted(placement.num_fast, 'vertex')}, {human_bytes(placement.fast_bytes)}"),
            ("written", str(written)),
        ],
        destination,
    )
