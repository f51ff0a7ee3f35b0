"""Pieces of work on several threads."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest

from clew import GraphError, threads
from tests.interrupting import interrupt


@pytest.fixture(autouse=True)
def four_threads():
    threads.set_count(4)
    yield
    threads.set_count(None)


@pytest.mark.quick
def test_answers_come_in_order():
    assert threads.each(lambda piece, factor: piece * factor, 100, 3) == [3 * piece for piece in range(100)]
    assert threads.each(lambda piece: piece, 0) == []


def test_several_threads_take_part():
    seen = set()
    four = threading.Barrier(4, timeout=60)

    def note(piece):
        seen.add(threading.get_ident())
        four.wait()

    threads.each(note, 40)
    assert len(seen) == 4


@pytest.mark.quick
def test_an_error_in_any_piece_is_raised_and_stops_the_rest():
    done = []

    def fail(piece):
        if piece == 5:
            raise ValueError("piece 5")
        time.sleep(0.001)
        done.append(piece)

    with pytest.raises(ValueError, match="piece 5"):
        threads.each(fail, 1000)
    assert len(done) < 1000
    assert threads.each(lambda piece: piece, 8) == list(range(8))  # and the threads live on


@pytest.mark.parametrize("raised_by", ["caller", "helper", "anyone apart"])
def test_what_an_error_has_seen_is_let_go_with_it(raised_by):
    """Without the collector of cycles, which may not come for long: what frames hold may be much of a GPU's memory."""

    class Large:
        pass

    caller = threading.get_ident()

    def kernel(_piece):
        if raised_by == "anyone apart" or (threading.get_ident() == caller) == (raised_by == "caller"):
            raise ValueError("broken off")
        time.sleep(0.01)

    def work(large):
        if raised_by == "anyone apart":
            return threads.apart(kernel, 3, lambda: None), large
        return threads.each(kernel, 50), large

    gc.disable()
    try:
        large = Large()
        there = weakref.ref(large)
        with pytest.raises(ValueError, match="broken off") as told:
            work(large)
        del large, told
        for _ in range(100):  # a helper may be at its last piece
            if there() is None:
                break
            time.sleep(0.01)
        assert there() is None
    finally:
        gc.enable()


@pytest.mark.quick
def test_calls_may_be_nested_and_come_from_any_thread():
    def inner(piece):
        return sum(threads.each(lambda p: p, 10))

    answers = []
    callers = [threading.Thread(target=lambda: answers.append(threads.each(inner, 10))) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert answers == [[45] * 10] * 4


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    threads.each(lambda piece: piece, 8)
    child = os.fork()
    if child == 0:
        os._exit(0 if threads.each(lambda piece: piece, 8) == list(range(8)) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_control_c_stops_between_pieces():
    code = (
        "import time; from clew import threads; threads.set_count(3); print('ready', flush=True);"
        "threads.each(lambda piece: time.sleep(0.05), 10_000)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    _, errors = interrupt(process)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors


def test_after_control_c_pieces_that_have_not_begun_never_do(monkeypatch):
    """Also where it comes early, while the others are called."""
    ran = []

    def work(piece):
        ran.append(piece)
        time.sleep(0.02)

    call = threads._workers.call

    def interrupted(helpers, job):
        call(helpers, job)
        raise KeyboardInterrupt

    monkeypatch.setattr(threads._workers, "call", interrupted)
    with pytest.raises(KeyboardInterrupt):
        threads.each(work, 100)
    time.sleep(0.1)  # what had begun ends
    assert len(ran) <= 3
    monkeypatch.undo()

    def stopped_by_the_caller(piece):
        ran.append(piece)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        time.sleep(0.02)

    ran.clear()
    with pytest.raises(KeyboardInterrupt):
        threads.each(stopped_by_the_caller, 100)
    time.sleep(0.1)
    assert len(ran) <= 8


def test_alongside_runs_piece_0_on_the_calling_thread():
    seen = {}
    meeting = threading.Barrier(3)

    def kernel(piece, factor):
        seen[piece] = threading.get_ident()
        meeting.wait(10)
        return piece + factor

    assert threads.alongside(kernel, 3, lambda: True, lambda: None, 7) == 7
    assert seen[0] == threading.get_ident()
    assert len(set(seen.values())) == 3


def test_alongside_does_not_leave_others_waiting_for_a_piece_that_never_ran():
    meeting, stopped, interrupted = threading.Barrier(2), [], []

    def kernel(piece):
        if piece == 0 and not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        meeting.wait(10)

    with pytest.raises(KeyboardInterrupt):
        threads.alongside(kernel, 2, lambda: False, lambda: stopped.append(True))
    assert stopped == [True]
    assert not meeting.broken


def test_the_number_of_threads_is_what_was_asked_for(monkeypatch):
    assert threads.count() == 4
    threads.set_count(None)
    monkeypatch.setenv("CLEW_NUM_THREADS", "7")
    assert threads.count() == 7
    monkeypatch.setenv("CLEW_NUM_THREADS", "many")
    assert threads.count() == len(os.sched_getaffinity(0))
    with pytest.raises(GraphError, match="number of threads is 0"):
        threads.set_count(0)


def test_pieces_are_neither_too_small_nor_too_many():
    assert threads.pieces(0) == 1
    assert threads.pieces(3 * threads.GRAIN) == 3
    assert threads.pieces(10**9) == 32
    threads.set_count(1)
    assert threads.pieces(10**9) == 1


@pytest.mark.parametrize("when", ["while they are called", "twice"])
def test_apart_returns_when_all_have_stopped(monkeypatch, when):
    """What they use may be freed as soon as it does."""
    stop, ended, waits = threading.Event(), [], threading.Event.wait
    interrupts = [KeyboardInterrupt] * (1 if when != "twice" else 2)
    call = threads._members.call

    def piece(number):
        waits(stop, 10)
        time.sleep(0.05)
        ended.append(number)

    def called(helpers, job):
        call(helpers, job)
        if when != "twice" and interrupts:
            raise interrupts.pop()

    def wait(event, timeout=None):
        if when == "twice" and interrupts and threading.current_thread() is threading.main_thread():
            raise interrupts.pop()
        return waits(event, timeout)

    monkeypatch.setattr(threads._members, "call", called)
    monkeypatch.setattr(threading.Event, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        threads.apart(piece, 3, stop.set)
    assert sorted(ended) == [0, 1, 2]
    assert not interrupts
