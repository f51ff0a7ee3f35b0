"""The reference engine: every primitive as its definition reads, in plain Python loops. Slow, and the oracle."""

from clew.engines.reference.engine import ReferenceEngine

__all__ = ["ReferenceEngine"]
