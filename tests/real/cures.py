# SPDX-License-Identifier: Apache-2.0
"""A project that requires fastembed and onnxruntime-gpu, as users have it, in a folder of its own.

Everything is pinned: the releases by the project, what they need by a date; wheels come from the
cache folder (uv's cache, and the wheels that pip downloaded once by their hashes).
"""

import os
import pathlib
import re
import shutil
import subprocess

import session
import venvs
import verdict

GPU = "1.24.4"
FASTEMBED = "0.9.1"
CPU_LATEST = "1.32.0"  # what the index offers on NEWEST; fastembed asks for no upper bound
NEWEST = "2026-11-30T00:00:00Z"

GPU_LIST = ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]
CPU_LIST = ["AzureExecutionProvider", "CPUExecutionProvider"]
EMPTY = "an empty namespace"

PROJECT = f"""\
[project]
name = "service"
version = "0"
requires-python = "==3.11.*"
dependencies = ["fastembed=={FASTEMBED}", "onnxruntime-gpu=={GPU}"]

[tool.uv]
package = false
exclude-newer = "{NEWEST}"
"""

ASK = """
import onnxruntime
print(" ".join(onnxruntime.get_available_providers()) if hasattr(onnxruntime, "__version__")
      else "an empty namespace")
"""


def run(*words, cwd, ok=True):
    """Runs a tool of the user; its whole output. Fails unless it exits 0 (`ok` None: whatever)."""
    kept = {k: v for k, v in os.environ.items()
            if k not in ("PIP_FIND_LINKS", "VIRTUAL_ENV", "PYTHONPATH") and not k.startswith("UV_")}
    command = [str(word) for word in words]
    done = subprocess.run(command, check=False, text=True, stdin=subprocess.DEVNULL, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
                          env={**kept, "UV_CACHE_DIR": str(venvs.cache_folder() / "uv"),
                               "UV_PYTHON": venvs.PYTHON, "UV_PYTHON_DOWNLOADS": "never",
                               "UV_LINK_MODE": "hardlink"})
    if ok is not None and (done.returncode == 0) != ok:
        raise AssertionError(f"exit status {done.returncode}: {' '.join(command)}\n{done.stdout}")
    return done.stdout


class Project:
    """The project's folder, with its environment. `table`: more of [tool.uv], and tables after it."""

    def __init__(self, table=""):
        self.scratch = venvs.scratch_folder()
        self.folder = self.scratch / "service"
        self.folder.mkdir()
        self.venv = self.folder / ".venv"
        self.site = self.venv / "lib/python3.11/site-packages"
        self.write(table)

    def close(self):
        shutil.rmtree(self.scratch)

    def write(self, table):
        (self.folder / "pyproject.toml").write_text(PROJECT + table, encoding="utf-8")

    def uv(self, *words, cwd=None, ok=True):
        return run(venvs.tool("uv"), *words, cwd=cwd or self.folder, ok=ok)

    def sync(self, *words):
        return self.uv("sync", *words)

    def uv_pip(self, *words, cwd=None, ok=True):
        """`uv pip` on the project's environment; from the project's folder it reads its tables."""
        verb, *rest = words
        dated = ["--exclude-newer", NEWEST] if verb == "install" else []
        return self.uv("pip", verb, "--python", self.venv / "bin/python", *dated, *rest, cwd=cwd, ok=ok)

    def elsewhere(self):
        """A folder that is in no project: uv looks for tables in all folders above."""
        folder = self.scratch / "elsewhere"
        folder.mkdir(exist_ok=True)
        return folder

    def make_venv(self):
        """An environment with pip, for those who use no uv."""
        run(venvs.PYTHON, "-m", "venv", self.venv, cwd=self.folder)

    def pip(self, *words, ok=True):
        return run(self.venv / "bin/pip", *words, cwd=self.folder, ok=ok)

    def pip_install(self, *words):
        """Installs from the wheels that were downloaded by their hashes, and from nowhere else."""
        return self.pip("install", "--no-compile", "--no-index", "--find-links", wheels(), *words)

    def providers(self):
        """What the real runtime lists, or EMPTY, or the end of the error of its import."""
        done = subprocess.run([self.venv / "bin/python", "-c", ASK], check=False, text=True, cwd="/",
                              capture_output=True, env=session.clean_environment(), timeout=120)
        if done.returncode != 0:
            return done.stderr.strip().splitlines()[-1]
        text = done.stdout.strip()
        return text if text == EMPTY else text.split()

    def imports_fastembed(self):
        """Does the package that pulled the other build in still work?"""
        done = subprocess.run([self.venv / "bin/python", "-c", "import fastembed"], check=False, text=True,
                              cwd="/", capture_output=True, env=session.clean_environment(), timeout=120)
        return done.returncode == 0 or done.stderr

    def installed(self, name):
        """The version of the installed distribution of that name, or None."""
        found = list(self.site.glob(f"{name.replace('-', '_')}-*.dist-info"))
        if len(found) > 1:
            raise AssertionError(f"{name}: {found}")
        return found[0].name.removesuffix(".dist-info").split("-")[1] if found else None

    def locked(self):
        """Names and versions in uv.lock."""
        text = (self.folder / "uv.lock").read_text(encoding="utf-8")
        return dict(re.findall(r'^name = "(.*)"\nversion = "(.*)"', text, re.M))

    def overwrite(self):
        """Two commands, the GPU's build first: the loss that reproduces, whatever uv's race did."""
        cpu = f"onnxruntime=={CPU_LATEST}"
        for wanted in (f"onnxruntime-gpu=={GPU}", cpu):
            self.uv_pip("install", "--reinstall", "--no-deps", wanted, cwd=self.elsewhere())

    def shim(self, *words):
        """`loadable shim onnxruntime`; the path of the wheel."""
        done = subprocess.run([verdict.binary(), "shim", "onnxruntime", *[str(word) for word in words]],
                              cwd=self.folder, check=False, capture_output=True, text=True, timeout=60,
                              env=session.clean_environment())
        if done.returncode != 0:
            raise AssertionError(f"exit status {done.returncode}: {done.stderr}")
        return self.folder / done.stdout.strip()

    def check(self, *words):
        """What `loadable check` says of the environment."""
        return verdict.Report(verdict.loadable("check", "--format", "json", "--no-host-env", *words,
                                               self.venv))


def wheels():
    """A folder of the pinned wheels for pip, downloaded once."""
    lists = [venvs.REQUIREMENTS / f"{name}.txt"
             for name in ("base", "fastembed", "onnxruntime", f"onnxruntime-gpu-{GPU}")]

    def build(target):
        target.mkdir(parents=True)
        wanted = [word for path in lists for word in ("-r", path)]
        common = venvs.cache_folder() / "wheels"
        venvs.download_and_install(venvs.tool("pip"), "download", "--require-hashes", "--no-deps",
                                   "--only-binary", ":all:", "-d", common, *wanted)
        # Exactly the wheels of the lists: other tests download other releases into that folder.
        pinned = [line.split(" ")[0].split("==") for path in lists
                  for line in path.read_text(encoding="utf-8").splitlines() if "==" in line and line[0] != "#"]
        for name, version in pinned:
            stem = f"{name.replace('-', '_')}-{version}-".lower()
            for wheel in common.iterdir():
                if wheel.name.lower().replace(".", "_").startswith(stem.replace(".", "_")):
                    os.link(wheel, target / wheel.name)

    texts = [path.read_text(encoding="utf-8") for path in lists]
    return venvs.kept("wheelhouses", "fastembed", venvs.recipe_text(*texts), build)


def path_of_wheel(name):
    """The one pinned wheel of that distribution and release, as `onnxruntime_gpu-1.24.4`."""
    [wheel] = pathlib.Path(wheels()).glob(f"{name}-*.whl")
    return wheel
