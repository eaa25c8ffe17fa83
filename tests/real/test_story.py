#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The story from real wheels: what a real session does, and what `loadable check` says of it.

Each row of README.md is one test. A test puts a copy of a real environment into a state, runs a
real session there, then asks `loadable`. With `--runtime-only` the second half is left out, and
the last line says so.
"""

import os
import pathlib
import subprocess
import sys
import unittest

import session
import venvs
import verdict
from verdict import CUDA, TENSORRT

RUNTIME_ONLY = "--runtime-only" in sys.argv
PROVIDER = "onnxruntime/capi/libonnxruntime_providers_cuda.so"
PYBIND = "onnxruntime/capi/onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so"
NEEDED_12 = ("libcublasLt.so.12", "libcublas.so.12", "libcurand.so.10", "libcufft.so.11",
             "libcudart.so.12", "libcudnn.so.9")
NEEDED_13 = ("libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13")
PIECES = ("adv", "cnn", "engines_precompiled", "engines_runtime_compiled", "engines_tensor_ir",
          "ext", "graph", "heuristic", "ops")
CUDNN_CHECKS = ("cudnnGraphVersionCheck", "cudnnOpsVersionCheck", "cudnnCnnVersionCheck",
                "cudnnAdvVersionCheck")


class Story(unittest.TestCase):
    """A state of one environment, with a driver library that finds no device beside it."""

    environment = None

    @classmethod
    def setUpClass(cls):
        cls.state = venvs.State(cls.environment)
        cls.addClassCleanup(cls.state.close)
        cls.every = cls.state.library_folders()
        symbols = session.driver_symbols(cls.state)
        cls.driver = session.build_driver(cls.state.scratch / "driver", symbols)
        cls.symbols = symbols

    def runs(self, kind, folders=(), library="", symbol="", failure=0, driver=True, **options):
        """Asserts how the real session ends in the present state; returns the outcome."""
        extra = [self.driver] if driver else []
        got = session.run_session(self.state, [*folders, *extra], **options)
        self.assertEqual((got.kind, got.library, got.symbol, got.failure),
                         (kind, library, symbol, failure), got.text)
        if kind in ("loaded", "not loaded"):
            self.assertIn("CUDAExecutionProvider", got.listed, "listed in every state")
            self.assertEqual(got.got, ("CPUExecutionProvider",), "and the session is on the CPU")
        return got

    def asks(self, folders, *options, status, loadable, cause, shipped="yes", intact="yes",
             usable=None, first="", target=None, host_variables=None):
        """Asserts what `check` says in the present state; returns the report, or nothing."""
        if RUNTIME_ONLY:
            return None
        report = verdict.check(target or self.state.path, folders, *options,
                               host_variables=host_variables)
        entry = report.providers[CUDA]
        text = report.text()
        verdicts = entry["verdicts"]
        self.assertTrue(entry["required"], text)
        self.assertEqual(verdicts["shipped"], shipped, text)
        for name, value, wanted in (("intact", verdicts["intact"], intact),
                                    ("loadable", verdicts["loadable"], loadable),
                                    ("usable", verdicts["usable"], usable),
                                    ("cause", entry["cause"], cause)):
            if wanted is not None or name == "cause":
                self.assertIn(value, wanted if isinstance(wanted, tuple) else (wanted,),
                              f"{name}\n{text}")
        self.assertEqual(report.status, status, text)
        self.assertEqual(bool(report.rules("error")), status == 1, text)
        self.assertTrue(report.data["complete"], text)
        if first:
            self.assertEqual(report.first_library(), first, text)
            self.assertIn(first, entry["reasons"]["loadable"], text)
        if shipped == "yes":
            self.tensorrt_is_a_note(report)
        return report

    def tensorrt_is_a_note(self, report):
        """The companion that never loads without TensorRT fails nobody."""
        entry = report.providers[TENSORRT]
        self.assertFalse(entry["required"], report.text())
        for item in report.findings:
            if verdict.concerned(item) == [TENSORRT]:
                self.assertEqual(item["severity"], "note", report.text())

    def healthy(self, folders, *options, warnings=(), **more):
        """Asserts that nothing is wrong, and that the driver is expected."""
        report = self.asks(folders, *options, status=0, loadable="yes", cause=None, **more)
        if report:
            entry = report.providers[CUDA]
            self.assertIn(session.DRIVER, entry["expected_at_run_time"], report.text())
            self.assertEqual(entry["losses"], [], report.text())
            self.assertEqual(sorted(set(report.rules("warning"))), sorted(warnings),
                             report.text())
        return report

    def searched(self, report, library, consumer, rules, folder="", lies_in=""):
        """Asserts that one finding about the library tells who asked, where was searched, where
        the library lies."""
        if not report:
            return
        self.assertTrue(report.of_library(library), f"{library}\n{report.text()}")
        item = report.of_library(library)[0]
        text = verdict.json.dumps(item, indent=1)
        self.assertTrue(any(path.endswith(consumer) for path in
                            verdict.places(item, "consumer")), text)
        candidates = list(verdict.tried(item["evidence"]))
        self.assertLessEqual(set(rules), {one["rule"] for one in candidates}, text)
        if folder:
            self.assertTrue(any(str(folder) in (one.get("path") or "") for one in candidates),
                            f"{folder}\n{text}")
        if lies_in:
            there = [one for one in item["locations"] if one.get("role") == "library"]
            self.assertTrue(any(one["path"].endswith(f"{lies_in}/{library}") for one in there),
                            text)
            self.assertTrue(all(one.get("distribution") for one in there), text)

    def lost(self, report, library):
        """Asserts that the entry's losses, or a finding when it cannot load, name the library."""
        if report:
            entry = report.providers[CUDA]
            named = verdict.json.dumps(entry["losses"])
            if entry["verdicts"]["loadable"] == "no":
                named += "".join(item["message"] for item in report.findings)
            self.assertIn(library, named, report.text())


class Cuda12(Story):
    """onnxruntime-gpu[cuda,cudnn] 1.24.4: cuDNN in DT_NEEDED."""

    environment = "1.24.4"

    def test_as_installed_nothing_is_reachable(self):
        self.runs("not loaded", library="libcublasLt.so.12")
        self.assertEqual(sorted(session.not_found(self.state.provider)), sorted(NEEDED_12))
        self.assertFalse(session.guard_passes(self.state))
        report = self.asks([], status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.12")
        for library in NEEDED_12:
            folder = self.state.library(library).parent.relative_to(self.state.site)
            self.searched(report, library, PROVIDER, ("cache", "default"), lies_in=str(folder))
        if report:
            self.assertEqual(len(report.of_rule("unreachable-library")), len(NEEDED_12))
            self.assertIn("preload_dlls", verdict.json.dumps(report.findings))

    def test_the_path_of_the_runtime_alone(self):
        path = [self.state.site / "nvidia/cuda_runtime/lib"]
        self.runs("not loaded", path, library="libcublasLt.so.12")
        self.assertFalse(session.guard_passes(self.state, path))
        report = self.asks(path, status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.12")
        for library in NEEDED_12:
            if library != "libcudart.so.12":
                self.searched(report, library, PROVIDER, ("env", "cache", "default"), path[0])
        if report:
            self.assertEqual(report.of_library("libcudart.so.12"), [])

    def test_every_directory_on_the_path(self):
        self.runs("loaded", self.every, failure=35, driver=False)
        self.runs("loaded", self.every, failure=100)
        self.assertTrue(session.guard_passes(self.state, self.every))
        self.healthy(self.every)
        report = self.healthy([*self.every, self.driver])
        if report:
            self.assertNotIn("driver-stub", report.rules())

    def test_the_callers_environment_decides(self):
        self.healthy([], warnings=["depends-on-caller-environment"],
                     host_variables={"LD_LIBRARY_PATH": ":".join(self.every)})

    def test_a_preload_is_stated(self):
        self.runs("loaded", failure=35, preload=True, driver=False)
        self.assertFalse(session.guard_passes(self.state), "the guard cannot know of a preload")
        self.healthy([], "--after", "onnxruntime.preload_dlls")

    def test_a_needed_library_is_removed(self):
        for library in NEEDED_12:
            with self.subTest(library), self.state.without(self.state.library(library)):
                self.runs("not loaded", self.every, library=library)
                self.assertFalse(session.guard_passes(self.state, self.every))
                causes = ("missing-file", "incomplete-library-set")
                report = self.asks(self.every, status=1, loadable="no", intact="partly",
                                   cause=causes if "cudnn" in library else "missing-file",
                                   first=library)
                self.lost(report, library)

    def test_a_library_opened_by_name_is_removed(self):
        for library in ("libnvrtc.so.12", "libnvrtc-builtins.so.12.9", "libnvJitLink.so.12"):
            with self.subTest(library), self.state.without(self.state.library(library)):
                self.runs("loaded", self.every, failure=100)
                self.assertTrue(session.guard_passes(self.state, self.every), "sees nothing")
                report = self.asks(self.every, status=1, loadable="partly", intact="partly",
                                   cause="missing-file")
                self.lost(report, library)

    def test_a_piece_of_cudnn_is_removed(self):
        self.cudnn_pieces(("partly",), ("partly", "no"))

    def test_the_bridge_is_removed(self):
        self.bridge()

    def test_the_bridge_must_be_loaded_globally_first(self):
        done = subprocess.run(["ldd", "-r", str(self.state.provider)], check=True, text=True,
                              capture_output=True, env=session.clean_environment(self.every))
        self.assertIn("undefined symbol: Provider_GetHost", done.stdout)
        if RUNTIME_ONLY:
            return
        variables = ["--env", "LD_LIBRARY_PATH=" + ":".join(self.every)]
        alone = verdict.loadable("ldd", "--format", "json", "--symbols", *variables, "--dlopen",
                                 f"now@{self.state.provider}", "/usr/bin/python3")
        failures = verdict.json.loads(alone.stdout)["failures"]
        self.assertEqual(alone.returncode, 1, alone.stdout + alone.stderr)
        self.assertTrue(any(item["kind"] == "symbol" and "Provider_GetHost" in item["message"]
                            for item in failures), alone.stdout)
        first = verdict.loadable("ldd", "--format", "json", "--symbols", *variables, "--dlopen",
                                 f"now,global@{self.state.shared}", "--dlopen",
                                 f"now@{self.state.provider}", "/usr/bin/python3")
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)

    def test_a_stub_of_the_driver(self):
        for name in ("plain", "stubs"):
            stub = session.build_stub(self.state.scratch / name, self.symbols)
            with self.subTest(name):
                self.runs("loaded", [*self.every, stub], failure=34, driver=False)
                self.assertTrue(session.guard_passes(self.state, [*self.every, stub]))
                self.asks([*self.every, stub], status=1, loadable="yes", usable="no",
                          cause="driver-stub")

    def test_a_stub_that_lacks_a_function(self):
        stub = session.build_stub(self.state.scratch / "old",
                                  self.symbols - {"cuTensorMapEncodeTiled"})
        self.runs("loaded", [*self.every, stub], failure=34, driver=False)
        # One of cuDNN's engines binds the function, the provider of this release does not.
        self.asks([*self.every, stub], status=1, loadable=("yes", "partly"), usable="no",
                  cause="driver-stub")

    def test_the_wheels_of_cuda_13_come_first(self):
        other = venvs.environment("1.31.1") / "lib/python3.11/site-packages/nvidia"
        path = [other / "cu13/lib", other / "cudnn/lib", *self.every]
        got = self.runs("loaded", path, failure=100)
        runtimes = {pathlib.Path(name).name for name in got.mapped if "libcudart" in name}
        self.assertEqual(runtimes, {"libcudart.so.12", "libcudart.so.13"})
        self.assertTrue(session.guard_passes(self.state, path))
        report = self.asks(path, status=1, loadable=("partly", "no"), cause="mixed-cuda-majors")
        if report:
            found = verdict.json.dumps(report.of_rule("mixed-cuda-majors"))
            self.assertIn(str(other), found)

    def test_dt_needed_is_read_from_the_file(self):
        new = "libloadable_nowhere.so.1"
        with self.state.patched(self.state.provider, "--replace-needed", "libcufft.so.11", new):
            self.runs("not loaded", self.every, library=new)
            self.asks(self.every, status=1, loadable="no", intact=None, cause="absent-library",
                      first=new)
        with self.state.patched(self.state.provider, "--remove-needed", "libcufft.so.11"):
            # The loader gives up: versions are wanted of a file that is not needed.
            got = session.run_session(self.state, self.every)
            self.assertEqual(got.kind, "crash", got.text)
            self.asks(self.every, status=1, loadable="no", intact=None,
                      cause=("missing-symbol-version", "missing-symbol"))

    def test_a_run_path_is_a_cure(self):
        folders = ":".join("$ORIGIN/../../nvidia/" + pathlib.Path(one).parent.name + "/lib"
                           for one in self.every)
        with self.state.patched(self.state.provider, "--set-rpath", folders):
            self.runs("loaded", failure=100)
            self.healthy([], intact=None)

    def test_a_library_without_the_symbols(self):
        """A file of the right name in front, which defines the version and none of the symbols;
        then one which defines another version."""
        for rule, node in (("missing-symbol", "libcufft.so.11"),
                           ("missing-symbol-version", "another.so.11")):
            folder = self.state.scratch / rule
            folder.mkdir()
            (folder / "a.c").write_text("int loadable_nothing(void) { return 0; }\n")
            (folder / "a.map").write_text(f"{node} {{ global: *; }};\n")
            subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libcufft.so.11",
                            f"-Wl,--version-script,{folder}/a.map", "-o",
                            str(folder / "libcufft.so.11"), str(folder / "a.c")], check=True)
            with self.subTest(rule):
                path = [folder, *self.every]
                got = session.run_session(self.state, path)
                self.assertEqual(got.kind, "not loaded", got.text)
                self.assertTrue(session.guard_passes(self.state, path), "all names are found")
                report = self.asks(path, status=1, loadable="no", cause=(rule, "shadowed-library"))
                if report and got.symbol:
                    self.assertIn(got.symbol, verdict.json.dumps(report.findings))
                if report:
                    self.assertIn(str(folder), verdict.json.dumps(report.findings))

    def test_a_piece_of_cudnn_comes_from_another_release(self):
        other = venvs.environment("1.31.1") / "lib/python3.11/site-packages/nvidia/cudnn/lib"
        mixed = self.state.scratch / "mixed"
        mixed.mkdir()
        os.link(other / "libcudnn_graph.so.9", mixed / "libcudnn_graph.so.9")
        with self.state.without(self.state.library("libcudnn_graph.so.9")):
            path = [*self.every, mixed]
            answers = session.cudnn_answers(self.state, path, *CUDNN_CHECKS)
            self.assertEqual(answers["cudnnOpsVersionCheck"], 1002, "version mismatch")
            self.runs("loaded", path, failure=100)
            self.asks(path, status=1, loadable=("partly", "no"), intact="partly",
                      cause=("missing-file", "mixed-library-set", "incomplete-library-set"))

    def test_what_nobody_knows_is_refused(self):
        if RUNTIME_ONLY:
            return
        for words in (["--after", "nobody.knows.this", self.state.path],
                      ["--require", "nobody:knows", self.state.path],
                      ["--no-such-option", self.state.path],
                      [self.state.scratch / "nothing-here"],
                      [self.state.path / "pyvenv.cfg"]):
            with self.subTest(words[:-1]):
                done = verdict.loadable("check", "--format", "json", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr.strip())

    def cudnn_pieces(self, loadable, loadable_without_core):
        """Each piece of cuDNN removed: a session shows nothing, the guard shows nothing, cuDNN
        itself shows the loss of four of nine pieces."""
        whole = session.cudnn_answers(self.state, self.every, *CUDNN_CHECKS)
        self.assertEqual(set(whole.values()), {0})
        shown = set()
        for piece in PIECES:
            library = f"libcudnn_{piece}.so.9"
            with self.subTest(library), self.state.without(self.state.library(library)):
                self.runs("loaded", self.every, failure=100)
                self.assertTrue(session.guard_passes(self.state, self.every))
                if session.cudnn_answers(self.state, self.every, *CUDNN_CHECKS) != whole:
                    shown.add(piece)
                core = piece in ("graph", "ops")
                report = self.asks(self.every, status=1, intact="partly",
                                   loadable=loadable_without_core if core else loadable,
                                   cause=("incomplete-library-set", "missing-file"))
                self.lost(report, library)
        self.assertEqual(shown, {"graph", "ops", "cnn", "adv"})

    def bridge(self):
        """libonnxruntime_providers_shared.so is gone."""
        with self.state.without(self.state.shared):
            got = session.run_session(self.state, [*self.every, self.driver])
            self.assertEqual((got.kind, got.library),
                             ("not loaded", "libonnxruntime_providers_shared.so"), got.text)
            self.assertTrue(session.guard_passes(self.state, self.every))
            report = self.asks(self.every, status=1, loadable="no", intact=("partly", "no"),
                               cause=("missing-file", "missing-symbol"), first=got.library)
            if report:
                self.assertIn("Provider_GetHost", verdict.json.dumps(report.findings))


class Cuda13(Story):
    """onnxruntime-gpu[cuda,cudnn] 1.31.1: cuDNN and cuFFT opened by name, the driver needed."""

    environment = "1.31.1"
    cudnn_pieces = Cuda12.cudnn_pieces
    bridge = Cuda12.bridge

    def test_as_installed_nothing_is_reachable(self):
        self.runs("not loaded", library="libcublasLt.so.13")
        report = self.asks([], status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.13")
        for library in NEEDED_13:
            self.searched(report, library, PROVIDER, ("cache", "default"),
                          lies_in="nvidia/cu13/lib")

    def test_cudnn_alone_is_unreachable_and_the_guard_passes(self):
        path = [self.state.site / "nvidia/cu13/lib"]
        self.runs("not loaded", path, library=session.DRIVER, driver=False)
        self.runs("loaded", path, failure=100)
        self.assertTrue(session.guard_passes(self.state, path), "this is what we are here for")
        report = self.asks(path, status=1, loadable="partly", cause="unreachable-library",
                           first="libcudnn.so.9")
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

    def test_a_needed_library_is_removed(self):
        for library in NEEDED_13:
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
                if report:
                    absent = verdict.json.dumps(report.of_rule("absent-library"))
                    self.assertNotIn("libcurand.so.10: ", absent)


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
    if RUNTIME_ONLY:
        sys.argv.remove("--runtime-only")
    finished = unittest.main(exit=False).result
    if RUNTIME_ONLY:
        print("left out: every question to loadable", file=sys.stderr)
    sys.exit(not finished.wasSuccessful())
