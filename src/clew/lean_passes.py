# mypy: ignore-errors
"""Numba's passes over a function, without those that functions such as clew's do not need.

* Passes for closures run for functions that have one, and those for array expressions where arrays are made.
* Nothing is recorded about types for people to read.
* What a function does without an optional argument is removed where it has one. Numba compiles it, with all that it
  calls, and drops it in the end.
* A function that uses arrays of its caller and makes none counts no references: the caller holds them until it returns.
"""

from types import CodeType

from numba.core import compiler, ir, types
from numba.core.compiler_machinery import PassManager
from numba.core.errors import NumbaRuntimeError
from numba.core.typed_passes import AnnotateTypes, DumpParforDiagnostics, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import DeadBranchPrune, InlineClosureLikes, MakeFunctionToJitFunction, WithLifting

from clew import late_code

NEVER = (AnnotateTypes, DumpParforDiagnostics, WithLifting)
FOR_CLOSURES = (InlineClosureLikes, MakeFunctionToJitFunction)
#: Expressions whose value is a part of something that the function has already.
BORROWING = ("getitem", "static_getitem", "getattr", "build_tuple", "exhaust_iter", "pair_first", "cast", "phi")
#: Types of which None is no value.
CERTAIN = (types.Array, types.BaseTuple)
_define_pipelines = compiler.Compiler.define_pipelines
_rewrite, _lower, _prune = NopythonRewrites.run_pass, NativeLowering.run_pass, DeadBranchPrune.run_pass


class Given:
    """An argument that is not None, as Numba looks for one: by the field that the type of a constant has."""

    def __init__(self, kind):
        self.literal_type = kind


def define_pipelines(self):
    """As Numba's own, with fewer passes while a function of clew is compiled."""
    pipelines, state = _define_pipelines(self), self.state
    if not late_code.is_on() or state.flags.auto_parallel.enabled or len(pipelines) != 1 or state.func_id is None:
        return pipelines
    closes = any(isinstance(each, CodeType) for each in state.func_id.func.__code__.co_consts)
    left_out = NEVER if closes else (*NEVER, *FOR_CLOSURES)
    lean = PassManager("lean")
    lean.passes = [each for each in pipelines[0].passes if each[0] not in left_out]
    lean.finalize()
    return [lean]


def prune(self, state):
    """As Numba's own, which knows arguments that are None, and now also those that cannot be."""
    given = state.args
    if late_code.is_on():
        state.args = tuple(Given(kind) if isinstance(kind, CERTAIN) else kind for kind in given)
    try:
        return _prune(self, state)
    finally:
        state.args = given


def rewrite(self, state):
    """As Numba's own, where a function makes arrays or has fields with names."""
    named = any(isinstance(kind, types.StringLiteral) for kind in state.typemap.values())
    return (named or not late_code.is_on() or not is_borrowing(state)) and _rewrite(self, state)


def lower(self, state):
    """As Numba's own, without counts of references where all arrays are borrowed."""
    counting = state.targetctx
    if late_code.is_on() and state.flags.no_cpython_wrapper and is_borrowing(state):
        state.targetctx = counting.subtarget(enable_nrt=False)
        try:
            return _lower(self, state)
        except NumbaRuntimeError:  # it needs memory for a moment, such as for a copy from slice to slice
            state.targetctx = counting
    return _lower(self, state)


def is_borrowing(state):
    """Whether a function makes nothing that has to be freed, and returns nothing that it was given."""
    returned = (
        signature.return_type
        for expression, signature in state.calltypes.items()
        if isinstance(expression, ir.Expr) and expression.op not in BORROWING and signature is not None
    )
    plain = types.Array | types.BaseTuple | types.NoneType
    others = (kind for kind in state.typemap.values() if not isinstance(kind, plain))
    models = state.targetctx.data_model_manager
    counted = any(models[kind].contains_nrt_meminfo() for kind in {state.return_type, *returned, *others})
    return not counted and not state.func_ir.is_generator


compiler.Compiler.define_pipelines = define_pipelines
NopythonRewrites.run_pass, NativeLowering.run_pass, DeadBranchPrune.run_pass = rewrite, lower, prune
