"""First lines of events about the log itself that both families have."""

from __future__ import annotations

from binlogcli.events.control import FormatDescription, Incident, Rotate, Slave, StartV3
from binlogcli.render.mysqlbinlog.shared.text import EventText
from binlogcli.render.mysqlbinlog.sql_text import encoded_text

IN_USE, ARTIFICIAL, RELAY_LOG = 1, 0x20, 0x40
INCIDENTS = (b"NONE", b"LOST_EVENTS")


def put_start(text: EventText, event: FormatDescription | StartV3) -> None:
    """Write the first line of a format description, and a warning where the log was not closed."""
    out = text.out
    version = text.remarks.in_comment(event, encoded_text(event.server_version))
    stamp = text.clock.stamp(event.timestamp)
    out.put(b"\tStart: binlog v %d, server v %s created %s" % (event.binlog_version, version, stamp))
    out.put(b" at startup\n" if event.created else b"\n")
    if event.flags & IN_USE:
        out.put(b"# Warning: this binlog is either in use or was not closed properly.\n")


def put_rotate(text: EventText, event: Rotate) -> None:
    """Write the file and position where the log continues."""
    name = text.remarks.in_comment(event, encoded_text(event.new_log_ident))
    text.out.put(b"\tRotate to " + name + b"  pos: %d\n" % event.pos)


def put_slave(text: EventText, event: Slave) -> None:
    """Write where a replica of 4.x stood, as a comment: the tools of its time wrote a line that no client can run."""
    names = [text.remarks.in_comment(event, encoded_text(name)) for name in (event.master_host, event.master_log)]
    words = b"\n# Slave: master_host: '%s'  master_port: %d  master_log: '%s'  master_pos: %d\n"
    text.out.put(words % (names[0], event.master_port, names[1], event.master_pos))


def put_incident(text: EventText, event: Incident) -> None:
    """Write an incident and a line of wrong syntax, which stops a client that runs the text."""
    name = INCIDENTS[event.incident] if event.incident < len(INCIDENTS) else b"UNKNOWN"
    text.out.put(b"\n# Incident: " + name + b"\nRELOAD DATABASE; # Shall generate syntax error\n")
