"""The best published GPU systems on these graphs, in milliseconds on an H200 (docs/performance-gpu.md names them)."""

from __future__ import annotations

GRAPHS = ("slashdot", "notredame", "roadtokyo", "delaunay20", "grid3000", "rmat22", "kron21")
TIMES = {
    "bfs": (0.225, 1.219, 47.6, 9.728, 124.0, 1.011, 0.416),
    "sssp": (0.589, 1.502, 75.0, 25.1, 197.0, 6.707, 6.525),
    "sswp": (1.035, 1.473, 78.9, 16.7, 944.0, 5.324, 5.452),
    "pagerank": (0.715, 0.799, 1.081, 1.616, 3.648, 18.8, 22.5),
    "components": (None, None, 1.165, 0.433, 1.858, 1.900, 2.509),
    "spmv": (0.0595, 0.0573, 0.0730, 0.1006, 0.1923, 0.94, 1.125),
}
BEST = {
    (work, graph): time
    for work, times in TIMES.items()
    for graph, time in zip(GRAPHS, times, strict=True)
    if time is not None
}
