"""The text of MariaDB logs, as mariadb-binlog 11.8 prints it."""
