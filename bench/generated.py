# SPDX-License-Identifier: Apache-2.0
"""Generated environments for the growth of time: N extension modules, each with a search chain."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/oracle"))

import elfgen  # noqa: E402  (needs the path above)

MODULES_PER_PACKAGE = 100


def make_environment(folder, count):
    """A virtual environment of `count` objects: packages of 99 modules and one private library."""
    folder = pathlib.Path(folder)
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next((folder / "lib").glob("python3*")) / "site-packages"
    module = elfgen.Elf(needed=["libown.so.1", "libc.so.6"], runpath="$ORIGIN/../own.libs").bytes()
    library = elfgen.Elf(needed=["libc.so.6"], soname="libown.so.1").bytes()
    for package in range(0, count, MODULES_PER_PACKAGE):
        name = f"package{package // MODULES_PER_PACKAGE}"
        modules = min(MODULES_PER_PACKAGE, count - package) - 1
        make_package(site, name, modules, module, library)
    return folder


def make_package(site, name, modules, module, library):
    base = site / name
    (base / "own.libs").mkdir(parents=True)
    (base / "core").mkdir()
    (base / "own.libs/libown.so.1").write_bytes(library)
    rows = [f"{name}/own.libs/libown.so.1,,"]
    for number in range(modules):
        path = f"{name}/core/m{number}.cpython-311-x86_64-linux-gnu.so"
        (site / path).write_bytes(module)
        rows.append(f"{path},,")
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n")
    rows += [f"{name}-1.0.dist-info/METADATA,,", f"{name}-1.0.dist-info/RECORD,,"]
    (info / "RECORD").write_text("\n".join(rows) + os.linesep)
