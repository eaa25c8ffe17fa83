# SPDX-License-Identifier: Apache-2.0
"""Single distributions of `requirements/owners.txt`, installed over each other by real pip and uv."""

import functools
import os
import pathlib
import shutil
import subprocess
import zipfile

import venvs

LIST = venvs.REQUIREMENTS / "owners.txt"
STRICT = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
CPU, GPU = "onnxruntime 1.24.4", "onnxruntime-gpu 1.24.4"


def rows():
    """`name version` -> its row of the list."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return {line.split(" ")[0].replace("==", " "): line for line in lines if not line.startswith("#")}


@functools.cache
def wheels():
    """The folder of the wheels that the list names, downloaded once for all runs."""
    folder = venvs.cache_folder() / "wheels"
    folder.mkdir(exist_ok=True)
    for row in rows().values():  # one at a time: pip takes one version of a name in a command
        scratch = venvs.scratch_folder()
        (scratch / "row.txt").write_text(row + "\n", encoding="utf-8")
        venvs.download_and_install(venvs.tool("pip"), "download", *STRICT, "--find-links", folder,
                                   "-d", folder, "-r", scratch / "row.txt")
        shutil.rmtree(scratch)
    return folder


class Installers:
    """pip and uv, for one virtual environment."""

    def __init__(self, path, scratch):
        self.path, self.scratch = pathlib.Path(path), scratch
        self.site = self.path / "lib/python3.11/site-packages"
        self.python = self.path / "bin/python"

    @classmethod
    def new(cls):
        """A new, empty environment."""
        scratch = venvs.scratch_folder()
        venvs.run(venvs.PYTHON, "-m", "venv", "--without-pip", scratch / "venv")
        return cls(scratch / "venv", scratch)

    def close(self):
        shutil.rmtree(self.scratch)

    def wanted(self, names):
        """Options that install those rows from the wheels."""
        file = self.scratch / "wanted.txt"
        file.write_text("".join(rows()[name] + "\n" for name in names), encoding="utf-8")
        return ["--no-index", "--find-links", wheels(), *STRICT, "-r", file]

    def pip(self, *names):
        venvs.run(venvs.tool("pip"), "--python", self.python, "install", *self.wanted(names))

    def uv(self, *names, mode="hardlink"):
        venvs.run(venvs.tool("uv"), "pip", "install", "--python", self.python, "--link-mode", mode,
                  *self.wanted(names))

    def pip_uninstall(self, name):
        venvs.run(venvs.tool("pip"), "--python", self.python, "uninstall", "-y", name)

    def uv_uninstall(self, name):
        venvs.run(venvs.tool("uv"), "pip", "uninstall", "--python", self.python, name)

    def runs(self, code):
        """What real Python prints."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        done = subprocess.run([self.python, "-c", code], check=False, text=True, env=kept, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.strip()

    def take_from_wheel(self, pattern, *beginnings):
        """Puts files of a wheel where they belong, as an installer that won the race for them."""
        wheel, = wheels().glob(pattern)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.startswith(beginnings):
                    (self.site / name).unlink()
                    archive.extract(name, self.site)
