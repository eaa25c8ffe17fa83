# SPDX-License-Identifier: Apache-2.0
"""The answer to one question, in the form in which the real loader and the emulation can be
compared: the link map in order, what was missing, what failed, and how each dlopen ended."""

import dataclasses
import posixpath

KINDS = ("version", "symbol", "format", "type", "tls", "execstack", "isa")

# Messages of glibc (sysdeps and elf/dl-load.c, dl-open.c, dl-version.c, dl-lookup.c) and of musl
# (ldso/dynlink.c, strerror) by the kind of failure that the contract names.
MESSAGES = (
    ("not found (required by", "version"),
    ("no version information available", "version"),
    ("DT_RELR without GLIBC_ABI_DT_RELR", "version"),
    ("undefined symbol", "symbol"),
    ("symbol not found", "symbol"),
    ("not defined in file", "symbol"),
    ("cannot enable executable stack", "execstack"),
    ("cannot allocate memory in static TLS block", "tls"),
    ("initial-exec TLS resolves to dynamic definition", "tls"),
    ("CPU ISA level is lower than required", "isa"),
    ("cannot dynamically load executable", "type"),
    ("cannot dynamically load position-independent executable", "type"),
    ("shared object cannot be dlopen", "type"),
    ("cannot open shared object file", "missing"),  # glibc, whatever the errno
    ("No such file or directory", "missing"),
    ("No error information", "missing"),  # musl: nothing was tried
    ("wrong ELF class", "missing"),  # every candidate was skipped: nothing was found
    ("file too short", "format"), ("invalid ELF header", "format"), ("ELF file", "format"),
    ("ELF load command", "format"), ("object file has no", "format"), ("cannot read file", "format"),
    ("cannot change memory protections", "format"), ("only ET_DYN and ET_EXEC", "format"),
    ("nonzero padding", "format"), ("failed to map segment", "format"),
    ("internal error", "format"), ("Exec format error", "format"), ("Is a directory", "format"),
    ("Symbolic link loop", "missing"),  # musl: no file was opened
    ("Invalid argument", "format"), ("Permission denied", "format"), ("Not a directory", "format"),
    ("Error 21", "format"), ("Out of memory", "format"), ("cannot stat shared object", "format"),
)


def kind_of(message):
    """The kind of failure ("missing" for an absent file) that a loader's message means."""
    for text, kind in MESSAGES:
        if text in message:
            return kind
    raise ValueError(f"message of a loader that these tests do not know: {message!r}")


def absolute(path, cwd="/"):
    """The path as the loader wrote it, made absolute; `.` and doubled slashes are dropped, `..`
    is kept: a link may stand before it."""
    joined = path if path.startswith("/") else posixpath.join(cwd, path)
    return "/" + "/".join(part for part in joined.split("/") if part not in ("", "."))


def subject(name, cwd="/"):
    """The object of a message: a path made absolute, or a bare name."""
    return absolute(name, cwd) if "/" in name else name


@dataclasses.dataclass
class Answer:
    """`objects`: paths of the link map after the last step, the program first, no vDSO.
    `missing`: (request, step). `failures`: (object, kind, step). `steps`: "ok" or "error" of each
    dlopen. `rules`: {path: rule} and `requesters`: {path: path}, as far as known."""
    objects: list = dataclasses.field(default_factory=list)
    missing: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)
    warnings: list = dataclasses.field(default_factory=list)
    steps: list = dataclasses.field(default_factory=list)
    rules: dict = dataclasses.field(default_factory=dict)
    requesters: dict = dataclasses.field(default_factory=dict)
    maps: list = dataclasses.field(default_factory=list)  # after each step, of a program that runs
    is_cut: bool = False  # a trace that ended at a failure: `objects` is what was mapped before it
    is_crashed: bool = False  # the real loader died of a signal
    started: bool = True  # False: a real program ended before main, after its first miss or failure
    report: dict = dataclasses.field(default_factory=dict)  # the JSON of the emulation
    text: str = ""  # what was printed, for the report of a disagreement

    def paths(self):
        """The link map without the program."""
        return self.objects[1:]

    def names(self):
        """File names of what was loaded beside the program."""
        return [posixpath.basename(path) for path in self.objects[1:]]

    def missing_names(self):
        return [request for request, _ in self.missing]

    def failure_kinds(self):
        return [kind for _, kind, _ in self.failures]
