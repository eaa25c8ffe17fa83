# SPDX-License-Identifier: Apache-2.0
"""Every dynamic object below some folders: the real loader's trace against the emulation.

Files are classified by their own headers first: a static program must never be "traced", it would
run. Only objects whose loader is known are given to that loader.
"""

import concurrent.futures
import dataclasses
import os
import re
import struct
import subprocess

import compare
import emulated
import reference
import roots
from answers import absolute
from elfgen import (DF_1_PIE, DT_FLAGS_1, EM_X86_64, ET_DYN, ET_EXEC, ET_REL, PT_DYNAMIC, PT_INTERP,
                    PT_LOAD)

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
UNDEFINED = re.compile(r"^(?:undefined symbol: (?P<plain>\S+)|symbol (?P<name>\S+), version "
                       r"(?P<version>\S+) not defined in file \S+ with link time reference)"
                       r"(?:, version (?P<more>\S+))?\s*\((?P<object>.*)\)$")


@dataclasses.dataclass
class Kind:
    """`word`: program, library, static, relocatable, debug, foreign, other."""
    word: str
    interp: str = None


def classify(path, machine=EM_X86_64, loader=roots.GLIBC_LOADER):
    """Reads the headers of a file; None if it is no ELF file."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(64)
            if head[:4] != b"\x7fELF":
                return None
            if len(head) < 64 or head[4] != 2 or head[5] != 1:
                return Kind("foreign")
            kind, found = struct.unpack_from("<HH", head, 16)
            if found != machine:
                return Kind("foreign")
            if kind == ET_REL:
                return Kind("relocatable")
            if kind not in (ET_EXEC, ET_DYN):
                return Kind("other")
            return classify_segments(stream, head, loader)
    except OSError:
        return None


def classify_segments(stream, head, loader):
    offset, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    stream.seek(offset)
    table = stream.read(size * count)
    segments = [struct.unpack_from("<IIQQQQQQ", table, size * n) for n in range(count)]
    interp = dynamic = None
    for kind, _, where, _, _, length, _, _ in segments:
        stream.seek(where)
        if kind == PT_INTERP:
            interp = stream.read(length).rstrip(b"\0").decode()
        if kind == PT_DYNAMIC:
            dynamic = stream.read(length)
    if dynamic == b"":  # a file of debugging information keeps the headers, not the contents
        return Kind("debug")
    if interp is not None and dynamic is not None:
        known = interp in (loader, roots.MUSL_LOADER)
        return Kind("program" if known else "foreign", interp)
    if dynamic is None or not any(s[0] == PT_LOAD and s[5] for s in segments):
        return Kind("static")  # or only debugging information: nothing that a loader loads
    flags = dict(struct.iter_unpack("<QQ", dynamic[:len(dynamic) // 16 * 16])).get(DT_FLAGS_1, 0)
    return Kind("static" if flags & DF_1_PIE else "library")


def walk(folders, skip=()):
    """(path, kind) of each ELF file below the folders, by physical path, each inode once."""
    seen = set()
    for top in folders:
        for folder, inner, files in os.walk(top):
            inner.sort()
            if folder in skip:
                inner[:] = []
                continue
            for name in sorted(files):
                path = os.path.join(folder, name)
                status = os.lstat(path)
                if not os.path.isfile(path) or os.path.islink(path) or status.st_size < 52:
                    continue
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                kind = classify(path)
                if kind is not None:
                    yield path, kind


def trace(path, kind, symbols, env):
    """The real loader's answer about one object of this machine."""
    variables = dict(ENVIRONMENT, **env)
    if kind.interp == roots.MUSL_LOADER:
        done = subprocess.run([roots.MUSL_LOADER, "--list", path], env=variables, cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
    else:
        variables["LD_TRACE_LOADED_OBJECTS"] = "1"
        if symbols:
            variables.update(LD_WARN="yes", LD_BIND_NOW="yes")
        plain = kind.word == "program" and not os.lstat(path).st_mode & 0o6000
        command = [path] if plain and os.access(path, os.X_OK) else [roots.GLIBC_LOADER, path]
        done = subprocess.run(command, env=variables, cwd="/", stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
    outcome = roots.Outcome(done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
                            done.stderr.decode("utf-8", "surrogateescape"))
    if kind.interp == roots.MUSL_LOADER:
        return reference.read_musl_trace(outcome, path)
    return reference.read_glibc_trace(outcome, path)


def undefined_symbols(text):
    """{(object, symbol, version)} of the lines of `ldd -r`."""
    found = set()
    for line in text.splitlines():
        if match := UNDEFINED.match(line):
            found.add((absolute(match["object"]), match["plain"].rstrip(",") if match["plain"]
                       else match["name"], match["version"] or match["more"]))
    return found


def symbol_differences(real, report):
    """Where the lines of `ldd -r` and the emulation's failures name different symbols. Versions of a
    file that is missing do not count: glibc tells them or not, by its place in a table; with nothing
    but such versions it dies before it tells any symbol."""
    if real.is_crashed:
        return []
    absent = {entry["request"] for entry in report["missing"]}
    ours, vague = set(), set()
    for entry in report["failures"]:
        if entry["kind"] == "symbol":
            known = entry.get("library") not in absent
            ours.add((entry["object"], entry["symbol"], entry.get("version") if known else None))
            if not known:
                vague.add((entry["object"], entry["symbol"]))
    theirs = {(*key, None if tuple(key) in vague else version)
              for *key, version in undefined_symbols(real.text)}
    if theirs == ours:
        return []
    return [f"symbols: only real {sorted(theirs - ours, key=str)[:10]}, "
            f"only emulated {sorted(ours - theirs, key=str)[:10]}"]


def examine(path, kind, symbols=False, env=None):
    """The disagreement about one object as text, or None."""
    real = trace(path, kind, symbols, env or {})
    answer = emulated.ask(path, env=env, symbols=symbols, process_env=ENVIRONMENT)
    libc = "musl" if kind.interp == roots.MUSL_LOADER else "glibc"
    if libc == "musl" and not symbols:
        real.failures = [failure for failure in real.failures if failure[1] != "symbol"]
    found = compare.differences(real, answer, libc)
    if symbols and libc == "glibc":
        found += symbol_differences(real, answer.report)
    if not found:
        return None
    return f"{path} ({kind.word}):\n  " + "\n  ".join(text[:2000] for text in found)


def examine_all(objects, symbols=False, env=None):
    """Reports of disagreement about all objects; the work is in child processes."""
    workers = len(os.sched_getaffinity(0)) + 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        reports = pool.map(lambda entry: examine(*entry, symbols=symbols, env=env), objects)
        return [report for report in reports if report]


def sorted_by_word(folders, skip=()):
    """{word: [(path, kind)]} of everything below the folders."""
    groups = {}
    for path, kind in walk(folders, skip):
        groups.setdefault(kind.word, []).append((path, kind))
    return groups
