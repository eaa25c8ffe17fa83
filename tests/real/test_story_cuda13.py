#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The story of a CUDA 13 release (rows of README.md): cuDNN and cuFFT are opened by name."""

import pathlib

import session
import story
import verdict
from story import CUDA, PROVIDER, Story

KNOWLEDGE = pathlib.Path(__file__).resolve().parents[2] / "knowledge"
NEEDED = ("libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13")


class Cuda13(Story):
    """onnxruntime-gpu[cuda,cudnn] 1.31.1: cuDNN and cuFFT opened by name, the driver needed."""

    environment = "1.31.1"

    def test_as_installed_nothing_is_reachable(self):
        self.runs("not loaded", library="libcublasLt.so.13")
        report = self.asks([], status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.13")
        for library in NEEDED:
            self.searched(report, library, PROVIDER, ("cache", "default"),
                          lies_in="nvidia/cu13/lib")
        self.cured(report)

    def test_cudnn_alone_is_unreachable_and_the_guard_passes(self):
        path = [self.state.site / "nvidia/cu13/lib"]
        self.runs("not loaded", path, library=session.DRIVER, driver=False)
        self.runs("loaded", path, failure=100)
        self.assertTrue(session.guard_passes(self.state, path), "this is what we are here for")
        report = self.asks(path, status=1, loadable="partly", cause="unreachable-library",
                           first="libcudnn.so.9")
        self.cured(report)
        self.lost(report, "libcudnn.so.9")
        self.searched(report, "libcudnn.so.9", PROVIDER, ("env", "cache", "default"), path[0],
                      "nvidia/cudnn/lib")

    def test_every_directory_on_the_path(self):
        self.runs("not loaded", self.every, library=session.DRIVER, driver=False)
        self.runs("loaded", self.every, failure=100)
        self.assertTrue(session.guard_passes(self.state, self.every))
        self.healthy(self.every)
        self.healthy([*self.every, self.driver])

    def test_the_callers_environment_decides(self):
        self.healthy([], warnings=["depends-on-caller-environment"],
                     host_variables={"LD_LIBRARY_PATH": ":".join(self.every)})

    def test_a_preload_is_stated(self):
        self.runs("not loaded", library=session.DRIVER, preload=True, driver=False)
        self.runs("loaded", failure=100, preload=True)
        self.assertFalse(session.guard_passes(self.state), "the guard cannot know of a preload")
        self.healthy([], "--after", "onnxruntime.preload_dlls")

    def test_a_release_that_the_knowledge_does_not_know(self):
        """The tables as they were before this release: the names in the provider's own file say
        whether the plan of the nearest older release is still true."""
        tables = (KNOWLEDGE / "onnxruntime.toml").read_text(encoding="utf-8")
        for newest, status, loadable, named in (
                ("1.31.0", 0, "yes", ()),
                ("1.27.0", 3, "unknown", ("libcudnn.so.9", "libcufft.so.12"))):
            folder = self.state.scratch / f"knowledge-{newest}"
            folder.mkdir()
            self.assertIn('newest = "1.31.1"', tables)
            older = tables.replace('newest = "1.31.1"', f'newest = "{newest}"')
            (folder / "onnxruntime.toml").write_text(older, encoding="utf-8")
            with self.subTest(newest):
                report = self.asks(self.every, "--knowledge", folder, status=status,
                                   loadable=loadable, cause=None)
                if report:
                    entry = report.providers[CUDA]
                    self.assertEqual(entry["confidence"], "recovered", report.text())
                    for name in named:
                        self.assertIn(name, entry["reasons"]["loadable"], report.text())

    def test_a_needed_library_is_removed(self):
        for library in NEEDED:
            with self.subTest(library), self.state.without(self.state.library(library)):
                self.runs("not loaded", self.every, library=library)
                report = self.asks(self.every, status=1, loadable="no", intact="partly",
                                   cause="missing-file", first=library)
                self.lost(report, library)

    def test_a_library_opened_by_name_is_removed(self):
        for library in ("libcudnn.so.9", "libcufft.so.12", "libnvrtc.so.13",
                        "libnvrtc-builtins.so.13.5", "libnvJitLink.so.13"):
            with self.subTest(library), self.state.without(self.state.library(library)):
                self.runs("loaded", self.every, failure=100)
                self.assertTrue(session.guard_passes(self.state, self.every), "sees nothing")
                causes = ("missing-file", "incomplete-library-set")
                report = self.asks(self.every, status=1, loadable="partly", intact="partly",
                                   cause=causes if "cudnn" in library else "missing-file")
                self.lost(report, library)

    def test_a_piece_of_cudnn_is_removed(self):
        self.cudnn_pieces(("partly", "no"), ("partly", "no"))

    def test_the_bridge_is_removed(self):
        self.bridge()

    def test_a_stub_of_the_driver(self):
        stub = session.build_stub(self.state.scratch / "whole", self.symbols)
        self.runs("loaded", [*self.every, stub], failure=34, driver=False)
        self.assertTrue(session.guard_passes(self.state, [*self.every, stub]))
        self.asks([*self.every, stub], status=1, loadable="yes", usable="no", cause="driver-stub")

    def test_a_stub_that_lacks_a_function(self):
        missing = "cuTensorMapEncodeTiled"
        stub = session.build_stub(self.state.scratch / "old", self.symbols - {missing})
        self.runs("not loaded", [*self.every, stub], symbol=missing, driver=False)
        self.assertTrue(session.guard_passes(self.state, [*self.every, stub]))
        report = self.asks([*self.every, stub], status=1, loadable="no", usable=("no", "unknown"),
                           cause="driver-stub")
        if report:
            self.assertIn(missing, verdict.json.dumps(report.findings))


class WithoutCudnn13(Story):
    """onnxruntime-gpu 1.31.1 with CUDA and cuBLAS, and no cuDNN anywhere: the plan's option."""

    environment = "1.31.1-without-cudnn"

    def test_cudnn_is_an_option(self):
        self.runs("loaded", self.every, failure=100)
        self.assertTrue(session.guard_passes(self.state, self.every))
        report = self.asks(self.every, status=0, loadable="partly", cause="absent-library")
        self.lost(report, "libcudnn.so.9")
        if report:
            self.assertEqual(report.rules("warning"), ["absent-library"], report.text())

    def test_cudnn_is_required(self):
        report = self.asks(self.every, "--require", CUDA + "+cudnn", status=1, loadable="partly",
                           cause="absent-library")
        self.lost(report, "libcudnn.so.9")


if __name__ == "__main__":
    story.main()
