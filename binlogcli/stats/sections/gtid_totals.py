"""Section `gtids`, for all logs: the set of each, what is missing between logs, and what is in several."""

from __future__ import annotations

from typing import Any

from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.text import is_mariadb, mariadb_gtid, set_text
from binlogcli.stats.bounded import Top
from binlogcli.stats.sections.gtids import FOUND_KEPT, INTERVALS_KEPT, SIZES, Source
from binlogcli.stats.wanted import Wanted

_KINDS = ("gaps", "duplicates", "out_of_order")


class GtidsTotal:
    """Joins the GTIDs of all logs, in the order of their history."""

    def __init__(self, wanted: Wanted) -> None:
        self.scope = wanted.scope
        self.files: list[dict[str, Any]] = []
        self.sets: dict[Source, Intervals] = {}
        self.before: list[Any] = []
        self.mariadb = False
        self.cut = False
        self.domains: dict[int, tuple[int, int]] = {}
        self.ends: dict[Source, int] = {}
        self.counts: dict[str, int] = {}
        self.found: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
        self.lag = Top(wanted.top)
        self.lag_count = self.lag_sum = self.lag_most = 0
        self.independent = 0
        self.groups = {name: [0, 0, 0, [0] * SIZES] for name in ("commits", "together")}

    def absorb(self, file: str, log: dict[str, Any]) -> None:
        """Add the GTIDs of a log."""
        mariadb = log["mariadb"]
        if not self.files:
            self.before = log["before"]
        elif self.scope.continuous:
            self.compare(file, log)
        self.mariadb = self.mariadb or mariadb
        self.cut = self.cut or log["cut"]
        self.files.append(_file_row(file, log))
        for source, pairs in log["sets"].items():
            known = self.sets.setdefault(source, Intervals(INTERVALS_KEPT))
            for first, last in pairs:
                if not known.add_all(first, last):
                    text = set_text({source: [(first, last)]})
                    self.note("duplicates", file, 4, text, None)
            self.cut = self.cut or known.cut
            self.ends[source] = pairs[-1][1]
        self.domains |= log["domains"]
        for name, count in log["counts"].items():
            self.counts[name] = self.counts.get(name, 0) + count
        for kind in _KINDS:
            room = FOUND_KEPT - len(self.found[kind])
            self.found[kind] += [{**entry, "file": file} for entry in log["found"][kind][: max(room, 0)]]
        self.absorb_times(file, log)

    def absorb_times(self, file: str, log: dict[str, Any]) -> None:
        """Add the lags and group sizes of a log."""
        count, total, most, things = log["lag"]
        self.lag_count += count
        self.lag_sum += total
        self.lag_most = max(self.lag_most, most)
        self.lag.absorb((measure, {**thing, "file": file}) for measure, thing in things)
        self.independent += log["independent"]
        for name, mine in self.groups.items():
            groups, members, largest, sizes = log[name]
            old: Any = mine
            self.groups[name] = [
                old[0] + groups,
                old[1] + members,
                max(old[2], largest),
                [one + more for one, more in zip(old[3], sizes, strict=True)],
            ]

    def compare(self, file: str, log: dict[str, Any]) -> None:
        """Count as gaps the GTIDs that were before this log by its head, and are in none of the logs before it."""
        if log["mariadb"]:
            for (domain, server), number, _ in log["before"]:
                last = self.domains.get(domain)
                known = self.ends.get((domain, server), -1)
                if last is not None and known < number and number > last[1]:
                    self.note("gaps", file, 4, mariadb_gtid(domain, server, number), mariadb_gtid(domain, *last))
            return
        for source, first, last in log["before"]:
            known_set = self.sets.get(source)
            if known_set is None or not known_set.starts or last <= known_set.last:
                continue
            if last > known_set.last:
                text = set_text({source: [(max(first, known_set.last + 1), last)]})
                self.note("gaps", file, 4, text, set_text({source: [(known_set.last, known_set.last)]}))

    def note(self, kind: str, file: str, position: int, gtid: str, after: str | None) -> None:
        """Count a gap or duplicate between two logs; keep the first ones."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if len(self.found[kind]) < FOUND_KEPT:
            self.found[kind].append({"file": file, "position": position, "gtid": gtid, "after": after})

    def report(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the section, and what was cut."""
        sets = {source: known.pairs() for source, known in self.sets.items()}
        found: dict[str, Any] = {
            "count": self.counts.get("gtids", 0),
            "anonymous": self.counts.get("anonymous", 0),
            "all": set_text(sets),
            "binlog_pos": self.position() if self.scope.continuous and self.scope.from_start else None,
            "files": self.files,
        }
        for kind in _KINDS:
            found[f"{kind}_count"] = self.counts.get(kind, 0)
            found[kind] = self.found[kind]
        if not self.scope.continuous:
            found["gaps_count"] = None
        if self.mariadb:
            found["domains"] = self.domain_rows(sets)
            found["group_commit"] = _group_row(self.groups["commits"])
        if self.groups["together"][1]:
            found["lag"] = self.lag_row()
            found["parallelism"] = {
                **_group_row(self.groups["together"]),
                "independent_of_the_one_before": self.independent,
            }
        return found, {"sets": "there are too many intervals to keep: small gaps are not shown"} if self.cut else None

    def position(self) -> str:
        """Return where replication would continue: MariaDB's gtid_binlog_pos, MySQL's Executed_Gtid_Set."""
        texts = [mariadb_gtid(domain, *last) for domain, last in sorted(self.domains.items())]
        entries = [*self.before, *((source, *pair) for source, known in self.sets.items() for pair in known.pairs())]
        executed: dict[Source, Intervals] = {}
        for source, first, last in entries:
            if not is_mariadb(source):
                executed.setdefault(source, Intervals(INTERVALS_KEPT)).add_all(first, last)
        if executed:
            texts.append(set_text({source: known.pairs() for source, known in executed.items()}))
        return ",".join(texts)

    def domain_rows(self, sets: dict[Source, list[tuple[int, int]]]) -> list[dict[str, Any]]:
        """Return a row for each domain and server of MariaDB."""
        return [
            {
                "domain_id": domain,
                "server_id": server,
                "first": pairs[0][0],
                "last": pairs[-1][1],
                "count": sum(last - first + 1 for first, last in pairs),
            }
            for (domain, server), pairs in sorted(item for item in sets.items() if is_mariadb(item[0]))
            if pairs
        ]

    def lag_row(self) -> dict[str, Any]:
        """Return the commit lags of MySQL."""
        return {
            "transactions": self.lag_count,
            "mean_microseconds": self.lag_sum // self.lag_count if self.lag_count else 0,
            "largest_microseconds": self.lag_most,
            "largest": [thing for _, thing in self.lag.things()],
        }


def _file_row(file: str, log: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a log: its set, and the set before it."""
    before: dict[Source, Intervals] = {}
    for source, first, last in log["before"]:
        before.setdefault(source, Intervals(INTERVALS_KEPT)).add_all(first, last)
    pairs = {source: known.pairs() for source, known in before.items()}
    return {"file": file, "count": log["counts"]["gtids"], "gtids": set_text(log["sets"]), "previous": set_text(pairs)}


def _group_row(values: list[Any]) -> dict[str, Any]:
    """Return figures and histogram of group sizes."""
    groups, members, largest, sizes = values
    return {
        "transactions": members,
        "groups": groups,
        "mean": round(members / groups, 2) if groups else 0,
        "largest": largest,
        "histogram": [
            {"from": 1 << (at - 1), "below": 1 << at, "groups": sizes[at]} for at in range(1, SIZES) if sizes[at]
        ],
    }
