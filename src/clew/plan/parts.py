"""The parts of a plan: choices with their reasons, bytes with their memory, and work with its cost in seconds.

A cost is a ``Span``: a number that is not known exactly. Costs follow from the measured rates of the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from clew.plan.machine import Gpu, Machine


class Span(NamedTuple):
    """From ``low`` to ``high``, most likely about ``likely``."""

    low: float
    likely: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Span:
        """A number that is known."""
        return cls(value, value, value)

    def times(self, factor: float | Span) -> Span:
        """The span of a product."""
        other = factor if isinstance(factor, Span) else Span.exactly(factor)
        return Span(self.low * other.low, self.likely * other.likely, self.high * other.high)

    def plus(self, other: Span) -> Span:
        """The span of a sum."""
        return Span(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def at_most(self, most: float) -> Span:
        """The same, cut off above."""
        return Span(*(min(value, most) for value in self))

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return self._asdict()


def duration(seconds: float) -> str:
    """A time in two digits or three, from microseconds to hours."""
    if seconds < 0.9995e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


Role = Literal["graph", "result", "scratch"]


@dataclass(frozen=True)
class Choice:
    """Something that was decided, and why."""

    what: str
    chosen: str
    why: str


@dataclass(frozen=True)
class Share:
    """Bytes of one kind, and the memory they are in."""

    what: str
    role: Role
    bytes: int
    tier: str = "host"


@dataclass(frozen=True)
class Work:
    """One kind of work: edges or vertices looked at, and where their values are.

    Parameters
    ----------
    what
        A few words.
    items
        How many numbers are looked up, over all rounds.
    spread
        The bytes that these numbers are spread over.
    streamed
        Bytes that are read in order along with every item.
    steps
        How often the threads wait for each other, or how many launches there are.
    threads
        How many threads share it; None for the team's.
    near
        The share of the items that are found in a core's first cache, however large the graph is.
    """

    what: str
    items: Span
    spread: float
    streamed: float = 4.0
    steps: Span = field(default=Span.exactly(1))
    threads: int | None = None
    near: float = 0.0


@dataclass
class Sketch:
    """What a model says of one algorithm on one graph: choices, bytes and work, in the order they are shown.

    ``team`` is how many threads share the work; None for all. ``passes`` is how often all edges are read, where that
    is not about once. ``setting_up`` is the seconds that a call takes on the CPU beside what every call takes.
    """

    choices: list[Choice] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    iterations: Span | None = None
    notes: list[str] = field(default_factory=list)
    team: int | None = None
    passes: Span | None = None
    setting_up: float = 0.0

    def choose(self, what: str, chosen: str, why: str) -> None:
        """Note a decision."""
        self.choices.append(Choice(what, chosen, why))

    def keep(self, what: str, role: Role, count: int, itemsize: int, tier: str = "host") -> None:
        """Count an array; of nothing, none."""
        if count > 0:
            self.shares.append(Share(what, role, int(count) * itemsize, tier))

    def do(self, what: str, items: Span | float, spread: float, **more: Any) -> None:
        """Count work."""
        self.work.append(Work(what, items if isinstance(items, Span) else Span.exactly(items), spread, **more))


BARRIER = Span(0.3e-6, 3e-6, 60e-6)  # seconds; the last where others want the cores, too
COMPETING = 1.5  # what is read along with them takes a part of the caches: so much more numbers there seem to be
# Of Python, and of taking memory, as measured on two cores of an AMD EPYC: 16 to 20 µs for a call that has just been
# made before, 45 to 60 µs for the first on a graph, and as much more as others want the cores.
CALL = Span(1.5e-5, 4e-5, 2.5e-4)
SETTING_UP = Span(0.3, 1, 4)  # the same for what an algorithm sets up besides
GPU_STEP = Span(2e-6, 4e-6, 8e-6)  # a launch, or the meeting of a grid
GPU_CALL = Span(5e-5, 1.5e-4, 5e-4)  # launches, and reading the answer's few numbers back


def on_cpu(work: Work, sketch: Sketch, machine: Machine) -> Span:
    """Seconds that work takes the CPU."""
    share = work.threads or sketch.team or machine.threads
    slower = machine.threads / min(share, machine.threads)
    far, near = machine.gather(COMPETING * work.spread), machine.gather(1)
    each = slower * ((1 - work.near) * far + work.near * near + work.streamed / machine.read)
    seconds = work.items.times(each)
    return seconds.plus(work.steps.times(BARRIER)) if share > 1 else seconds


def on_gpu(work: Work, gpu: Gpu) -> Span:
    """Seconds that work takes the GPU."""
    return work.items.times(work.streamed / gpu.read).plus(work.steps.times(GPU_STEP))


def call(sketch: Sketch, machine: Machine, *, gpu: bool) -> Span:
    """Seconds that a call takes beside its work."""
    if gpu:
        return GPU_CALL
    fixed = CALL.plus(SETTING_UP.times(sketch.setting_up))
    return fixed.plus(Span(0, machine.call, 4 * machine.call)) if sketch.team != 1 else fixed


def transfer(shares: list[Share], gpu: Gpu) -> Span:
    """Seconds to bring the graph's arrays to the GPU."""
    seconds = sum(share.bytes for share in shares) / gpu.upload
    return Span(seconds, 1.3 * seconds, 4 * seconds)


def over_link(passes: Span, size: float, gpu: Gpu) -> Span:
    """Seconds to read so many bytes of edges, so many times, where they are on the host."""
    return passes.times(size / gpu.upload)
