"""A model of every algorithm: what it will choose, how many bytes it takes, and how much work it is."""

from clew.plan.models import betweenness, pairs, rounds, searches, structure
from clew.plan.models.common import MODELS, Sketch, over_the_waist, shape_of

__all__ = ["MODELS", "Sketch", "betweenness", "over_the_waist", "pairs", "rounds", "searches", "shape_of", "structure"]
