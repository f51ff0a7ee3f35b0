r"""Derive the bundled graph, src/clew/datasets/debian12.parquet, from a Debian package index.

The index is what apt downloads and keeps. On a Debian 12 machine (or container) for amd64::

    apt-get update
    index=$(apt-get indextargets --format '$(FILENAME)' \
            'Created-By: Packages' 'Codename: bookworm' 'Component: main' 'Architecture: amd64')
    /usr/lib/apt/apt-helper cat-file "$index" > Packages
    python tools/make_debian.py Packages --date 2026-07-11 --point-release 12.15

Date and point release stand in the (In)Release file that apt keeps next to the index.

How the graph is made:

- A vertex is the name of a package. An edge leads from a package to one it needs, and its weight says how badly:
  Pre-Depends 3, Depends 2, Recommends 1. Where a package names another in several fields, the strongest counts.
- Of alternatives (``a | b``) the first is taken: the one that is installed unless something else is there already.
- Versions and architectures (``a:any (>= 2) [amd64]``) are left out.
- A name that is no package but is provided by exactly one stands for that one. Any other name that is no package,
  whether several packages provide it or none in the index does, stays a vertex of its own: it is needed all the same.
- A package that needs a name which only it provides needs nothing else: no edge.
- A package listed in several versions is one vertex, with the needs of all of them.
- Packages without any edge are vertices too; Parquet keeps their names in the file's metadata.

The same index gives the same bytes with the same version of pyarrow.
"""

from __future__ import annotations

import argparse
import lzma
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from clew.datasets import STRENGTH

FIELDS = {"Package", "Provides", *STRENGTH}
BUNDLED = Path(__file__).resolve().parents[1] / "src" / "clew" / "datasets" / "debian12.parquet"

Stanza = dict[str, str]
Needs = dict[tuple[str, str], int]


def main() -> None:
    parser = argparse.ArgumentParser(description="Derive the bundled dependency graph from a Debian package index.")
    parser.add_argument("index", type=Path, help="a Packages file: plain, .gz, .xz, .bz2, .lz4 or .zst")
    parser.add_argument("--date", required=True, help="the date of the index, as in 2026-07-11")
    parser.add_argument("--point-release", required=True, help="the release of Debian, as in 12.15")
    parser.add_argument("--output", type=Path, default=BUNDLED, help="where to write (default: the bundled file)")
    chosen = parser.parse_args()
    packages = list(stanzas(unpacked(chosen.index)))
    found = needs(packages)
    names = {package["Package"] for package in packages}
    write(found, names, chosen.output, date=chosen.date, release=chosen.point_release)
    print(f"{len(names):,} packages, {len(found):,} needs, {chosen.output.stat().st_size:,} bytes: {chosen.output}")


def unpacked(path: Path) -> str:
    """The text of an index, unpacked by its suffix."""
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes()).decode()
    with pa.input_stream(str(path)) as stream:
        return stream.read().decode()


def stanzas(index: str) -> Iterator[Stanza]:
    """The fields we look at of every package in the index."""
    for stanza in index.split("\n\n"):
        unfolded = stanza.replace("\n ", " ")
        fields = (line.partition(":") for line in unfolded.splitlines())
        package = {field: value.strip() for field, _, value in fields if field in FIELDS}
        if package:
            yield package


def needs(packages: list[Stanza]) -> Needs:
    """(package, what it needs) to the strength of the need."""
    names = {package["Package"] for package in packages}
    providers: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        for provided in package.get("Provides", "").split(","):
            providers[bare(provided)].add(package["Package"])

    def resolved(name: str) -> str:
        only = providers.get(name, set())
        return next(iter(only)) if name not in names and len(only) == 1 else name

    found: Needs = {}
    for package in packages:
        for field, strength in STRENGTH.items():
            for alternatives in package.get(field, "").split(","):
                pair = package["Package"], resolved(bare(alternatives.split("|")[0]))
                if pair[1] and pair[0] != pair[1]:
                    found[pair] = max(strength, found.get(pair, 0))
    return found


def bare(relation: str) -> str:
    """``libc6:any (>= 2.36) [amd64]`` as ``libc6``; an empty relation as an empty name."""
    return relation.partition("(")[0].partition("[")[0].partition(":")[0].strip()


def write(needs: Needs, names: set[str], path: Path, *, date: str, release: str) -> None:
    """The edges as a Parquet table, as small as readers everywhere understand."""
    rows = sorted(needs.items())
    in_edges = {name for pair in needs for name in pair}
    about = {
        "title": "What the packages of Debian 12 need",
        "source": f"package index of Debian {release} (bookworm), main, amd64",
        "date": date,
        "licence": "facts taken from the index; nothing of the packages themselves",
        "weights": ", ".join(f"{weight} {field}" for field, weight in STRENGTH.items()),
        "isolated": " ".join(sorted(names - in_edges)),
    }
    table = pa.table(
        {
            "source": pa.array([source for (source, _), _ in rows]),
            "target": pa.array([target for (_, target), _ in rows]),
            "weight": pa.array([weight for _, weight in rows], pa.uint8()),
        }
    )
    # Metadata of the file, because that of the schema would be stored twice.
    with pq.ParquetWriter(path, table.schema, compression="zstd", compression_level=19) as writer:
        writer.add_key_value_metadata(about)
        writer.write_table(table, row_group_size=len(rows))


if __name__ == "__main__":
    main()
