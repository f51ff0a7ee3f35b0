"""Kernels of a test's own, from text, for the emulated device."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

from clew.engines.cuda.emulation.device import EmulatedDevice, EmulatedKernel

_folder = tempfile.TemporaryDirectory(prefix="clew-kernels-")


def kernel(device: EmulatedDevice, text: str, name: str, *args: Any, **kwargs: Any) -> EmulatedKernel:
    """The kernel ``name`` of a source text."""
    path = Path(_folder.name) / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.cuh"
    if not path.exists():
        path.write_text(text)
    return device.kernel(str(path), name, *args, **kwargs)
