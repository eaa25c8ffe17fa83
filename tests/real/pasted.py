# SPDX-License-Identifier: Apache-2.0
"""Remedies as a user carries them out: every line of a report, pasted into a shell, in order."""

import os
import subprocess

import venvs
import verdict


def remedies_of(report, rule):
    """id -> commands, of the first finding of that rule."""
    for finding in report.findings:
        if finding["rule"] == rule:
            return {item["id"]: item for item in finding["remedies"]}
    raise AssertionError(f"no {rule}: {report.text()}")


def paste(remedy, folder, *programs, **variables):
    """Runs the commands from that folder. `programs`: folders of tools, before all others."""
    programs = [os.path.dirname(verdict.binary()), *map(str, programs)]
    kept = {key: value for key, value in os.environ.items()
            if key not in ("VIRTUAL_ENV", "PYTHONPATH") and not key.startswith(("UV_", "PIP_"))}
    lines = [line.removeprefix("RUN ") for line in remedy["commands"]]
    done = subprocess.run(["sh", "-e", "-x", "-c", "\n".join(lines)], cwd=folder, check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=600, env={**kept, "UV_CACHE_DIR": str(venvs.cache_folder() / "uv"),
                                            "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "hardlink",
                                            "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_COMPILE": "1",
                                            **{k: str(v) for k, v in variables.items()},
                                            "PATH": ":".join([*programs, os.environ["PATH"]])})
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}: {remedy['id']}\n{done.stdout}")
    return done.stdout
