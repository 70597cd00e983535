"""The text of mysqlbinlog and mariadb-binlog, byte for byte."""
