"""Ctrl-C for a process of a test's own."""

from __future__ import annotations

import signal
import subprocess

#: Seconds that a process has to end on a busy machine. A second Ctrl-C while it does would be another story.
PATIENCE = 30


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What the process has written when it has ended.

    A Ctrl-C that comes while an array is freed is lost, as everywhere in Python; then there is another one.
    """
    try:
        for _ in range(5):
            process.send_signal(signal.SIGINT)
            try:
                return process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                pass
        raise AssertionError("the process goes on, whatever signals it gets")
    finally:
        process.kill()
