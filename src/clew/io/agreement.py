"""What readers of several parts agree on: columns, direction, the dtype of weights, and what they say they decided.

Every reader describes its parts by facts that can travel as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.errors import GraphError
from clew.io.edge_list import IDS_AS_TEXT
from clew.io.parts import Part


def facts_of(file: int, part: Part) -> dict[str, Any]:
    """What other readers need to know about a part of file number ``file``."""
    import pyarrow as pa

    ends = [end for end in (part.source, part.target) if end.size]
    weights = part.weights
    return {
        "file": file,
        "columns": part.columns,
        "decisions": part.decisions,
        "directed": part.directed,
        "weights": None if weights is None else weights.dtype.str,
        "whole": weights is None or weights.dtype.kind == "f" or _is_exact(weights),
        "negative": weights is not None and weights.dtype.kind == "i" and bool(weights.size) and int(weights.min()) < 0,
        "text": part.names is not None and part.rows is None,
        "stored": part.rows is not None,
        "integers": part.names is None or pa.types.is_integer(part.names.type),
        "counts": part.counts,
        "keep": part.keep,
        "named": part.named,
        "count": part.count or 0,
        "size": part.source.size,
        "low": min((int(end.min()) for end in ends), default=None),
        "high": max((int(end.max()) for end in ends), default=None),
    }


def _is_exact(weights: Array) -> bool:
    """Whether integers stay the same as 64-bit floats."""
    return weights.dtype.itemsize < 8 or not weights.size or max(abs(int(weights.min())), int(weights.max())) <= 1 << 53


def check_columns(facts: Sequence[dict[str, Any]]) -> None:
    """Reject files whose columns differ."""
    said = {}
    for fact in facts:
        columns = ", ".join(fact["columns"]) or "no header"
        weights = "weights" if fact["weights"] else "no weights"
        said[columns, bool(fact["weights"]), fact["directed"]] = (
            f"{columns} ({weights}, {'directed' if fact['directed'] else 'undirected'})"
        )
    if len(said) > 1:
        raise GraphError(
            f"the files do not have the same columns, weights and direction: {'; '.join(sorted(said.values()))}.",
            remedy="Say whether the first lines name columns with header=True or header=False, or choose columns with "
            "source=, target= and weight=.",
        )


def weights_dtype(facts: Sequence[dict[str, Any]]) -> np.dtype[Any] | None:
    """The dtype that holds the weights of all parts exactly, as one reader of all lines chooses it."""
    dtypes = {np.dtype(fact["weights"]) for fact in facts if fact["weights"] is not None and fact["size"]}
    dtypes = dtypes or {np.dtype(fact["weights"]) for fact in facts if fact["weights"] is not None}
    if len(dtypes) <= 1:
        return next(iter(dtypes), None)
    if all(dtype.kind in "iu" for dtype in dtypes):
        if any(fact["negative"] for fact in facts) and np.dtype(np.uint64) in dtypes:
            raise GraphError("some weights are negative and some need 64 bits; pass weight_dtype='float64'.")
        return np.dtype(np.uint64) if np.dtype(np.uint64) in dtypes else np.result_type(*dtypes)
    if not all(fact["whole"] for fact in facts):
        raise GraphError(
            "the weights hold both fractions and integers beyond 2^53, and no dtype holds both exactly.",
            remedy="Pass weight_dtype='float64' to round them.",
        )
    return np.result_type(*dtypes, np.float64)


def decisions_of(facts: Sequence[dict[str, Any]]) -> list[str]:
    """What the readers decided, each once; of several reasons why ids are text, the first."""
    said = list(dict.fromkeys(decision for fact in facts for decision in fact["decisions"]))
    first = next((decision for decision in said if decision.startswith(IDS_AS_TEXT)), None)
    return [each for each in said if each == first or not each.startswith(IDS_AS_TEXT)]
