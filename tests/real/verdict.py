# SPDX-License-Identifier: Apache-2.0
"""Runs `loadable check` on a state and asks its JSON questions."""

import json
import os
import re
import subprocess

import session

CUDA = "onnxruntime:cuda"
TENSORRT = "onnxruntime:tensorrt"
LIBRARY = re.compile(r"\blib[\w+-]+\.so(?:\.\d+)*")


def binary():
    """The program under test; without one there is nothing to test, and that is a failure."""
    path = os.environ.get("LOADABLE_BIN", "")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"LOADABLE_BIN names no program: {path!r}; build the target `loadable`")
    return path


def loadable(*arguments, variables=None):
    """Runs the program from / with a clean environment; returns the finished process."""
    return subprocess.run([binary(), *[str(word) for word in arguments]], cwd="/", check=False,
                          env={**session.clean_environment(), **(variables or {})},
                          capture_output=True, text=True, timeout=300)


class Report:
    """What `check` said of one target."""

    def __init__(self, done):
        self.status = done.returncode
        self.stderr = done.stderr
        if self.status not in (0, 1, 3):
            raise AssertionError(f"exit status {self.status}: {done.stderr or done.stdout}")
        self.data = json.loads(done.stdout)
        self.findings = self.data["findings"]
        self.providers = {entry["id"]: entry for entry in self.data["providers"]}

    def text(self):
        return json.dumps({"status": self.status, "stderr": self.stderr, **self.data}, indent=1)

    def rules(self, *severities):
        """The rules of the findings, of these severities or all."""
        return [item["rule"] for item in self.findings
                if not severities or item["severity"] in severities]

    def of_rule(self, rule, provider=CUDA):
        return [item for item in self.findings
                if item["rule"] == rule and provider in concerned(item)]

    def of_library(self, name, provider=CUDA):
        """The findings about a provider whose message or request names the library."""
        return [item for item in self.findings
                if provider in concerned(item) and name in libraries_of(item)]

    def first_library(self, provider=CUDA):
        """The library that the provider's cause names first."""
        cause = self.providers[provider]["cause"]
        for item in self.of_rule(cause, provider):
            names = libraries_of(item)
            if names:
                return names[0]
        return ""


def concerned(finding):
    """The providers that a finding is about."""
    return finding.get("providers") or [finding.get("provider")]


def libraries_of(finding):
    """The libraries that a finding is about: the request of its evidence, then its message's."""
    evidence = finding.get("evidence") or {}
    request = evidence.get("request") if isinstance(evidence, dict) else None
    named = LIBRARY.findall(finding["message"])
    return list(dict.fromkeys([*([request] if request else []), *named]))


def tried(value):
    """Every candidate of a search, anywhere in a finding's evidence: {rule, path, outcome}."""
    if isinstance(value, dict):
        if "rule" in value and "outcome" in value:
            yield value
        value = value.values()
    if isinstance(value, (list, type({}.values()))):
        for item in value:
            yield from tried(item)


def places(finding, role):
    """The paths of a finding's locations of one role."""
    return [item["path"] for item in finding["locations"] if item.get("role") == role]


def check(target, folders=(), *options, host_variables=None):
    """`loadable check`, in JSON. The loader path is stated, unless the caller's variables count."""
    stated = ["--no-host-env"] if host_variables is None else []
    if folders:
        stated += ["--env", "LD_LIBRARY_PATH=" + ":".join(str(folder) for folder in folders)]
    return Report(loadable("check", "--format", "json", *stated, *options, target,
                           variables=host_variables))
