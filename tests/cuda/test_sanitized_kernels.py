"""Every file of kernels under AddressSanitizer and UBSan: some tests of the engines and of every algorithm.

They are run once more, in a process that has the sanitizers; ``test_emulated_sanitizers`` shows that these see what is
wrong, and how to run all tests so. Sizes are those around a warp, a row that is cut, a block, a grid.
"""

from __future__ import annotations

import os
import re

import pytest

from tests.cuda.reached import LINE
from tests.cuda.test_compile import PROGRAMS
from tests.cuda.test_emulated_sanitizers import run
from tests.cuda.test_pagerank import TUNINGS
from tests.on_gpu import emulation_only

pytestmark = [
    emulation_only,
    pytest.mark.skipif(os.environ.get("CLEW_SANITIZE") == "1", reason="everything is sanitized already"),
]


def each(test: str, *values: object) -> list[str]:
    """One test of several values."""
    return [f"{test}[{value}]" for value in values]


SEARCHES = [
    *each("cuda/test_bfs.py::test_shapes", *(f"star-{n}" for n in (1, 31, 32, 33, 64, 1000)), "path-33", "complete-65"),
    "cuda/test_bfs.py::test_hubs_are_cut",
    *each("cuda/test_sssp.py::test_shapes", "star-auto", "path-in order", "star-thread", "star-warp", "star-block"),
    *each("cuda/test_sssp.py::test_shapes", "star-merge path", "star-degree cut", "complete-full pile"),
    "cuda/test_sssp.py::test_trees_of_tight_edges[int32-grid]",
    "cuda/test_sswp.py::test_shapes[star-auto]",
    "cuda/test_bellman_ford.py::test_shapes[star-grid]",
    *each("cuda/test_pairs.py::test_answers", "sssp-int32", "sswp-float32"),
    "cuda/test_pairs.py::test_lines_of_pairs[one long row]",
    *each("cuda/test_betweenness.py::test_shapes", "star-1", "star-31", "star-32", "star-33", "complete-3", "path-3"),
    *each("cuda/test_betweenness.py::test_weighted_shapes", "star-1", "star-33", "complete-3", "path-3"),
    "cuda/test_betweenness.py::test_weights_of_every_kind[True-float64]",
    *each("cuda/test_edge_betweenness.py::test_shapes", "star-33", "path-33"),
    "cuda/test_edge_betweenness.py::test_skewed_graphs_with_weights[True]",
    "cuda/test_components.py::test_sizes",
    *each("cuda/test_all_pairs.py::test_tiles", "int32-1", "int32-31", "int32-63", "int32-64", "int32-65"),
]
FIRST_ROUND = "test_the_first_round_chooses_the_best_of_every_row"
WALKS = ("random_walks-True", "node2vec_walks-True")
ROWS = [
    *each("engines/test_spmv.py::test_every_semiring", "min_plus-emulated", "plus_times-emulated"),
    "engines/test_spmv.py::test_layouts[emulated]",
    "engines/test_spmspv.py::test_small_graphs[min_plus-int32-emulated]",
    *each("engines/test_spmspv.py::test_large_graphs", "star-0.1-emulated", "empty-1.0-emulated"),
    "engines/test_spgemm.py::test_small_graphs[min_plus-int32-emulated]",
    "engines/test_vectors.py::test_every_monoid[plus-emulated]",
    "engines/test_vectors.py::test_every_operator[plus-emulated]",
    "engines/test_vectors.py::test_nothing_at_all[emulated]",
    *each(
        "cuda/test_waist.py::test_every_way_through_rows_of_every_length", *(f"min_plus-int8-{n}" for n in (0, 1, 33))
    ),
    "cuda/test_waist.py::test_coordinates_and_tables",
    "cuda/test_waist.py::test_bit_vectors",
    "cuda/test_waist.py::test_compaction",
    "cuda/test_waist.py::test_merge_sort",
    "cuda/test_waist.py::test_pushes_of_every_size",
    "cuda/test_waist.py::test_rows_of_a_product_around_the_room_in_shared_memory",
    *each("cuda/test_pagerank.py::test_sizes", *(f"{n}-{tuning}" for n in (0, 1, 33, 65) for tuning in TUNINGS)),
    *each("cuda/test_packed_rows.py::test_rows_around_the_size_of_a_group", "int32", "int64"),
    "cuda/test_packed_rows.py::test_products_are_the_same_in_every_memory[tiered-0.5-packed]",
    *each("cuda/test_packed_rows.py::test_searches_of_rows_around_the_size_of_a_group", "int32", "int64"),
    "cuda/test_packed_rows.py::test_searches_of_rows_around_the_size_of_a_group[int32 on the host]",
    "cuda/test_packed_rows.py::test_many_searches_read_packed_rows[True]",
    "cuda/test_packed_rows.py::test_weighted_sums_read_packed_rows[int32-True]",
    "cuda/test_neighbours.py::test_wide_gaps",
    "cuda/test_packed_rows.py::test_sorted_frontiers_read_packed_rows",
    "cuda/test_packed_rows.py::test_programs_over_rows_around_the_size_of_a_group[int64]",
    "cuda/test_packed_rows.py::test_clustering_reads_packed_rows[True]",
    *each("cuda/test_packer.py::test_rows_around_the_size_of_a_group", "block by block-int32-1"),
    *each("cuda/test_packer.py::test_rows_around_the_size_of_a_group", "block by block-int64-1099511627776"),
    *each("cuda/test_triangles.py::test_complete_graphs", 1, 31, 32, 33),
    "cuda/test_triangles.py::test_rows_are_cut[1025]",
    *each("cuda/test_triadic_census.py::test_sizes", 0, 33),
    *each("cuda/test_triangles.py::test_means_of_complete_graphs", 33, 130),
    "cuda/test_program.py::test_many_components_take_many_turns",
    "cuda/test_program.py::test_page_rank",
    "hybrid/test_program.py::test_both_directions",
    *each(
        "cuda/test_coloring.py::test_sizes", *(f"{n}-{order}" for n in (0, 1, 33, 513) for order in ("random", None))
    ),
    *each("cuda/test_independent_set.py::test_sizes", "0-luby", "1-luby", "33-luby", "513-degree"),
    *each("cuda/test_k_core.py::test_sizes", 0, 1, 31, 32, 33, 511, 512, 513),
    *each("cuda/test_label_propagation.py::test_sizes", 0, 1, 31, 32, 33, 511, 512, 513),
    *each("cuda/test_communities.py::test_sizes", 2, 33, 513),
    *each(f"cuda/test_communities.py::{FIRST_ROUND}", "small tables-True", "a full table-False"),
    *each("cuda/test_spanning_forest.py::test_sizes", 0, 1, 33, 513),
    *each("cuda/test_spanning_forest.py::test_weights", "int8", "float64", None),
    *each("cuda/test_k_truss.py::test_sizes", 0, 1, 33, 65),
    "cuda/test_k_truss.py::test_a_step_a_launch",
    *each("cuda/test_strong_components.py::test_sizes", 0, 1, 33, 513),
    *each("cuda/test_biconnectivity.py::test_sizes", 0, 1, 33, 513),
    *each("cuda/test_flows.py::test_sizes", 2, 33, 513),
    *each("cuda/test_topological_order.py::test_sizes", 0, 1, 33, 513),
    *each("cuda/test_similarity.py::test_sizes", 0, 1, 33, 513),
    *each("cuda/test_similarity.py::test_the_best_of_many", 3, 200),
    *each("cuda/test_multi_source_bfs.py::test_sizes", 1, 33, 513),
    *each("algorithms/test_random_walks.py::test_the_same_walks_on_every_engine_and_for_any_number_of_threads", *WALKS),
    *each("algorithms/test_sample_neighbors.py::test_the_same_samples_on_every_engine", "True-False-False"),
    "hybrid/test_exchange.py::test_large_vectors_go_in_pieces",
    "tiers/test_tiers.py::test_the_kernels_of_a_gpu",
]
FILES = {program.file for program in PROGRAMS}
OF_SEARCHES = {
    *("bfs.cuh", "near_far.cuh", "shortest_path_tree.cuh", "betweenness.cuh", "floyd_warshall.cuh"),
    *("components.cuh", "components_staged.cuh", "components_tiled.cuh"),
}


@pytest.mark.parametrize(
    ("tests", "files"), [(SEARCHES, OF_SEARCHES), (ROWS, FILES - OF_SEARCHES)], ids=["searches", "rows"]
)
def test_kernels_are_clean(tests, files):
    paths = [f"tests/{test}" for test in tests]
    # Only what Python writes is captured: a report ends the process, and pytest would keep it to itself.
    options = ("-q", "-n0", "--capture=sys", "-p", "no:cacheprovider", "-p", "tests.cuda.reached")
    done = run("-m", "pytest", *options, *paths)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    reached = re.search(f"^{LINE}(.*)$", done.stdout, re.MULTILINE)
    assert reached is not None
    assert files <= set(reached[1].split())
