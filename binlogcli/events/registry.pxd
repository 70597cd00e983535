from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Query, StatementText, Xid
from binlogcli.events.tables cimport Rows, TableMap

cdef int TABLE_MAP_EVENT, WRITE_ROWS_EVENT_V1, DELETE_ROWS_EVENT_V1, WRITE_ROWS_EVENT, DELETE_ROWS_EVENT, XID_EVENT, QUERY_EVENT, GTID_EVENT, ANNOTATE_ROWS_EVENT

cpdef Event new_event(int type_code)
