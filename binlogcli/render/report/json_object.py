"""The report of `stats` as one JSON object."""

from __future__ import annotations

import json
import re
from typing import Any

STEERING = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # JSON leaves them as they are; some terminals obey them


def as_json(report: dict[str, Any]) -> str:
    """One object by section, all numbers exact."""
    text = json.dumps(report, ensure_ascii=False, indent=1)
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
