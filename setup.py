"""What pyproject.toml cannot say: compile what has a .pxd beside it, or install without; one more package."""

import os
import sys
import tempfile
from distutils.ccompiler import new_compiler
from distutils.sysconfig import customize_compiler, get_python_inc
from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup
from setuptools.command.build_ext import build_ext

SHARED = "binlogcli._shared"  # what Cython would put into each module otherwise: half of the C, and of its compilation
INCLUDED = {"kernel", "byte_loops", "client_scan", "column_loops", "lists", "reads", "shapes"}
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # the .pxd alone gives C types; annotations are for readers and mypy
    "boundscheck": True,  # a log is hostile: each index is checked
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}
# BINLOGCLI_CHECKED=1 builds for the fuzzer: what is undefined in C becomes an exception
CHECKED = {"initializedcheck": True, "nonecheck": True, "cdivision": False}
OPTIMIZE = "-O2"
if os.environ.get("BINLOGCLI_CHECKED"):
    OPTIMIZE = "-O0"
    DIRECTIVES |= CHECKED


class BuildOrGoWithout(build_ext):
    """Builds all extension modules; without a working compiler, none, and the package runs uncompiled."""

    def run(self) -> None:
        self.parallel = os.cpu_count()
        try:
            super().run()
        except Exception as error:
            sys.stderr.write(f"binlogcli: not compiled ({error}); it will run as plain Python, slowly\n")
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []


def compiles() -> bool:
    """Whether there are a C compiler and Python's headers: asked before a minute is spent on making C."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "one.c")
        source.write_text('#include "Python.h"\nint one(void) { return 1; }\n')
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(source)], output_dir=folder, include_dirs=[get_python_inc()])
        except Exception as error:
            sys.stderr.write(f"binlogcli: not compiled ({error}); it will run as plain Python, slowly\n")
            return False
    return True


def hot_modules() -> list[Extension]:
    """One wheel per CPython version: the limited API (abi3) was measured to cost 20 to 30 % of the decoding time."""
    if sys.byteorder != "little":  # kernel.pxd copies numbers as they stand in the log
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    if not compiles():
        return []
    # these are C for the others to take in, and no modules of their own; Cython tells them apart by their last names
    typed = sorted(path for path in Path("binlogcli").rglob("*.pxd") if path.stem not in INCLUDED)
    sources = [path.with_suffix(".py") for path in typed]
    extensions = [
        Extension(
            ".".join(path.with_suffix("").parts),
            [str(path)],
            include_dirs=[f"binlogcli/{room}" for room in ("binary", "carve", "rows/sinks", "render/mysqlbinlog/rows")],
            extra_compile_args=[OPTIMIZE, "-g0"],
        )
        for path in sources
    ]
    extensions.append(Extension(SHARED, [], extra_compile_args=[OPTIMIZE, "-g0"]))
    return cythonize(
        extensions,
        build_dir="build/cython",
        compiler_directives=DIRECTIVES,
        nthreads=os.cpu_count(),
        shared_utility_qualified_name=SHARED,
        show_all_warnings=False,
    )


# Spark finds data sources by the names of top-level modules; this one is kept with the rest of the lake
DATA_SOURCE, ITS_PLACE = "pyspark_binlog", "binlogcli/lake/pyspark_binlog"

if __name__ == "__main__":  # Cython's worker processes may read this file again
    setup(
        packages=[*find_namespace_packages(include=["binlogcli*"], exclude=[ITS_PLACE.replace("/", ".")]), DATA_SOURCE],
        package_dir={DATA_SOURCE: ITS_PLACE},
        ext_modules=hot_modules(),
        cmdclass={"build_ext": BuildOrGoWithout},
    )
