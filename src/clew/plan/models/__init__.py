"""A model of every algorithm: what it will choose, how many bytes it takes, and how much work it is."""

from clew.plan.models import rounds, searches, structure
from clew.plan.models.common import MODELS, Model, Question, model_of

__all__ = ["MODELS", "Model", "Question", "model_of", "rounds", "searches", "structure"]
