"""The metadata of a graph as JSON, and the arrays in it apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clew.dtypes import WEIGHT_DTYPES, Array
from clew.errors import GraphError

ARRAY = "$array"


def metadata_to_json(metadata: Mapping[str, Any]) -> tuple[Any, dict[str, Array]]:
    """What JSON can hold, and the arrays by name.

    An array anywhere in the tree becomes ``{"$array": "its name"}``. A key of the user's own that starts with ``$``
    gets a second one, so that nothing can be mistaken for an array.
    """
    arrays: dict[str, Array] = {}
    try:
        return _plain(metadata, "metadata", arrays), arrays
    except RecursionError:
        raise GraphError("the graph's metadata contains itself, or is nested too deeply to be written.") from None


def metadata_from_json(tree: Any, array: Callable[[str], Array]) -> Any:
    """The metadata again; ``array`` finds an array by its name."""
    if isinstance(tree, list):
        return [metadata_from_json(item, array) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if isinstance(name := tree.get(ARRAY), str):
        return array(name)
    return {key.removeprefix("$"): metadata_from_json(value, array) for key, value in tree.items()}


def _plain(value: Any, place: str, arrays: dict[str, Array]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item() if value.dtype in WEIGHT_DTYPES else _refuse(value, place)
    if isinstance(value, np.ndarray):
        if value.dtype.newbyteorder("=") not in WEIGHT_DTYPES:
            _refuse(value, place)
        while place in arrays:  # {"a/b": …} and {"a": {"b": …}} lead to the same place
            place += "'"
        arrays[place] = value
        return {ARRAY: place}
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            _refuse(next(key for key in value if not isinstance(key, str)), f"a key of {place}")
        keys = {key: "$" + key if key.startswith("$") else key for key in value}
        return {keys[key]: _plain(value[key], f"{place}/{key}", arrays) for key in value}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}/{index}", arrays) for index, item in enumerate(value)]
    return _refuse(value, place)


def _refuse(value: Any, place: str) -> Any:
    kind = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    raise GraphError(
        f"{place} is {kind}, which a .clew file cannot hold; expected text, numbers, booleans, None, arrays of numbers "
        "and lists and dictionaries (with text as keys) of these. Leave it out of the graph's metadata, or convert it."
    )
