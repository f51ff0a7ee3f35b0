"""The sections of a report about the graph: overview, picture, degrees, components, ranks, distances and cohesion."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import describe, plots
from clew.checks import counted
from clew.dtypes import Array, OffsetArray
from clew.reporting import content, graph_map, words
from clew.reporting.content import EVERYTHING, Column, Facts, Section, Skipped, Table, charted, columns, plot, spread
from clew.reporting.study import Study
from clew.result import Result

LONGEST_REMARK = 300  # characters of the metadata of a file
LARGEST_FOR_PICTURE = 1 << 25  # edges, in both directions; above it the layout takes minutes
LARGEST_FOR_CORES = 1 << 26  # stored edges
LARGEST_FOR_COMMUNITIES = 1 << 25
TOP_COMMUNITIES, MEMBERS = 12, 3
LARGEST_FOR_TRIANGLES = 1 << 22  # 16 million edges of a skewed graph took 9 s on two cores
LANDMARKS = 12
MOST_SIZES = 20
MOST_DISTANCES = 60
TOP = 20


def overview(study: Study) -> Section:
    """The summary of the graph."""
    with study.step("Facts"):
        description = study.graph.describe()
    in_tiles = ("vertices", "edges", "memory")
    facts = [*((what, value) for what, value in describe.facts(description) if what not in in_tiles), *study.origin]
    known = {what for what, _ in facts}
    for key, value in study.graph.metadata.items():
        if key != "title" and isinstance(value, str | int | float):
            facts.append((f"about {key}" if str(key) in known else str(key), str(value)[:LONGEST_REMARK]))
    tiles = content.Tiles(_tiles(study, description.bytes))
    return Section("overview", "Overview", _summary(study), [tiles, Facts(facts)])


def _summary(study: Study) -> str:
    graph = study.graph
    noun = "A directed graph" if graph.directed else "An undirected graph"
    if not graph.num_vertices:
        return f"{noun} with no vertices and no edges."
    text = f"{noun} of {counted(graph.num_vertices, 'vertex')} and {counted(graph.num_edges, 'edge')}."
    if not graph.num_arcs:
        return text
    degrees = study.out_degrees
    half = counted(int(np.median(degrees)), "out-edge" if graph.directed else "edge")
    component = (
        f"Its largest component holds {words.percent(study.weak_sizes[0] / graph.num_vertices)} of the vertices."
    )
    if study.weak_sizes.size == 1:
        component = "They form a single connected component."
    return (
        f"{text} Half of the vertices have {half} or fewer; the one with the most,"
        f" {study.called(int(degrees.argmax()))}, has {degrees.max():,}. {component}"
        f" From {study.called(study.hub)}, {words.percent(study.search.num_reached / graph.num_vertices)} of the"
        f" vertices can be reached, in {counted(int(study.search.depth.max()), 'step')} or fewer."
    )


def _tiles(study: Study, size: int) -> list[tuple[str, str, str]]:
    graph = study.graph
    direction = "directed" if graph.directed else "undirected"
    weights = "unweighted" if graph.weights is None else f"{graph.weights.dtype} weights"
    tiles = [
        (f"{graph.num_vertices:,}", "vertices", "named" if graph.names is not None else "numbered"),
        (f"{graph.num_edges:,}", "edges", f"{direction}, {weights}"),
    ]
    if graph.num_vertices:
        mean = words.number(round(graph.num_arcs / graph.num_vertices, 2))
        tiles.append((mean, "edges per vertex", f"at most {int(study.out_degrees.max()):,}"))
        several = study.weak_sizes.size
        largest = words.percent(study.weak_sizes[0] / graph.num_vertices)
        tiles.append((f"{several:,}", "component" if several == 1 else "components", f"{largest} in the largest"))
    if graph.num_arcs:
        farthest = int(study.search.depth.max())
        tiles.append((f"{farthest:,}", "steps to the farthest vertex", f"from {study.called(study.hub)}"))
    return [*tiles, (words.octets(size), "in memory", f"{graph.indices.dtype} ids")]


def picture(study: Study) -> Section:
    """The layout of the graph, coloured by community."""
    graph = study.graph
    if not graph.num_vertices:
        return Section("picture", "Picture", "There is nothing to draw: the graph has no vertices.")
    most = LARGEST_FOR_PICTURE // 2 if graph.directed else LARGEST_FOR_PICTURE
    if study.too_large(most):
        large = f"a graph with more than {most:,} stored edges"
        why = f"the layout of {large} takes minutes, and this one has {graph.num_arcs:,}"
        return Section("picture", "Picture", "", [Skipped("The picture", why, EVERYTHING)])
    with study.step("Layout of the picture"):
        places = plots.layout(graph)
    colors = None if study.too_large(LARGEST_FOR_COMMUNITIES) or not graph.num_arcs else study.communities
    title, table = "The graph, drawn by its edges", _landmarks(study, places)
    lead = (
        "Edges pull like springs and vertices repel each other, so densely connected vertices end up close "
        "together. Distances in the picture suggest structure; they are not graph distances."
        f"{' The colour is the community of a vertex.' if colors is not None else ''}"
    )
    if graph.num_vertices > graph_map.MOST_VERTICES:
        with study.step("Picture"):
            figure = plot("picture", title, lambda dark: plots.picture(graph, colors, places=places, dark=dark), table)
        return Section("picture", "Picture", lead, [figure])
    with study.step("Picture"):
        packed = graph_map.packed(graph, places, study.all_degrees, None if colors is None else colors.community)
    size = f"{counted(graph.num_vertices, 'vertex')} and {counted(graph.num_edges, 'edge')}"
    alt = f"A picture of {size}{', coloured by community' if colors is not None else ''}."
    if graph.num_edges > graph_map.MOST_EDGES:
        alt += f" {graph_map.MOST_EDGES:,} of the edges are drawn."
    return Section("picture", "Picture", lead, [content.Map("picture", title, packed, alt, table)])


def _too_long(study: Study, what: str, most: int) -> Skipped | None:
    """Why a part is skipped that takes long on more than ``most`` stored edges; None if it is not."""
    why = f"finding them among {study.graph.num_arcs:,} stored edges (more than {most:,}) takes long"
    return Skipped(what, why, EVERYTHING) if study.too_large(most) else None


def communities(study: Study) -> Section:
    """The largest communities, and their members with the most edges."""
    title, graph = "Communities", study.graph
    if not graph.num_arcs:
        return Section("communities", title, "There are no edges, so every vertex is a community of its own.")
    if skipped := _too_long(study, title, LARGEST_FOR_COMMUNITIES):
        return Section("communities", title, "", [skipped])
    found = study.communities
    sizes = np.bincount(found.community)
    order = np.argsort(-study.all_degrees, kind="stable")
    rows = []
    for number in range(min(sizes.size, TOP_COMMUNITIES)):
        members = order[found.community[order] == number][:MEMBERS]
        names = ", ".join(study.called(int(vertex)) for vertex in members)
        rows.append([number + 1, int(sizes[number]), float(sizes[number] / graph.num_vertices), names])
    lead = (
        f"The Leiden algorithm finds {counted(int((sizes > 1).sum()), 'community', 'communities')} of two or more "
        f"vertices. Their modularity is {found.modularity:.2f}: 0 is what chance would give, and 1 the most there can "
        "be. Edge directions are ignored."
    )
    heads = [Column("#", words.whole), Column("Vertices", words.whole), Column("Share", words.percent, bar=True)]
    table = Table("The largest communities", [*heads, Column("Members with the most edges", name=True)], rows)
    return Section("communities", title, lead, [table])


def _landmarks(study: Study, places: Array) -> Table:
    """The positions of the vertices with the most edges, as percentages of the width and the height."""
    degrees = study.all_degrees
    low = places.min(axis=0)
    size = np.maximum(places.max(axis=0) - low, np.finfo(np.float32).tiny)
    rows = [
        [words.name(study.graph.name(vertex)), int(degrees[vertex]), *((places[vertex] - low) / size).tolist()]
        for vertex in np.argsort(-degrees, kind="stable")[:LANDMARKS].tolist()
    ]
    numbers = columns({"Edges": words.whole, "From the left": words.percent, "From the bottom": words.percent})
    return Table("Where the vertices with the most edges are drawn", [Column("Vertex", name=True), *numbers], rows)


def degrees(study: Study) -> Section:
    """The degree distribution, and how unequal degrees are."""
    graph = study.graph
    if not graph.num_arcs:
        return Section("degrees", "Degrees", "There are no edges, so every vertex has degree 0.")
    arrays = {"out-degree": study.out_degrees, "in-degree": study.in_degrees}
    if not graph.directed:
        arrays = {"degree": study.out_degrees}
    with study.step("Degree distribution"):
        table = _degree_table(arrays)
        figure = plot("degrees", "Vertices by degree", lambda dark: plots.degrees(graph, dark=dark), table)
    lead = " ".join(_inequality(name, values) for name, values in arrays.items())
    return Section("degrees", "Degrees", lead, [figure])


def _inequality(name: str, values: OffsetArray) -> str:
    """The share of the edges at the hundredth of the vertices with the highest degree."""
    few = max(1, values.size // 100)
    share = np.partition(values, values.size - few)[-few:].sum() / values.sum()
    who = "The vertex" if few == 1 else f"The {few:,} vertices"
    return f"{who} of the highest {name} {'has' if few == 1 else 'have'} {words.percent(share)} of the edges."


def _degree_table(arrays: dict[str, OffsetArray]) -> Table:
    """The number of vertices in classes by powers of two."""
    most = max(int(degree_classes(values).max()) for values in arrays.values()) + 1
    counts = [np.bincount(degree_classes(values), minlength=most).tolist() for values in arrays.values()]
    rows = [[class_label(power), *row] for power, row in enumerate(zip(*counts, strict=True)) if any(row)]
    shown = columns({f"Vertices by {name}": words.whole for name in arrays})
    return Table("Vertices by degree", [Column("Degree"), *shown], rows)


def degree_classes(values: OffsetArray) -> OffsetArray:
    """The number of binary digits: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def class_label(power: int) -> str:
    """The degrees of a class in words."""
    low, high = (1 << power) >> 1, (1 << power) - 1
    return f"{low:,}" if low >= high else f"{low:,} to {high:,}"


def components(study: Study) -> Section:
    """Weak components, and strong ones if edges have a direction."""
    graph = study.graph
    if not graph.num_vertices:
        return Section("components", "Components", "There are no vertices, so there are no components.")
    groups = {"connected components": study.weak_sizes}
    lead = _component_sentence("", study.weak_sizes, graph.num_vertices, "ignoring directions" * graph.directed)
    if graph.directed:
        groups["strongly connected components"] = study.strong_sizes
        lead += " " + _component_sentence("strongly ", study.strong_sizes, graph.num_vertices, "following directions")
    with study.step("Component sizes"):
        most = [f"{sizes[0]:,}" for sizes in groups.values()]
        least = [
            f"{counted(int((sizes == sizes[-1]).sum()), name.removesuffix('s'))} of size {sizes[-1]:,}"
            for name, sizes in groups.items()
        ]
        alt = f"Components by size on logarithmic axes, from {words.listed(least)} to {words.listed(most)}."
        figure = charted("components", content.sizes("Components by size", groups, alt), _component_table(groups))
    return Section("components", "Components", lead, [figure])


def _component_sentence(prefix: str, sizes: Array, vertices: int, how: str) -> str:
    alone = int((sizes == 1).sum())
    text = f"{counted(sizes.size, f'{prefix}connected component')}{f' ({how})' if how else ''}"
    text += f"; the largest has {counted(int(sizes[0]), 'vertex')}"
    text += f", {words.percent(sizes[0] / vertices)} of all" if sizes.size > 1 else ""
    return text + (f", and {counted(alone, 'vertex is', 'vertices are')} isolated." if alone else ".")


def _component_table(groups: dict[str, Array]) -> Table:
    """The sizes that occur, largest first; if there are many, the largest and the smallest."""
    counts = []
    for sizes in groups.values():
        size, count = np.unique(sizes, return_counts=True)
        counts.append(dict(zip(size.tolist(), count.tolist(), strict=True)))
    occurring = sorted({size for count in counts for size in count}, reverse=True)
    rows: list[list[Any]] = [[size, *(count.get(size, 0) for count in counts)] for size in occurring]
    caption = "Components by size"
    if len(rows) > MOST_SIZES:
        half = MOST_SIZES // 2
        caption += f": the {half} largest and the {half} smallest of {len(rows):,} sizes"
        rows = rows[:half] + rows[-half:]
    return Table(
        caption, columns({"Vertices": words.whole, **{name.capitalize(): words.whole for name in groups}}), rows
    )


def ranking(study: Study) -> Section:
    """The top vertices with their degrees, and the distribution of ranks."""
    graph = study.graph
    if not graph.num_vertices:
        return Section("ranking", "PageRank", "There are no vertices to rank.")
    result = study.ranks
    rank = result.rank
    top = np.argsort(-rank, kind="stable")[:TOP].tolist()
    few = graph.num_vertices // 100
    share = f". The top 1% of the vertices get {words.percent(float(np.sort(rank)[-few:].sum()))} of the visits"
    alone = len(top) > 1 and rank[top[0]] > rank[top[1]]
    lead = (
        f"A random surfer, who follows edges and sometimes jumps to any vertex, is at {study.called(top[0])} "
        f"{words.percent(float(rank[top[0]]))} of the time{', more than anywhere else' if alone else ''}"
        f"{share if few else ''}. PageRank took {counted(result.iterations, 'iteration')}"
        f"{'' if result.converged else ' and did not converge'}."
    )
    arrays = {"Degree": study.out_degrees}
    if graph.directed:
        arrays = {"Out-degree": study.out_degrees, "In-degree": study.in_degrees}
    rows: list[list[Any]] = [
        [place, words.name(graph.name(vertex)), float(rank[vertex]), *(int(found[vertex]) for found in arrays.values())]
        for place, vertex in enumerate(top, 1)
    ]
    heads = [Column("#", words.whole), Column("Vertex", name=True), Column("PageRank", words.percent, bar=True)]
    heads += columns(dict.fromkeys(arrays, words.whole))
    table = Table(f"{counted(len(rows), 'vertex')} with the highest PageRank", heads, rows)
    with study.step("Rank distribution"):
        figure = spread("ranks", "Distribution of PageRank", "rank", rank)
    return Section("ranking", "PageRank", lead, [table, figure])


def distances(study: Study) -> Section:
    """Breadth-first levels along the edges, and against them if they have a direction."""
    graph = study.graph
    if not graph.num_arcs:
        return Section("distances", "Distances", "There are no edges, so no vertex can reach another.")
    hub, goal = study.called(study.hub), study.called(study.goal)
    lead = _reach_sentence(f"From {hub}", study.search, graph.num_vertices)
    figures = [_profile(study, "distances", f"Steps from {hub}", study.search)]
    if graph.directed:
        lead += " " + _reach_sentence(f"Backwards from {goal}", study.search_back, graph.num_vertices)
        figures.append(_profile(study, "distances-back", f"Steps to {goal}", study.search_back))
    return Section("distances", "Distances", lead, figures)


def _reach_sentence(where: str, result: Result, vertices: int) -> str:
    depth = result.depth[result.depth >= 0]
    return (
        f"{where}, {counted(depth.size, 'vertex is', 'vertices are')} reachable "
        f"({words.percent(depth.size / vertices)}):"
        f" the farthest in {counted(int(depth.max()), 'step')}, {words.number(float(depth.mean()))} on average."
    )


def _profile(study: Study, key: str, title: str, result: Result) -> content.Plot:
    """The number of vertices at each distance, and within it."""
    depth = result.depth
    counts = np.bincount(depth[depth >= 0])
    rows: list[list[Any]] = [
        [step, here, within, within / depth.size]
        for step, (here, within) in enumerate(zip(counts.tolist(), np.cumsum(counts).tolist(), strict=True))
    ]
    caption = title
    if len(rows) > MOST_DISTANCES:
        stride = -(-len(rows) // MOST_DISTANCES)
        caption += f": every {stride}th of {len(rows):,} steps, and the last"
        rows = [*rows[:-1:stride], rows[-1]]
    shown = {"Steps": words.whole, "Vertices": words.whole, "Within": words.whole, "of all": words.percent}
    with study.step("Distance profile"):
        return plot(key, title, lambda dark: plots.distances(depth, dark=dark), Table(caption, columns(shown), rows))


def cohesion(study: Study) -> Section:
    """Cores and triangles of the graph without directions."""
    title, graph = "Cohesion", study.graph
    if not graph.num_arcs:
        return Section("cohesion", title, "There are no edges, hence no triangles and no cores.")
    if skipped := _too_long(study, "Cores and triangles", LARGEST_FOR_CORES):
        return Section("cohesion", title, "", [skipped])
    cores = study.cores
    deepest = int((cores.core == cores.degeneracy).sum())
    lead = (
        f"The innermost core, where every vertex has {counted(cores.degeneracy, 'neighbour')} or more within the "
        f"core, has {counted(deepest, 'vertex')}. Edge directions are ignored here."
    )
    block: content.Block = _too_long(study, "Triangles", LARGEST_FOR_TRIANGLES) or Facts(_triangles(study))
    with study.step("Core distribution"):
        figure = spread("cores", "Vertices by core number", "core number", cores.core)
    return Section("cohesion", title, lead, [block, figure])


def _triangles(study: Study) -> list[tuple[str, str]]:
    found = study.run("Triangles", "triangles", study.plain)
    clustering = study.run("Clustering", "clustering_coefficient", study.plain)
    inside = int((found.count > 0).sum())
    return [
        ("triangles", f"{found.total:,}"),
        ("vertices in one", f"{inside:,} ({words.percent(inside / len(found))})"),
        ("transitivity", f"{words.percent(clustering.transitivity)} of the pairs of neighbours are linked"),
        ("clustering", f"{clustering.average:.4f} on average over the vertices"),
    ]


#: In the order of the page. To add a section, add a function.
SECTIONS = (overview, picture, communities, degrees, components, ranking, distances, cohesion)
