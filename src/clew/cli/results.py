"""Results in files: one row per vertex."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np

from clew.errors import GraphError
from clew.io.sink import Sink
from clew.result import Result

SUFFIXES = (".parquet", ".arrow", ".csv", ".npy")


def check_destination(path: Path) -> None:
    """Reject an unsupported suffix, or a missing folder, before any work is done."""
    sink = Sink(path)
    if sink.suffix not in SUFFIXES:
        raise GraphError(f"cannot write results to {path.name!r}; expected a name that ends in {', '.join(SUFFIXES)}.")
    sink.check()


def save(result: Result, path: Path) -> None:
    """Write all values of every vertex; ``.npy`` stores the first array only."""
    with Sink(path) as sink:
        buffer = BytesIO()
        _write(result, sink.suffix, buffer)
        sink.write(buffer.getbuffer())


def _write(result: Result, suffix: str, buffer: BytesIO) -> None:
    if suffix == ".npy":
        np.save(buffer, np.asarray(result), allow_pickle=False)
        return
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    table = result.to_arrow()
    if suffix == ".csv":
        if any(values.ndim > 1 for values in result.values.values()):
            raise GraphError(
                f"{result.algorithm} has several values per vertex, which .csv cannot store; expected a name ending in "
                ".parquet, .arrow or .npy."
            )
        pa.csv.write_csv(table, buffer)
    elif suffix == ".parquet":
        pa.parquet.write_table(table, buffer, compression="zstd")
    else:
        with pa.ipc.new_file(buffer, table.schema) as writer:
            writer.write_table(table)
