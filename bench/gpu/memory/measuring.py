"""Calls timed on a device: repeated as often as there is time for, checked, and given up after a while."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clew
from bench.gpu.memory.cells import PACKED, Cell
from bench.gpu.memory.graphs import LARGEST, Named, make
from bench.gpu.memory.markdown import NO_TIME, Reason, geometric_mean, milliseconds
from bench.gpu.memory.pages import ManagedPages

VALUES = {"bfs": "depth", "sssp": "distance", "sswp": "width", "pagerank": "rank", "components": "label"}
WEIGHTED = ("sssp", "sswp")
ROUNDS = 20  # of PageRank
SHORT = 0.4  # seconds: calls above are not repeated
#: Seconds: where the first call, which makes ready what later ones find, takes longer, it is the only one. The second
#: number is for calls that place the edges first.
ONLY, ONLY_PLACED = 4.0, 6.0
MOST_RUNS = 20
MAKING, MAKING_LARGEST = 120, 1800  # seconds after which a graph is given up
AGAIN = 0.05  # seconds until a limit that came amiss is looked at again
GRACE = 2.0  # seconds that the last case may have beyond that
CHECKED_BY_CPU = 1 << 22  # edges: up to here the CPU's answer is what others are compared with


class TooLongError(BaseException):  # no engine takes it for a failure of its own
    """A case ran into its limit."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise in the host code once the time is up; a kernel that is running ends first. One may be within another.

    Numba is let finish what it compiles: broken off in the midst of it, it cannot compile anything after that.
    """
    from numba.core.compiler_lock import global_compiler_lock

    def stop(_number: int, _frame: Any) -> None:
        if global_compiler_lock.is_locked():  # by this thread
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    outer, started = signal.getitimer(signal.ITIMER_REAL)[0], time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, max(0.01, min(seconds, outer or seconds)))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            signal.setitimer(signal.ITIMER_REAL, max(0.01, outer - (time.perf_counter() - started)))


@dataclass(frozen=True)
class Took:
    """Seconds of a call with the edges in place, of placing them before (None where they were), and how many calls."""

    run: float
    place: float | None
    runs: int
    result: clew.Result

    @property
    def cell(self) -> Cell:
        """The figures alone."""
        return Cell(self.run, self.place, self.runs)


class Bench:
    """A device, the time there is left, and the answers known so far.

    Parameters
    ----------
    device
        "cuda", or "emulated" for a trial without a GPU.
    seconds
        After which no case is started.
    most
        Seconds after which a case is given up.
    repeat, runs
        Seconds for the repeated runs of a case, and how many of them there are at least where they are short.
    made
        Graphs by name that are there already, where others come to be kept; without it none is.
    """

    def __init__(
        self,
        device: str,
        seconds: float,
        most: float = 15,
        repeat: float = 0.3,
        runs: int = 3,
        made: dict[str, Named] | None = None,
    ) -> None:
        from clew.engines.choice import gpu_for

        self.device, self.most, self.repeat, self.runs = device, most, repeat, runs
        self.gpu: Any = gpu_for(device, 1 << 40)
        self.end = time.perf_counter() + seconds
        self.known: dict[tuple[str, str], Any] = {}
        self.made = made
        self.placed = False  # whether a case has put edges somewhere that the next may find

    @property
    def emulated(self) -> bool:
        """Whether there is no GPU, so that figures mean nothing."""
        return not hasattr(self.gpu.xp, "cuda")

    @property
    def left(self) -> float:
        """Seconds."""
        return self.end - time.perf_counter()

    @contextmanager
    def share(self, part: float) -> Iterator[None]:
        """Let what is within have no more than a part of the time that is left."""
        end = self.end
        self.end = min(end, time.perf_counter() + max(0.0, self.left) * part)
        try:
            yield
        finally:
            self.end = end

    def forget(self, *, pool: bool = True) -> None:
        """Free the memory of all graphs, and with ``pool`` what CuPy keeps of it for the next."""
        from clew.engines.cuda.memory.ledger import forget_all

        forget_all()
        self.placed = False
        if pool and not self.emulated:
            self.gpu.xp.get_default_memory_pool().free_all_blocks()

    def tried(self, name: str, run: Callable[[], Any], most: float | None = None) -> Any:
        """What ``run`` returns, or the reason why it does not: one failure must not cost the other figures."""
        wanted, left = most or self.most, self.left
        if left <= 0:
            return NO_TIME
        try:
            with limit(min(wanted, left + GRACE)):
                return run()
        except TooLongError:
            self._after_failure()
            return Reason(f"> {wanted:g} s", "> … s: given up after so long.") if wanted <= left + GRACE else NO_TIME
        except Exception as error:
            print(f"# {name} FAILED: {type(error).__name__}: {error}", flush=True)
            traceback.print_exc(limit=-3)
            self._after_failure()
            return Reason(type(error).__name__, f"{name}: {type(error).__name__}: {str(error)[:300]}")

    def shown(self, name: str, run: Callable[[], float], most: float | None = None) -> Any:
        """The same for a run that returns seconds, printed as soon as it is over."""
        found = self.tried(name, run, most)
        print("#", name, milliseconds(found), "ms", flush=True)
        return found

    def graphs(self, names: tuple[str, ...], smaller: int, data: Path) -> Iterator[Named]:
        """One after the other, as far as they can be made."""
        for name in names:
            named = None if self.made is None else self.made.get(name)
            if named is None:
                most = MAKING_LARGEST if name in LARGEST else MAKING
                named = self.tried(name, partial(make, name, smaller, data), most)
            if isinstance(named, Reason):
                print(f"# {name}: {named.sentence}", flush=True)
                continue
            if self.made is not None:
                self.made[name] = named
            yield named

    def _after_failure(self) -> None:
        try:
            self.gpu.synchronize()
        except Exception as error:
            print(f"# the device: {type(error).__name__}: {error}", flush=True)
        self.forget()

    def once(self, run: Callable[[], Any]) -> tuple[float, Any]:
        """Seconds of one run, to the end of all it started."""
        self.gpu.synchronize()
        started = time.perf_counter()
        found = run()
        self.gpu.synchronize()
        return time.perf_counter() - started, found

    def repeated(self, run: Callable[[], Any], before: Callable[[], None] = lambda: None) -> tuple[list[float], Any]:
        """Seconds of at least ``runs`` runs if they are short, one if not; ``before`` each, which does not count."""
        taken: list[float] = []
        begun = time.perf_counter()
        while True:
            before()
            seconds, found = self.once(run)
            taken.append(seconds)
            enough = len(taken) >= self.runs and time.perf_counter() - begun > self.repeat
            if enough or seconds > SHORT or len(taken) >= MOST_RUNS:
                return taken, found

    def call(self, algorithm: str, graph: clew.Graph, source: int, rounds: int = ROUNDS) -> clew.Result:
        """One run on the device."""
        return call(algorithm, graph, source, self.device, rounds)

    def case(
        self,
        algorithm: str,
        graph: clew.Graph,
        source: int,
        mode: str,
        fast: int | None,
        *,
        there: bool = False,
        pages: ManagedPages | None = None,
    ) -> Took:
        """One algorithm in one mode. ``there`` says that the edges are where the case before put them; ``pages`` are
        sent to the host before every run.
        """
        there = there and self.placed
        run = lambda: self.call(algorithm, graph, source)  # noqa: E731
        with _memory(mode, fast):
            first, result = self.once(run)
            self.placed = True
            if pages is None and first > (ONLY if there else ONLY_PLACED):
                return Took(first, None, 1, result)
            back = pages.send_back if pages is not None else lambda: None
            taken, result = self.repeated(run, back)
        mean = geometric_mean(taken) or 0.0
        return Took(mean, None if there else max(0.0, first - mean), len(taken), result)

    def check(
        self, name: str, algorithm: str, graph: clew.Graph, source: int, result: Any, restore: Any = None
    ) -> None:
        """Compare with the answer known for the graph of that name: the CPU's if it is small, else the first one.

        ``restore`` is the permutation of a placement: values come in another order, and components are called by
        other members, so those are compared by their sizes.
        """
        xp = self.gpu.xp
        values = xp.asarray(result.values[VALUES[algorithm]])
        if restore is not None and algorithm != "components":
            values = values[xp.asarray(restore)]
        if algorithm == "components":
            values = xp.sort(xp.unique(values, return_counts=True)[1])
        if (name, algorithm) not in self.known:
            expected = values
            if graph.num_arcs <= CHECKED_BY_CPU:
                by_cpu = xp.asarray(np.asarray(call(algorithm, graph, source, "cpu").values[VALUES[algorithm]]))
                expected = xp.sort(xp.unique(by_cpu, return_counts=True)[1]) if algorithm == "components" else by_cpu
            self.known[name, algorithm] = expected
        known = self.known[name, algorithm]
        if algorithm == "pagerank":
            alike = bool(xp.allclose(values, known, rtol=1e-3, atol=1e-3 / max(1, graph.num_vertices)))
        else:
            alike = values.shape == known.shape and bool((values == known).all())
        if not alike:
            raise AssertionError(f"{algorithm} on {name}: the answer differs from the one known")

    def forget_answers(self, name: str) -> None:
        """Those of one graph."""
        self.known = {key: answer for key, answer in self.known.items() if key[0] != name}


def _memory(mode: str, fast: int | None) -> Any:
    """The policy of a mode; plain edges are packed in the columns of packed edges alone."""
    if mode == PACKED:
        return clew.memory("device" if fast is None else "tiered", fast, packed=True)
    return clew.memory(mode, fast, packed=False)


def call(algorithm: str, graph: clew.Graph, source: int, device: str, rounds: int = ROUNDS) -> clew.Result:
    """One run."""
    if algorithm == "pagerank":
        return clew.pagerank(graph, tolerance=0, max_iterations=rounds, dtype="float32", device=device)
    if algorithm == "components":
        return clew.connected_components(graph, device=device)
    found: clew.Result = getattr(clew, algorithm)(graph, source, device=device)
    return found


def edge_bytes(graph: clew.Graph, algorithm: str) -> int:
    """The bytes of neighbours and, where they matter, weights."""
    rows = graph.outgoing
    weights = rows.weights.nbytes if algorithm in WEIGHTED and rows.weights is not None else 0
    return rows.num_arcs * rows.id_dtype.itemsize + int(weights)
