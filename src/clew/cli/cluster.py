"""``clew cluster status``, and what ``clew run --cluster`` does otherwise than ``clew run`` on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from clew.checks import counted
from clew.cli import output
from clew.cli.files import File
from clew.cli.options import AsJson, Reading
from clew.cli.output import Column, numeric
from clew.describe import human_bytes
from clew.errors import ClusterError, GraphError
from clew.io.options import ReadOptions
from clew.progress import showing

LOCAL = "local"
PARQUET = ".parquet"
CLUSTER_HELP = "Run on a cluster: local starts one here, auto joins the one of this machine, or a Ray address."
Where = Annotated[str | None, typer.Option("--cluster", metavar="WHERE", help=CLUSTER_HELP)]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Workers of the cluster; default: one per node.")]
Address = Annotated[str, typer.Option(metavar="ADDRESS", help="auto, or the address of a Ray cluster.")]


def group() -> typer.Typer:
    """The ``cluster`` command with its subcommands."""
    commands = typer.Typer(no_args_is_help=True, help="Show the Ray cluster that clew would join.")
    commands.callback()(lambda: None)  # or Typer would take the only subcommand for the command itself
    commands.command()(status)
    return commands


def status(address: Address = "auto", as_json: AsJson = False) -> None:
    """Show the nodes of a Ray cluster: processors, memory, and versions that differ from this process."""
    from clew.distributed import nodes

    with showing("asking the nodes"):
        ray = nodes.join(address)
        try:
            known = nodes.survey(ray)
        finally:
            ray.shutdown()
    wrong = nodes.mismatches(known)
    if as_json:
        output.as_json({"address": address, "nodes": [node.as_dict() for node in known], "mismatches": wrong})
        return
    cpus = f"{sum(node.cpus for node in known):g} CPUs"
    output.heading(f"Cluster at {address}", f"{counted(len(known), 'node')}, {cpus}")
    columns = [Column("node", style="bold"), Column("address"), *numeric("CPUs", "memory", "GPUs")]
    columns += [Column("Python"), Column("clew"), Column("Ray")]
    output.table(
        columns,
        (
            [node.host, node.address, f"{node.cpus:g}", human_bytes(node.memory), f"{node.gpus:g}"]
            + [version or "-" for version in (node.python, node.clew, node.ray)]
            for node in known
        ),
    )
    output.paragraph(" ".join(wrong) or "All nodes have the versions of this process.")


def opened(where: str | None, workers: int | None) -> AbstractContextManager[Any]:
    """The cluster to run on, as a context; of one machine, an empty one."""
    if where is None:
        if workers is not None:
            raise GraphError("--workers is for clusters.", option="Add --cluster local, or --cluster auto.")
        return nullcontext()
    from clew.distributed import cluster

    with showing("starting workers"):
        return cluster(workers, address=None if where == LOCAL else where)


def check_options(where: str | None, given: Mapping[str, Any], destination: Path | None) -> None:
    """Reject options of one machine in a run on a cluster, before anything is started."""
    if where is None:
        return
    for option, value in given.items():
        if value is not None:
            raise GraphError(f"{option} is for one machine, and the workers of a cluster do not use it; omit it.")
    if destination is not None and destination.suffix != PARQUET:
        raise GraphError(
            f"a cluster writes a folder with a Parquet file per worker; expected a name that ends in {PARQUET}, and "
            f"not {destination.name!r}."
        )


def load(opened_cluster: Any, pattern: str, reading: Reading) -> tuple[Any, File]:
    """Read a graph on the workers; every worker reads its share of the files."""
    if reading.format_name is not None:
        raise GraphError("a cluster detects the format of its files; omit --format.")
    if pattern == "-":
        raise GraphError("the workers of a cluster cannot read standard input; name files or a pattern.")
    if reading.weights_from not in (None, "none"):
        raise GraphError("a cluster reads weights from files; --weights takes none here.")
    chosen = reading.options()
    options = {
        field.name: getattr(chosen, field.name)
        for field in fields(ReadOptions)
        if getattr(chosen, field.name) != field.default
    }
    started = perf_counter()
    with showing(f"reading {pattern}"):
        graph = opened_cluster.read(pattern, options)
    return graph, File(Path(pattern), None, graph.nbytes, perf_counter() - started, graph.report)


def gathered(graph: Any) -> Any:
    """The graph of a cluster in this process, for a checker, where the memory suffices."""
    from clew.free_memory import available_bytes

    needed, free = 3 * graph.nbytes, available_bytes()  # edges as pairs, rows, and what sorting takes
    if free is not None and needed > free:
        raise ClusterError(
            f"--verify checks in one process, which would need {needed:,} bytes here, and {free:,} are free.",
            option="Omit --verify.",
        )
    return graph.gather()
