"""Commands on graph files: ``clew info``, ``convert``, ``relabel``, ``generate`` and ``formats``.

``generate`` has one subcommand for each generator, derived from the function itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from clew import describe
from clew import generate as generators
from clew.checks import counted
from clew.cli import options, output
from clew.cli.files import format_to_write, load, refuse_own_input, report_files, save
from clew.cli.output import Column
from clew.cli.run import source_of
from clew.describe import human_bytes
from clew.errors import GraphError
from clew.graph import Duplicates, Graph
from clew.io import lost, registry
from clew.io.source import COMPRESSION_SUFFIXES, plain_suffix
from clew.placement import parse_bytes, parse_strategy
from clew.placement.strategies import STRATEGIES
from clew.progress import showing

OUTPUT_HELP = "The file to write; the suffix sets the format. - for stdout."
OutputFile = Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help=OUTPUT_HELP)]
FormatOfOutput = Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format of OUT.")]
STRATEGY_HELP = f"A strategy and its options, such as degree:out_degree=2,cutoff=80. One of {', '.join(STRATEGIES)}."


@options.reads_graph
def info(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A graph in any format, compressed or not; - for stdin.")
    ],
    reading: options.Reading,
    check: Annotated[bool, typer.Option("--check", help="Verify every checksum of a .clew file.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Describe the graph in a file.

    Shows the number and type of vertices and edges, the degrees, the size in memory and on disk, and the reading time.
    """
    graph, was_read = load(file, reading, check=True if check else None)
    description = reading.weighted(graph).describe()
    if as_json:
        output.as_json({**was_read.as_dict(), **description.as_dict()})
        return
    output.heading(was_read.name)
    rows = [*describe.facts(description), ("format", was_read.title), ("on disk", human_bytes(was_read.bytes))]
    output.facts([*rows, ("time to read", output.duration(was_read.seconds)), *was_read.decisions()])


@options.reads_graph
def convert(
    origin: Annotated[Path, typer.Argument(metavar="IN", help="The file to read, in any format; - for stdin.")],
    destination: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The file to write; the suffix sets the format. - for stdout, with --to."),
    ],
    symmetrize: Annotated[
        bool, typer.Option("--symmetrize", help="Make the graph undirected: add the reverse of every edge.")
    ] = False,
    drop_loops: Annotated[bool, typer.Option("--drop-loops", help="Drop edges from a vertex to itself.")] = False,
    duplicates: Annotated[
        Duplicates | None, typer.Option(help="Parallel edges: keep all, drop all but one, or combine their weights.")
    ] = None,
    largest_component: Annotated[
        bool, typer.Option("--largest-component", help="Keep the largest connected component only.")
    ] = False,
    ego: Annotated[
        str | None, typer.Option(metavar="NAME", help="Keep this vertex and its neighbourhood only.")
    ] = None,
    hops: Annotated[int, typer.Option(min=0, help="The size of the neighbourhood of --ego, in edges.")] = 1,
    packed: Annotated[
        bool | None,
        typer.Option("--packed/--unpacked", help="Pack the edges of a .clew file, or unpack them.", show_default=False),
    ] = None,
    *,
    reading: options.Reading,
    to_format: FormatOfOutput = None,
    as_json: options.AsJson = False,
) -> None:
    """Convert a graph to another format.

    Edges can be cleaned at the same time, and a piece of the graph can be cut out. The output lists what was read,
    dropped and written.
    """
    refuse_own_input(origin, destination)
    format_ = format_to_write(destination, to_format, as_json=as_json)
    if packed is not None and format_.name != "clew":
        raise GraphError(
            f"--{'packed' if packed else 'unpacked'} is for .clew files, and OUT is {format_.title}; leave it out, or "
            "write a .clew file."
        )
    loops = "drop" if drop_loops else "keep"
    only_packed = bool(packed) and not (symmetrize or ego is not None or largest_component)
    graph, was_read = load(origin, reading, duplicates=duplicates or "keep", loops=loops, packed=only_packed)
    with showing("changing edges"):
        result = graph.symmetrized(duplicates or "first") if symmetrize else graph
        result = reading.weighted(result)
        result = result if ego is None else result.ego(source_of(result, ego), hops)
        result = result.largest_component() if largest_component else result
        if packed is not None:  # nothing else uses the arrays of a graph that was only read
            result = result.packed(consume=result is graph) if packed else result.unpacked()
    written = save(result, destination, format_)
    not_kept = lost(result, format_, plain_suffix(destination), "--undirected")
    if as_json:
        before = {**was_read.as_dict(), **graph.describe().as_dict()}
        after = {**written.as_dict(), **result.describe().as_dict()}
        output.as_json({"read": before, "written": after, "lost": not_kept})
        return
    rows = [("read", str(was_read)), ("", graph.report.counts), *was_read.decisions(), ("graph", output.size(graph))]
    if result is not graph:
        rows.append(("changed to", output.size(result)))
    rows.append(("written", str(written)))
    report_files([*rows, *(("not kept", what) for what in not_kept)], destination)


@options.reads_graph
def relabel(
    file: options.GraphFile,
    strategy: Annotated[str, typer.Option("--strategy", "-s", metavar="STRATEGY", help=STRATEGY_HELP)],
    destination: OutputFile,
    fast_memory: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Limit on fast memory, such as 8GiB.")
    ] = None,
    *,
    reading: options.Reading,
    to_format: FormatOfOutput = None,
    as_json: options.AsJson = False,
) -> None:
    """Renumber vertices for slow and fast memory.

    In the output, vertices 0 to D-1 belong in slow memory and the others in fast memory. A .clew file stores D and the
    old ids, so results use the old ids. Ligra's format (.adj) stores D above the numbers of vertices and edges, but no
    old ids. Other formats store only the order.
    """
    budget = None if fast_memory is None else parse_bytes(fast_memory)
    chosen = parse_strategy(strategy, **({} if budget is None else {"fast_memory": budget}))
    refuse_own_input(file, destination)
    format_ = format_to_write(destination, to_format, as_json=as_json)
    graph, was_read = load(file, reading)
    graph = reading.weighted(graph)
    started = perf_counter()
    with showing("placing vertices"):
        placement = chosen.place(graph, budget)
        placed = placement.apply(graph)
    seconds = perf_counter() - started
    written = save(placed, destination, format_)
    if as_json:
        facts = {"read": was_read.as_dict(), "strategy": placement.strategy, "boundary": placement.boundary}
        facts["slow"] = {"vertices": placement.boundary, "bytes": placement.slow_bytes}
        facts["fast"] = {"vertices": placement.num_fast, "bytes": placement.fast_bytes}
        output.as_json(facts | {"seconds": round(seconds, 6), "written": written.as_dict()})
        return
    rows = [
        ("read", str(was_read)),
        *was_read.decisions(),
        ("graph", output.size(graph)),
        ("strategy", f"{placement.strategy}  ({output.duration(seconds)})"),
        ("slow memory", f"{counted(placement.boundary, 'vertex')}, {human_bytes(placement.slow_bytes)}"),
        ("fast memory", f"{counted(placement.num_fast, 'vertex')}, {human_bytes(placement.fast_bytes)}"),
        ("written", str(written)),
    ]
    report_files(rows, destination)


def generating() -> typer.Typer:
    """The ``generate`` command with all its subcommands."""
    group = typer.Typer(no_args_is_help=True, help="Generate a graph and write it to a file.")
    for name in generators.__all__:
        make = getattr(generators, name)
        if "graph" not in inspect.signature(make).parameters:  # the others change a graph
            text = options.help_of(make)
            group.command(name.replace("_", "-"), help=text, short_help=text)(_generate_command(make))
    return group


def _generate_command(make: Callable[..., Graph]) -> Callable[..., None]:
    """A Typer command that calls ``make`` and writes the graph."""
    own, common = options.options_of(make), options.keywords_of(_generate)

    def run(**given: Any) -> None:
        arguments = {one.name: given.pop(one.name) for one in own}
        _generate(make, arguments, **given)

    return options.declared(run, [*own, *common])


def _generate(
    make: Callable[..., Graph],
    arguments: dict[str, Any],
    *,
    destination: OutputFile,
    to_format: FormatOfOutput = None,
    weights_from: options.WeightsFrom = None,
    as_json: options.AsJson = False,
) -> None:
    change_weights = options.parse_weights(weights_from)
    format_ = format_to_write(destination, to_format, as_json=as_json)
    started = perf_counter()
    with showing("generating"):
        graph = make(**arguments)
        if change_weights is not None:
            graph = change_weights(graph)
    seconds = perf_counter() - started
    written = save(graph, destination, format_)
    if as_json:
        generated = {"seconds": round(seconds, 6), **graph.describe().as_dict()}
        output.as_json({"generated": generated, "written": written.as_dict()})
        return
    generated_in = f"{output.size(graph)}  ({output.duration(seconds)})"
    report_files([("generated", generated_in), ("written", str(written))], destination)


def formats(as_json: options.AsJson = False) -> None:
    """List the file formats.

    --format, --from and --to take the names in the first column.
    """
    known = list(registry.formats())
    if as_json:
        kinds = ("name", "title", "suffixes", "reads", "writes")
        rows = ((one.name, one.title, list(one.suffixes), True, not one.read_only) for one in known)
        output.as_json([dict(zip(kinds, row, strict=True)) for row in rows])
        return
    output.heading("File formats")
    wide = [Column("format", wrap=True), Column("suffixes", wrap=True)]
    output.table(
        [Column("name", style="bold"), *wide, Column("reads"), Column("writes")],
        ((one.name, one.title, " ".join(one.suffixes), "yes", "no" if one.read_only else "yes") for one in known),
    )
    output.paragraph(f"All of them can be compressed: add {', '.join(COMPRESSION_SUFFIXES)} to the suffix.")
