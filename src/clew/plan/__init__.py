"""What a run will do, why, in how many bytes and about how long: ``clew.explain`` and the plan it makes."""

from clew.plan.explain import explain
from clew.plan.parts import Choice, Share
from clew.plan.plan import Measured, Plan, Tier
from clew.plan.span import Span

__all__ = ["Choice", "Measured", "Plan", "Share", "Span", "Tier", "explain"]
