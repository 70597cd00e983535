"""The lines before and after all logs, which let a client run the text as it is."""

from __future__ import annotations

from binlogcli.render.mysqlbinlog.options import TextOptions

_SLAVE_MODE = b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=%d*/;\n"
_ALIAS = (
    b"# The proper term is pseudo_replica_mode, but we use this compatibility alias\n"
    b"# to make the statement usable on server versions 8.0.24 and older.\n"
)
_OLD_COMPLETION = b"/*!50003 SET @OLD_COMPLETION_TYPE=@@COMPLETION_TYPE,COMPLETION_TYPE=0*/;\n"
_END = b"# End of log file\n"
_COMPLETION = b"/*!50003 SET COMPLETION_TYPE=@OLD_COMPLETION_TYPE*/;\n"
_LOG_BIN_OFF = b"/*!32316 SET @OLD_SQL_LOG_BIN=@@SQL_LOG_BIN, SQL_LOG_BIN=0*/;\n"
_LOG_BIN_BACK = b"/*!32316 SET SQL_LOG_BIN=@OLD_SQL_LOG_BIN*/;\n"
_CHARSET_VARIABLES = (b"CHARACTER_SET_CLIENT", b"CHARACTER_SET_RESULTS", b"COLLATION_CONNECTION")


def mariadb_prologue(options: TextOptions) -> bytes:
    """Return MariaDB's first lines."""
    delayed = b"/*!40019 SET @@session.max_delayed_threads=0*/;\n"
    return _SLAVE_MODE % 1 + delayed + _before(options)


def mariadb_epilogue(options: TextOptions) -> bytes:
    """Return MariaDB's last lines."""
    return _END + b"ROLLBACK /* added by mysqlbinlog */;\n" + _COMPLETION + _after(options) + _SLAVE_MODE % 0


def mysql_prologue(options: TextOptions) -> bytes:
    """Return MySQL's first lines."""
    text = _ALIAS + _SLAVE_MODE % 1 + _before(options)
    if options.idempotent:
        text += b"/*!50700 SET @@SESSION.RBR_EXEC_MODE=IDEMPOTENT*/;\n\n"
    return text + b"DELIMITER /*!*/;\n"


def mysql_epilogue(options: TextOptions) -> bytes:
    """Return MySQL's last lines."""
    text = b"DELIMITER ;\n" + _END + _COMPLETION + _after(options) + _SLAVE_MODE % 0
    if options.idempotent:
        text += b"/*!50700 SET @@SESSION.RBR_EXEC_MODE=STRICT*/;\n"
    return text


def _before(options: TextOptions) -> bytes:
    """Return the settings that both families save and change before all logs."""
    text = (_LOG_BIN_OFF if options.disable_log_bin else b"") + _OLD_COMPLETION
    if options.set_charset:
        saved = [b"/*!40101 SET @OLD_%s=@@%s */;\n" % (name, name) for name in _CHARSET_VARIABLES]
        text += b"\n" + b"".join(saved) + b"/*!40101 SET NAMES %s */;\n" % options.set_charset.encode()
    return text


def _after(options: TextOptions) -> bytes:
    """Return the statements that restore the settings of `_before`, but for the completion type."""
    text = _LOG_BIN_BACK if options.disable_log_bin else b""
    if options.set_charset:
        text += b"".join(b"/*!40101 SET %s=@OLD_%s */;\n" % (name, name) for name in _CHARSET_VARIABLES)
    return text
