"""The parts of a plan: choices with their reasons, bytes with their places, work with its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from clew.plan.span import Span

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
