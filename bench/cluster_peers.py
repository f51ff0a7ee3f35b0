"""Another library on several workers of one machine: ``PYTHON bench/cluster_peers.py graphscope edges.csv SOURCE``.

It runs with the Python of the peer, which needs packages that clew does not allow. It prints a line of JSON: the CPU
seconds of all processes for every kind of work.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

WORKERS, ROUNDS, REPEATS = 2, 20, 3


def cpu_seconds() -> float:
    """The CPU seconds so far of this process and of all that it started."""
    found: dict[int, tuple[int, float]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has ended
                continue
            found[int(folder.name)] = int(words[1]), sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    family = [os.getpid()]
    for one in family:
        family += [child for child, (parent, _) in found.items() if parent == one]
    return sum(found[one][1] for one in family if one in found)


def measured(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """The CPU seconds of the best of several runs, and what the last one returned."""
    best, result = float("inf"), None
    for _ in range(repeats):
        began = cpu_seconds()
        result = work()
        best = min(best, cpu_seconds() - began)
    return best, result


def graphscope(path: str, source: int) -> dict[str, float]:
    """GraphScope; components need the graph as an undirected one, which is loaded again."""
    import graphscope as peer
    from graphscope.framework.loader import Loader

    peer.set_option(show_log=False)
    session = peer.session(cluster_type="hosts", num_workers=WORKERS)

    def load(directed: bool) -> Any:
        edges = Loader(f"file://{path}", delimiter=",", header_row=True)
        return session.g(directed=directed, generate_eid=False).add_edges(edges, label="e")

    loading, graph = measured(lambda: load(directed=True), 1)
    simple = graph.project(vertices={"_": []}, edges={"e": []})
    rank, _ = measured(lambda: peer.pagerank(simple, delta=0.85, max_round=ROUNDS))
    search, _ = measured(lambda: peer.bfs(simple, src=source))
    both = load(directed=False).project(vertices={"_": []}, edges={"e": []})
    components, _ = measured(lambda: peer.wcc(both))
    session.close()
    return {"loading": loading, "PageRank": rank, "components": components, "bfs": search}


def graphx(path: str, source: int) -> dict[str, float]:
    """GraphX, which has no functions for Python, through the virtual machine of PySpark; bfs by its shortest paths."""
    from pyspark.sql import SparkSession

    options = {"spark.driver.memory": "3g", "spark.ui.showConsoleProgress": "false"}
    spark = SparkSession.builder.master(f"local[{WORKERS}]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    jvm: Any = spark.sparkContext._jvm
    there, level = jvm.org.apache.spark.graphx, jvm.org.apache.spark.storage.StorageLevel.MEMORY_ONLY()
    lines = spark.sparkContext._jsc.sc()
    tag = jvm.scala.reflect.ClassTag.Int()

    text = str(Path(path).with_suffix(".txt"))  # it reads words, and no header
    Path(text).write_text(Path(path).read_text().partition("\n")[2].replace(",", " "))

    def load() -> Any:
        graph = there.GraphLoader.edgeListFile(lines, text, False, WORKERS, level, level)
        graph = graph.partitionBy(getattr(there, "PartitionStrategy$EdgePartition2D$").__getattr__("MODULE$")).cache()
        graph.edges().count()
        return graph

    loading, graph = measured(load, 1)
    rank, _ = measured(lambda: there.lib.PageRank.run(graph, ROUNDS, 0.15, tag, tag).vertices().count())
    components, _ = measured(lambda: there.lib.ConnectedComponents.run(graph, tag, tag).vertices().count(), 1)
    marks = jvm.scala.jdk.javaapi.CollectionConverters.asScala(jvm.java.util.List.of(source)).toSeq()
    search, _ = measured(lambda: there.lib.ShortestPaths.run(graph.reverse(), marks, tag).vertices().count(), 1)
    spark.stop()
    return {"loading": loading, "PageRank": rank, "components": components, "bfs": search}


PEERS = {"graphscope": graphscope, "graphx": graphx}

if __name__ == "__main__":
    name, edges, start = sys.argv[1:]
    print(json.dumps(PEERS[name](edges, int(start))))
