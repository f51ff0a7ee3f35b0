"""Ctrl-C reaches an algorithm that runs wholly in compiled code, on one thread and on several."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.interrupting import interrupt

CODE = """
import clew
from clew import threads
threads.set_count({threads})
graph = clew.generate.kronecker(13, seed=1)
clew.pagerank(graph, tolerance=0, max_iterations=2)
print("ready", flush=True)
clew.pagerank(graph, tolerance=0, max_iterations=10**9)
"""


AGAIN_AND_AGAIN = """
import clew
from clew import threads
threads.set_count({threads})
graph = clew.generate.kronecker(13, seed=1)
expected = clew.bfs(graph, 1).num_reached
print("ready", flush=True)
try:
    while True:
        clew.bfs(graph, 1)
except KeyboardInterrupt:
    print(clew.bfs(graph, 1).num_reached == expected, flush=True)
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_after_control_c_in_a_brief_call_the_next_one_works(threads):
    process = subprocess.Popen(
        [sys.executable, "-c", AGAIN_AND_AGAIN.format(threads=threads)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    output, _ = interrupt(process)
    assert output == "True\n"


@pytest.mark.parametrize("threads", [1, 3])
def test_control_c_stops_a_team_between_steps(threads):
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.format(threads=threads)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    _, errors = interrupt(process)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors
