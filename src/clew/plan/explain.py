"""explain: the plan of a run, from the engines' own rules and the measured rates of this machine."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from clew.algorithms.registry import ALGORITHMS
from clew.checks import one_of, real
from clew.engines.base import available_bytes
from clew.engines.choice import check_device
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.plan import machine
from clew.plan import parts as cost
from clew.plan.models import Question, model_of
from clew.plan.models.common import shape_of
from clew.plan.parts import Sketch, Span
from clew.plan.plan import Plan
from clew.plan.where import CPU, Edges, count_tiers, in_their_file, is_emulated, put_edges, where
from clew.result import Result

WEIGHTED = ("sssp", "sswp", "bellman_ford")  # they refuse a graph without weights


def explain(graph: Graph, algorithm: str | Callable[..., Result], device: str = "auto", **arguments: Any) -> Plan:
    """Explain what a run of an algorithm will do and why, the memory it needs, and its expected time.

    Nothing is run. The choices come from the engines' own rules, and the bytes from the graph's dtypes. The time comes
    from the memory speed of this machine, which is measured once and cached. Print the plan to see it. ``plan.run()``
    runs it, and compares prediction and measurement.

    Parameters
    ----------
    graph
        The graph to run on.
    algorithm
        Its name, such as "pagerank", or the function itself.
    device
        "auto", "cpu", "cuda" or "hybrid". Without a GPU, a plan for one is explained as far as possible, and says what
        is missing.
    **arguments
        The arguments of the algorithm.

    Examples
    --------
    >>> import clew
    >>> plan = clew.explain(clew.generate.grid(10, 10), "bfs", device="cpu", source=0)
    >>> plan.engine
    'cpu'
    >>> [choice.what for choice in plan.choices][:3]
    ['engine', 'layout', 'direction']
    """
    check_graph(graph)
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", repr(algorithm))
    if name not in ALGORITHMS:
        raise GraphError(f"there is no algorithm {name!r}; expected one of {', '.join(sorted(ALGORITHMS))}.")
    check_device(device, hybrid=True)
    # What can be gone through once only would be used up by the plan, and the run would find nothing left.
    arguments = {key: list(given) if isinstance(given, Iterator) else given for key, given in arguments.items()}
    bound = _bound(name, arguments)
    engine, gpu, error = where(name, graph, device)
    start = graph.vertex(bound["source"]) if "source" in bound and graph.num_vertices else None
    ask = Question(graph, bound, shape_of(graph, start), engine.chosen != CPU, gpu)
    sketch = model_of(name)(ask)
    if graph.num_vertices == 0:
        sketch.notes.append("the graph has no vertices: there is nothing to do")
    if name in WEIGHTED and graph.weights is None:
        sketch.notes.append(f"the graph has no weights, and {name} needs them: the run will fail")
    plan = Plan(
        algorithm=name,
        device=device,
        engine=engine.chosen,
        choices=[engine, *sketch.choices],
        memory=[in_their_file(share, graph) for share in sketch.shares],
        iterations=sketch.iterations,
        error=error,
        notes=sketch.notes,
        graph=graph,
        arguments=arguments,
    )
    _foresee(plan, sketch, gpu)
    return plan


def _bound(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """All arguments of an algorithm, including defaults."""
    signature = inspect.signature(ALGORITHMS[name].function)
    own = {key: parameter for key, parameter in signature.parameters.items() if key not in ("graph", "device")}
    if unknown := [key for key in arguments if key not in own]:
        raise GraphError(f"{name} has no argument {unknown[0]!r}; expected some of {', '.join(own) or 'none'}.")
    bound = {key: arguments.get(key, parameter.default) for key, parameter in own.items()}
    hints = get_type_hints(ALGORITHMS[name].function)
    for key, value in bound.items():  # what the models count with; the run itself has the last word on it
        kinds = set(get_args(hints[key]) or (hints[key],)) - {NoneType}
        if get_origin(hints[key]) is Literal:
            one_of(key, value, get_args(hints[key]))
        elif value is not None and kinds <= {int, float}:
            real(key, value)
    return bound


def _foresee(plan: Plan, sketch: Sketch, gpu: Any) -> None:
    """Predict the bytes per memory, whether they fit, and the seconds."""
    on_gpu = plan.engine != CPU
    processor = machine.processor()
    plan.rates["cpu"] = processor.as_dict()
    card = None
    if on_gpu and gpu is not None and not is_emulated(plan.device):
        card = machine.graphics()
        plan.rates["gpu"] = card.as_dict()
    edges = put_edges(plan, gpu) if on_gpu else Edges(0.0, [])
    count_tiers(plan, edges.going, {"host": available_bytes(), "gpu": None if card is None else card.free})
    if plan.error is not None:
        return
    if not on_gpu:
        parts = [(work.what, cost.on_cpu(work, sketch, processor)) for work in sketch.work]
    elif card is not None:
        parts = [(work.what, cost.on_gpu(work, card)) for work in sketch.work]
        if edges.going:
            parts.insert(0, ("copying the graph to the GPU, once", cost.transfer(edges.going, card)))
        if edges.slow_share:
            passes, size = sketch.passes or Span(0.3, 1, 2), edges.slow_share * plan.graph.outgoing.nbytes
            parts.append(("reading edges over the link", cost.over_link(passes, size, card)))
    else:
        plan.notes.append("the emulation is for tests; its time is not predicted")
        return
    parts.append(("the call itself", cost.call(sketch, processor, gpu=on_gpu)))
    plan.parts, plan.expected = parts, _total(parts)
    _mind_others(plan)
    if not processor.measured:
        plan.notes.append("the memory of this machine could not be measured; times are rough estimates")


def _mind_others(plan: Plan) -> None:
    """Extend the range if other processes use the cores, by the ratio of busy threads to cores."""
    cores, wanted = os.cpu_count() or 1, os.getloadavg()[0]
    if wanted > cores and plan.engine == CPU and plan.expected is not None:
        plan.expected = plan.expected._replace(high=plan.expected.high * (1 + wanted / cores))
        plan.notes.append(
            f"this machine is busy: {wanted:.1f} threads compete for {cores} cores; the estimate assumes free cores"
        )


def _total(parts: list[tuple[str, Span]]) -> Span:
    total = Span.exactly(0)
    for _, span in parts:
        total = total.plus(span)
    return total
