#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The story of other releases and other sets of wheels (rows of README.md)."""

import os
import unittest

import session
import story
import venvs
import verdict
from story import CUDA, PROVIDER, PYBIND, RUNTIME_ONLY, Story


class Release127(Story):
    """1.27.0: the extension module itself needs libcudart.so.13."""

    environment = "1.27.0"

    def test_every_directory_on_the_path(self):
        self.runs("not loaded", self.every, library=session.DRIVER, driver=False)
        self.runs("loaded", self.every, failure=100)
        self.healthy(self.every)

    def test_as_installed_the_import_fails(self):
        self.runs("import failed", library="libcudart.so.13")
        report = self.asks([], status=1, loadable="no", cause="unreachable-library",
                           first="libcudart.so.13")
        self.searched(report, "libcudart.so.13", PYBIND, ("cache", "default"),
                      lies_in="nvidia/cu13/lib")

    def test_without_cudart_the_import_fails(self):
        with self.state.without(self.state.library("libcudart.so.13")):
            self.runs("import failed", self.every, library="libcudart.so.13")
            report = self.asks(self.every, status=1, loadable="no", intact="partly",
                               cause="missing-file", first="libcudart.so.13")
            if report:
                self.assertIn("import", report.providers[CUDA]["effect"])


class Release127Alone(Story):
    """1.27.0 and no NVIDIA wheel: its extras cannot be installed."""

    environment = "1.27.0-bare"

    def test_the_import_fails(self):
        self.runs("import failed", library="libcudart.so.13")
        report = self.asks([], status=1, loadable="no", cause="absent-library",
                           first="libcudart.so.13")
        self.searched(report, "libcudart.so.13", PYBIND, ("runpath", "cache", "default"))
        if report:
            self.assertIn("import", report.providers[CUDA]["effect"])


class Release119(Story):
    """1.19.2: the RUNPATH of the provider ends with an empty element, the working directory."""

    environment = "1.19.2"

    def test_from_the_root_directory(self):
        self.runs("not loaded", library="libcublasLt.so.12")
        report = self.asks([], status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.12")
        if report:
            self.assertIn("searches-working-directory", report.rules("warning"), report.text())

    def test_from_a_directory_that_holds_the_libraries(self):
        flat = self.state.scratch / "flat"
        flat.mkdir()
        for file in self.state.site.glob("nvidia/*/lib/*.so*"):
            os.link(file, flat / file.name)
        self.runs("loaded", failure=100, cwd=flat)
        self.healthy([], "--cwd", flat,
                     warnings=["loads-by-accident", "searches-working-directory"])

    def test_every_directory_on_the_path(self):
        self.runs("loaded", self.every, failure=100)
        # Without the driver a static object of this release throws too early: SIGSEGV.
        self.runs("crash", self.every, driver=False)
        self.healthy(self.every)


class WithoutCudnn(Story):
    """onnxruntime-gpu[cuda] 1.24.4: no cuBLAS and no cuDNN anywhere. Installed by pip."""

    environment = "1.24.4-without-cudnn"

    def test_cublas_and_cudnn_are_nowhere(self):
        for path in ([], self.every):
            with self.subTest(path):
                self.runs("not loaded", path, library="libcublasLt.so.12")
                report = self.asks(path, status=1, loadable="no", cause="absent-library",
                                   first="libcublasLt.so.12")
                for library in ("libcublasLt.so.12", "libcublas.so.12", "libcudnn.so.9"):
                    self.searched(report, library, PROVIDER, ("cache", "default"))
                if not report:
                    continue
                # `libcudnn.so.9` is the name of cuDNN for CUDA 12 and for 13.
                for finding in report.of_rule("absent-library"):
                    [command] = [one for remedy in finding["remedies"] if remedy["id"] == "install"
                                 for one in remedy["commands"]]
                    self.assertTrue(command.endswith("-cu12"), command)

    def test_the_host_provides_them(self):
        provided = [word for name in ("libcublas*.so.12", "libcudnn.so.9")
                    for word in ("--provided", name)]
        report = self.asks(self.every, *provided, status=0, loadable="unknown", cause=None)
        if report:
            self.assertIn("provided elsewhere", report.providers[CUDA]["reasons"]["loadable"])


class OtherFamily(Story):
    """onnxruntime-gpu 1.24.4 among the wheels of CUDA 13."""

    environment = "1.24.4-cuda13"

    def test_the_other_major_is_there(self):
        self.runs("not loaded", self.every, library="libcublasLt.so.12")
        self.asks(self.every, status=1, loadable="no", cause="family-mismatch",
                  first="libcublasLt.so.12")


class CpuBuild(unittest.TestCase):
    """onnxruntime, the CPU build, alone. Installed by pip."""

    environment, rule = "cpu", "cpu-build"

    @classmethod
    def setUpClass(cls):
        cls.state = venvs.State(cls.environment)
        cls.addClassCleanup(cls.state.close)

    def test_nothing_is_wrong_unless_required(self):
        if RUNTIME_ONLY:
            return
        report = verdict.check(self.state.path)
        self.assertEqual((report.status, report.providers, report.findings,
                          report.data["complete"]), (0, {}, [], True), report.text())

    def test_required(self):
        if RUNTIME_ONLY:
            return
        report = verdict.check(self.state.path, (), "--require", CUDA)
        entry = report.providers[CUDA]
        self.assertEqual((report.status, entry["required"], entry["verdicts"]["shipped"],
                          entry["cause"], report.rules("error")),
                         (1, True, "no", self.rule, [self.rule]), report.text())


class NothingInstalled(CpuBuild):
    """An environment as `python -m venv` makes it."""

    environment, rule = "empty", "not-shipped"


if __name__ == "__main__":
    story.main()
