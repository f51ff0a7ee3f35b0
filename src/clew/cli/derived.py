"""Commands derived from functions: options from the signature, help from the docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

SIMPLE = (int, float, bool, str, NoneType)


def parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """A parameter in the form that Typer expects."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def declared(run: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """``run``, which takes keywords, as a function with exactly these parameters."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}  # the signature has them
    return run


def options_of(function: Callable[..., Any], *, but: Sequence[str] = ()) -> list[inspect.Parameter]:
    """The parameters of a function: those without a default become arguments, the others options.

    Parameters named in ``but`` are omitted, and so are those of types that a command line cannot express. A parameter
    that may be a number or a list is a number here.
    """
    hints = {name: _without_lists(hint) for name, hint in get_type_hints(function).items()}
    texts = parameter_texts(inspect.getdoc(function) or "")
    found = []
    for name, given in inspect.signature(function).parameters.items():
        if name in but or not _is_simple(hints[name]):
            continue
        text = texts.get(name, "")
        if given.default is inspect.Parameter.empty:
            option: Any = typer.Argument(help=text)
        elif name == "directed":
            option = typer.Option("--directed/--undirected", help=text)
        else:
            option = typer.Option(help=text)
        found.append(parameter(name, Annotated[hints[name], option], given.default))
    return found


def help_of(function: Callable[..., Any]) -> str:
    """The help of a command: the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].replace("``", "").split())


def parameter_texts(docstring: str) -> dict[str, str]:
    """The first sentence about each parameter in a docstring."""
    section = docstring.partition("Parameters\n----------\n")[2]
    section = re.split(r"^\w.*\n-+$", section, maxsplit=1, flags=re.MULTILINE)[0]
    texts = {}
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+\S.*\n?)+)", section, re.MULTILINE):
        sentence = re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]
        texts.update(dict.fromkeys(re.split(r",\s*", names), sentence.replace("``", "")))
    return texts


def _without_lists(hint: Any) -> Any:
    if get_origin(hint) not in (Union, UnionType):
        return hint
    return Union[tuple(kind for kind in get_args(hint) if get_origin(kind) is not Iterable)]  # noqa: UP007, made here


def _is_simple(hint: Any) -> bool:
    if get_origin(hint) is Literal or hint in SIMPLE:
        return True
    union = get_origin(hint) in (Union, UnionType)
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return union and len(kinds) == 1 and _is_simple(kinds[0])
