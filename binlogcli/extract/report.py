"""What was written, as a line of words or of JSON for each log."""

from __future__ import annotations

import json

from binlogcli.errors import counted
from binlogcli.extract.output_log import OutputLog
from binlogcli.gtids.text import set_text


def json_line(log: OutputLog) -> bytes:
    """Return an object with what a log is made of."""
    found = {
        "name": log.target.name,
        "bytes": log.size,
        "events": log.events,
        "transactions": log.transactions,
        "gtids": set_text({source: numbers.pairs() for source, numbers in log.gtids.items()}),
        "sources": [
            {"file": part.file, "first_position": part.start, "last_position": part.end} for part in log.stretches
        ],
        "inferred_maps": [one._asdict() for one in log.inferred],
    }
    return json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def text_line(log: OutputLog) -> str:
    """Return in words what a log is made of."""
    sources = ", ".join(f"{part.file} {part.start} to {part.end}" for part in log.stretches)
    counts = f"{counted(log.transactions, 'transaction')}, {counted(log.events, 'event')}, {counted(log.size, 'byte')}"
    inferred = f", {counted(len(log.inferred), 'inferred table map')}" if log.inferred else ""
    return f"{log.target.name}: {counts}{inferred}, from {sources}"
