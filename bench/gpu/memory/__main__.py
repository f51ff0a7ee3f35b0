"""``python -m bench.gpu.memory [PART…] --out FOLDER``: graphs in memories of different speed, as finished tables.

Parts, each within its ``--seconds``; a case that fails or takes too long leaves its reason in the table:

    link         what a kernel reads from host memory, by the length of rows               link.md
    modes        every mode and strategy, managed memory as a cache, packed edges, the link
                                                                      modes.md, cache.md, packed.md, link.md
    transfer     copy and run, as EtaGraph's Table III                                     transfer.md
    ablation     EtaGraph's ideas one by one, as its Figure 6                              ablation.md
    placements   the strategies of S2, as its Figures 5 and 7                              placements.md
    hybrid       vertex programs on the CPU, on the GPU, by the pipeline of both           hybrid.md

Several parts in one run make their graphs once. Modes, placements and hybrid write their figures as JSON as well;
``join FOLDER…`` makes the tables of several runs' figures, of which later ones count, and runs nothing.

    python -m bench.gpu.memory modes --seconds 240 --out tables
    python -m bench.gpu.memory modes placements --graphs rmat25 --columns 'tiered *; * 1/2' --seconds 300 --out first
    python -m bench.gpu.memory join first second --out tables
    python -m bench.gpu.memory modes --graphs rmat25,kron24 --columns 'all in HBM; tiered 1/2; tiered 1/4; packed *'
    python -m bench.gpu.memory modes --graphs rmat28 --columns 'packed *' --seconds 3600 --limit 120
    python -m bench.gpu.memory --device emulated --smaller 19 --seconds 60    # a trial without a GPU

``rmat28`` has 8.6 billion stored edges and no weights: 34 GB as plain ones, of which the host takes twice as much to
make them. Its answers are compared with each other.
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from bench.gpu.memory import ablation, hybrid, modes, placements, transfer
from bench.gpu.memory.cells import Figures
from bench.gpu.memory.columns import named_like
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.link import measure
from bench.gpu.memory.measuring import VALUES, Bench
from bench.gpu.memory.tables import cache_text, modes_text, packed_text

JOIN = "join"
#: Seconds, where none are said.
PARTS = {"link": 40, "modes": 420, "transfer": 70, "ablation": 65, "placements": 130, "hybrid": 60}


def words(text: str, between: str = ",") -> tuple[str, ...]:
    """Those between commas."""
    return tuple(word.strip() for word in text.split(between) if word.strip())


def columns(text: str) -> tuple[str, ...]:
    """Of the table of all modes, between semicolons, for some have a comma."""
    found = words(text, ";")
    try:
        named_like(found)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return found


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; by default all but link; or join FOLDER…"
    )
    parser.add_argument("--graphs", type=words, default=(), help="by default those of the part")
    parser.add_argument(
        "--columns", type=columns, default=(), help="of all modes, such as 'tiered *; Hot(cost) 1/2'; without the link"
    )
    parser.add_argument(
        "--algorithms", type=words, default=tuple(VALUES), help=f"of all modes; by default {','.join(VALUES)}"
    )
    parser.add_argument("--seconds", type=float, help="for all parts together; shared as their defaults are")
    parser.add_argument("--limit", type=float, default=12, help="seconds after which a case is given up")
    parser.add_argument("--repeat", type=float, default=0.3, help="seconds of repeated runs per case")
    parser.add_argument("--runs", type=int, default=3, help="of a case at least, where they are short")
    parser.add_argument("--smaller", type=int, default=0, help="bits fewer in the number of vertices")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("bench/out/memory"))
    options = parser.parse_args(arguments)
    if options.parts[:1] == [JOIN]:
        return options
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts {', '.join(sorted(unknown))}; expected some of {', '.join(PARTS)}")
    if unknown := set(options.algorithms) - set(VALUES):
        parser.error(f"unknown algorithms {', '.join(sorted(unknown))}; expected some of {', '.join(VALUES)}")
    options.parts = options.parts or [part for part in PARTS if part != "link"]
    return options


def run_part(
    part: str, options: argparse.Namespace, seconds: float, made: dict[str, Named] | None
) -> Iterator[dict[str, str]]:
    """The texts of a part's files, again after every graph or column."""
    bench = Bench(options.device, seconds, options.limit, options.repeat, options.runs, made)
    if part == "link":
        yield {"link.md": measure(bench, options.smaller).text}
        return
    if part == "modes":
        graphs = options.graphs or modes.GRAPHS
        yield from modes.run(bench, options.smaller, options.data, graphs, options.columns, options.algorithms)
        return
    module = {"transfer": transfer, "ablation": ablation, "placements": placements, "hybrid": hybrid}[part]
    yield from module.run(bench, options.smaller, options.data, options.graphs or module.GRAPHS)


def joined(folders: list[Path]) -> dict[str, str]:
    """The texts of the figures in these folders, later ones before earlier ones."""
    found = {part: Figures() for part in ("modes", "placements", "hybrid")}
    for folder in folders:
        for part, figures in found.items():
            if (folder / f"{part}.json").exists():
                figures.join(Figures.read(folder / f"{part}.json"))
    laid_out = Figures()  # as the paper does, also the strategies on the graphs of the table of all modes
    for part in ("modes", "placements"):
        laid_out.join(found[part])
    texts = {
        "modes": (found["modes"], {"modes.md": modes_text, "cache.md": cache_text, "packed.md": packed_text}),
        "placements": (laid_out, {"placements.md": placements.text}),
        "hybrid": (found["hybrid"], {"hybrid.md": hybrid.text}),
    }
    made = {name: text(figures) for figures, files in texts.values() if figures.cells for name, text in files.items()}
    made = {name: text for name, text in made.items() if text}
    return made | {f"{part}.json": figures.json for part, figures in found.items() if figures.cells}


def save(folder: Path, texts: dict[str, str]) -> None:
    """One file each."""
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def show(texts: dict[str, str]) -> None:
    """The tables."""
    print(*(text for name, text in texts.items() if name.endswith(".md")), sep="\n\n", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Run, print and save."""
    options = options_of(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.parts[0] == JOIN:
        texts = joined([Path(folder) for folder in options.parts[1:]])
        save(options.out, texts)
        show(texts)
        return
    began = time.perf_counter()
    made: dict[str, Named] | None = {} if len(options.parts) > 1 else None
    for number, part in enumerate(options.parts):
        rest = sum(PARTS[later] for later in options.parts[number:])
        left = rest if options.seconds is None else options.seconds - (time.perf_counter() - began)
        started, texts = time.perf_counter(), {}
        try:
            for texts in run_part(part, options, left * PARTS[part] / rest, made):
                save(options.out, texts)
        except Exception:  # one part must not cost the others
            traceback.print_exc()
        show(texts)
        print(f"\n# {part}: {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
