# SPDX-License-Identifier: Apache-2.0
"""Random roots and questions. Everything follows from (seed, index): a root can be made again."""

import dataclasses
import os
import posixpath
import random

import roots
from elfgen import (DF_1_NODEFLIB, DF_1_NOOPEN, ET_REL, PF_R, PF_W, PF_X, Elf, Symbol, VersionNeed,
                    patched, undefined)

DIRECTORIES = ("/a", "/b", "/c/d", "/opt/x/lib", "/w", "/w/l", "/usr/lib", "/lib", "/usr/local/lib",
               "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/a/lib/x86_64-linux-gnu",
               "/bin/l")
SUBDIRECTORIES = ("glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4",
                  "tls", "haswell", "x86_64", "tls/x86_64", "avx512_1", "tls/haswell",
                  "haswell/x86_64")
NAMES = tuple(f"lib{letter}.so.{number}" for letter, number in zip("abcdefgh", (1, 1, 2, 10, 9, 1, 0, 3)))
WORKING = ("/", "/w", "/c", "/a")
PROGRAM_PLACES = ("/bin", "/opt/x/bin", "/a")


@dataclasses.dataclass
class Question:
    """A program of the root and how it is started; with `steps` it is a driver."""
    libc: str
    path: str
    content: object
    env: dict
    cwd: str
    steps: tuple = None
    caller: str = None
    via: str = None  # a link under which the program is started
    symbols: bool = False  # as `ldd -r`


@dataclasses.dataclass
class Plan:
    """The tree, in the order in which it is made, and the questions."""
    merged: bool
    files: list = dataclasses.field(default_factory=list)
    ldconfig: tuple = None
    changes: list = dataclasses.field(default_factory=list)
    questions: list = dataclasses.field(default_factory=list)
    filters: bool = False  # are there filter or auxiliary objects?


def seed():
    """The seed of this run: stated, or another one each time."""
    return os.environ.get("LOADABLE_ORACLE_SEED") or str(random.SystemRandom().randrange(10**9))


class Generator:
    """One root."""

    def __init__(self, seed, index):
        self.random = random.Random(f"{seed}:{index}")
        self.taken = {roots.GLIBC_LOADER, roots.MUSL_LOADER, roots.GLIBC_FOLDER + "/libc.so.6"}
        self.placed = []
        self.plan = Plan(merged=self.chance(0.5))
        self.directories = self.random.sample(DIRECTORIES, self.random.randint(3, 6))
        self.names = self.random.sample(NAMES, self.random.randint(4, len(NAMES)))
        # Two objects of one soname that a filter moves: not emulated, and of no use to anybody.
        self.has_filters = self.chance(0.3)
        # All files of one of these names define versions: a reference with a version that meets its
        # file without versions makes glibc 2.36 abort.
        self.versioned = {name for name in NAMES if self.chance(0.4)}
        # Most objects refer to what nobody defines: which message comes first?
        self.has_many_failures = self.chance(0.2)

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, values):
        return self.random.choice(values)

    def make(self):
        self.add("/f", b"a file")
        self.link("/ln", self.pick(self.directories))
        self.link("/bin/lnk", "../" + self.pick(self.directories).lstrip("/"))
        for name in self.names:
            for _ in range(self.pick((1, 2, 2, 3, 4))):
                self.place_library(name)
        self.add_cache()
        if self.chance(0.06):
            self.add("/etc/ld.so.preload", self.preload() + self.pick(("", "\n")))
        if self.chance(0.15):
            self.add("/etc/ld-musl-x86_64.path", self.pick((":", "\n")).join(self.some_directories()))
        number = 0
        for libc in ("glibc", "musl"):
            for _ in range(2 if libc == "glibc" else 1):
                self.add_traced(libc, number)
                number += 1
            self.add_driver(libc, number)
            number += 1
        return self.plan

    # --- the tree ---

    def add(self, path, content, mode=0o755):
        """Adds a file unless the path, as it is in a merged root, is taken."""
        key = self.real(path)
        if self.is_blocked(key):
            return False
        self.taken.add(key)
        self.plan.files.append(("file", path, content, mode))
        return True

    def link(self, path, target, kind="link"):
        key = self.real(path)
        if self.is_blocked(key):
            return
        self.taken.add(key)
        self.plan.files.append((kind, path, target, None))

    def is_blocked(self, key):
        return any(key == t or key.startswith(t + "/") or t.startswith(key + "/")
                   for t in self.taken)

    def real(self, path):
        if self.plan.merged and path.split("/")[1] in ("lib", "lib64", "bin"):
            return "/usr" + path
        return path

    def some_directories(self):
        return self.random.sample(self.directories, self.random.randint(1, 3))

    def place_library(self, name):
        folder = self.pick(self.directories)
        if self.chance(0.12):
            folder += "/" + self.pick(SUBDIRECTORIES)
        path = f"{folder}/{name}"
        fate = self.random.random()
        if fate < 0.76 or not self.placed:
            if self.add(path, self.library(name), self.pick((0o755, 0o644))):
                self.placed.append(path)
        elif fate < 0.87:
            self.place_damaged(path, name)
        elif fate < 0.96:
            self.link(path, self.link_target(path))
        else:
            self.link(path, self.pick(self.placed), "hard")

    def link_target(self, path):
        if self.chance(0.2):
            return self.pick(("/nowhere", "nowhere.so", posixpath.basename(path)))
        target = self.pick(self.placed)
        return posixpath.relpath(target, posixpath.dirname(path)) if self.relative_works() else target

    def relative_works(self):
        return not self.plan.merged and self.chance(0.4)

    def library(self, name):
        soname = name if self.has_filters or self.chance(0.8) else self.pick((None, *NAMES))
        versions = ["V1", "V2"][:self.pick((1, 2))] if name in self.versioned else []
        symbols = [Symbol(prefix + name, kind, version=self.pick(versions) if versions else None,
                          bind=self.pick(("global", "global", "weak")))
                   for prefix, kind in (("s_", "func"), ("d_", "data"))]
        needs = self.needs(0.45)
        version_needs, references = self.references(needs, name)
        auxiliary = self.later_name(name, 0.15)
        filters = self.later_name(name, 0.1)
        self.plan.filters = self.plan.filters or bool(auxiliary or filters)
        return Elf(soname=soname, needed=needs, symbols=symbols + references, verdefs=versions,
                   verneeds=version_needs, flags_1=self.flags(), stack=self.stack(),
                   hash=self.pick(("both", "both", "gnu", "sysv")), phantom=self.chance(0.03),
                   auxiliary=auxiliary,
                   filter=filters, **self.own_path())

    def references(self, needs, own):
        """Versions that are needed of needed files, and symbols that are referred to."""
        version_needs, symbols = [], []
        for name in dict.fromkeys(needs):
            if name in self.versioned and self.chance(0.3):
                version_needs.append(VersionNeed(name, self.pick(("V1", "V1", "V1", "V2", "V3")),
                                                 weak=self.chance(0.2)))
        for need in version_needs:
            if self.chance(0.4):
                symbols.append(undefined("s_" + need.file, version=need.version))
        if self.chance(0.15):
            name = self.pick(needs or NAMES)
            prefix, kind = self.pick((("s_", "func"), ("d_", "data")))
            symbols.append(undefined(prefix + name, kind, bind=self.pick(("global", "weak"))))
        if self.has_many_failures and self.chance(0.7):
            symbols.append(undefined("nobody_" + own, self.pick(("func", "data"))))
        taken, unique = {"s_" + own, "d_" + own}, []
        for symbol in symbols:
            if symbol.name not in taken:
                taken.add(symbol.name)
                unique.append(symbol)
        return version_needs, unique

    def later_name(self, own, probability):
        """A name for a filter: a cycle of filters makes glibc loop for ever or die."""
        later = [name for name in self.names if name > own]
        return [self.pick(later)] if later and self.has_filters and self.chance(probability) else []

    def flags(self):
        fate = self.random.random()
        return DF_1_NODEFLIB if fate < 0.05 else DF_1_NOOPEN if fate < 0.07 else 0

    def stack(self):
        return PF_R | PF_W | (PF_X if self.chance(0.03) else 0)

    def own_path(self):
        fate = self.random.random()
        if fate < 0.25:
            return {}
        if fate < 0.6:
            return {"rpath": self.search_path()}
        if fate < 0.95:
            return {"runpath": self.search_path()}
        return {"rpath": self.search_path(), "runpath": self.search_path()}

    def needs(self, more):
        needs = []
        while self.chance(more) and len(needs) < 4:
            needs.append(self.need())
        return needs

    def need(self):
        if self.placed and self.chance(0.06):
            path = self.pick(self.placed)
            return self.pick((path, "$ORIGIN/" + posixpath.basename(path), path.lstrip("/"),
                              "l/" + posixpath.basename(path)))
        return self.name()

    def name(self):
        """The name of a library, nearly always one that the root has."""
        return self.pick(self.names) if self.chance(0.97) else self.pick((*NAMES, "libnone.so"))

    def place_damaged(self, path, name):
        good = Elf(soname=name, needed=self.needs(0.2))
        data = good.bytes()
        content = self.pick((
            dataclasses.replace(good, bits=32, machine=3), dataclasses.replace(good, machine=183),
            b"", b"text\n", b"/* GNU ld script */\nGROUP ( /lib/libx.so )\n".ljust(80), None,
            data[:40], data[:70], dataclasses.replace(good, osabi=9),
            dataclasses.replace(good, osabi=3), dataclasses.replace(good, type=ET_REL),
            patched(data, 5, b"\2"), patched(data, 12, b"\1"), dataclasses.replace(good, version=3)))
        if content is None:
            self.add(path + "/inside", b"a directory has the name")
        else:
            self.add(path, content)

    def add_cache(self):
        if not self.chance(0.5):
            return
        self.add("/etc/ld.so.conf", "\n".join(self.some_directories()) + "\n", 0o644)
        options = ["-c", self.pick(("new", "new", "compat", "old"))]
        if self.chance(0.3):
            options.append("-X")
        self.plan.ldconfig = tuple(options)
        for _ in range(self.pick((0, 1, 1, 2, 3))):
            path = self.pick(self.placed)
            fate = self.random.random()
            if fate < 0.6:
                self.plan.changes.append((path, None))
            elif fate < 0.8:
                self.plan.changes.append((path, self.pick((b"", b"text" * 30))))
            else:
                self.plan.changes.append((path, Elf(machine=183)))

    # --- search paths and variables ---

    def element(self):
        folder = self.pick(self.directories)
        fate = self.random.random()
        if fate < 0.7:
            return folder
        return self.pick((
            "", "$ORIGIN", "${ORIGIN}", "$ORIGIN/l", "$ORIGIN/..", "$ORIGIN/../lib", "$ORIGIN/lnk",
            folder + "/", folder + "//", "/./" + folder.lstrip("/"), "/ln", "/f", "/nowhere",
            folder.lstrip("/"), ".", "l", "/a/$LIB", "${LIB}", "/$LIB", "/a/$PLATFORM",
            "/${PLATFORM}", "$ORIGINAL", "/a/$NOTHING", "/c/../a", "/bin/.." + folder,
            "$ORIGIN/.." + folder, "$ORIGIN/../.." + folder))

    def search_path(self):
        elements = [self.element() for _ in range(self.pick((1, 2, 2, 3, 3, 4)))]
        return (";" if self.chance(0.04) else ":").join(elements)

    def preload(self):
        return self.pick((" ", ":")).join(
            self.pick((*NAMES, *self.placed, "/nowhere/libz.so"))
            for _ in range(self.pick((1, 1, 2))))

    def environment(self):
        env = {}
        if self.chance(0.4):
            env["LD_LIBRARY_PATH"] = self.search_path()
            if self.chance(0.2):
                env["LD_LIBRARY_PATH"] += ";" + self.element()
        if self.chance(0.12):
            env["LD_PRELOAD"] = self.preload()
        return env

    # --- questions ---

    def question(self, libc, number, content, **more):
        path = f"{self.pick(PROGRAM_PLACES)}/prog{number}"
        if libc == "musl":
            path = self.real(path)  # `ld-musl --list` takes $ORIGIN from the path that it is given
        self.add(path, content)
        question = Question(libc, path, content, self.environment(), self.pick(WORKING), **more)
        self.plan.questions.append(question)
        return question

    def add_traced(self, libc, number):
        interp = {"glibc": roots.GLIBC_LOADER, "musl": roots.MUSL_LOADER}[libc]
        needs = [self.need(), *self.needs(0.6)]
        version_needs, references = self.references(needs, "")
        question = self.question(libc, number, Elf(
            interp=interp, needed=needs, flags_1=DF_1_NODEFLIB if self.chance(0.06) else 0,
            verneeds=version_needs, symbols=references, **self.own_path()))
        if libc == "glibc" and self.chance(0.2):
            question.via = f"/w/started{number}"
            self.link(question.via, question.path)
        if libc == "musl" or self.has_many_failures or self.chance(0.3):
            question.symbols = True

    def add_driver(self, libc, number):
        path = {k: v for k, v in self.own_path().items()}
        if len(path) == 2:
            del path["rpath"]
        needs = [self.name() for _ in range(self.pick((0, 0, 1, 2)))]
        caller = None
        if self.chance(0.25):
            caller = f"/c/libcaller{number}.so"
            kind = self.pick(({}, {"rpath": self.search_path()}, {"runpath": self.search_path()}))
            self.add(caller, roots.caller_library(libc, **kind))
            needs.insert(0, caller)
        steps = tuple(self.step() for _ in range(self.random.randint(1, 4)))
        self.question(libc, number, roots.driver(libc, needed=tuple(needs), **path), steps=steps,
                      caller=caller)

    def step(self):
        flags = self.pick(("now", "now", "lazy", "now,global", "lazy,global"))
        if self.placed and self.chance(0.35):
            path = self.pick(self.placed)
            name = self.pick((path, path, "." + path, "$ORIGIN/.." + path))
        else:
            name = self.name()
        return f"{flags}@{name}"


def build(plan, root):
    """Makes the tree of the plan on disk."""
    for folder in WORKING:
        root.mkdir(folder)
    for kind, path, content, mode in plan.files:
        if kind == "link":
            root.symlink(path, content)
        elif kind == "hard":
            root.hardlink(path, content)
        else:
            root.write(path, content.bytes() if isinstance(content, Elf) else content, mode)
    if plan.ldconfig is not None:
        root.ldconfig(*plan.ldconfig, may_crash=True)
        for path, content in plan.changes:
            root.remove(path, missing_ok=True)
            if content is not None:
                root.write(path, content.bytes() if isinstance(content, Elf) else content)
