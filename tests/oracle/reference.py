# SPDX-License-Identifier: Apache-2.0
"""Asks the real loaders. Each question becomes a `Job` for a chroot, its output an `Answer`."""

import posixpath
import re

from answers import Answer, absolute, kind_of, subject
from roots import MUSL_LOADER, Job

_TRACE = re.compile(r"^\t(?:(?P<name>.*) => )?(?P<path>.+) \(0x[0-9a-f]+\)$")
_TRACE_MISSING = re.compile(r"^\t(?P<name>.*) => not found$")
_FATAL = re.compile(r"^.*: error while loading shared libraries: (?P<rest>.*)$")
_LOOKUP = re.compile(r"^.*: (?:symbol lookup|relocation) error: (?P<object>[^:]+): .*$")
_PRELOAD = re.compile(
    r"^ERROR: ld.so: object '(?P<name>.*)' from (?P<from>\S+) cannot be preloaded")
_SYMBOL = re.compile(r"^(undefined symbol: .*|symbol .*, version .* not defined in file .* with "
                     r"link time reference)\t?\s*\((?P<object>.*)\)$")
_VERSION = re.compile(r"^[^:]*: (?P<object>[^:]+): (?P<message>version `.*' not found \(required "
                      r"by .*\))$")
_MUSL_LOADING = re.compile(r"^Error loading shared library (?P<name>.*?): (?P<message>[^:]*?)"
                           r"( \(needed by (?P<by>.*)\))?$")
_MUSL_RELOCATING = re.compile(r"^Error relocating (?P<object>[^:]*): (?P<message>.*)$")
_VDSO = ("linux-vdso.so.1", "linux-gate.so.1", "")

RULES = (("RPATH from", "rpath"), ("RUNPATH from", "runpath"), ("LD_LIBRARY_PATH", "env"),
         ("system search path", "default"))


def is_vdso(path):
    return path in _VDSO


# --- glibc -------------------------------------------------------------------------------------


def glibc_trace_job(program, env=None, cwd="/", symbols=False, debug=True):
    """The program start, as `ldd` does it: the loader prints the link map and ends."""
    variables = dict(env or {}, LD_TRACE_LOADED_OBJECTS="1")
    if debug:
        variables["LD_DEBUG"] = "libs,files"
    if symbols:
        variables.update(LD_WARN="yes", LD_BIND_NOW="yes")
    return Job([program], variables, cwd)


def split_fatal(rest):
    """"OBJECT: MESSAGE" of glibc: the object may be absent when the message has no subject."""
    found, colon, message = rest.partition(": ")
    return (found, message) if colon else ("", rest)


def read_glibc_trace(outcome, program, cwd="/"):
    """The answer that the output of a traced glibc program gives."""
    answer = Answer(objects=[absolute(program, cwd)], text=outcome.stdout + outcome.stderr)
    answer.is_crashed = outcome.status is not None and outcome.status < 0
    for line in outcome.stdout.splitlines():
        if match := _TRACE_MISSING.match(line):
            answer.missing.append((match["name"], 0))
        elif match := _TRACE.match(line):
            if not is_vdso(match["path"]):
                answer.objects.append(absolute(match["path"], cwd))
        elif match := _SYMBOL.match(line):
            answer.failures.append((absolute(match["object"], cwd), "symbol", 0))
    debug = read_glibc_errors(outcome.stderr, answer, program, cwd)
    read_debug(debug, answer, program, cwd)
    if fatal := [f for f in answer.failures if f[1] not in ("symbol", "version")]:
        answer.failures = [(failing_path(name, answer.mapped), *more) for name, *more in fatal]
        failed = {name for name, *_ in answer.failures}
        answer.is_cut = True
        answer.objects = [answer.objects[0], *(p for p in answer.mapped if p not in failed)]
    return answer


def failing_path(name, mapped):
    """Defects found after the headers are told under the name asked for: its file came last."""
    if "/" not in name and mapped and posixpath.basename(mapped[-1]) == name:
        return mapped[-1]
    return name


def read_glibc_errors(text, answer, program, cwd):
    """Sorts the loader's messages out of stderr; returns the lines of LD_DEBUG."""
    debug = []
    for line in text.splitlines():
        if re.match(r"^ *\d+:\t", line):
            debug.append(line.split("\t", 1)[1])
        elif match := _PRELOAD.match(line):
            answer.warnings.append(match["name"])
        elif match := _FATAL.match(line):
            found, message = split_fatal(match["rest"])
            kind = kind_of(message)
            if kind == "missing":
                answer.missing.append((found, 0))
            else:
                answer.failures.append((subject(found, cwd), kind, 0))
        elif match := _LOOKUP.match(line):
            answer.failures.append((absolute(match["object"], cwd), "symbol", 0))
        elif match := _VERSION.match(line):
            answer.failures.append((absolute(match["object"], cwd), "version", 0))
        elif _SYMBOL.match(line):
            answer.failures.append((absolute(_SYMBOL.match(line)["object"], cwd), "symbol", 0))
    return debug


def read_debug(lines, answer, program, cwd):
    """LD_DEBUG=libs,files: the rule that found each object and who asked for it, in order."""
    answer.mapped = []
    asked, rule, path = program, None, None
    for line in lines:
        text = line.strip()
        if match := re.match(r"^file=(.*) \[\d+\];  (?:needed by|dynamically loaded by) (.*) \[\d+\]$",
                             text):
            path, asked, rule = match[1], match[2], "path"
        elif text.startswith("search path="):
            rule = next((name for mark, name in RULES if mark in text.rpartition("(")[2]), rule)
        elif text.startswith("search cache="):
            rule = "cache"
        elif text.startswith("trying file="):
            path = text.partition("=")[2]
        elif match := re.match(r"^file=(.*) \[\d+\];  generating link map$", text):
            where = absolute(path if path is not None else match[1], cwd)
            answer.mapped.append(where)
            answer.rules[where] = rule
            answer.requesters[where] = absolute(asked, cwd)


# --- musl --------------------------------------------------------------------------------------


def musl_trace_job(program, env=None, cwd="/"):
    """The loader started by itself lists what it loads; all symbols are bound, too."""
    return Job([MUSL_LOADER, "--list", program], dict(env or {}), cwd)


def read_musl_trace(outcome, program, cwd="/"):
    answer = Answer(objects=[absolute(program, cwd)], text=outcome.stdout + outcome.stderr)
    for line in outcome.stdout.splitlines():
        match = _TRACE.match(line)
        if match and match["name"] is not None:
            where = absolute(match["path"], cwd)
            if where not in answer.objects:
                answer.objects.append(where)
    for line in outcome.stderr.splitlines():
        read_musl_error(line, answer, 0, cwd)
    return answer


def read_musl_error(line, answer, step, cwd):
    if match := _MUSL_LOADING.match(line):
        if kind_of(match["message"]) == "missing":
            answer.missing.append((match["name"], step))
        elif match["by"] is None and step == 0:
            answer.warnings.append(match["name"])
        else:
            answer.failures.append((match["name"], kind_of(match["message"]), step))
    elif match := _MUSL_RELOCATING.match(line):
        answer.failures.append((absolute(match["object"], cwd), kind_of(match["message"]), step))


# --- programs that really run --------------------------------------------------------------------


def driver_job(program, steps, env=None, cwd="/", debug=False):
    """A run of programs/driver.c: a program start, then one dlopen for each step."""
    variables = dict(env or {})
    if debug:
        variables["LD_DEBUG"] = "libs,files"
    return Job([program, *steps], variables, cwd)


def read_driver(outcome, libc, program, steps, cwd="/"):
    """The answer of a driver: the map after the last step, and each step's end."""
    answer = Answer(text=outcome.stdout + outcome.stderr)
    maps = {}
    for line in outcome.stdout.splitlines():
        word, _, rest = line.partition(" ")
        number, _, value = rest.partition(" ")
        step = int(number)
        if word == "map":
            maps.setdefault(step, []).append(value)
        elif word == "ok":
            answer.steps.append("ok")
        elif word == "error":
            answer.steps.append("error")
            read_driver_error(value, answer, libc, step, cwd)
        else:
            raise ValueError(f"the driver printed {line!r}")
    answer.maps = [_without_vdso(maps[step], program, cwd) for step in sorted(maps)]
    answer.started = bool(maps)
    answer.objects = answer.maps[-1] if answer.maps else [absolute(program, cwd)]
    if libc == "glibc":
        debug = read_glibc_errors(outcome.stderr, answer, program, cwd)
        read_debug(debug, answer, program, cwd)
    else:
        for line in outcome.stderr.splitlines():
            read_musl_error(line, answer, 0, cwd)
    answer.is_crashed = outcome.status is not None and outcome.status < 0
    if answer.is_crashed:
        return answer
    if not maps and outcome.status is not None and not (answer.missing or answer.failures):
        raise ValueError(f"the driver said nothing: {outcome}")
    if maps and len(answer.steps) != len(steps):
        raise ValueError(f"the driver ended early: {outcome}")
    return answer


def read_driver_error(message, answer, libc, step, cwd):
    if libc == "musl":
        before = len(answer.missing) + len(answer.failures)
        read_musl_error(message, answer, step, cwd)
        if len(answer.missing) + len(answer.failures) == before:
            raise ValueError(f"message of musl that these tests do not know: {message!r}")
        return
    found, text = split_fatal(message)
    kind = kind_of(text)
    if kind == "missing":
        answer.missing.append((found, step))
    else:
        answer.failures.append((subject(found, cwd), kind, step))


def _without_vdso(paths, program, cwd):
    """glibc's map names the program "", musl's names the vDSO so: the first is the program."""
    return [absolute(program, cwd), *(absolute(p, cwd) for p in paths[1:] if not is_vdso(p))]
