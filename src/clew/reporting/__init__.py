"""The report: one HTML page about a graph. ``clew.report`` writes it; `sections` say what is in it."""

from clew.reporting.writing import report

__all__ = ["report"]
