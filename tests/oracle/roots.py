# SPDX-License-Identifier: Apache-2.0
"""Root directories in which real dynamic loaders run: chroots with /proc bound.

A `Root` is a folder with the machine's own glibc and musl loaders. Programs are run in it by one
forked child that calls chroot once. /proc matters: without it the loader does not know `$ORIGIN`
of the program. All mounts live in a mount namespace of this process and vanish with it.
"""

import atexit
import ctypes
import dataclasses
import functools
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import tempfile

GLIBC_LOADER = "/lib64/ld-linux-x86-64.so.2"
GLIBC_FOLDER = "/lib/x86_64-linux-gnu"
MUSL_LOADER = "/lib/ld-musl-x86_64.so.1"
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x1000, 0x4000, 0x40000, 2
HOLE = "#" * 400  # room for a search path that the tests write into a compiled program

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    if getattr(_libc, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)} (these tests must run as root)")


@functools.cache
def isolate():
    """Moves this process into a mount namespace of its own, once."""
    _call("unshare", CLONE_NEWNS)
    _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)


@functools.cache
def store():
    """A folder in memory with copies of the loaders, from which every root gets hard links."""
    isolate()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="loadable-oracle-"))
    owner = os.getpid()
    _call("mount", b"tmpfs", bytes(folder), b"tmpfs", 0, b"mode=755")
    atexit.register(lambda: os.getpid() == owner and _remove_store(folder))
    for source in (GLIBC_LOADER, GLIBC_FOLDER + "/libc.so.6", MUSL_LOADER):
        shutil.copyfile(source, folder / os.path.basename(source))
        os.chmod(folder / os.path.basename(source), 0o755)
    return folder


@functools.cache
def release_file(release, target):
    """A copy in the store of a file of a root that another release was unpacked in."""
    copy = store() / f"{release.name}-{os.path.basename(target)}"
    path = f"{release}{target}"
    while os.path.islink(path):  # an absolute link means: inside that root
        link = os.readlink(path)
        path = f"{release}{link}" if link.startswith("/") else f"{os.path.dirname(path)}/{link}"
    shutil.copyfile(path, copy)
    os.chmod(copy, 0o755)
    return copy


def _remove_store(folder):
    _call("umount2", bytes(folder), MNT_DETACH)
    folder.rmdir()


@functools.cache
def compiled(source, name, compiler, *options):
    """Compiles programs/SOURCE with the options; returns the bytes of the result."""
    output = store() / name
    subprocess.run([compiler, "-O1", "-w", "-o", str(output), str(PROGRAMS / source), *options],
                   check=True)
    return output.read_bytes()


def _path_options(kind):
    return {"rpath": ("-Wl,--disable-new-dtags", "-Wl,-rpath," + HOLE),
            "runpath": ("-Wl,--enable-new-dtags", "-Wl,-rpath," + HOLE), "none": ()}[kind]


@functools.cache
def _driver_template(libc, path_kind):
    """The dlopen program with three needs and (unless "none") a path to be filled in."""
    compiler = {"glibc": "gcc", "musl": "musl-gcc"}[libc]
    needs = []
    for number in range(3):
        soname = f"libplaceholder{number}" + "x" * 40
        compiled("placeholder.c", f"{libc}-p{number}.so", compiler, "-shared", "-nostdlib",
                 "-Wl,-soname," + soname)
        needs.append(str(store() / f"{libc}-p{number}.so"))
    return compiled("driver.c", f"driver-{libc}-{path_kind}", compiler, "-pie", "-fPIE",
                    "-Wl,--no-as-needed", "-Wl,--build-id=none", *needs, *_path_options(path_kind))


def _filled(data, hole, text):
    replacement = os.fsencode(text)
    if len(replacement) > len(hole) or data.count(hole) != 1:
        raise ValueError(f"cannot write {text!r} into a program")
    return data.replace(hole, replacement.ljust(len(hole), b"\0"))


def driver(libc, rpath=None, runpath=None, needed=()):
    """The bytes of a program that calls dlopen, with this search path and these needs."""
    kind = "rpath" if rpath is not None else "runpath" if runpath is not None else "none"
    data = _driver_template(libc, kind)
    if kind != "none":
        data = _filled(data, HOLE.encode(), rpath if rpath is not None else runpath)
    own = {"glibc": "libc.so.6", "musl": "libc.so"}[libc]
    for number in range(3):
        hole = f"libplaceholder{number}".encode() + b"x" * 40
        data = _filled(data, hole, needed[number] if number < len(needed) else own)
    return data


def caller_library(libc, rpath=None, runpath=None):
    """The bytes of a library that exports `call_dlopen`, with this search path."""
    compiler = {"glibc": "gcc", "musl": "musl-gcc"}[libc]
    kind = "rpath" if rpath is not None else "runpath" if runpath is not None else "none"
    data = compiled("caller.c", f"caller-{libc}-{kind}", compiler, "-shared", "-fPIC",
                    "-Wl,-soname,libcaller.so", *_path_options(kind))
    if kind != "none":
        data = _filled(data, HOLE.encode(), rpath if rpath is not None else runpath)
    return data


@dataclasses.dataclass
class Job:
    """One program to run inside a root."""
    argv: list
    env: dict = dataclasses.field(default_factory=dict)
    cwd: str = "/"
    user: int = None


@dataclasses.dataclass
class Outcome:
    """What a job printed. `status` is None when it could not be started at all."""
    status: int
    stdout: str
    stderr: str


@functools.cache
def _nothing():
    return open(os.devnull, "rb")  # opened outside: the roots have no /dev/null


def _run_job(job):
    try:
        done = subprocess.run(job.argv, env=job.env, cwd=job.cwd, capture_output=True, timeout=20,
                              stdin=_nothing(), check=False, user=job.user)
    except subprocess.TimeoutExpired:
        return Outcome(-signal.SIGKILL, "", "")  # glibc loops for ever in a cycle of filters
    except OSError as error:
        return Outcome(None, "", str(error))
    return Outcome(done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
                   done.stderr.decode("utf-8", "surrogateescape"))


def run_in(folder, jobs):
    """Runs the jobs one after the other inside the root directory; returns their outcomes."""
    _nothing()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            os.chroot(folder)
            os.chdir("/")
            with os.fdopen(writer, "wb") as stream:
                pickle.dump([_run_job(job) for job in jobs], stream)
            os._exit(0)
        except BaseException as error:  # noqa: the child must never return into the test
            os.write(2, f"run_in: {error!r}\n".encode())
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        data = stream.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise RuntimeError(f"the child in {folder} ended with status {status}")
    return pickle.loads(data)


class Root:
    """A root directory that is thrown away after use (unless `keep` is called)."""

    def __init__(self, merged=False, loaders=True, release=None):
        isolate()
        self.path = tempfile.mkdtemp(prefix="root-", dir=store())
        self.mounted = []
        if merged:
            for name in ("lib", "lib64", "bin"):
                os.makedirs(f"{self.path}/usr/{name}")
                os.symlink(f"usr/{name}", f"{self.path}/{name}")
        for folder in ("proc", "etc", "tmp", "usr/lib", "lib64", "dev", "lib/x86_64-linux-gnu",
                       "usr/lib/x86_64-linux-gnu"):
            os.makedirs(f"{self.path}/{folder}", exist_ok=True)
        if loaders:
            self.add_loaders(release)
        self.bind("/proc")

    def add_loaders(self, release=None):
        """The machine's own loaders, or glibc of another release, unpacked in a folder."""
        for target in (GLIBC_LOADER, GLIBC_FOLDER + "/libc.so.6", MUSL_LOADER):
            source = store() / os.path.basename(target)
            if release is not None and target != MUSL_LOADER:
                source = release_file(release, target)
            os.link(source, self.at(target))

    def bind(self, path):
        target = self.path + path
        os.makedirs(target, exist_ok=True)
        _call("mount", path.encode(), target.encode(), None, MS_BIND, None)
        self.mounted.append(target)

    def at(self, path):
        return self.path + path

    def write(self, path, data, mode=0o755):
        target = self.at(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as stream:
            stream.write(data if isinstance(data, bytes) else data.encode())
        os.chmod(target, mode)
        return path

    def symlink(self, path, target):
        os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
        os.symlink(target, self.at(path))

    def hardlink(self, path, existing):
        os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
        os.link(self.at(existing), self.at(path))

    def mkdir(self, path):
        os.makedirs(self.at(path), exist_ok=True)

    def remove(self, path, missing_ok=False):
        pathlib.Path(self.at(path)).unlink(missing_ok=missing_ok)

    def ldconfig(self, *options, may_crash=False):
        """Runs the machine's ldconfig for this root; the configuration is the root's. Some damaged
        libraries crash it (glibc 2.36): the root then has no cache, which is told."""
        done = subprocess.run(["/sbin/ldconfig", "-r", self.path, *options], check=False,
                              capture_output=True, text=True)
        if done.returncode != 0 and not (may_crash and done.returncode < 0):
            raise RuntimeError(f"ldconfig failed: {done.stderr}")
        return done.returncode == 0

    def run(self, jobs):
        return run_in(self.path, jobs)

    def describe(self):
        """One line for each file, for a report about a disagreement."""
        lines = []
        for folder, folders, files in os.walk(self.path):
            inner = folder[len(self.path):]
            if inner == "/proc":
                folders[:] = []
                continue
            for name in sorted(folders + files):
                path = f"{folder}/{name}"
                if os.path.islink(path):
                    lines.append(f"{inner}/{name} -> {os.readlink(path)}")
                elif not os.path.isdir(path):
                    lines.append(f"{inner}/{name} {os.path.getsize(path)} bytes")
        return "\n".join(sorted(lines))

    def unmount(self):
        for target in self.mounted:
            _call("umount2", target.encode(), MNT_DETACH)
        self.mounted = []

    def keep(self, folder):
        """Moves the root to a folder that stays after the test."""
        self.unmount()
        subprocess.run(["cp", "-a", self.path, folder], check=True)  # keeps hard links

    def close(self):
        self.unmount()
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
