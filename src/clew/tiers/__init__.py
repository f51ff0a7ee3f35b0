"""Memory tiers: the memories of this machine, their speed, and graphs spread over two of them.

>>> from clew import tiers
>>> [tier.kind for tier in tiers.tiers()][-1]
'file'
"""

from clew.tiers.mapping import allocate, spread
from clew.tiers.rates import measure
from clew.tiers.survey import KINDS, Rates, Tier, tier_named, tiers

__all__ = ["KINDS", "Rates", "Tier", "allocate", "measure", "spread", "tier_named", "tiers"]
