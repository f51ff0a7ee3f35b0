"""The report: one HTML page about a graph. ``clew.report`` writes it; ``SECTIONS`` lists its content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clew import checks
from clew.engines.choice import gpu_for
from clew.errors import ClewError, FormatError
from clew.graph import Graph, check_graph
from clew.io.options import Progress
from clew.io.sink import Sink
from clew.placement import parse_bytes
from clew.plots.chart import check
from clew.reporting import graph_sections, machine_sections
from clew.reporting.content import Section, Skipped
from clew.reporting.page import html_page
from clew.reporting.study import Step, Study

SECTIONS: Sequence[Callable[[Study], Section]] = (*graph_sections.SECTIONS, *machine_sections.SECTIONS)
__all__ = ["report"]


def report(
    graph: Graph,
    path: str | Path,
    *,
    title: str | None = None,
    source: Any = None,
    fast_memory: int | str | None = None,
    everything: bool = False,
    device: str = "auto",
    origin: Sequence[tuple[str, str]] = (),
    steps: Sequence[tuple[str, float]] = (),
    progress: Progress | None = None,
) -> Path:
    """Write one HTML page about a graph that works offline: facts, figures, placement, plan and timings.

    Requires plotly (``pip install "clew[plots]"``).

    Parameters
    ----------
    graph
        The graph, which may be empty.
    path
        The file to write. An existing file is replaced once the new one is complete.
    title
        The title of the page; by default ``graph.metadata["title"]`` or the file's name.
    source
        The name of the vertex to measure distances from; by default the one with the most edges.
    fast_memory
        The amount of fast memory to place rows in, in bytes or such as "8GiB"; by default a quarter of the rows.
    everything
        Also compute parts that take long on a graph of this size. Otherwise the page lists what was skipped and why.
    device
        "auto", "cpu" or "cuda": where algorithms run.
    origin, steps
        Further facts about the graph as pairs of text, and earlier steps as pairs of text and seconds.
    progress
        Called with (sections done, total sections).

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import clew
    >>> clew.report(clew.datasets.debian(), "report.html")  # doctest: +SKIP
    PosixPath('report.html')
    """
    check_graph(graph)
    if title is not None:
        checks.text("title", title)
    checks.flag("everything", everything)
    target = check_target(path)
    gpu_for(device, 0)  # "cuda" insists: fail before any work is done
    heading = title or str(graph.metadata.get("title") or target.stem)
    budget = None if fast_memory is None else parse_bytes(fast_memory)
    study = Study(graph, heading, origin, device, source, budget, everything, [Step(*step) for step in steps])
    with study.step("Loading Numba and plotly"):
        import numba  # noqa: F401, loaded here so that it is not counted as part of the first algorithm
        import plotly.graph_objects  # noqa: F401

    with Sink(target) as sink:  # opened first, to fail early
        sections = []
        for done, write in enumerate(SECTIONS):
            if progress is not None:
                progress(done, len(SECTIONS))
            sections.append(_attempted(write, study))
        sink.write(html_page(study.title, sections).encode())
    return target


def check_target(path: str | Path) -> Path:
    """Reject a name that is not a page's, and a missing plotly, before any work is done."""
    check("plotly")
    target = checks.path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise FormatError("a report is an HTML page; expected a name that ends in .html.", path=target)
    Sink(target).check()
    return target


def _attempted(write: Callable[[Study], Section], study: Study) -> Section:
    """A section, or the reason if it failed, such as too little memory."""
    try:
        return write(study)
    except (ClewError, MemoryError) as error:
        name = write.__name__
        why = (str(error) or "there is not enough memory").rstrip(".")
        return Section(name, name.capitalize(), "", [Skipped("This section", why)])
