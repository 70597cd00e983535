"""The options of the data source `binlog`: their names and values, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping

from binlogcli.lake.errors import LakeError

MAX_BYTES = "maxbytespertrigger"
# As they are documented; Spark hands them over in lower case.
_NAMES = (
    "lake",
    "table",
    "columns",
    "since",
    "until",
    "schema",
    "schemaAt",
    "assumeUnsigned",
    "keyFile",
    "keyFilePasswordFile",
    "keyAlgorithm",
    "keyring",
    "zeroDates",
    "onDamage",
    "maxBytesPerTrigger",
)
_OF_SPARK = ("path", "paths")  # what `load` was given
_VALUES = {
    "keyalgorithm": ("auto", "aes-cbc", "aes-ctr"),
    "zerodates": ("null", "raw", "error"),
    "ondamage": ("skip", "stop"),
}


def read_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options by their names without case and underscores. Raises LakeError for unknown names and values."""
    known = {name.lower(): name for name in _NAMES}
    given = {name.lower().replace("_", ""): value for name, value in options.items()}
    unknown = [name for name in options if name.lower().replace("_", "") not in {*known, *_OF_SPARK}]
    if unknown:
        raise LakeError(f"unknown option {', '.join(sorted(unknown))}", hint=f"use one of {', '.join(_NAMES)}")
    for name, values in _VALUES.items():
        if given.get(name, values[0]) not in values:
            reason = f"the option {known[name]} cannot be {given[name]!r}"
            raise LakeError(reason, hint=f"it can be {', '.join(values)}")
    if not given.get(MAX_BYTES, "1").isdecimal():
        raise LakeError(f"the option {known[MAX_BYTES]} is not a number of bytes: {given[MAX_BYTES]!r}")
    return given


def refuse_stream_options(options: Mapping[str, str]) -> None:
    """Raise LakeError for options that have an effect on streams alone."""
    if MAX_BYTES in read_options(options):
        raise LakeError("the option maxBytesPerTrigger is only for streams", hint="omit it, or use readStream")


def refuse_batch_options(options: Mapping[str, str]) -> None:
    """Raise LakeError for options that a stream cannot have: it has no end from which to walk back."""
    if read_options(options).get("schemaat", "start") != "start":
        hint = "omit it, and give schema files from before the first log; or use read"
        raise LakeError("the option schemaAt cannot be used with streams", hint=hint)


def listed(text: str | None) -> tuple[str, ...]:
    """Split a list at its commas."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())
