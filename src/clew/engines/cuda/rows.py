"""What algorithms use of ``DeviceGraph``: the rows of a graph on a device."""

from clew.engines.cuda.device_graph import incoming_on, into_of, offsets_on, plan_in_force, plan_of, rows_on, size_of
from clew.engines.cuda.device_rows import DeviceRows
from clew.engines.cuda.ledger import forget_all

__all__ = [
    "DeviceRows",
    "forget_all",
    "incoming_on",
    "into_of",
    "offsets_on",
    "plan_in_force",
    "plan_of",
    "rows_on",
    "size_of",
]
