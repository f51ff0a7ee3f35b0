"""The functions that clew supports, as NetworkX reads them first. Imports nothing, to keep NetworkX fast.

``FUNCTIONS`` is the only list of them: ``clew.nx.interface`` finds the module of a function here.
"""

from __future__ import annotations

from typing import Any

#: Rows of a module of ``clew.nx`` and some of the functions in it.
_ROWS: tuple[tuple[str, ...], ...] = (
    ("centrality", "degree_centrality", "in_degree_centrality", "out_degree_centrality"),
    ("centrality", "betweenness_centrality", "edge_betweenness_centrality"),
    ("centrality", "eigenvector_centrality", "katz_centrality", "hits", "pagerank"),
    ("structure", "connected_components", "is_connected", "node_connected_component", "number_connected_components"),
    ("structure", "weakly_connected_components", "is_weakly_connected", "number_weakly_connected_components"),
    ("structure", "strongly_connected_components", "is_strongly_connected", "number_strongly_connected_components"),
    ("structure", "kosaraju_strongly_connected_components"),
    ("structure", "attracting_components", "is_attracting_component", "number_attracting_components"),
    ("checks", "boundary_expansion", "conductance", "cut_size", "edge_expansion", "mixing_expansion", "node_boundary"),
    ("checks", "node_expansion", "normalized_cut_size", "volume"),
    ("checks", "group_degree_centrality", "group_in_degree_centrality", "group_out_degree_centrality"),
    ("checks", "has_eulerian_path", "is_eulerian", "is_semieulerian", "is_dominating_set", "number_of_selfloops"),
    ("checks", "is_arborescence", "is_branching", "is_forest", "is_tree"),
    ("communities", "leiden_communities", "leiden_partitions", "louvain_communities", "louvain_partitions"),
    ("communities", "inter_community_edges", "inter_community_non_edges", "intra_community_edges"),
    ("communities", "modularity", "partition_quality"),
    ("link_prediction", "adamic_adar_index", "cn_soundarajan_hopcroft", "common_neighbor_centrality"),
    ("link_prediction", "jaccard_coefficient", "preferential_attachment", "ra_index_soundarajan_hopcroft"),
    ("link_prediction", "resource_allocation_index", "within_inter_cluster"),
    ("acyclic", "condensation", "dag_longest_path", "dag_longest_path_length", "is_semiconnected"),
    ("acyclic", "lexicographical_topological_sort", "transitive_closure", "transitive_reduction"),
    ("assortativity", "average_degree_connectivity", "average_neighbor_degree", "degree_assortativity_coefficient"),
    ("assortativity", "degree_mixing_dict", "degree_mixing_matrix", "degree_pearson_correlation_coefficient"),
    ("assortativity", "node_degree_xy", "s_metric"),
    ("assortativity", "attribute_assortativity_coefficient", "attribute_mixing_dict", "attribute_mixing_matrix"),
    ("assortativity", "numeric_assortativity_coefficient"),
    ("biconnectivity", "articulation_points", "biconnected_component_edges", "biconnected_components"),
    ("biconnectivity", "bridges", "has_bridges", "is_biconnected", "local_bridges"),
    ("connectivity", "edge_connectivity", "local_edge_connectivity", "minimum_edge_cut", "minimum_st_edge_cut"),
    ("connectivity", "node_connectivity", "local_node_connectivity", "minimum_node_cut", "minimum_st_node_cut"),
    ("depth_first", "dfs_edges", "dfs_labeled_edges", "dfs_postorder_nodes", "dfs_predecessors"),
    ("depth_first", "dfs_preorder_nodes", "dfs_successors", "dfs_tree"),
    ("distance_measures", "barycenter", "center", "diameter", "eccentricity", "periphery", "radius", "wiener_index"),
    ("distance_measures", "average_shortest_path_length", "closeness_centrality"),
    ("distance_measures", "global_efficiency", "harmonic_centrality"),
    ("flows", "maximum_flow", "maximum_flow_value", "minimum_cut", "minimum_cut_value"),
    ("selection", "eppstein_matching", "greedy_color", "hopcroft_karp_matching", "is_bipartite"),
    ("selection", "label_propagation_communities", "maximal_independent_set"),
    ("shortest_paths", "has_path", "shortest_path", "shortest_path_length"),
    ("shortest_paths", "bidirectional_shortest_path", "predecessor"),
    ("shortest_paths", "all_pairs_shortest_path", "all_pairs_shortest_path_length"),
    ("shortest_paths", "single_source_shortest_path", "single_source_shortest_path_length"),
    ("shortest_paths", "single_target_shortest_path", "single_target_shortest_path_length"),
    ("spanning", "kruskal_mst_edges", "prim_mst_edges", "maximum_spanning_edges", "maximum_spanning_tree"),
    ("spanning", "minimum_spanning_edges", "minimum_spanning_tree"),
    ("structure", "average_clustering", "clustering", "square_clustering", "transitivity", "triangles"),
    ("structure", "core_number", "k_core", "k_corona", "k_crust", "k_shell"),
    ("structure", "is_isolate", "isolates", "number_of_isolates", "overall_reciprocity", "reciprocity"),
    ("traversal", "bfs_edges", "bfs_layers", "bfs_predecessors"),
    ("traversal", "bfs_successors", "bfs_tree", "descendants_at_distance"),
    ("traversal", "ancestors", "descendants", "has_cycle", "is_directed_acyclic_graph"),
    ("traversal", "topological_generations", "topological_sort"),
    ("triads", "generalized_degree", "k_truss", "onion_layers"),
    ("triads", "rich_club_coefficient", "triadic_census"),
    ("weighted_paths", "dijkstra_path", "dijkstra_path_length"),
    ("weighted_paths", "bidirectional_dijkstra", "dijkstra_predecessor_and_distance"),
    ("weighted_paths", "single_source_dijkstra", "single_source_dijkstra_path", "single_source_dijkstra_path_length"),
    ("weighted_paths", "multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length"),
    ("weighted_paths", "all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length"),
    ("weighted_paths", "bellman_ford_path", "bellman_ford_path_length", "bellman_ford_predecessor_and_distance"),
    ("weighted_paths", "single_source_bellman_ford", "single_source_bellman_ford_path"),
    ("weighted_paths", "single_source_bellman_ford_path_length"),
    ("weighted_paths", "all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length"),
    ("weighted_paths", "goldberg_radzik", "johnson"),
    ("weighted_paths", "find_negative_cycle", "negative_edge_cycle", "floyd_warshall", "floyd_warshall_numpy"),
)
#: The module of every function.
FUNCTIONS: dict[str, str] = {name: module for module, *names in _ROWS for name in names}

#: Notes that NetworkX shows in the documentation of a function.
NOTES: dict[str, str] = {
    "betweenness_centrality": "Calls with endpoints, or with weights of 0, run in NetworkX.",
    "clustering": "Graphs without parallel edges, and weights of 0 or more. Other calls run in NetworkX.",
    "edge_connectivity": "Calls for a whole undirected graph with parallel edges or self-loops run in NetworkX.",
    "edge_betweenness_centrality": "Calls with parallel edges, or with weights of 0, run in NetworkX.",
    "eppstein_matching": "The result is that of hopcroft_karp_matching.",
    "greedy_color": "Supports the strategies largest_first, random_sequential and smallest_last, without interchange.",
    "hits": "Power iteration. Calls with weights, and those that do not converge, run in NetworkX.",
    "label_propagation_communities": "The same rules with another colouring, so ties may be broken differently.",
    "leiden_communities": "Undirected graphs only; NetworkX has no Leiden of its own.",
    "leiden_partitions": "Undirected graphs only; NetworkX has no Leiden of its own.",
    "louvain_communities": "Undirected graphs only, with NetworkX's communities for a seed.",
    "louvain_partitions": "Undirected graphs only, with NetworkX's communities for a seed.",
    "maximal_independent_set": "With a seed, NetworkX's set. Without a seed, a set computed in parallel.",
    "maximum_flow": "Of several maximum flows, clew may give another one than NetworkX.",
    "minimum_edge_cut": "Supports cuts between two nodes only. Other calls run in NetworkX.",
    "minimum_node_cut": "Supports cuts between two nodes only. Other calls run in NetworkX.",
    "overall_reciprocity": "Directed graphs without parallel edges only. Other calls run in NetworkX.",
    "pagerank": "Calls with a dangling distribution run in NetworkX.",
    "rich_club_coefficient": "Supports normalized=False only.",
    "triadic_census": "Supports whole graphs only. Calls with a nodelist run in NetworkX.",
    "reciprocity": "Directed graphs without parallel edges only. Other calls run in NetworkX.",
}


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "clew",
        "project": "clew",
        "package": "clew",
        "short_summary": "Compiled and parallel, on CPUs and GPUs. Converted graphs are cached.",
        "functions": {name: {"additional_docs": NOTES[name]} if name in NOTES else {} for name in FUNCTIONS},
        "default_config": {"min_edges": 2000, "check_edges": 50_000},
    }
