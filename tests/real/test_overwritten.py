#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onnxruntime over onnxruntime-gpu, in environments that hold all of CUDA: what `check` says, held
against the real runtime (does it list CUDA?) and against a count of the owners (owners.py)."""

import unittest

import owners
import venvs
import verdict
from installers import CPU, Installers
from verdict import CUDA

ASK = "import onnxruntime as o; print(*o.get_available_providers())"
CAPI = "onnxruntime/capi/"


class Overwritten(unittest.TestCase):
    """One environment, changed by installers; everything but the owners is in order."""

    environment = None

    @classmethod
    def setUpClass(cls):
        cls.state = venvs.State(cls.environment)
        cls.addClassCleanup(cls.state.close)
        cls.venv = Installers(cls.state.path, cls.state.scratch)

    def asks(self, intact, status, *, cause=None, rule=None, severity=None):
        """`check`, and what must hold of it in any state."""
        report = verdict.check(self.state.path, self.state.library_folders())
        text = report.text()
        entry = report.providers[CUDA]
        listed = self.venv.runs(ASK)
        imports = "ExecutionProvider" in listed
        self.assertEqual("CUDAExecutionProvider" in listed,
                         imports and entry["verdicts"]["intact"] != "no", f"{listed}\n{text}")
        self.assertEqual((entry["verdicts"]["intact"], entry["cause"], report.status),
                         (intact, cause, status), text)
        if rule:
            self.assertIn((rule, severity), [(one["rule"], one["severity"]) for one in report.findings], text)
        self.owners_agree(report)
        return report

    def owners_agree(self, report):
        """The owner of each contested file, by the finding and by the count."""
        for overlap in owners.count(self.state.path)["overlaps"]:
            wanted = {}
            for path, said in overlap["differing"].items():
                for name, match in said.items():
                    if match == "same":
                        wanted[path] = name
            told = {}
            for one in report.of_rule("overwritten-file"):
                rows = one["evidence"]["files"]
                told |= dict(row.rsplit(": ", 1) for row in ([rows] if isinstance(rows, str) else rows))
            self.assertEqual({path.removeprefix("/"): owner for path, owner in wanted.items()},
                             {path.removeprefix("/"): told.get(path) for path in told}, report.text())

    def is_empty_namespace(self):
        self.assertEqual(self.venv.runs("import onnxruntime as o; print(o.__file__)"), "None")


class SameRelease(Overwritten):
    """1.24.4 both."""

    environment = "1.24.4"

    def test_one_state_after_another(self):
        self.asks("yes", 0)
        self.venv.uv(CPU)
        report = self.asks("no", 1, cause="overwritten-file", rule="overwritten-file", severity="error")
        message = report.of_rule("overwritten-file")[0]["message"]
        self.assertIn("`onnxruntime` 1.24.4 owns 3 of the 315 files it shares with `onnxruntime-gpu` 1.24.4", message)
        # Files that do not carry the provider are the GPU build's again, then those that do.
        self.venv.take_from_wheel("onnxruntime_gpu-1.24.4-cp311*", CAPI + "build_and_package")
        self.asks("no", 1, cause="overwritten-file")
        self.venv.take_from_wheel("onnxruntime_gpu-1.24.4-cp311*", CAPI + "onnxruntime_pybind11")
        self.asks("partly", 0, rule="overwritten-file", severity="warning", cause="overwritten-file")
        self.venv.take_from_wheel("onnxruntime_gpu-1.24.4-cp311*", CAPI + "libonnxruntime.so")
        self.asks("yes", 0, rule="overwritten-file", severity="warning")
        self.venv.pip_uninstall("onnxruntime")
        self.is_empty_namespace()
        report = verdict.check(self.state.path, self.state.library_folders())
        self.assertIn("gutted-package", report.rules("error"), report.text())
        self.assertEqual(report.providers[CUDA]["verdicts"]["intact"], "no", report.text())
        self.assertEqual(report.status, 1)


class OtherRelease(Overwritten):
    """onnxruntime 1.32.0 over onnxruntime-gpu 1.31.1."""

    environment = "1.31.1"

    def test_over_and_mixed(self):
        self.venv.uv("onnxruntime 1.32.0")
        self.asks("no", 1, cause="overwritten-file", rule="overwritten-file", severity="error")
        # As a race leaves it: the package's own module of one release, its extension of another.
        self.venv.take_from_wheel("onnxruntime_gpu-1.31.1-cp311*", CAPI + "onnxruntime_pybind11")
        said = self.venv.runs(ASK)
        self.assertIn("ImportError", said)
        report = verdict.check(self.state.path, self.state.library_folders())
        self.assertEqual(report.status, 1, report.text())


if __name__ == "__main__":
    unittest.main()
