"""Kinds of the variables that INTVAR and USER_VAR events carry, as in the servers' sources."""

from __future__ import annotations

INTVAR_TYPES = {0: "INVALID_INT_EVENT", 1: "LAST_INSERT_ID_EVENT", 2: "INSERT_ID_EVENT"}
USER_VAR_TYPES = {0: "STRING_RESULT", 1: "REAL_RESULT", 2: "INT_RESULT", 3: "ROW_RESULT", 4: "DECIMAL_RESULT"}
