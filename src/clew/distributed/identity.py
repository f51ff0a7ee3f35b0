"""The identity of a run: the same in every process for the same graph, the same arguments and the same code.

Checkpoints in a folder are found by it. Pickles would not do: a class of a script is pickled with a random number.
Code counts by its instructions, constants and names, and by the globals that it uses. Comments do not count.
"""

from __future__ import annotations

import copyreg
import hashlib
import io
import pickle
import sys
import zlib
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from clew.engines.cluster.share import Share
from clew.operators.inspection import plain_function, used_by

#: Packages whose classes count by their names.
NAMED = (sys.stdlib_module_names - {"__main__"}) | {"clew", "numpy", "numba"}
UNUSED = {"__annotations__", "__annotate__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__weakref__"}


def identity(*values: Any) -> str:
    """A short name for some values, which may contain objects of users' classes."""
    return hashlib.sha256(_described(values, [])).hexdigest()[:16]


def _described(value: Any, seen: list[Any]) -> bytes:
    for fast in (True, False):
        text = io.BytesIO()
        description = _Description(text, protocol=5)
        description.fast = fast  # equal values have the same bytes then, whether they are one object or several
        description.seen = seen.copy()
        try:
            description.dump(value)
        except (ValueError, RecursionError):  # an object that contains itself
            if fast:
                continue
            raise
        break
    return text.getvalue()


def digest_of(share: Share) -> str:
    """A short name for a graph on this grid, from all its edges; collective."""
    block = share.block
    arrays = [each for each in (block.indptr, block.indices, block.weights) if each is not None]
    sums = [zlib.crc32(np.ascontiguousarray(each).view(np.uint8).data) for each in arrays]
    facts = share.member.all_gather("all", np.array([share.num_vertices, share.directed, *sums], np.int64))
    return hashlib.sha256(np.concatenate(facts).tobytes()).hexdigest()[:16]


class _Description(pickle.Pickler):
    """Pickles values, with descriptions in place of functions, classes and sets."""

    seen: list[Any]  # functions and classes, which may refer to themselves

    def persistent_id(self, value: Any) -> Any:
        """The description of a value, which is pickled in its place; None for most values."""
        value = plain_function(value) if isinstance(getattr(value, "py_func", None), FunctionType) else value
        if isinstance(value, ModuleType | BuiltinFunctionType):
            return "name", getattr(value, "__module__", None), value.__name__
        if isinstance(value, CodeType):
            return "code", value.co_code, value.co_consts, value.co_names, value.co_freevars
        if isinstance(value, set | frozenset):
            return "set", sorted(_described(each, self.seen) for each in value)
        if isinstance(value, staticmethod | classmethod):
            return type(value).__name__, value.__func__
        if isinstance(value, property):
            return "property", value.fget, value.fset
        if not isinstance(value, FunctionType | type):
            return None
        name = value.__module__, value.__qualname__
        if any(value is each for each in self.seen):
            return "known", name
        self.seen.append(value)
        return "defined", name, _definition(value)

    def reducer_override(self, value: Any) -> Any:
        """What an object is made of. One that cannot be pickled, such as a lock of a module, counts by its type."""
        if type(value) in copyreg.dispatch_table:
            return NotImplemented
        try:
            return value.__reduce_ex__(5)
        except (TypeError, pickle.PicklingError):
            return str, (type(value).__qualname__,)


def _definition(value: Any) -> Any:
    """What a function or a class does. Of installed packages, it is the code of a function without what it uses."""
    top = (value.__module__ or "").partition(".")[0]
    if isinstance(value, FunctionType):
        file = getattr(sys.modules.get(value.__module__), "__file__", None) or ""
        used = None if top in NAMED or "site-packages" in file else sorted(used_by(value).items())
        return value.__code__, value.__defaults__, value.__kwdefaults__, used
    if top in NAMED:
        return None
    return value.__bases__, sorted((name, each) for name, each in vars(value).items() if name not in UNUSED)
