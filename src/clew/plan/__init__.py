"""The plan of a run, with reasons, memory and expected time: ``clew.explain`` and ``Plan``.

Plans follow from the engines' own rules and the measured rates of this machine.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from clew.algorithms.registry import ALGORITHMS
from clew.checks import one_of, real, whole
from clew.engines.choice import check_device
from clew.engines.cluster.share import is_handle
from clew.errors import GraphError
from clew.free_memory import available_bytes
from clew.graph import Graph, check_graph
from clew.memory import current
from clew.packed import glimpsed
from clew.plan import machine
from clew.plan.forms import PLAIN, Form, chosen_form, form_choice, forms_of
from clew.plan.models import MODELS, Sketch, over_the_waist, shape_of
from clew.plan.parts import CALL, GPU_CALL, SETTING_UP, Choice, Share, Span, total
from clew.plan.plan import Measured, Plan, Tier
from clew.plan.where import CPU, Edges, count_tiers, in_their_file, is_emulated, put_edges, where
from clew.result import Result

__all__ = ["Choice", "Measured", "Plan", "Share", "Span", "Tier", "explain"]


def explain(
    graph: Graph,
    algorithm: str | Callable[..., Result],
    device: str = "auto",
    *,
    workers: int | None = None,
    **arguments: Any,
) -> Plan:
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
    workers
        Forecast a run on a cluster of this many machines like this one. The plan then has the grid, the bytes of a
        worker, and the bytes and seconds of a superstep. A graph on a cluster is planned for its own workers.
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
    on_cluster = is_handle(graph) or workers is not None
    if not is_handle(graph):
        check_graph(graph)
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", repr(algorithm))
    if name not in ALGORITHMS:
        raise GraphError(f"there is no algorithm {name!r}; expected one of {', '.join(sorted(ALGORITHMS))}.")
    check_device(device, hybrid=True)
    # The plan would use up an iterator, and the run would find it empty.
    arguments = {key: list(given) if isinstance(given, Iterator) else given for key, given in arguments.items()}
    bound = _bound(name, arguments)
    if on_cluster:
        from clew.plan.cluster import plan_on_cluster

        count = None if workers is None else whole("workers", workers, 1)
        return plan_on_cluster(ALGORITHMS[name], graph, count, device, bound, arguments)
    given, graph = graph, graph._with(glimpsed(graph.outgoing)) if graph.is_packed else graph
    engine, gpu, error = where(name, graph, device, bound)
    start = graph.vertex(bound["source"]) if "source" in bound and graph.num_vertices else None
    record = ALGORITHMS[name]
    sketch = Sketch(record, graph, bound, shape_of(graph, start), engine.chosen != CPU, gpu)
    MODELS.get(name, over_the_waist)(sketch)
    if graph.num_vertices == 0:
        sketch.notes.append("the graph has no vertices: there is nothing to do")
    if "weights" in record.needs and graph.weights is None:
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
    plan = _in_its_form(plan, sketch, given, bool(bound.get("weighted")))
    plan.graph = given
    return plan


def _in_its_form(plan: Plan, sketch: Sketch, given: Graph, weighted: bool) -> Plan:
    """The plan with bytes and seconds, for the form of the edges that the run reads; the other form is mentioned."""
    policy, record = current().packed, sketch.record
    name, why = chosen_form(record, given, plan.engine, sketch.gpu, plan.memory, weighted)
    asked = given.is_packed or (sketch.on_gpu and policy is True)
    if name == PLAIN and not asked and not (sketch.on_gpu and plan.engine in record.packed):
        _foresee(plan, sketch, None)
        return plan
    forms = forms_of(record, given, plan.graph, sketch.on_gpu)
    plans = {}
    for form in forms.values():
        lists: dict[str, Any] = {key: [*getattr(plan, key)] for key in ("choices", "memory", "notes")}
        plans[form.name] = replace(plan, **lists, tiers=[], parts=[], rates={})
        _foresee(plans[form.name], sketch, form)
    plans[name].choices.append(form_choice(plans, forms, weighted or "weights" in record.needs, name, why))
    return plans[name]


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
        elif value is not None and kinds <= {int, float} and get_origin(hints[key]) is not Iterable:
            real(key, value)
    return bound


def _foresee(plan: Plan, sketch: Sketch, form: Form | None) -> None:
    """Predict the bytes per memory, whether they fit, and the seconds, of edges in this form (None: as counted)."""
    processor = machine.processor()
    plan.rates["cpu"] = asdict(processor)
    card = None
    if sketch.on_gpu and sketch.gpu is not None and not is_emulated(plan.device):
        card = machine.graphics()
        plan.rates["gpu"] = asdict(card)
    if form is not None:
        plan.memory = [share if form.converted and share.tier != "gpu" else form.holds(share) for share in plan.memory]
    edges = put_edges(plan, sketch.gpu, form) if sketch.on_gpu else Edges(0.0, [])
    slower = 1.0 if form is None else form.slower
    count_tiers(plan, edges.going, {"host": available_bytes(), "gpu": None if card is None else card.free})
    if plan.error is not None:
        return
    if not sketch.on_gpu:
        parts = [(work.what, work.on_cpu(sketch.team, processor).times(slower)) for work in sketch.work]
        calling = CALL.plus(SETTING_UP.times(sketch.setting_up))
        if sketch.team != 1:
            calling = calling.plus(Span(0, processor.call, 4 * processor.call))
    elif card is not None:
        parts = [(work.what, work.on_gpu(card).times(slower)) for work in sketch.work]
        calling = GPU_CALL
        if edges.going:
            seconds = sum(share.bytes for share in edges.going) / card.upload
            copying = Span(seconds, 1.3 * seconds, 4 * seconds)
            parts.insert(0, ("copying the graph to the GPU, once", copying))
        if edges.slow_share:
            whole = plan.graph.outgoing.nbytes if form is None else form.neighbours + form.weights
            passes, size = sketch.passes or Span(0.3, 1, 2), edges.slow_share * whole
            parts.append(("reading edges over the link", passes.times(size / card.upload)))
    else:
        plan.notes.append("the emulation is for tests; its time is not predicted")
        return
    plan.parts = [*parts, ("the call itself", calling)]
    plan.expected = total(plan.parts)
    _mind_others(plan)
    if not processor.measured:
        plan.notes.append("the memory of this machine could not be measured; times are rough estimates")


def _mind_others(plan: Plan) -> None:
    """Note if other processes use the cores."""
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    if load > cores and plan.engine == CPU:
        plan.notes.append(
            f"this machine is busy: {load:.1f} threads compete for {cores} cores; the estimate assumes free cores"
        )
