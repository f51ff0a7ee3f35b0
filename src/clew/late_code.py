# mypy: ignore-errors
"""Machine code for functions that Python calls, and none for those that only compiled code calls.

Numba optimizes every function, compiles it to machine code and loads that. It does so even for helpers that are inlined
in their callers and never run by themselves. Here a helper stays as Numba wrote it until its address is needed.
The function that Python calls takes in all its helpers, each once, and all are optimized together, once.
"""

from contextlib import contextmanager

from llvmlite.binding import newpassmanagers
from numba import version_info
from numba.core import codegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment

_create_library = codegen.JITCPUCodegen.create_library
_set_env = codegen.JITCPUCodegen.set_env
_depth = 0
#: Whether these are the internals of Numba that this module changes. With others, Numba compiles as it always does.
KNOWN = version_info.short == (0, 68)


@contextmanager
def late():
    """Functions that are compiled in this block get their machine code late. For holders of the compiler's lock."""
    global _depth
    _depth += KNOWN
    try:
        yield
    finally:
        _depth -= KNOWN


def is_on():
    """Whether a function of clew is being compiled."""
    return _depth > 0


class Late(codegen.JITCodeLibrary):
    """The code of a function, compiled when its address is needed."""

    emitted = False
    _aside = None  # code from disk that others may take in

    def finalize(self):
        """Accept no more code. Functions that call themselves need their address at once."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True
        prefix = self._codegen._rtlinker.PREFIX
        if any(each.name.startswith(prefix) for each in self._final_module.global_variables):
            self.emit()

    def get_pointer_to_function(self, name):
        """The address of a function, or 0 if there is none of that name."""
        self._ensure_finalized()
        if not self.emitted and not any(each.name == name for each in self.get_defined_functions()):
            return 0
        self.emit()
        return super().get_pointer_to_function(name)

    def emit(self):
        """Optimize and load this function together with all that it calls."""
        with global_compiler_lock:
            if self.emitted:
                return
            self._own_module()
            self._take_in(self._final_module)
            for each in list(self._final_module.functions):
                if not each.is_declaration and each.linkage == codegen.ll.Linkage.linkonce_odr:
                    each.linkage = "internal"
            self._optimize_final_module()
            self._final_module.verify()
            self._finalize_final_module()
            for each in self._final_module.global_variables:
                if (env := lookup_environment(each.name)) is not None:
                    self._codegen.set_env(each.name, env)

    def _finalize_final_module(self):
        self.emitted = True  # also when it is loaded from disk
        super()._finalize_final_module()

    def _optimize_functions(self, module):
        """Leave functions as they are: all passes run over the whole."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        """Bring the code into the form in which pairs of reference counts are found, and then run all passes."""
        passes = newpassmanagers.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        passes.add_refprune_pass(codegen._parse_refprune_flags())
        passes.run(self._final_module, self._codegen._pass_builder())
        passes, options = self._codegen._module_pass_manager()
        passes.run(self._final_module, options)

    def put_aside(self, bitcode):
        """Keep the code for others as it is on disk: few need it, and in LLVM's form it takes ten times that."""
        self._aside, self._shared_module = bitcode, None

    def _own_module(self):
        """The function without those that it calls, for others to take in."""
        if self._aside is not None:
            self._shared_module, self._aside = codegen.ll.parse_bitcode(self._aside), None
        return super()._get_module_for_linking()

    def _get_module_for_linking(self):
        """The function and all that it calls."""
        whole = self._own_module().clone()
        self._take_in(whole)
        return whole

    def _take_in(self, module):
        """Add all functions that this one calls to a module, callers first: LLVM takes in only what is called."""
        found = {}  # callees first

        def visit(library):
            if library not in found:
                for each in library._linking_libraries if isinstance(library, Late) else ():
                    visit(each)
                found[library] = None

        visit(self)
        for library in reversed(found):
            if library is not self:
                own = library._own_module() if isinstance(library, Late) else library._get_module_for_linking()
                module.link_in(own, preserve=True)

    def serialize_using_object_code(self):
        """The machine code, and the optimized code for compiled functions that call this one."""
        self._shared_module = None
        return self.name, "object", (self._get_compiled_object(), self._own_module().as_bitcode())


def keep_apart(library, name):
    """Have a function called by those that take it in, so that a hot loop has all registers to itself."""
    if isinstance(library, Late):
        library._final_module.get_function(name).add_function_attribute("noinline")


def create_library(self, name, **options):
    """As Numba's own, late where that was requested."""
    return Late(self, name, **options) if _depth else _create_library(self, name, **options)


def set_env(self, name, env):
    """As Numba's own, where the code that reads it has been loaded."""
    if self._engine.is_symbol_defined(name):
        _set_env(self, name, env)


if KNOWN:
    codegen.JITCPUCodegen.create_library = create_library
    codegen.JITCPUCodegen.set_env = set_env
