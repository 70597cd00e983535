"""Which module counts for which section; each is imported when its section is wanted."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from binlogcli.stats.wanted import Wanted

# by section: the collector's module and class, the total's module and class, and which sections need them
PLACES = {
    "statements": ("statements", "ByStatement", "statements", "Statements", ("statements", "tables", "problems")),
    "tables": ("tables", "ByTable", "tables", "Tables", ("tables",)),
    "transactions": ("transactions", "ByTransaction", "transactions", "Transactions", ("transactions", "problems")),
    "timeline": ("timeline", "ByTime", "timeline", "Timeline", ("timeline",)),
    "servers": ("servers", "ByServer", "servers", "Servers", ("servers",)),
    "gtids": ("gtids", "ByGtid", "gtid_totals", "Gtids", ("gtids", "problems")),
    "problems": ("problems", "Oddities", "problems", "Problems", ("problems",)),
}


def collectors(wanted: Wanted) -> dict[str, Any]:
    """The collectors of a log, apart from those that every log has; the one that folds statements comes first."""
    return {
        section: getattr(import_module(f"binlogcli.stats.sections.{module}"), name)(wanted)
        for section, (module, name, _, _, needed) in PLACES.items()
        if wanted.needs(*needed)
    }


def totals(wanted: Wanted) -> dict[str, Any]:
    """What joins the figures of several logs; that of the problems comes last, for it asks the others."""
    return {
        section: getattr(import_module(f"binlogcli.stats.sections.{module}"), name)(wanted)
        for section, (_, _, module, name, needed) in PLACES.items()
        if wanted.needs(*needed)
    }
