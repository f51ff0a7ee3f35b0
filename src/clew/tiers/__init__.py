"""Memory tiers: the memories of this machine, their speed, and graphs spread over two of them.

>>> from clew import tiers
>>> [tier.kind for tier in tiers.tiers()][-1]
'file'
"""

from clew.tiers.mapping import allocate
from clew.tiers.rates import measure
from clew.tiers.spreading import spread
from clew.tiers.survey import tier_named, tiers
from clew.tiers.tier import KINDS, Rates, Tier

__all__ = ["KINDS", "Rates", "Tier", "allocate", "measure", "spread", "tier_named", "tiers"]
