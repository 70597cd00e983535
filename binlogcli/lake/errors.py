"""What ends a conversion: raised once, told by `cli`, each with its own exit status."""

from __future__ import annotations

from binlogcli.errors import BinlogError


class LakeError(BinlogError):
    """An output, a Java or an option that cannot be used."""


class JobError(BinlogError):
    """The job failed: no room on the disk, or Spark itself. Nothing of the epoch is visible."""


class LockedError(BinlogError):
    """Another run is at work on the same output."""


class DamagedInputError(BinlogError):
    """A log is damaged, and the user wants nothing then."""
