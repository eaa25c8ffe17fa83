#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of real wheels before anything is installed, compared with a count of their own lists."""

import csv
import io
import os
import shutil
import unittest
import zipfile

import cures
import venvs
import verdict

CONFLICT, HARD = "conflicting-distributions", "hard-family-dependency"


def hashes(path):
    """path -> hash, as the wheel's RECORD has them, without its own metadata."""
    with zipfile.ZipFile(path) as archive:
        [record] = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        rows = csv.reader(io.StringIO(archive.read(record).decode("utf-8")))
        return {row[0]: row[1] for row in rows if row and row[1] and ".dist-info/" not in row[0]}


class Wheelhouse(unittest.TestCase):
    def setUp(self):
        self.scratch = venvs.scratch_folder()
        self.addCleanup(shutil.rmtree, self.scratch)
        self.folder = self.scratch / "wheels"
        shutil.copytree(cures.wheels(), self.folder, copy_function=os.link)
        (self.folder / ".complete").unlink()

    def check(self, path, *words):
        report = verdict.Report(verdict.loadable("check", "--format", "json", *words, path))
        self.assertEqual(report.data["incidents"], [], report.text())
        self.assertTrue(report.data["complete"], report.text())
        return report

    def findings(self, report, rule):
        return [finding for finding in report.findings if finding["rule"] == rule]

    def wheel(self, stem):
        [path] = self.folder.glob(f"{stem}-*.whl")
        return path

    def test_names_what_would_be_overwritten(self):
        first, second = hashes(self.wheel("onnxruntime")), hashes(self.wheel("onnxruntime_gpu"))
        shared = first.keys() & second.keys()
        differing = sorted(path for path in shared if first[path] != second[path])
        self.assertEqual(len(differing), 3)
        report = self.check(self.folder)
        self.assertEqual(report.status, 1, report.text())
        [finding] = self.findings(report, CONFLICT)
        evidence = finding["evidence"]
        self.assertEqual(sorted(evidence["differing"]), differing)
        self.assertEqual(int("".join(evidence["shared"])), len(shared))
        self.assertEqual(int("".join(evidence["identical"])), len(shared) - 3)
        self.assertEqual((finding["severity"], finding["provider"]), ("error", verdict.CUDA))
        self.assertIn(f"fastembed {cures.FASTEMBED} requires onnxruntime", report.text())
        self.assertEqual(report.providers[verdict.CUDA]["verdicts"]["intact"], "no")

    def test_a_stand_in_in_the_place_of_the_other_ends_it(self):
        self.wheel("onnxruntime").unlink()
        done = verdict.loadable("shim", "onnxruntime", "--version", cures.GPU, "--output", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.check(self.folder)
        self.assertEqual((report.status, report.rules("error", "warning")), (0, []), report.text())

    def test_the_text_names_what_differs(self):
        done = verdict.loadable("check", "--color", "never", self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        [line] = [line for line in done.stdout.splitlines() if "what differs: " in line]
        for name in ("onnxruntime_pybind11_state", "libonnxruntime.so.1.24.4", "build_and_package_info.py"):
            self.assertIn(name, line)

    def test_wheels_that_no_interpreter_takes_together_are_no_conflict(self):
        """The CPU build for another Python, for another system, then for both: by its file name."""
        wheel = self.wheel("onnxruntime")
        tags = {"cp312-cp312-manylinux_2_28_x86_64": 0, "cp311-cp311-win_amd64": 0, "cp311-cp311-manylinux_2_28_aarch64": 0,
                "cp310.cp311-cp310.cp311-manylinux_2_28_x86_64": 1, "py3-none-any": 1}
        for tag, count in tags.items():
            with self.subTest(tag):
                wheel = wheel.rename(self.folder / f"onnxruntime-1.24.4-{tag}.whl")
                found = self.findings(self.check(self.folder), CONFLICT)
                self.assertEqual(len([one for one in found if one["severity"] == "error"]), count, found)
                stated = self.check(self.folder, "--python-version", "3.11", "--platform", "linux")
                self.assertEqual(len(self.findings(stated, CONFLICT)), count, stated.text())
                if count:
                    self.assertIn("for CPython 3.11 on x86_64 Linux", self.findings(stated, CONFLICT)[0]["message"])

    def test_unrelated_wheels_are_no_conflict(self):
        self.wheel("onnxruntime").unlink()
        report = self.check(self.folder)
        self.assertEqual((report.status, report.rules("error", "warning")), (0, []), report.text())

    def test_the_cpu_build_alone_where_the_provider_is_required(self):
        self.wheel("onnxruntime_gpu").unlink()
        self.assertEqual(self.check(self.folder).status, 0)
        report = self.check(self.folder, "--require", verdict.CUDA)
        self.assertEqual((report.status, report.rules("error")), (1, ["cpu-build"]), report.text())

    def test_a_wheel_that_requires_one_by_its_plain_name(self):
        report = self.check(self.wheel("fastembed"))
        self.assertEqual(report.status, 0, report.text())
        found = self.findings(report, HARD)
        found = [finding for finding in found if finding["evidence"]["family"] in ("onnxruntime", ["onnxruntime"])]
        self.assertEqual([finding["severity"] for finding in found], ["note"], report.text())
        self.assertIn("onnxruntime-gpu", str(found))
        self.assertEqual(self.findings(self.check(self.wheel("numpy")), HARD), [])

    def test_every_wheel_of_the_cache_is_read(self):
        """Whatever the other tests downloaded: no wheel of the index contradicts itself."""
        for path in sorted((venvs.cache_folder() / "wheels").glob("*.whl")):
            with self.subTest(path.name):
                self.check(path)


if __name__ == "__main__":
    unittest.main()
