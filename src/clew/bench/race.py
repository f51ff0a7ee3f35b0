"""Races: contenders take turns on one algorithm, the best run of each counts, and their answers are compared."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import clew
from clew.bench.task import Answer, UnableError, compare, how_compared
from clew.graph import Graph

OURS = "clew"
PATIENCE = 5  # preparations, such as compiling and converting, may take this many times the limit of a run


class Rules(NamedTuple):
    """How a race is run."""

    rounds: int = 5
    limit: float = 60.0  # seconds per run, and roughly for all runs of one contender
    verify: bool = False
    device: str = "auto"


class Setting(NamedTuple):
    """What all contenders of a race have in common."""

    file: Path
    source: int
    threads: int
    device: str


class OverTimeError(UnableError):
    """A contender took longer than the limit."""


class Contender:
    """The process of a peer or of clew. It starts with the first request, and again if it was killed."""

    def __init__(self, name: str, setting: Setting) -> None:
        self.name, self.setting = name, setting
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, limit: float, **request: Any) -> dict[str, Any]:
        """The answer of the process to a request; it is killed after ``limit`` seconds."""
        process = self.process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process, limit)
        except BaseException:  # also Ctrl-C: no process is left behind
            self.close()
            raise
        if not line:
            code = process.poll()
            self.close()
            raise UnableError(f"its process ended{'' if code is None else f' with code {code}'}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise UnableError(answer["error"])
        return answer

    def close(self) -> None:
        """Kill the process and its children."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()
            self.process = None

    def _start(self) -> subprocess.Popen[bytes]:
        setting = self.setting
        arguments = [self.name, setting.threads, setting.device, setting.source, setting.file]
        command = [sys.executable, "-m", "clew.bench.worker", *(str(argument) for argument in arguments)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(setting.threads)}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        # It has its own session, so that its children can be killed with it.
        self.process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
        return self.process

    def _line(self, process: subprocess.Popen[bytes], limit: float) -> bytes:
        assert process.stdout is not None
        # An answer is one line, and nothing follows before the next request. So no other line can be buffered.
        if not select.select([process.stdout], [], [], limit)[0]:
            raise OverTimeError(f"took more than {limit:g} s")
        return process.stdout.readline()


@dataclass
class Score:
    """One contender in one race."""

    contender: str
    seconds: float | None = None
    cpu_seconds: float | None = None
    rounds: int = 0
    why_not: str = ""  # the reason if there is no time
    agrees: bool | None = None  # None if unknown, and for clew itself
    compared: str = ""
    difference: str = ""
    spent: float = field(default=0.0, repr=False)

    def add(self, answer: dict[str, Any], *, warm: bool) -> None:
        """Count a run. The first one, with cold caches, counts only until there is another."""
        seconds, used = answer["seconds"], answer.get("cpu_seconds")
        self.spent += seconds
        if self.rounds == 0:
            self.seconds, self.cpu_seconds = seconds, used
        else:
            self.seconds = min(seconds, self.seconds or inf)
            self.cpu_seconds = None if used is None else min(used, self.cpu_seconds or inf)
        self.rounds += warm


@dataclass
class Outcome:
    """One algorithm on one graph with one number of threads."""

    graph: str
    algorithm: str
    threads: int
    scores: list[Score]
    verified: str = ""  # "yes", or the reason why not; empty if not requested

    @property
    def ours(self) -> float | None:
        """The seconds that clew takes."""
        return next((score.seconds for score in self.scores if score.contender == OURS), None)

    def ratio(self, score: Score) -> float | None:
        """How many times clew's time a contender takes: above 1, clew is faster."""
        return None if score.seconds is None or not self.ours else score.seconds / self.ours

    def fastest(self, among: Iterable[str]) -> Score | None:
        """The fastest of these peers among those whose answers are not wrong."""
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
    """Race on a simple graph: every algorithm with every number of threads."""
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
            first = PATIENCE if contender.name == OURS else 1  # clew may have to compile
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
    reply = contender.ask(limit, do="answer", path=str(path))
    facts = reply["facts"]
    if "top" in facts:  # the keys are vertices, and JSON has only strings for keys
        facts["top"] = {int(vertex): score for vertex, score in facts["top"].items()}
    return Answer(np.load(path) if reply["has_values"] else None, facts)


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
        try:  # its process was killed, and a new one has nothing prepared
            contender.ask(rules.limit * PATIENCE, do="prepare", algorithm=algorithm)
            contender.ask(rules.limit * PATIENCE, do="run")
        except UnableError:
            pass
        return f"no, checking {error}"
    except UnableError as error:
        return f"no, {error}"
    return "yes"
