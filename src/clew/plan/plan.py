"""Plan: what a run will do and why, its memory and time, and afterwards how the measurement compares.

Plans are printed as plain tables of a fixed width, for terminals, logs and notebooks.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.registry import ALGORITHMS
from clew.checks import counted
from clew.describe import human_bytes
from clew.errors import ClewError
from clew.graph import Graph
from clew.plan.parts import Choice, Share, Span, duration
from clew.result import Result

WIDTH = 110


@dataclass(frozen=True)
class Tier:
    """One memory of the plan: the bytes used and free."""

    name: str
    graph: int
    result: int
    scratch: int
    free: int | None

    @property
    def total(self) -> int:
        """All bytes."""
        return self.graph + self.result + self.scratch


@dataclass(frozen=True)
class Measured:
    """The measured seconds of a run, without ``loading``, and its iterations, if any."""

    seconds: float
    iterations: int | None = None
    loading: float = 0.0


@dataclass(repr=False)
class Plan:
    """The plan of a run, from ``clew.explain``. Printing it shows a table; ``run()`` executes it.

    Parameters
    ----------
    algorithm
        The name of the algorithm.
    device
        The requested device.
    engine
        The chosen engine: "cpu", "cuda" or "cluster".
    graph, arguments
        The graph and the arguments of the run.
    choices
        The decisions and their reasons; the first is the engine.
    memory
        The arrays and their memories.
    tiers
        The bytes per memory, and the free bytes there.
    expected
        The expected seconds; None if the run is not possible.
    parts
        The parts of the expected time.
    iterations
        The expected number of iterations.
    error
        The reason why it cannot run; None if it can.
    notes
        Further remarks.
    rates
        The measured rates of the machine, which the times are computed from.
    measured
        The time of the last run.
    in_shell
        Whether the plan is for the command line, where advice is about options.
    """

    algorithm: str
    device: str
    engine: str
    graph: Graph
    arguments: Mapping[str, Any] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)
    memory: list[Share] = field(default_factory=list)
    tiers: list[Tier] = field(default_factory=list)
    expected: Span | None = None
    parts: list[tuple[str, Span]] = field(default_factory=list)
    iterations: Span | None = None
    error: ClewError | None = None
    notes: list[str] = field(default_factory=list)
    rates: dict[str, Any] = field(default_factory=dict)
    measured: Measured | None = None
    in_shell: bool = False

    @property
    def missing(self) -> str | None:
        """Why it cannot run and what to do, as sentences; None if it can run."""
        if self.error is None:
            return None
        return self.error.on_command_line() if self.in_shell else str(self.error)

    def run(self) -> Result:
        """Run the algorithm as planned, and record the time; the plan then shows both.

        Compiled code is loaded first, by a run on three vertices. That time is recorded separately.
        """
        function = ALGORITHMS[self.algorithm].function
        started = perf_counter()
        if self.engine == "cluster" and isinstance(self.graph, Graph):
            raise ClewError(
                "this plan is a forecast, and its graph is in this process.",
                remedy="Open a cluster with clew.cluster, and explain graph.spread() there.",
            )
        if self.error is None and self.engine != "cluster":  # workers load code themselves
            rehearse(self.graph, self.algorithm, self.engine if self.device == "auto" else self.device, self.arguments)
        loaded = perf_counter()
        result = function(self.graph, **self.arguments, device=self.device)
        self.measured = Measured(perf_counter() - loaded, result.iterations, loaded - started)
        return result

    def compare(self, measured: Result | float | Measured) -> str:
        """A table of predicted and measured values; pass seconds, or a result for its iterations."""
        if isinstance(measured, Result):
            last = self.measured
            known = last is not None and last.iterations == measured.iterations
            seconds = last.seconds if last is not None and known else float("nan")
            self.measured = Measured(seconds, measured.iterations, last.loading if last is not None else 0.0)
        elif isinstance(measured, Measured):
            self.measured = measured
        else:
            self.measured = Measured(float(measured), None if self.measured is None else self.measured.iterations)
        return self.comparison()

    def comparison(self, width: int = WIDTH) -> str:
        """The same table for the last run."""
        return "\n".join(self._comparison(width))

    @property
    def ratio(self) -> float | None:
        """Measured divided by expected time; None without a run or a prediction."""
        if self.measured is None or self.expected is None or not self.measured.seconds > 0:
            return None
        return self.measured.seconds / self.expected.likely

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "algorithm": self.algorithm,
            "device": self.device,
            "engine": self.engine,
            "vertices": self.graph.num_vertices,
            "edges": self.graph.num_edges,
            "missing": self.missing,
            "choices": list(map(asdict, self.choices)),
            "memory": list(map(asdict, self.memory)),
            "tiers": list(map(asdict, self.tiers)),
            "expected_seconds": None if self.expected is None else self.expected.as_dict(),
            "parts": [{"what": what, "seconds": span.as_dict()} for what, span in self.parts],
            "iterations": None if self.iterations is None else self.iterations.as_dict(),
            "notes": list(self.notes),
            "rates": self.rates,
            "measured": None
            if self.measured is None
            else {
                "seconds": self.measured.seconds if self.measured.seconds == self.measured.seconds else None,
                "iterations": self.measured.iterations,
                "loading_seconds": self.measured.loading,
                "ratio": self.ratio,
            },
        }

    def __repr__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """The plan as a table, with lines of at most ``width`` characters where they can be wrapped."""
        graph, room = self.graph, width - 2
        kind = "directed" if graph.directed else "undirected"
        size = f"{counted(graph.num_vertices, 'vertex')}, {counted(graph.num_edges, f'{kind} edge')}"
        lines = [f"Plan of {self.algorithm} on {size}, device={self.device!r}"]
        if self.missing is not None:
            lines += section("Cannot run", grid([(self.missing,)], width=room))
        lines += section("Choices", grid([(c.what, c.chosen, c.why) for c in self.choices], width=room))
        lines += section("Memory", self._memory(room))
        lines += section("Expected time", self._time(room))
        lines += section("Notes", grid([("-", note) for note in self.notes], width=room))
        if self.measured is not None:
            lines += section("Predicted and measured", self._comparison(room))
        return "\n".join(lines)

    def _memory(self, width: int) -> list[str]:
        rows: list[tuple[str, ...]] = [("memory", "graph", "results", "scratch", "in all", "free", "")]
        for tier in self.tiers:
            used = map(human_bytes, (tier.graph, tier.result, tier.scratch, tier.total))
            rows.append((tier.name, *used, "?" if tier.free is None else human_bytes(tier.free), ""))
        lines = grid(rows, right=(1, 2, 3, 4, 5), width=width)
        if largest := sorted(self.memory, key=lambda share: -share.bytes)[:4]:
            shares = ", ".join(f"{share.what} {human_bytes(share.bytes)}" for share in largest)
            lines += grid([("largest:", shares)], width=width)
        return lines

    def _time(self, width: int) -> list[str]:
        if self.expected is None:
            return []
        rows = [("in all", duration(self.expected.likely), _range(self.expected, duration))]
        rows += [(what, duration(span.likely), "") for what, span in self.parts]
        if self.iterations is not None:
            rows.append(("iterations", f"{self.iterations.likely:,.0f}", _range(self.iterations, _count)))
        return grid(rows, right=(1,), width=width)

    def _comparison(self, width: int) -> list[str]:
        if self.measured is None:
            raise ClewError("this plan has not been run; call run() first, or compare(seconds).")
        rows = [("", "predicted", "measured", "")]
        if self.measured.seconds == self.measured.seconds:  # not NaN
            predicted = "–" if self.expected is None else duration(self.expected.likely)
            verdict = "" if self.expected is None else _verdict(self.expected, self.measured.seconds)
            rows.append(("time", predicted, duration(self.measured.seconds), verdict))
        if self.measured.iterations is not None and self.iterations is not None:
            predicted = f"{self.iterations.likely:,.0f}"
            rows.append(("iterations", predicted, f"{self.measured.iterations:,}", _range(self.iterations, _count)))
        if self.measured.loading:
            rows.append(("loading code", "–", duration(self.measured.loading), "once in a process"))
        return grid(rows, right=(1, 2), width=width)


def _range(span: Span, say: Any) -> str:
    return f"({say(span.low)} to {say(span.high)})" if span.low != span.high else ""


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _verdict(expected: Span, seconds: float) -> str:
    factor = seconds / expected.likely if expected.likely else 1.0
    how = f"{factor:.2g} times the expected time" if factor >= 1 else f"{1 / factor:.2g} times faster than expected"
    within = "within" if expected.low <= seconds <= expected.high else "outside"
    return f"{how}, {within} {duration(expected.low)} to {duration(expected.high)}"


def grid(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: int = WIDTH) -> list[str]:
    """Lines of columns two spaces apart; a long last column is wrapped."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    left = sum(widths) + 2 * len(widths)
    lines = []
    for row in rows:
        cells = [
            cell.rjust(wide) if column in right else cell.ljust(wide)
            for column, (cell, wide) in enumerate(zip(row[:-1], widths, strict=True))
        ]
        wrapped = textwrap.wrap(row[-1], max(24, width - left), break_on_hyphens=False) or [""]
        lines.append("  ".join([*cells, wrapped[0]]).rstrip())
        lines += [" " * left + more for more in wrapped[1:]]
    return lines


def section(title: str, lines: Sequence[str]) -> list[str]:
    """A title and indented lines; empty if there are no lines."""
    return ["", title, *(f"  {line}".rstrip() for line in lines)] if lines else []


def rehearse(graph: Graph, algorithm: str, device: str, arguments: Mapping[str, Any]) -> None:
    """Run the algorithm on a path of three vertices with the graph's dtypes, so that compiled code is loaded."""
    rows: Any = graph.outgoing
    like = np.ones(1, graph.weight_dtype) if graph.weighted else None
    if graph.is_packed and graph.weighted:  # packing stores the narrowest integers that hold all weights
        kind = rows.stored_weights.dtype
        most = 0.5 if kind.kind == "f" else 1 if kind.kind == "b" else min(np.iinfo(kind).max, 1 << 40)
        like = np.array([most], graph.weight_dtype)
    small = Graph.from_edges(
        [0, 1],
        [1, 2],
        None if like is None else like.repeat(2),
        directed=graph.directed,
        id_dtype=rows.id_dtype,
        num_vertices=3,
    )
    small = small.packed() if graph.is_packed else small
    if graph.has_incoming:
        _ = small.incoming
    stand_ins: dict[str, Any] = {"source": 0, "sink": 2, "sources": [0], "samples": None, "left": None}
    for name in ("personalization", "start"):
        if arguments.get(name) is not None:
            stand_ins[name] = np.ones(3)
    known = {name: stand_ins.get(name, value) for name, value in arguments.items()}
    threads.each(lambda _: None, threads.count())  # so that they are there
    try:
        ALGORITHMS[algorithm].function(small, **known, device=device)
    except ClewError:
        return  # the run itself will say what is wrong
