from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Query, StatementText, Xid
from binlogcli.events.tables cimport Rows, TableMap

cpdef Event new_event(int type_code)
