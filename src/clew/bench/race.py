"""One race: contenders take turns on one algorithm, the best round of each counts, and their answers are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import clew
from clew.bench.answers import compare, how_compared
from clew.bench.contender import Contender, OverTimeError, Setting
from clew.bench.task import Answer, UnableError
from clew.graph import Graph

OURS = "clew"
PATIENCE = 5  # getting ready, with compiling and converting, may take so many times the limit of a run


class Rules(NamedTuple):
    """How a race is run."""

    rounds: int = 5
    limit: float = 60.0  # seconds that a run may take, and about what all runs of one contender take
    verify: bool = False
    device: str = "auto"


@dataclass
class Score:
    """One contender in one race."""

    contender: str
    seconds: float | None = None
    cpu_seconds: float | None = None
    rounds: int = 0
    why_not: str = ""  # where there is no time
    agrees: bool | None = None  # None: not known, or clew itself
    compared: str = ""
    difference: str = ""
    spent: float = field(default=0.0, repr=False)

    def add(self, answer: dict[str, Any], *, warm: bool) -> None:
        """Count a run; the first, in which caches are cold, only until there is another."""
        seconds = answer["seconds"]
        self.spent += seconds
        if not warm:
            self.seconds, self.cpu_seconds = seconds, answer.get("cpu_seconds")
            return
        if self.rounds == 0:
            self.seconds, self.cpu_seconds = inf, inf
        self.rounds += 1
        self.seconds = min(self.seconds or 0.0, seconds)
        used = answer.get("cpu_seconds")
        self.cpu_seconds = None if used is None or self.cpu_seconds is None else min(self.cpu_seconds, used)


@dataclass
class Outcome:
    """One algorithm on one graph with so many threads."""

    graph: str
    algorithm: str
    threads: int
    scores: list[Score]
    verified: str = ""  # "yes", or why not; nothing where nobody asked

    @property
    def ours(self) -> float | None:
        """The seconds that clew takes."""
        return next((score.seconds for score in self.scores if score.contender == OURS), None)

    def ratio(self, score: Score) -> float | None:
        """How many times clew's time a contender takes: above 1, clew is faster."""
        return None if score.seconds is None or not self.ours else score.seconds / self.ours

    def fastest(self, among: Iterable[str]) -> Score | None:
        """The fastest of some peers whose answers are not wrong."""
        names = set(among)
        known = [s for s in self.scores if s.contender in names and s.seconds is not None and s.agrees is not False]
        return min(known, key=lambda score: score.seconds or inf, default=None)


def races(
    name: str,
    graph: Graph,
    source: int,
    algorithms: Iterable[str],
    peers: Iterable[str],
    threads: Iterable[int],
    rules: Rules,
) -> Iterator[Outcome]:
    """Race on one graph, made simple before: every algorithm with every number of threads."""
    with TemporaryDirectory(prefix="clew-bench-") as folder:
        file = Path(folder) / "graph.clew"
        clew.write(graph, file)
        for count in threads:
            contenders = [Contender(one, Setting(file, source, count, rules.device)) for one in (OURS, *peers)]
            try:
                for algorithm in algorithms:
                    yield _race(name, algorithm, count, contenders, Path(folder), rules)
            finally:
                for contender in contenders:
                    contender.close()


def _race(graph: str, algorithm: str, threads: int, contenders: list[Contender], folder: Path, rules: Rules) -> Outcome:
    scores = {contender.name: Score(contender.name) for contender in contenders}
    outcome = Outcome(graph, algorithm, threads, list(scores.values()))
    answers: dict[str, Answer] = {}
    running = []
    for contender in contenders:
        score = scores[contender.name]
        try:
            contender.ask(rules.limit * PATIENCE, do="prepare", algorithm=algorithm)
            first = PATIENCE if contender.name == OURS else 1  # it may have to compile
            score.add(contender.ask(rules.limit * first, do="run"), warm=False)
            answers[contender.name] = _answer(contender, folder, rules.limit * PATIENCE)
            running.append(contender)
        except UnableError as error:
            score.seconds, score.why_not = None, str(error)
            if contender.name == OURS:
                return outcome  # without clew there is nothing to compare with
    if OURS in answers and rules.verify:
        outcome.verified = _verified(contenders[0], rules, algorithm)
    for _ in range(rules.rounds):
        for contender in list(running):
            score = scores[contender.name]
            if contender.name != OURS and score.spent > rules.limit:
                continue
            try:
                score.add(contender.ask(rules.limit, do="run"), warm=True)
            except UnableError as error:
                running.remove(contender)
                if score.rounds == 0 and not isinstance(error, OverTimeError):
                    score.seconds, score.why_not = None, str(error)
    for one, answer in answers.items():
        if one != OURS and OURS in answers:
            _judge(scores[one], algorithm, answers[OURS], answer)
    return outcome


def _answer(contender: Contender, folder: Path, limit: float) -> Answer:
    path = folder / f"answer-{contender.name}.npy"
    told = contender.ask(limit, do="answer", path=str(path))
    facts = {fact: _with_integers(value) for fact, value in told["facts"].items()}
    return Answer(np.load(path) if told["has_values"] else None, facts)


def _with_integers(value: Any) -> Any:
    """JSON has only strings for keys."""
    return {int(key): score for key, score in value.items()} if isinstance(value, dict) else value


def _judge(score: Score, algorithm: str, ours: Answer, theirs: Answer) -> None:
    if theirs.values is None and not theirs.facts:
        score.compared = "nothing"
        return
    score.difference = compare(algorithm, ours, theirs) or ""
    score.agrees, score.compared = not score.difference, how_compared(algorithm, theirs)


def _verified(contender: Contender, rules: Rules, algorithm: str) -> str:
    try:
        contender.ask(rules.limit, do="check")
    except OverTimeError as error:
        try:  # its process was ended: a new one needs everything again
            contender.ask(rules.limit * PATIENCE, do="prepare", algorithm=algorithm)
            contender.ask(rules.limit * PATIENCE, do="run")
        except UnableError:
            pass
        return f"no, checking {error}"
    except UnableError as error:
        return f"no, {error}"
    return "yes"
