#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An environment whose extension module is of another Python, as copying between images and upgrades of
the base interpreter leave it: renamed on the disk and in its RECORD. The real import is the judge."""

import subprocess
import unittest

import session
import venvs
import verdict
from verdict import CUDA

STEM = "onnxruntime_pybind11_state"
OWN = "cpython-311-x86_64-linux-gnu"
NAME = "1.27.0"


class Interpreters(unittest.TestCase):
    def setUp(self):
        self.state = venvs.State(NAME)
        self.addCleanup(self.state.close)

    def rename(self, tag):
        """The module gets another tag, on the disk and in the list; an empty one: `x.so`."""
        name = f"{STEM}.{tag}.so" if tag else f"{STEM}.so"
        (self.state.capi / f"{STEM}.{OWN}.so").rename(self.state.capi / name)
        record = self.state.site / f"onnxruntime_gpu-{NAME}.dist-info/RECORD"
        text = record.read_text(encoding="utf-8")
        self.assertIn(f"{STEM}.{OWN}.so", text)
        record.unlink()  # a link to the cache's own
        record.write_text(text.replace(f"{STEM}.{OWN}.so", name), encoding="utf-8")

    def imports(self):
        """Does the real import work? Otherwise the end of its error."""
        done = subprocess.run([self.state.python, "-c", "import onnxruntime as o; o.InferenceSession"], cwd="/",
                              check=False, env=session.clean_environment(
                                  LD_LIBRARY_PATH=":".join(self.folders)),
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return True if done.returncode == 0 else done.stdout.strip().splitlines()[-1]

    def asks(self, *words):
        self.folders = self.state.library_folders()
        report = verdict.check(self.state.path, self.folders, *words)
        imports = self.imports()
        self.assertEqual(report.providers[CUDA]["verdicts"]["loadable"] == "yes", imports is True,
                         f"{imports}\n{report.text()}")
        return report, imports

    def assert_wrong(self, *words):
        report, imports = self.asks()
        self.assertIn("ModuleNotFoundError", imports)
        self.assertEqual((report.status, report.data["complete"]), (1, True), report.text())
        self.assertEqual(report.rules("error", "warning"), ["wrong-interpreter"], report.text())
        provider = report.providers[CUDA]
        self.assertEqual((provider["cause"], provider["verdicts"]["loadable"]), ("wrong-interpreter", "no"))
        self.assertEqual(provider["verdicts"]["intact"], "yes", report.text())
        [finding] = [one for one in report.of_rule("wrong-interpreter") if one["severity"] == "error"]
        for word in words:
            self.assertIn(word, finding["message"])
        return finding

    def test_a_module_of_another_release_is_not_imported(self):
        self.rename("cpython-312-x86_64-linux-gnu")
        finding = self.assert_wrong("for CPython 3.12", "interpreter is Python 3.11")
        said = subprocess.run([self.state.python, "-c", "from importlib import machinery as m\n"
                               "print(*m.EXTENSION_SUFFIXES)"], check=True, capture_output=True, text=True)
        self.assertEqual(finding["evidence"]["suffixes"], said.stdout.split())

    def test_a_module_of_a_free_threaded_build_is_not_imported(self):
        self.rename("cpython-311t-x86_64-linux-gnu")
        self.assert_wrong("for the free-threaded CPython 3.11")

    def test_a_module_of_another_c_library_or_machine_is_not_imported(self):
        self.rename("cpython-311-x86_64-linux-musl")
        self.assert_wrong("for `x86_64-linux-musl`, and the interpreter is for `x86_64-linux-gnu`")

    def test_a_module_of_pypy_is_not_imported(self):
        self.rename("pypy310-pp73-x86_64-linux-gnu")
        self.assert_wrong("for `pypy310-pp73-x86_64-linux-gnu`")

    def test_a_module_for_every_release_is_imported(self):
        for tag in ("abi3", ""):
            with self.subTest(tag=tag):
                self.setUp()
                self.rename(tag)
                report, _ = self.asks()
                self.assertEqual((report.status, report.rules("error", "warning")), (0, []), report.text())

    def test_a_module_whose_own_name_is_listed_and_gone_is_missing(self):
        (self.state.capi / f"{STEM}.{OWN}.so").rename(self.state.capi / f"{STEM}.cpython-312-x86_64-linux-gnu.so")
        report, _ = self.asks()
        self.assertEqual((report.status, report.providers[CUDA]["cause"]), (1, "missing-file"), report.text())

    def test_packages_below_the_directory_of_another_release_are_not_imported(self):
        lib = self.state.path / "lib"
        (lib / "python3.11").rename(lib / "python3.12")
        self.state.site = lib / "python3.12/site-packages"
        self.assert_wrong("it lies in", "lib/python3.12/site-packages`, where Python 3.11")


if __name__ == "__main__":
    unittest.main()
