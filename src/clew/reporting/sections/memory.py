"""The memories of this machine, and where the graph's rows would go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.checks import counted
from clew.errors import ClewError
from clew.graph import Graph
from clew.placement import AllFast, AsNumbered, Compared, Degree, Frontier, Hot, Random, Speed, Strategy, compare
from clew.placement.placement import all_bytes, row_bytes
from clew.reporting import words
from clew.reporting.content import EVERYTHING, Block, Column, Plot, Section, Skipped, Table, Text
from clew.reporting.figures import amounts, charted, times
from clew.reporting.sections.degrees import class_label, degree_classes
from clew.reporting.study import Study
from clew.tiers import KINDS, Rates, Tier, measure, tiers

MEASURED = 64 << 20  # bytes: beyond caches, and over in a moment
LARGEST = 1 << 27  # stored edges; above it trying the strategies takes long
QUARTER = 4
FEW = 1 << 22  # stored edges up to which Degree and Frontier are tried: both look at all of them
LARGE_FRONTIERS = 20  # a frontier of more than 1/20 of the vertices is a large one
CUTOFF = 80  # the percentile of the paper's example
ENOUGH, MOST_SEARCHES = 1 << 23, 64  # as many searches as look at so many edges if each looked at all


class Memory(NamedTuple):
    """A tier and its measured speed, or the reason why there is none."""

    tier: Tier
    rates: Rates | None
    trouble: str


def memory(study: Study) -> Section:
    """Tiers with their speed, then strategies compared on the two fastest."""
    with study.step("Speed of the memories"):
        found = [_measured(tier) for tier in tiers()]
    rows = int(row_bytes(study.graph.outgoing).sum())
    fast, *others = found
    home = f"The graph's rows take {words.octets(rows)}. "
    if rows <= fast.tier.free:
        home += f"All of them fit in {_called(fast.tier)}, which has {words.octets(fast.tier.free)} free."
    else:
        home += (
            f"That is more than the {words.octets(fast.tier.free)} that are free in {_called(fast.tier)}: "
            "some of them must go elsewhere."
        )
    blocks: list[Block] = [_tiers(found), *_placements(study, fast, others, rows)]
    return Section("memory", "Memory", home, blocks)


def _measured(tier: Tier) -> Memory:
    try:
        return Memory(tier, measure(tier, MEASURED), "")
    except (ClewError, OSError) as error:
        return Memory(tier, None, str(error))


def _tiers(found: list[Memory]) -> Table:
    columns = [Column("Tier"), Column("What"), Column("Capacity", words.octets), Column("Free", words.octets)]
    columns += [Column(title, words.rate) for title in ("Read", "Write", "Random reads")]
    rows = []
    for tier, rates, _ in found:
        speeds = (None, None, None) if rates is None else (rates.read, rates.write, rates.random)
        rows.append([tier.name, KINDS[tier.kind], tier.capacity, tier.free, *speeds])
    return Table("The memories of this machine, measured for this report", columns, rows)


def _placements(study: Study, fast: Memory, others: list[Memory], rows: int) -> list[Block]:
    """What each strategy would do with a limited fast memory."""
    graph, what = study.graph, "Placement"
    slow = next((memory for memory in others if memory.rates is not None and memory.tier.kind != "pinned"), None)
    if not graph.num_arcs:
        return [Skipped(what, "a graph without edges has no rows to place")]
    if fast.rates is None or slow is None or slow.rates is None:
        return [Skipped(what, fast.trouble or "this machine has only one memory whose speed could be measured")]
    if study.too_large(LARGEST):
        return [Skipped(what, f"comparing strategies on more than {LARGEST:,} stored edges takes long", EVERYTHING)]
    budget = max(1, rows // QUARTER) if study.fast_memory is None else study.fast_memory
    speeds = (Speed.measured(slow.rates, slow.tier.kind), Speed.measured(fast.rates, fast.tier.kind))
    with study.step("Placements compared"):
        searches = min(MOST_SEARCHES, max(3, ENOUGH // (graph.num_vertices + graph.num_arcs)))
        compared = compare(graph, _candidates(graph, budget, speeds), budget, speeds=speeds, searches=searches)
        best = compared[0]
        figures = [_times(compared, rows), _rows_by_degree(study, best)]
    asked = "a quarter of the rows" if study.fast_memory is None else "as requested"
    text = (
        f"Suppose that {words.octets(budget)} ({asked}) of {_called(fast.tier)} are available and the rest is in "
        f"{_called(slow.tier)}. Then {_best(best, rows)} The comparison counts the reads of {searches} sampled "
        "searches, one pass over all rows and one over their first edges, at the speeds above. It ignores caches."
    )
    return [Text(text), *figures]


def _candidates(graph: Graph, budget: int, speeds: tuple[Speed, Speed]) -> list[Strategy]:
    """The strategies to compare; budgets fill fast memory, or as much of it as keeps both memories equally busy."""
    total, (slow, fast) = all_bytes(graph.outgoing), (speed.in_order for speed in speeds)
    wanted = min(budget, int(total * fast / (slow + fast)))
    tried: list[Strategy] = [AsNumbered(wanted), *(Hot(wanted, by) for by in ("cost", "degree", "access"))]
    if graph.num_arcs <= FEW:
        hub = graph.name(int(graph.degrees().argmax()))
        tried.append(Degree(graph.num_arcs // graph.num_vertices, CUTOFF))
        tried.append(Frontier(hub, graph.num_vertices // LARGE_FRONTIERS))
    return [*tried, Random(0, wanted / total), AllFast()]


def _best(best: Compared, rows: int) -> str:
    placement = best.placement
    return (
        f"{_words(best.strategy)} would do best: {counted(placement.num_fast, 'vertex')} and "
        f"{words.percent(placement.fast_bytes / rows)} of the bytes in fast memory."
    )


def _times(compared: list[Compared], rows: int) -> Plot:
    """How long the reads would take with each strategy."""
    labels = [_words(one.strategy) for one in compared]
    first, last = compared[0], compared[-1]
    alt = (
        f"Time that the sampled reads would take: {words.duration(first.seconds)} with {labels[0]}, the best, "
        f"{words.duration(last.seconds)} with {labels[-1]}."
    )
    chart = times("Strategies compared", labels, {"": np.array([one.seconds for one in compared])}, alt)
    return charted("placement", chart, _table(compared, rows))


def _rows_by_degree(study: Study, best: Compared) -> Plot:
    """Which rows the best strategy puts where: the bytes of either memory by degree."""
    sizes, bits, fast = row_bytes(study.graph.outgoing), degree_classes(study.out_degrees), best.placement.fast
    kinds = {"fast memory": fast, "slow memory": ~fast}
    found = {
        kind: np.bincount(bits[mask], weights=sizes[mask], minlength=bits.max() + 1) for kind, mask in kinds.items()
    }
    labels = [class_label(power) for power in range(int(bits.max()) + 1)]
    whole = int(found["fast memory"].sum())
    alt = f"Where rows go, by degree: {words.octets(whole)} into fast memory, chosen as {_words(best.strategy)}."
    title = "Where the rows go"
    rows = [
        list(row) for row in zip(labels, *(values.astype(np.int64).tolist() for values in found.values()), strict=True)
    ]
    columns = [Column("Degree"), *(Column(f"Bytes in {kind}", words.octets) for kind in found)]
    chart = amounts(title, [f"degree {label}" for label in labels], found, alt)
    return charted("placed-rows", chart, Table(f"{title}, by degree", columns, rows))


def _words(strategy: Strategy) -> str:
    """A strategy in a few words; the table has its exact name."""
    by = getattr(strategy, "by", "")
    known = {
        "as_numbered": "the last rows as numbered",
        "hot": "short rows" if by == "cost" else f"hottest rows by {by}",
        "degree": "children of busy vertices",
        "frontier": "large frontiers",
        "random": "rows at random",
        "all_fast": "rows in their order",
    }
    return known.get(strategy.name, str(strategy))


def _table(compared: list[Compared], rows: int) -> Table:
    titles = {
        "Strategy": words.text,
        "Vertices in fast memory": words.whole,
        "Bytes in fast memory": words.octets,
        "in slow memory": words.octets,
        "Share": words.percent,
        "Time of the reads": words.duration,
    }
    table = [
        [str(strategy), place.num_fast, place.fast_bytes, place.slow_bytes, place.fast_bytes / rows, seconds]
        for strategy, place, seconds, _ in compared
    ]
    return Table("Placement strategies, best first", [Column(*title) for title in titles.items()], table)


def _called(tier: Tier) -> str:
    return f"{KINDS[tier.kind]} ({tier.name})"
