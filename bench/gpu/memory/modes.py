"""Every mode and every placement strategy on the papers' graphs and others: where edges are, and how fast that is.

Every time is of a call with the edges in their place; a second table has what putting them there takes. Managed memory
on demand is timed with all its pages on the host before every call. Strategies renumber the graph, and its last rows,
as far as they fit, are in GPU memory: tiered edges, with another half of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import clew
from bench.gpu.memory import strategies
from bench.gpu.memory.achieved import Achieved, is_counted
from bench.gpu.memory.cells import PACKED, Cell, Figures, Key, Where
from bench.gpu.memory.columns import CACHED, HALF, ZERO_COPY, is_strategy, named_like
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.link import measure
from bench.gpu.memory.markdown import Reason, geometric_mean
from bench.gpu.memory.measuring import ROUNDS, VALUES, WEIGHTED, Bench, Took, edge_bytes
from bench.gpu.memory.pages import ManagedPages
from bench.gpu.memory.strategies import LONGEST, Renumbered, renumbered
from bench.gpu.memory.tables import RENUMBERING, cache_text, modes_text, packed_text

GRAPHS = ("rmat25", "kron24", "grid5000", "web")
WEIGHTS = {"rmat25": 4.0, "kron24": 2.0, "grid5000": 1.5, "web": 0.5}  # how the time is shared between graphs
PLAIN = tuple(name for name in VALUES if name not in WEIGHTED)
COUNTED = (ZERO_COPY, ("tiered", HALF))  # whose share of the link is reported
# Modes in which one algorithm finds the edges of the one before.
KEPT = ("device", "zero_copy", "managed+prefetch", "tiered", PACKED)


def budget(graph: clew.Graph, algorithm: str, part: int | None) -> int | None:
    """Bytes that edges may have in GPU memory; those of both directions where an algorithm reads both."""
    if part is None:
        return None
    both = graph.directed and algorithm in ("bfs", "pagerank")
    return edge_bytes(graph, algorithm) * (2 if both else 1) // part


def run_graph(
    bench: Bench,
    named: Named,
    figures: Figures,
    columns: list[Where],
    achieved: Achieved | None = None,
    algorithms: Iterable[str] = tuple(VALUES),
    best: int | None = None,
) -> Iterator[Where]:
    """Measure all columns on one graph, each printed when it is done.

    With less memory than half, strategies come in the order of what they did with half of it, or the ``best`` only.
    """
    groups = [
        [name for name in group if name in algorithms] for group in (PLAIN, WEIGHTED if named.graph.weighted else ())
    ]
    names = tuple(name for group in groups for name in group)
    if named.graph.directed:
        named.graph.incoming  # noqa: B018  made once, on the host, and not what is timed here
    warm_up(bench, named, names)
    if any(mode == PACKED for mode, _ in columns):
        warm_up(bench, named, names, packed=True)
    if any(map(is_strategy, columns)):
        strategies.warm_up(bench)
    later = [where for where in columns if is_strategy(where) and where[1] != HALF]
    for where in columns:
        if where not in later:
            _column(bench, named, figures, where, groups, achieved)
            yield where
    means = {where: figures.mean((where[0], HALF), ZERO_COPY, (named.name,), names) or 0.0 for where in later}
    ranked = dict.fromkeys(where[0] for where in sorted(later, key=lambda where: -means[where]))
    for strategy in list(ranked)[:best]:
        for where in later:
            if where[0] == strategy:
                _column(bench, named, figures, where, groups, achieved)
                yield where
    bench.forget()


def _column(
    bench: Bench, named: Named, figures: Figures, where: Where, groups: list[list[str]], achieved: Achieved | None
) -> None:
    """All algorithms with the edges in one place. Those without weights share a copy of them."""
    bench.forget()
    graph, restore, mode = named.graph, None, where[0]
    if is_strategy(where):
        placed = _renumbered(bench, named, figures, where)
        if isinstance(placed, Reason):
            for algorithm in (name for group in groups for name in group):
                figures.add((named.name, algorithm, *where), placed)
            return
        graph, restore, mode = placed.graph, placed.placement.permutation, "tiered"
        if graph.directed:
            graph.incoming  # noqa: B018  as above
    for group in groups:
        bench.forget()
        with ManagedPages(bench.gpu) as pages:
            for algorithm in group:
                there = mode in KEPT and not graph.directed and algorithm != group[0]
                if figures.given_up((named.name, algorithm, *where)) is not None:
                    continue
                if mode == CACHED:
                    case, most = partial(_cached, bench, named, algorithm, pages), 2 * bench.most
                else:
                    fast = budget(graph, algorithm, where[1])
                    returned = pages if mode == "managed" else None
                    run = partial(bench.case, algorithm, graph, named.source, mode, fast, there=there, pages=returned)
                    case, most = partial(_checked, bench, named, algorithm, run, restore), bench.most
                found = _add(bench, figures, (named.name, algorithm, *where), case, most)
                if achieved is not None and where in COUNTED and is_counted(algorithm):
                    achieved.add(named, algorithm, *where, found)
        if achieved is not None and where in COUNTED and group[:1] == list(PLAIN[:1]):
            achieved.add_pushed(bench, named, *where, budget(graph, "bfs", where[1]))
    bench.forget()  # the copies on the GPU go before a renumbered graph does


def _renumbered(bench: Bench, named: Named, figures: Figures, where: Where) -> Renumbered | Reason:
    strategy, part = where
    label = f"{named.name} {RENUMBERING} {strategy} 1/{part}"
    made: Renumbered | Reason = bench.tried(label, partial(renumbered, bench, named, strategy, part or 1), LONGEST)
    if isinstance(made, Reason):
        print("#", label, made.word, flush=True)
    else:
        more = {"deciding": made.decided, "share": made.fast_share}
        figures.cells[named.name, RENUMBERING, strategy, part] = Cell(made.moved, more=more)
        print("#", label, f"{made.decided:.2f} + {made.moved:.2f} s, {made.fast_share:.2f} of the bytes", flush=True)
    return made


def _add(bench: Bench, figures: Figures, key: Key, case: Callable[[], Took], most: float) -> Any:
    """Run a case, keep and tell what came of it."""
    found = bench.tried(" ".join(map(str, key)), case, most)
    figures.add(key, found.cell if isinstance(found, Took) else found)  # without its result, which is on the GPU
    print(
        "#",
        *key,
        found.word if isinstance(found, Reason) else f"{found.run * 1e3:.3f} ms, {found.runs} runs",
        flush=True,
    )
    return found


def _checked(bench: Bench, named: Named, algorithm: str, run: Callable[[], Took], restore: Any) -> Took:
    took = run()
    bench.check(named.name, algorithm, named.graph, named.source, took.result, restore)
    return took


def warm_up(bench: Bench, named: Named, algorithms: tuple[str, ...], packed: bool = False) -> None:
    """Compile what the algorithms need on this graph, so that no case has it in its time."""
    with clew.memory("device", packed=packed or named.graph.is_packed):
        for algorithm in algorithms:
            bench.tried(f"{named.name} {algorithm}", partial(bench.call, algorithm, named.graph, named.source), 90)
    bench.forget()


def _cached(bench: Bench, named: Named, algorithm: str, pages: ManagedPages) -> Took:
    """Managed memory whose first half is sent back before every call, and before every round of PageRank."""
    run = partial(bench.call, algorithm, named.graph, named.source)
    with clew.memory("managed"):
        whole, result = bench.once(run)  # all pages are on the GPU from here on
        if algorithm == "pagerank":
            whole, result = bench.once(run)
            one = partial(run, rounds=1)
            alone = geometric_mean(bench.repeated(one)[0]) or 0.0
            for _ in range(ROUNDS):
                pages.send_back(0.5)
                whole += max(0.0, bench.once(one)[0] - alone)
            taken = [whole]
        else:
            taken, result = bench.repeated(run, partial(pages.send_back, 0.5))
    bench.check(named.name, algorithm, named.graph, named.source, result)
    return Took(geometric_mean(taken) or 0.0, None, len(taken), result)


def run(
    bench: Bench,
    smaller: int,
    data: Path,
    names: tuple[str, ...],
    columns: tuple[str, ...] = (),
    algorithms: tuple[str, ...] = tuple(VALUES),
) -> Iterator[dict[str, str]]:
    """The texts of four files, after every column; of all of them, their share of the link is reported as well."""
    figures, wanted = Figures(), named_like(columns)
    achieved = None if columns else Achieved(measure(bench, smaller))
    for named in bench.graphs(names, smaller, data):
        figures.named[named.name] = named.label + (", small" if named.graph.num_arcs < 1 << 24 else "")
        to_come = [WEIGHTS.get(name, 1.0) for name in names[names.index(named.name) :]]
        with bench.share(to_come[0] / sum(to_come)):
            for _ in run_graph(bench, named, figures, wanted, achieved, algorithms):
                yield _texts(figures, achieved)
        bench.forget_answers(named.name)


def _texts(figures: Figures, achieved: Achieved | None) -> dict[str, str]:
    texts = {"modes.md": modes_text(figures), "cache.md": cache_text(figures), "modes.json": figures.json}
    if packed := packed_text(figures):
        texts["packed.md"] = packed
    return texts if achieved is None else texts | {"link.md": achieved.link.text + "\n\n" + achieved.text}
