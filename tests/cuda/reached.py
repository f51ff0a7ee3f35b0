"""A plugin of pytest (``-p tests.cuda.reached``): it tells which files of kernels the emulation was asked for."""

from __future__ import annotations

from typing import Any

from clew.engines.cuda.emulation.device import EmulatedDevice

LINE = "files of kernels that ran: "
FILES: set[str] = set()


def pytest_configure() -> None:
    """Note the file of every kernel that is asked for."""
    kernel = EmulatedDevice.kernel

    def noted(self: EmulatedDevice, file: str, *args: Any, **options: Any) -> Any:
        FILES.add(file)
        return kernel(self, file, *args, **options)

    EmulatedDevice.kernel = noted  # type: ignore[method-assign]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say so at the end."""
    terminalreporter.write_line(LINE + " ".join(sorted(FILES)))
