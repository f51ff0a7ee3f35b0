"""What made the report, on what machine."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime

from clew import threads
from clew.checks import counted
from clew.engines.measured import cpu_name
from clew.reporting import words
from clew.reporting.content import Facts, Section
from clew.reporting.study import Study


def about(study: Study) -> Section:
    """Versions, processor, threads and the date."""
    import numba
    import numpy as np

    from clew import __version__

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    facts = [
        ("created by", f"clew {__version__}"),
        ("on", f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC"),
        ("processor", f"{cpu_name()}, {counted(threads.count(), 'thread')} used"),
        ("memory", words.octets(memory)),
        ("device", study.device),
        ("versions", f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}"),
    ]
    return Section(
        "about",
        "About this report",
        "One file that works offline. Drag in a plot to zoom, and double-click to reset it.",
        [Facts(facts)],
    )
