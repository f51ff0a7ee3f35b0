"""``python -m bench.gpu.memory [PART…] --out FOLDER``: graphs in memories of different speed, as finished tables.

Parts, each within its ``--seconds``; a case that fails or takes too long leaves its reason in the table:

    link         what a kernel reads from host memory, by the length of rows               link.md
    modes        every mode, managed memory as a cache, the share of the link    modes.md, cache.md, link.md
    transfer     copy and run, as EtaGraph's Table III                                     transfer.md
    ablation     EtaGraph's ideas one by one, as its Figure 6                              ablation.md
    placements   the strategies of S2, as its Figures 5 and 7                              placements.md
    hybrid       CPU and GPU together, beside the better of CPU and zero-copy alone        hybrid.md

    python -m bench.gpu.memory modes --seconds 240 --out tables
    python -m bench.gpu.memory --device emulated --smaller 19 --seconds 60    # a trial without a GPU
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from bench.gpu.memory import ablation, hybrid, modes, placements, transfer
from bench.gpu.memory.link import measure
from bench.gpu.memory.measuring import Bench

#: Seconds, where none are said.
PARTS = {"link": 40, "modes": 280, "transfer": 70, "ablation": 65, "placements": 130, "hybrid": 90}


def words(text: str, between: str = ",") -> tuple[str, ...]:
    """Those between commas."""
    return tuple(word.strip() for word in text.split(between) if word.strip())


def columns(text: str) -> tuple[str, ...]:
    """Of the table of all modes, between semicolons, for some have a comma."""
    found, known = words(text, ";"), modes.COLUMNS.values()
    for name in set(found) - set(known):
        raise argparse.ArgumentTypeError(f"unknown column {name!r}; expected some of {'; '.join(known)}")
    return found


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; by default all but link")
    parser.add_argument("--graphs", type=words, default=(), help="by default those of the part")
    parser.add_argument("--columns", type=columns, default=(), help="of all modes, such as 'tiered 1/4; tiered 1/8'")
    parser.add_argument("--seconds", type=float, help="for all parts together; shared as their defaults are")
    parser.add_argument("--limit", type=float, default=12, help="seconds after which a case is given up")
    parser.add_argument("--repeat", type=float, default=0.3, help="seconds of repeated runs per case")
    parser.add_argument("--runs", type=int, default=3, help="of a case at least, where they are short")
    parser.add_argument("--smaller", type=int, default=0, help="bits fewer in the number of vertices")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("bench/out/memory"))
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts {', '.join(sorted(unknown))}; expected some of {', '.join(PARTS)}")
    options.parts = options.parts or [part for part in PARTS if part != "link"]
    return options


def run_part(part: str, options: argparse.Namespace, seconds: float) -> Iterator[dict[str, str]]:
    """The texts of a part's files, again after every graph."""
    bench = Bench(options.device, seconds, options.limit, options.repeat, options.runs)
    if part == "link":
        yield {"link": measure(bench, options.smaller).text}
        return
    if part == "modes":
        yield from modes.run(bench, options.smaller, options.data, options.graphs or modes.GRAPHS, options.columns)
        return
    module = {"transfer": transfer, "ablation": ablation, "placements": placements, "hybrid": hybrid}[part]
    yield from module.run(bench, options.smaller, options.data, options.graphs or module.GRAPHS)


def main(arguments: list[str] | None = None) -> None:
    """Run, print and save."""
    options = options_of(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    for number, part in enumerate(options.parts):
        rest = sum(PARTS[later] for later in options.parts[number:])
        left = rest if options.seconds is None else options.seconds - (time.perf_counter() - began)
        started, texts = time.perf_counter(), {}
        try:
            for texts in run_part(part, options, left * PARTS[part] / rest):
                for name, text in texts.items():
                    (options.out / f"{name}.md").write_text(text + "\n", encoding="utf-8")
        except Exception:  # one part must not cost the others
            traceback.print_exc()
        print(*texts.values(), f"# {part}: {time.perf_counter() - started:.0f} s", sep="\n\n", flush=True)


if __name__ == "__main__":
    main()
