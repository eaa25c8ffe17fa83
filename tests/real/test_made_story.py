#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The small copy of the story that ./quickstart makes: the real loader takes the stand-ins."""

import pathlib
import shutil
import subprocess
import types
import unittest

import session
import venvs
import verdict
from verdict import CUDA

MAKE_STORY = pathlib.Path(__file__).resolve().parents[2] / "packaging/story/make_story"


class MadeStory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = venvs.scratch_folder()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.venv = pathlib.Path(cls.made())
        cls.site = next(cls.venv.glob("lib/python3.*/site-packages"))
        capi = cls.site / "onnxruntime/capi"
        cls.state = types.SimpleNamespace(
            site=cls.site, capi=capi, python=cls.venv / "bin/python",
            provider=capi / "libonnxruntime_providers_cuda.so")
        cls.every = [str(path) for path in sorted(cls.site.glob("nvidia/*/lib"))]
        cls.driver = session.build_driver(cls.folder / "driver",
                                          session.driver_symbols(cls.state))

    @classmethod
    def made(cls):
        done = subprocess.run([str(MAKE_STORY), str(cls.folder / "story")], check=True,
                              capture_output=True, text=True)
        cls.progress = done.stderr
        return done.stdout.splitlines()[-1]

    def test_a_second_run_does_nothing(self):
        first = self.progress
        self.assertIn("stand-ins, not the real thing: nvidia-cublas", first)
        self.assertEqual(self.made(), str(self.venv))
        self.assertNotIn("fetching", self.progress)
        type(self).progress = first

    def test_a_folder_of_somebody_else_is_left_alone(self):
        (self.folder / "theirs/venv").mkdir(parents=True)
        done = subprocess.run([str(MAKE_STORY), str(self.folder / "theirs")], check=False,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("not of my making", done.stderr)

    def test_the_real_loader_accepts_the_stand_ins(self):
        as_installed = session.run_session(self.state)
        self.assertEqual(as_installed.library, "libcublasLt.so.13", as_installed.text)
        loaded = session.run_session(self.state, [*self.every, self.driver])
        self.assertEqual((loaded.kind, loaded.failure), ("loaded", 100), loaded.text)
        for file in self.site.glob("nvidia/*/lib/*.so*"):
            self.assertLessEqual(set(session.not_found(file, self.every)), {session.DRIVER}, file)

    def test_check_tells_the_story(self):
        runtime = [self.site / "nvidia/cu13/lib"]
        self.assertTrue(session.guard_passes(self.state, runtime))
        for path, options, loadable, cause, status in (
                ([], [], "no", "unreachable-library", 1),
                (runtime, [], "partly", "unreachable-library", 1),
                (self.every, [], "yes", None, 0),
                ([], ["--after", "onnxruntime.preload_dlls"], "yes", None, 0)):
            with self.subTest(path=path, options=options):
                report = verdict.check(self.venv, path, *options)
                entry = report.providers[CUDA]
                self.assertEqual((entry["verdicts"]["loadable"], entry["cause"], report.status),
                                 (loadable, cause, status), report.text())

    def test_check_tells_the_second_story(self):
        second = self.venv.parent / "overwritten"
        path = [str(p).replace(str(self.venv), str(second)) for p in self.every]
        listed = subprocess.run(
            [second / "bin/python", "-c",
             "import onnxruntime; print(*onnxruntime.get_available_providers())"],
            check=True, capture_output=True, text=True).stdout.split()
        self.assertNotIn("CUDAExecutionProvider", listed)
        report = verdict.check(second, path)
        entry = report.providers[CUDA]
        self.assertEqual((entry["verdicts"]["intact"], entry["cause"], report.status),
                         ("no", "overwritten-file", 1), report.text())
        found = report.of_rule("overwritten-file")[0]
        self.assertRegex(found["message"], "onnxruntime.* owns 3 of the .* files it shares with")
        self.assertIn("fastembed 0.9.1 requires onnxruntime", report.text())


if __name__ == "__main__":
    unittest.main()
