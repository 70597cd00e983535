"""What ends a conversion. Each class has an exit status of its own in `cli`."""

from __future__ import annotations

from binlogcli.errors import BinlogError


class LakeError(BinlogError):
    """An output, a Java or an option that cannot be used."""


class JobError(BinlogError):
    """The job failed: the disk is full, or Spark failed. Nothing of the epoch is visible."""


class LockedError(BinlogError):
    """The output is locked by a run that has not ended."""


class LogChangedError(BinlogError):
    """A log was cut, replaced or written over while it was converted. What was read of it is not taken."""


class DamagedInputError(BinlogError):
    """A log is damaged, and the options say that nothing is to be published then."""
