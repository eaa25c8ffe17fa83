# SPDX-License-Identifier: Apache-2.0
"""Runs the program on hostile input, within bounds, and says what must hold whatever the input is.

Whatever it is given, the program ends by itself with 0, 1, 2 or 3, in bounded time and memory;
status 2 comes with a message and no report; a report has no raw control bytes, or is UTF-8 JSON;
0 is said only of what was examined completely.
"""

import dataclasses
import functools
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "oracle"), str(HERE.parent / "cases")]
import case_root  # noqa: E402
import elfgen  # noqa: E402
from elfgen import Elf, Symbol  # noqa: E402

BINARY = os.environ["LOADABLE_BIN"]
NOBODY = 65534
# As an argument of a script: whatever it does not run as somebody else is run as nobody.
USER = NOBODY if "--as-nobody" in sys.argv else None
sys.argv = [word for word in sys.argv if word != "--as-nobody"]
SECONDS = 120  # only hangs reach it; what must be quick is asserted where it matters
MEMORY = 1 << 30
LOADER = "/lib64/ld-linux-x86-64.so.2"
SITE = "/app/.venv/lib/python3.11/site-packages"
CAPI = SITE + "/onnxruntime/capi"
PROVIDER = CAPI + "/libonnxruntime_providers_cuda.so"
CUBLAS = SITE + "/nvidia/cublas/lib/libcublasLt.so.12"
LIBRARY_PATH = f"{SITE}/nvidia/cublas/lib:{SITE}/nvidia/cudnn/lib"


@functools.cache
def has_sanitizer():
    """Sanitizers reserve terabytes of addresses: no limit can be set on them."""
    return b"__asan_init" in pathlib.Path(BINARY).read_bytes()


@functools.cache
def program():
    """A copy that nobody can reach, wherever the build folder is."""
    folder = tempfile.mkdtemp(prefix="loadable-hostile-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    os.chmod(folder, 0o755)
    shutil.copy(BINARY, folder + "/loadable")
    os.chmod(folder + "/loadable", 0o755)
    return folder + "/loadable"


def environment(extra):
    variables = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": "detect_leaks=0"}
    return {**variables, **(extra or {})}


def prepare(user=None, limits=()):
    """What the child does before it becomes the program."""
    def act():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not has_sanitizer():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))
        if user is not None and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
    return act


@dataclasses.dataclass
class Ran:
    words: list
    status: int
    out: bytes
    err: bytes

    @functools.cached_property
    def json(self):
        return json.loads(self.out.decode("utf-8"))

    def __str__(self):
        return f"{[str(w)[:200] for w in self.words]}: {self.status}\n{self.out[-2000:]}\n{self.err[-2000:]}"


def has_control(data):
    """Bytes that a terminal obeys: C0 but for tab and newline, DEL, and C1 as UTF-8."""
    return re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", data) is not None


class Attack(unittest.TestCase):
    """A test with a temporary root and the assertions that hold for every run."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="loadable-hostile-"))
        os.chmod(self.root, 0o755)
        self.addCleanup(self.remove)

    def remove(self):
        subprocess.run(["chmod", "-R", "u+rwX", str(self.root)], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", str(self.root)], check=True)  # rmtree recurses: too deep a tree for it

    def run_it(self, *words, user=USER, variables=None, cwd=None, limits=(), **more):
        """Runs the program and checks what holds whatever the input is."""
        command = [program(), *map(os.fspath, words)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                              env=environment(variables), cwd=cwd, check=False,
                              preexec_fn=prepare(user, limits), **more)
        ran = Ran(list(words), done.returncode, done.stdout, done.stderr)
        self.assertIn(ran.status, (0, 1, 2, 3), ran)
        self.assertNotIn(b"this is a bug", ran.err, ran)
        self.assertFalse(has_control(ran.err), ran)
        # A string of JSON may hold U+007F as it is.
        is_json = "json" in words
        self.assertFalse(re.search(rb"[\x00-\x09\x0b-\x1f]", ran.out) if is_json else has_control(ran.out), ran)
        ran.err.decode("utf-8")
        ran.out.decode("utf-8")
        if ran.status == 2:
            self.assertEqual(ran.out, b"", ran)
            self.assertRegex(ran.err, rb"^loadable: error: \S", ran)
        elif "json" in words:
            self.holds(words[0], ran)
        return ran

    def holds(self, command, ran):
        """Exit status and JSON agree."""
        if command == "check" and "reports" not in ran.json:
            errors = [f for f in ran.json["findings"] if f["severity"] == "error"]
            wanted = 1 if errors else 0 if ran.json["complete"] else 3
            self.assertEqual(ran.status, wanted, ran)
        if command == "ldd":
            failed = bool(ran.json["missing"] or ran.json["failures"])
            self.assertEqual(ran.status, int(failed), ran)

    def ldd(self, path, *words, **more):
        return self.run_it("ldd", "--root", self.root, "--format", "json", *words, path, **more)

    def why(self, *words, **more):
        return self.run_it("why", "--root", self.root, "--format", "json", *words, **more)

    def check(self, *words, path="/app/.venv", **more):
        return self.run_it("check", "--root", self.root, "--no-host-env", "--cpu", "x86-64-v3",
                           "--format", "json", *words, path, **more)

    def file(self, path, data=b"", mode=0o644):
        """Writes a file of the root, whatever was there; `data`: bytes, text, Elf."""
        target = self.root / os.fsdecode(path).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink() or target.exists():
            target.unlink()
        data = data.bytes() if isinstance(data, Elf) else data.encode() if isinstance(data, str) else data
        target.write_bytes(data)
        target.chmod(mode)
        return target

    def fifo(self, path):
        target = self.root / path.lstrip("/")
        if target.exists():
            target.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(target)

    def make_debian(self):
        make_blocks(self.root, "debian12")

    def make_environment(self):
        """The small environment for CUDA 12 of the cases."""
        make_blocks(self.root, "debian12")
        make_blocks(self.root, "cuda12_environment")

    def sole(self, ran):
        required = [p for p in ran.json["providers"] if p["required"]]
        self.assertEqual(len(required), 1, ran)
        return required[0]

    def healthy(self, *words, **more):
        return self.check("--env", "LD_LIBRARY_PATH=" + LIBRARY_PATH, *words, **more)


@functools.cache
def blocks(name):
    text = (HERE.parent / "cases" / "roots" / (name + ".md")).read_text(encoding="utf-8")
    return re.findall(r"^```(elf|tree)\n(.*?)^```", text, re.M | re.S)


def make_blocks(root, name):
    for kind, text in blocks(name):
        (case_root.make_elfs if kind == "elf" else case_root.make_tree)(root, text)


__all__ = ["Attack", "elfgen", "Elf", "Symbol", "LOADER", "SITE", "CAPI", "PROVIDER", "CUBLAS", "LIBRARY_PATH", "NOBODY",
           "environment", "prepare", "program", "has_control", "has_sanitizer"]
