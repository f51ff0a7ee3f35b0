"""What NetworkX asks of clew before it is used: which functions it serves. Imports nothing, to keep NetworkX quick.

``FUNCTIONS`` is the one list of them: ``clew.nx.interface`` looks up here in which of its modules a function is.
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

#: What NetworkX shows in the documentation of a function, where there is more to say than that it is served.
NOTES: dict[str, str] = {
    "betweenness_centrality": "Every edge counts 1; weights and endpoints are left to NetworkX.",
    "clustering": "Of undirected graphs without weights; the others are left to NetworkX.",
    "eppstein_matching": "The pairs of hopcroft_karp_matching.",
    "greedy_color": "The strategies largest_first, random_sequential and smallest_last, without interchange.",
    "hits": "Power iteration; where it does not converge, and with weights, NetworkX's singular value decomposition.",
    "label_propagation_communities": "The same rules; another colouring, so that ties may fall another way.",
    "maximal_independent_set": "NetworkX's set for a seed; without one, a set found in parallel.",
    "overall_reciprocity": "Of directed graphs without parallel edges; the others are left to NetworkX.",
    "pagerank": "A dangling distribution of its own is left to NetworkX.",
    "reciprocity": "Of directed graphs without parallel edges; the others are left to NetworkX.",
}


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "clew",
        "project": "clew",
        "package": "clew",
        "short_summary": "Compiled and parallel, on CPUs and GPUs; graphs are converted once and kept.",
        "functions": {
            name: {"additional_docs": NOTES[name]} if name in NOTES else {}
            for names in FUNCTIONS.values()
            for name in names
        },
        "default_config": {"min_edges": 2000, "check_edges": 50_000},
    }
