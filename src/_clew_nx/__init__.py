"""The functions that clew supports, as NetworkX reads them first. Imports nothing, to keep NetworkX fast.

``FUNCTIONS`` is the only list of them: ``clew.nx.interface`` finds the module of a function here.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "bipartite": ("eppstein_matching", "hopcroft_karp_matching", "is_bipartite"),
    "centrality": (
        "betweenness_centrality",
        "degree_centrality",
        "eigenvector_centrality",
        "in_degree_centrality",
        "katz_centrality",
        "out_degree_centrality",
    ),
    "clustering": ("average_clustering", "clustering", "square_clustering", "transitivity", "triangles"),
    "components": (
        "connected_components",
        "is_connected",
        "is_weakly_connected",
        "node_connected_component",
        "number_connected_components",
        "number_weakly_connected_components",
        "weakly_connected_components",
    ),
    "cores": ("core_number", "k_core", "k_corona", "k_crust", "k_shell"),
    "dag": (
        "ancestors",
        "descendants",
        "has_cycle",
        "is_directed_acyclic_graph",
        "topological_generations",
        "topological_sort",
    ),
    "degrees": ("is_isolate", "isolates", "number_of_isolates", "overall_reciprocity", "reciprocity"),
    "distance_measures": (
        "average_shortest_path_length",
        "barycenter",
        "center",
        "closeness_centrality",
        "diameter",
        "eccentricity",
        "global_efficiency",
        "harmonic_centrality",
        "periphery",
        "radius",
        "wiener_index",
    ),
    "generic_paths": ("has_path", "shortest_path", "shortest_path_length"),
    "link_analysis": ("hits", "pagerank"),
    "negative_paths": (
        "all_pairs_bellman_ford_path",
        "all_pairs_bellman_ford_path_length",
        "bellman_ford_path",
        "bellman_ford_path_length",
        "bellman_ford_predecessor_and_distance",
        "find_negative_cycle",
        "floyd_warshall",
        "floyd_warshall_numpy",
        "goldberg_radzik",
        "johnson",
        "negative_edge_cycle",
        "single_source_bellman_ford",
        "single_source_bellman_ford_path",
        "single_source_bellman_ford_path_length",
    ),
    "selection": ("greedy_color", "label_propagation_communities", "maximal_independent_set"),
    "strong": (
        "attracting_components",
        "is_attracting_component",
        "is_strongly_connected",
        "kosaraju_strongly_connected_components",
        "number_attracting_components",
        "number_strongly_connected_components",
        "strongly_connected_components",
    ),
    "traversal": (
        "bfs_edges",
        "bfs_layers",
        "bfs_predecessors",
        "bfs_successors",
        "bfs_tree",
        "descendants_at_distance",
    ),
    "unweighted_paths": (
        "all_pairs_shortest_path",
        "all_pairs_shortest_path_length",
        "bidirectional_shortest_path",
        "predecessor",
        "single_source_shortest_path",
        "single_source_shortest_path_length",
        "single_target_shortest_path",
        "single_target_shortest_path_length",
    ),
    "weighted_paths": (
        "all_pairs_dijkstra",
        "all_pairs_dijkstra_path",
        "all_pairs_dijkstra_path_length",
        "bidirectional_dijkstra",
        "dijkstra_path",
        "dijkstra_path_length",
        "dijkstra_predecessor_and_distance",
        "multi_source_dijkstra",
        "multi_source_dijkstra_path",
        "multi_source_dijkstra_path_length",
        "single_source_dijkstra",
        "single_source_dijkstra_path",
        "single_source_dijkstra_path_length",
    ),
}

#: Notes that NetworkX shows in the documentation of a function.
NOTES: dict[str, str] = {
    "betweenness_centrality": "Every edge counts 1. Calls with weights or endpoints run in NetworkX.",
    "clustering": "Undirected graphs without weights only. Other calls run in NetworkX.",
    "eppstein_matching": "The result is that of hopcroft_karp_matching.",
    "greedy_color": "Supports the strategies largest_first, random_sequential and smallest_last, without interchange.",
    "hits": "Power iteration. Calls with weights, and those that do not converge, run in NetworkX.",
    "label_propagation_communities": "The same rules with another colouring, so ties may be broken differently.",
    "maximal_independent_set": "With a seed, NetworkX's set. Without a seed, a set computed in parallel.",
    "overall_reciprocity": "Directed graphs without parallel edges only. Other calls run in NetworkX.",
    "pagerank": "Calls with a dangling distribution run in NetworkX.",
    "reciprocity": "Directed graphs without parallel edges only. Other calls run in NetworkX.",
}


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "clew",
        "project": "clew",
        "package": "clew",
        "short_summary": "Compiled and parallel, on CPUs and GPUs. Converted graphs are cached.",
        "functions": {
            name: {"additional_docs": NOTES[name]} if name in NOTES else {}
            for names in FUNCTIONS.values()
            for name in names
        },
        "default_config": {"min_edges": 2000, "check_edges": 50_000},
    }
