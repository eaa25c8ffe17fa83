# SPDX-License-Identifier: Apache-2.0
"""Cases as data: a tree, a question, and the answer expected of each loader.

Each case becomes one test for glibc and one for musl. A test asserts that the real loader answers
as the case says, and that the emulation answers as the real loader does.
"""

import dataclasses
import unittest

import compare
import emulated
import reference
import roots
from elfgen import Elf

LOADERS = {"glibc": roots.GLIBC_LOADER, "musl": roots.MUSL_LOADER}
PROGRAM = "/bin/x"


@dataclasses.dataclass
class Link:
    """A symbolic link."""
    target: str


@dataclasses.dataclass
class Hard:
    """A hard link to a file that the case lists before."""
    existing: str


@dataclasses.dataclass
class Mode:
    """Content with a mode of its own."""
    content: object
    mode: int


@dataclasses.dataclass
class Driver:
    """A real program that calls dlopen, linked with this search path and these needs."""
    rpath: str = None
    runpath: str = None
    needed: tuple = ()


DIRECTORY = object()


def lib(soname, *needed, **fields):
    """A shared object."""
    return Elf(soname=soname, needed=list(needed), **fields)


def program(*needed, **fields):
    """A program; its interpreter is filled in for the loader that is asked."""
    return Elf(interp="", needed=list(needed), **fields)


@dataclasses.dataclass
class Want:
    """What a loader answers. `paths`: the link map without program, C library and loader; None:
    not asserted here (the emulation is compared all the same; so for the others). `missing`: requests. `fails`: kinds.
    `steps`: for each dlopen "ok" or "error". `tells`: the objects that miss symbols, in the order of the messages."""
    paths: list = None
    missing: list = dataclasses.field(default_factory=list)
    fails: list = dataclasses.field(default_factory=list)
    warns: list = dataclasses.field(default_factory=list)
    steps: list = dataclasses.field(default_factory=list)
    tells: list = None


@dataclasses.dataclass
class Case:
    """`row` says which line of the list of behaviours it is. A loader without a `Want` is not
    asked. `after_ldconfig`: {path: content or None to remove}, done when the cache exists."""
    row: str
    name: str
    files: dict
    glibc: Want = None
    musl: Want = None
    env: dict = dataclasses.field(default_factory=dict)
    cwd: str = "/"
    start: str = PROGRAM
    steps: tuple = ()
    caller: str = None
    symbols: bool = False
    merged: bool = False
    ldconfig: tuple = None
    shared: bool = False  # several lists name one directory: LD_DEBUG cannot tell the rule
    after_ldconfig: dict = dataclasses.field(default_factory=dict)


def place(root, path, content, libc):
    """Writes one entry of a case's tree."""
    mode = 0o755
    if isinstance(content, Mode):
        content, mode = content.content, content.mode
    if content is DIRECTORY:
        root.mkdir(path)
    elif isinstance(content, Link):
        root.symlink(path, content.target)
    elif isinstance(content, Hard):
        root.hardlink(path, content.existing)
    elif isinstance(content, Driver):
        root.write(path, roots.driver(libc, content.rpath, content.runpath, content.needed), mode)
    elif isinstance(content, Elf):
        if content.interp == "":
            content = dataclasses.replace(content, interp=LOADERS[libc])
        root.write(path, content.bytes(), mode)
    elif callable(content):
        root.write(path, content(libc), mode)
    else:
        root.write(path, content, mode)


def build(case, libc, root):
    for path, content in case.files.items():
        place(root, path, content, libc)
    if case.ldconfig is not None:
        root.ldconfig(*case.ldconfig)
        for path, content in case.after_ldconfig.items():
            if content is None:
                root.remove(path)
            else:
                place(root, path, content, libc)


def is_driver(case):
    content = case.files.get(case.start)
    while isinstance(content, Link):
        content = case.files.get(content.target)
    return isinstance(content, Driver)


def ask_real(case, libc, root):
    """The real loader's answer to the case."""
    if is_driver(case):
        prefix = f"{case.caller}|" if case.caller else ""
        steps = [prefix + (step if "@" in step else "now@" + step) for step in case.steps]
        job = reference.driver_job(case.start, steps, case.env, case.cwd, debug=libc == "glibc")
        return reference.read_driver(root.run([job])[0], libc, case.start, steps, case.cwd)
    if libc == "glibc":
        job = reference.glibc_trace_job(case.start, case.env, case.cwd, case.symbols)
        return reference.read_glibc_trace(root.run([job])[0], case.start, case.cwd)
    job = reference.musl_trace_job(case.start, case.env, case.cwd)
    answer = reference.read_musl_trace(root.run([job])[0], case.start, case.cwd)
    if not case.symbols:  # musl always binds; the question did not ask for symbols
        answer.failures = [failure for failure in answer.failures if failure[1] != "symbol"]
    return answer


def ask_emulation(case, root):
    return emulated.ask(case.start, root=root.path, env=case.env, cwd=case.cwd, steps=case.steps,
                        caller=case.caller, symbols=case.symbols or is_driver(case))


OWN = (roots.GLIBC_LOADER, roots.GLIBC_FOLDER + "/libc.so.6", roots.MUSL_LOADER)


def check_real(test, want, real):
    """The real loader does what the case says that it does."""
    if want.paths is not None:
        test.assertEqual([p for p in real.paths() if p not in OWN], want.paths, real.text)
    for name, value in (("missing", real.missing_names()), ("fails", real.failure_kinds()),
                        ("warns", real.warnings), ("steps", real.steps),
                        ("tells", compare.unbound([failure[:2] for failure in real.failures]))):
        expected = getattr(want, name)
        if expected is not None:
            test.assertEqual(value, expected, f"{name}\n{real.text}")


class CaseTest(unittest.TestCase):
    """One case against one loader."""

    def check(self, case, libc):
        with roots.Root(merged=case.merged) as root:
            build(case, libc, root)
            real = ask_real(case, libc, root)
            check_real(self, getattr(case, libc), real)
            answer = ask_emulation(case, root)
            found = compare.differences(real, answer, libc, exact_rules=not case.shared)
            if found:
                self.fail(compare.as_text(found, real, answer) + "\n--- tree\n" + root.describe())


def add_cases(test_class, cases):
    """Adds one method for each case and loader; names must be unique."""
    for case in cases:
        for libc in LOADERS:
            if getattr(case, libc) is None:
                continue
            name = f"test_{case.name}_{libc}"
            if hasattr(test_class, name):
                raise ValueError(f"two cases are named {case.name}")

            def method(self, case=case, libc=libc):
                self.check(case, libc)

            method.__doc__ = f"row {case.row}"
            setattr(test_class, name, method)
