# SPDX-License-Identifier: Apache-2.0
"""Asks `loadable ldd --format json` the question that the real loader was asked."""

import json
import os
import re
import subprocess

from answers import Answer, absolute, subject


def warned_of(entry):
    """What a warning is about: a preload as it was asked for, which the real loader names too."""
    preload = re.match(r"object '(.*)' cannot be preloaded", entry["message"], re.S)
    return preload[1] if preload else entry["object"]


def binary():
    """The program under test, from the environment variable that ctest sets."""
    path = os.environ.get("LOADABLE_BIN")
    if not path or not os.access(path, os.X_OK):
        raise RuntimeError(f"LOADABLE_BIN must name the program under test, it is {path!r}")
    return path


def command(program, root="/", env=None, cwd=None, steps=(), caller=None, symbols=False, more=()):
    arguments = [binary(), "ldd", "--format", "json"]
    if root != "/":
        arguments += ["--root", root]
    for name, value in (env or {}).items():
        arguments += ["--env", f"{name}={value}"]
    if cwd is not None:
        arguments += ["--cwd", cwd]
    for step in steps:
        arguments += ["--dlopen", step]
    if caller is not None:
        arguments += ["--caller", caller]
    if symbols:
        arguments.append("--symbols")
    return [*arguments, *more, program]


def report(program, process_env=None, **options):
    """The JSON that the program prints, as Python values, and the exit status."""
    arguments = command(program, **options)
    done = subprocess.run(arguments, capture_output=True, check=False, timeout=60, env=process_env)
    if done.returncode not in (0, 1, 3) or not done.stdout:
        raise RuntimeError(f"{arguments} ended with {done.returncode}: "
                           f"{done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout.decode("utf-8", "surrogateescape")), done.returncode


def ask(program, **options):
    """The emulation's answer; the report itself is kept in `answer.report`."""
    found, status = report(program, **options)
    answer = read(found, len(options.get("steps", ())))
    answer.status = status
    return answer


def read(found, steps):
    answer = Answer()
    answer.report = found
    answer.text = json.dumps(found, indent=1)
    for entry in found["objects"]:
        path = absolute(entry["path"])
        answer.objects.append(path)
        answer.rules[path] = entry.get("rule")
        requester = entry.get("requested_by")
        answer.requesters[path] = absolute(requester) if requester is not None else None
    answer.missing = [(entry["request"], entry["step"]) for entry in found["missing"]]
    answer.failures = [(subject(entry["object"]), entry["kind"], entry["step"])
                       for entry in found["failures"]]
    # A warning about an object that was loaded all the same has no counterpart in the real loader.
    answer.warnings = [warned_of(entry) for entry in found["warnings"]
                       if entry["step"] == 0 and subject(entry["object"]) not in answer.objects]
    bad = {step for _, step in answer.missing} | {step for _, _, step in answer.failures}
    answer.steps = ["error" if step in bad else "ok" for step in range(1, steps + 1)]
    return answer
