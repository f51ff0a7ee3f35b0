"""Work to seconds: numbers looked up and bytes read, at the rates of the machine."""

from __future__ import annotations

from clew.plan.machine import Gpu, Machine
from clew.plan.parts import Share, Sketch, Work
from clew.plan.span import Span

BARRIER = Span(0.3e-6, 3e-6, 60e-6)  # seconds; the last where others want the cores, too
COMPETING = 1.5  # what is read along with them takes a part of the caches: so much more numbers there seem to be
# Of Python, and of taking memory, as measured on two cores of an AMD EPYC: 16 to 20 µs for a call that has just been
# made before, 45 to 60 µs for the first on a graph, and as much more as others want the cores.
CALL = Span(1.5e-5, 4e-5, 2.5e-4)
SETTING_UP = Span(0.3, 1, 4)  # the same for what an algorithm sets up besides
GPU_STEP = Span(2e-6, 4e-6, 8e-6)  # a launch, or the meeting of a grid
GPU_CALL = Span(5e-5, 1.5e-4, 5e-4)  # launches, and reading the answer's few numbers back


def on_cpu(work: Work, sketch: Sketch, machine: Machine) -> Span:
    """Seconds that work takes the CPU."""
    share = work.threads or sketch.team or machine.threads
    slower = machine.threads / min(share, machine.threads)
    far, near = machine.gather(COMPETING * work.spread), machine.gather(1)
    each = slower * ((1 - work.near) * far + work.near * near + work.streamed / machine.read)
    seconds = work.items.times(each)
    return seconds.plus(work.steps.times(BARRIER)) if share > 1 else seconds


def on_gpu(work: Work, gpu: Gpu) -> Span:
    """Seconds that work takes the GPU."""
    return work.items.times(work.streamed / gpu.read).plus(work.steps.times(GPU_STEP))


def call(sketch: Sketch, machine: Machine, *, gpu: bool) -> Span:
    """Seconds that a call takes beside its work."""
    if gpu:
        return GPU_CALL
    fixed = CALL.plus(SETTING_UP.times(sketch.setting_up))
    return fixed.plus(Span(0, machine.call, 4 * machine.call)) if sketch.team != 1 else fixed


def transfer(shares: list[Share], gpu: Gpu) -> Span:
    """Seconds to bring the graph's arrays to the GPU."""
    seconds = sum(share.bytes for share in shares) / gpu.upload
    return Span(seconds, 1.3 * seconds, 4 * seconds)


def over_link(passes: Span, size: float, gpu: Gpu) -> Span:
    """Seconds to read so many bytes of edges, so many times, where they are on the host."""
    return passes.times(size / gpu.upload)
