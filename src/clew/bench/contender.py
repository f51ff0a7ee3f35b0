"""A contender as the race sees it: a process that can be asked, waited for so long, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from clew.bench.task import UnableError


class Setting(NamedTuple):
    """What all contenders of a race share."""

    file: Path
    source: int
    threads: int
    device: str


class OverTimeError(UnableError):
    """It took longer than it may."""


class Contender:
    """One peer, or clew. Its process starts with the first request and anew after it was ended."""

    def __init__(self, name: str, setting: Setting) -> None:
        self.name, self.setting = name, setting
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, limit: float, **request: Any) -> dict[str, Any]:
        """What the process answers; one that takes more than ``limit`` seconds is ended."""
        process = self.process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process, limit)
        except OverTimeError:
            self.close()
            raise
        except BaseException:  # Ctrl-C too: nothing is left behind
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
        """End the process and those it has started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()
            self.process = None

    def _start(self) -> subprocess.Popen[bytes]:
        setting = self.setting
        arguments = [self.name, setting.threads, setting.device, setting.source, setting.file]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clew.bench.worker", *(str(argument) for argument in arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that a program it has started can be ended with it
            env={**os.environ, "OMP_NUM_THREADS": str(setting.threads)},
        )
        return self.process

    def _line(self, process: subprocess.Popen[bytes], limit: float) -> bytes:
        assert process.stdout is not None
        # Every answer is one line, and nothing follows it before the next request: no more than it can be buffered.
        if not select.select([process.stdout], [], [], limit)[0]:
            raise OverTimeError(f"took more than {limit:g} s")
        return process.stdout.readline()
