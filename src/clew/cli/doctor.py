"""``clew doctor``: the hardware that clew can use, its measured speed, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from clew import cache_folder
from clew.checks import counted
from clew.cli import output
from clew.progress import showing


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show processors, memories, their measured speed, and what is missing.

    Bandwidths are measured. A copy within one memory counts bytes read plus written; one between two, bytes moved.
    """
    from clew.engines import survey

    cache = cache_folder.writable_folder()
    with showing("measuring"):
        cpu, gpu, versions = survey.processor(), survey.graphics(), survey.versions()
    if as_json:
        output.as_json({"cpu": cpu, "gpu": gpu, "versions": versions, "cache": None if cache is None else str(cache)})
        return
    output.heading("CPU")
    output.facts(
        [
            ("name", cpu["name"]),
            ("cores", f"{cpu['cores']}, clew uses {counted(cpu['threads'], 'thread')}"),
            ("memory", _memory(cpu)),
            ("copy", _rate(cpu["copy_bytes_per_second"])),
        ]
    )
    output.heading("GPU")
    if isinstance(gpu, str):
        output.facts([("none", gpu)])
    else:
        output.facts(
            [
                ("name", f"{gpu['name']}, {gpu['architecture']}, {gpu['processors']} processors"),
                ("driver", f"for CUDA {gpu['driver']}; CUDA {gpu['runtime']} is installed"),
                ("memory", _memory(gpu)),
                ("copy", _rate(gpu["copy_bytes_per_second"])),
                ("from the host", _rate(gpu["upload_bytes_per_second"])),
                ("to the host", _rate(gpu["download_bytes_per_second"])),
            ]
        )
    output.heading("Packages")
    output.facts([(name, version or "not installed") for name, version in versions.items()])
    output.paragraph(_cache(cache))


def _cache(folder: Path | None) -> str:
    if folder is None:
        tried = ", ".join(map(str, cache_folder.folders()))
        return f"No folder for compiled code is writable (tried {tried}). {cache_folder.REMEDY}."
    cached = f"Compiled code is cached in {folder}"
    if cache_folder.is_temporary(folder):
        return f"{cached}, which a restart may delete. {cache_folder.REMEDY} and that lasts."
    return f"{cached}."


def _memory(device: dict[str, Any]) -> str:
    return f"{device['memory_bytes'] / 2**30:.1f} GiB, {device['memory_free_bytes'] / 2**30:.1f} GiB free"


def _rate(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e9:,.1f} GB/s"
