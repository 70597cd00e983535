"""The layout of a record of `Notes`: start, end, form, number; the form holds depth, kind and prefix."""

from __future__ import annotations

OBJECT, SIGNED, UNSIGNED, GROUP, CONTENT = 0, 1, 2, 3, 4  # kinds
RECORD = 4
DEPTH_MASK = 0xFFFF
KIND_SHIFT = 16
PREFIX_SHIFT = 24
