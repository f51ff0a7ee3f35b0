"""The parts of a plan: choices with their reasons, bytes with their memory, and work with its cost in seconds.

A cost is a ``Span``: a number that is not known exactly. Costs follow from the measured rates of the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

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


BARRIER = Span(0.3e-6, 3e-6, 60e-6)  # seconds; the last where others use the cores, too
COMPETING = 1.5  # what is read along with them takes a part of the caches: so much more numbers there seem to be
# Of Python and allocations, as measured on two cores of an AMD EPYC. A call takes 16 to 20 µs just after another one,
# and 45 to 60 µs as the first on a graph. It takes longer where others use the cores.
CALL = Span(1.5e-5, 4e-5, 2.5e-4)
SETTING_UP = Span(0.3, 1, 4)  # the same for what an algorithm sets up besides
GPU_STEP = Span(2e-6, 4e-6, 8e-6)  # a launch, or the meeting of a grid
GPU_CALL = Span(5e-5, 1.5e-4, 5e-4)  # launches, and reading the answer's few numbers back
SURE = 3.0  # how far off a sum may be: 91 % of the calls above 10 ms on graphs not used for tuning are within this
ASIDE = 0.5, 3.0  # a machine with other work to do, or none at all: how far off what is likely may be


def around(likely: float) -> Span:
    """A number of operations that is known to about a factor of two."""
    return Span(likely * ASIDE[0], likely, likely * ASIDE[1])


def total(parts: Iterable[tuple[str, Span]]) -> Span:
    """The sum of what is likely, and how far off that may be."""
    likely = sum(span.likely for _, span in parts)
    return Span(likely / SURE, likely, likely * SURE)


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
    """One kind of work: edges or vertices read, and where their values are.

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

    def on_cpu(self, team: int | None, machine: Machine) -> Span:
        """The seconds that it takes a CPU."""
        share = self.threads or team or machine.threads
        slower = machine.threads / min(share, machine.threads)
        far, near = machine.gather(COMPETING * self.spread), machine.gather(1)
        seconds = self.items.times(slower * ((1 - self.near) * far + self.near * near + self.streamed / machine.read))
        return seconds.plus(self.steps.times(BARRIER)) if share > 1 else seconds

    def on_gpu(self, gpu: Gpu) -> Span:
        """The seconds that it takes a GPU."""
        return self.items.times(self.streamed / gpu.read).plus(self.steps.times(GPU_STEP))
