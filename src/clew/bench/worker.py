"""The process of one contender: it reads the graph, then answers requests, one line of JSON each.

Requests are {"do": "prepare", "algorithm": …}, {"do": "run"}, {"do": "answer", "path": …} and {"do": "check"}. The
answer has "error" if a request failed.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import clew
from clew.bench import peers
from clew.bench.task import FEWEST, LONG, TRIALS, Ready, Task, Timed, UnableError, function_name
from clew.errors import ClewError


class Worker:
    """A contender with a graph; one algorithm is ready at a time."""

    def __init__(self, name: str, task: Task) -> None:
        self.name, self.task, self.offers = name, task, peers.offers(name)
        self.algorithm = ""
        self.ready: Ready | None = None
        self.output: Any = None

    def do(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        step: Callable[..., dict[str, Any]] = getattr(self, request.pop("do"))
        try:
            return step(**request)
        except (UnableError, ClewError) as error:
            return {"error": str(error)}
        except MemoryError:
            return {"error": "there is not enough memory"}
        except Exception as error:  # raised by another library; the race continues without it
            return {"error": f"{type(error).__name__}: {error}"}

    def prepare(self, algorithm: str) -> dict[str, Any]:
        """Convert the graph to the contender's own form."""
        self.ready = self.output = None
        if algorithm not in self.offers:
            raise UnableError("does not have it")
        self.algorithm, self.ready = algorithm, self.offers[algorithm](self.task)
        return {}

    def run(self) -> dict[str, Any]:
        """Run several times; the best counts.

        During the turns of the others, the caches lose this one's data and its threads fall asleep. Only the first of
        several runs suffers from that.
        """
        assert self.ready is not None
        best: dict[str, Any] = {}
        begun = perf_counter()
        for trial in range(TRIALS):
            if trial >= FEWEST and perf_counter() - begun > LONG:
                break
            self.output = None
            used, started = process_time(), perf_counter()
            found = self.ready.call()
            seconds, used = perf_counter() - started, process_time() - used
            if isinstance(found, Timed):
                self.output = found.printed
                return {"seconds": found.seconds}
            self.output = found
            if not best or seconds < best["seconds"]:
                best = {"seconds": seconds, "cpu_seconds": used}
            if seconds > LONG:
                break
        return best

    def answer(self, path: str) -> dict[str, Any]:
        """Save the values of the last run to a file, and return the facts."""
        assert self.ready is not None
        given = self.ready.answer(self.output)
        if given.values is not None:
            np.save(path, given.values)
        return {"has_values": given.values is not None, "facts": dict(given.facts)}

    def check(self) -> dict[str, Any]:
        """Check clew's result with clew.verify."""
        check = getattr(clew.verify, function_name(self.algorithm), None)
        if check is None:
            raise UnableError("there is no checker")
        known = {"graph": self.task.graph, "result": self.output}
        known |= self.task.arguments(self.algorithm)
        check(**{name: known[name] for name in inspect.signature(check).parameters if name in known})
        return {}


def main(name: str, threads: str, device: str, source: str, path: str) -> None:
    """Serve requests from stdin until it ends."""
    # Keep what libraries print out of the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    file = Path(path)
    task = Task(clew.read(file), int(source), int(threads), device, file.parent)
    worker = Worker(name, task)
    for line in sys.stdin:
        answers.write(json.dumps(worker.do(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
