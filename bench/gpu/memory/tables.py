"""The tables of all modes and strategies, and of managed memory as a cache."""

from __future__ import annotations

from bench.gpu.memory.cells import PACKED, Cell, Figures, Where
from bench.gpu.memory.columns import CACHE, COLUMNS, HBM, ON_DEMAND, ZERO_COPY, in_rows, is_strategy
from bench.gpu.memory.markdown import NOTHING, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import ROUNDS, VALUES, WEIGHTED

RENUMBERING = "renumbering"  # stands where a key has the algorithm
BASES = {ZERO_COPY: "all zero-copy", ON_DEMAND: "managed, on demand", CACHE: "half cached", HBM: "all in HBM"}


def modes_text(figures: Figures) -> str:
    """All modes and strategies: how they compare, every figure, and what placing and renumbering take."""
    rows = [where for where in in_rows() if any(figures.has(graph, where) for graph in figures.named)]
    parts = [
        "### All modes and strategies",
        "Times as fast as all zero-copy, the geometric mean over bfs, sssp, sswp, PageRank and components; in the last "
        f"columns over all graphs, and over the other baselines. {NOTHING}: one of the figures is missing. Modes "
        "leave the numbering as it is; strategies renumber, and have the last rows that fit in GPU memory. Parts are "
        "of the edges' bytes.",
        _overview(figures, rows),
        "Milliseconds of a call with the edges in their place, the geometric mean of repeated calls (PageRank: "
        f"{ROUNDS} rounds). Where a part is less than a page of 2 MiB, none of it is in GPU memory. On demand: all "
        "pages are on the host before every call. Graphs: " + "; ".join(figures.named.values()) + ".",
        table(["", "", *VALUES, "× zero-copy", "× on demand"], _all_figures(figures, rows)),
        "Milliseconds to put the edges there: the first call less the mean of the others, of bfs (neighbours) and of "
        f"sssp (with weights). {NOTHING}: a call that was not repeated, its time in the table above has it.",
        _placing(figures, rows),
        "Seconds that strategies take on the CPU, to decide and to renumber the graph with its weights, and the part "
        "of the rows' bytes that they want in fast memory:",
        _renumbering(figures, rows),
        reasons(figures.cells.values()),
    ]
    return "\n\n".join(part for part in parts if part)


def packed_text(figures: Figures) -> str:
    """Packed edges beside plain ones in as much memory; nothing without packed ones."""
    parts = [(plain, (PACKED, plain[1])) for plain in (HBM, ("tiered", 2), ("tiered", 4))]
    parts = [pair for pair in parts if any(figures.has(graph, pair[1]) for graph in figures.named)]
    if not parts:
        return ""
    wheres = [where for pair in parts for where in pair]
    rows = []
    for graph in figures.named:
        for name in VALUES:
            found = [figures.run((graph, name, *where)) for where in wheres]
            beside = [ratio(*found[2 * k : 2 * k + 2]) for k in range(len(parts))]
            made = milliseconds(figures.place((graph, name, *parts[0][1])))
            rows.append([f"{graph} {name}", *map(milliseconds, found), *(number(one, 2, "x") for one in beside), made])
    heads = ["", *(COLUMNS[where] for where in wheres), *(f"plain / {COLUMNS[packed]}" for _, packed in parts)]
    told = "Milliseconds of a call. The last column has the first call less the mean of the others: it packs the edges."
    return "\n\n".join(["### Packed edges", told, table([*heads, "packing, and placing"], rows)])


def _overview(figures: Figures, rows: list[Where]) -> str:
    graphs = list(figures.named)
    others = [base for base in BASES if base != ZERO_COPY]
    heads = ["", *graphs, "all graphs", *(f"compared with {BASES[base]}" for base in others)]
    lines = []
    for where in rows:
        means = [figures.mean(where, ZERO_COPY, (graph,), VALUES) for graph in graphs]
        means += [figures.mean(where, base, graphs, VALUES) for base in (ZERO_COPY, *others)]
        lines.append([COLUMNS[where], *map(number, means)])
    return table(heads, lines)


def _all_figures(figures: Figures, rows: list[Where]) -> list[list[str]]:
    lines = []
    for graph in figures.named:
        label = f"**{graph}**"
        for where in rows:
            if figures.has(graph, where):
                times = [milliseconds(figures.run((graph, name, *where))) for name in VALUES]
                means = [figures.mean(where, base, (graph,), VALUES) for base in (ZERO_COPY, ON_DEMAND)]
                lines.append([label, COLUMNS[where], *times, *map(number, means)])
                label = ""
    return lines


def _placing(figures: Figures, rows: list[Where]) -> str:
    kinds = (("bfs", "neighbours"), (WEIGHTED[0], "with weights"))
    heads = ["", *(f"{graph}, {label}" for graph in figures.named for _, label in kinds)]
    return table(
        heads,
        (
            [
                COLUMNS[where],
                *(milliseconds(figures.place((graph, name, *where))) for graph in figures.named for name, _ in kinds),
            ]
            for where in rows
        ),
    )


def _renumbering(figures: Figures, rows: list[Where]) -> str:
    graphs = list(figures.named)
    lines = []
    for where in filter(is_strategy, rows):
        line = [COLUMNS[where]]
        for graph in graphs:
            found = figures.cells.get((graph, RENUMBERING, *where))
            known = isinstance(found, Cell)
            line.append(f"{found.more['deciding']:.1f} + {found.run:.1f}" if known else NOTHING)
            line.append(f"{found.more['share']:.2f}" if known else NOTHING)
        lines.append(line)
    heads = ["", *(head for graph in graphs for head in (f"{graph}, s", "share"))]
    return table(heads, lines)


def cache_text(figures: Figures) -> str:
    """Half the memory, compared with managed memory."""
    heads = ["", "managed, on demand", "managed, half of it cached", "tiered 1/2", "auto 1/2"]
    heads += ["on demand / tiered", "on demand / auto", "cached / tiered", "cached / auto"]
    heads += ["**tiered, goal 2**", "**auto, goal 2**"]
    rows = []
    for graph in figures.named:
        for name in VALUES:
            demand, cached, tiered, auto = (
                figures.run((graph, name, *where)) for where in (ON_DEMAND, CACHE, ("tiered", 2), ("auto", 2))
            )
            baseline = cached if name == "pagerank" else demand
            ratios = [ratio(demand, tiered), ratio(demand, auto), ratio(cached, tiered), ratio(cached, auto)]
            ratios += [ratio(baseline, tiered), ratio(baseline, auto)]
            cells = [milliseconds(cell) for cell in (demand, cached, tiered, auto)]
            rows.append([f"{graph} {name}", *cells, *(number(cell, 1, "x") for cell in ratios)])
    label = (
        "Managed memory must not be larger than what is free on the GPU, so a cache of half the edges is made by "
        "sending the first half of their pages (the half that tiered edges have on the host) back before every call, "
        f"which is not counted. PageRank is run in {ROUNDS} calls of one round with half the pages sent back before "
        f"each; what each takes longer than with all pages in place is added to the time of {ROUNDS} rounds in one "
        "call. That is kind to managed memory: a scan that goes round through a cache of half the size finds none of "
        "its pages there. On demand: all pages are on the host before the call, once."
    )
    return "\n\n".join(["### Fast memory as a cache (managed memory), with half the budget", label, table(heads, rows)])
