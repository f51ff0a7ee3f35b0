"""The plan of a run, with reasons, memory and expected time: ``clew.explain`` and ``Plan``."""

from clew.plan.explain import explain
from clew.plan.parts import Choice, Share, Span
from clew.plan.plan import Measured, Plan, Tier

__all__ = ["Choice", "Measured", "Plan", "Share", "Span", "Tier", "explain"]
