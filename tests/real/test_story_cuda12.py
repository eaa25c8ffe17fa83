#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The story of a CUDA 12 release (rows of README.md): cuDNN and cuFFT stand in DT_NEEDED."""

import os
import pathlib
import re
import shutil
import subprocess

import session
import story
import venvs
import verdict
from story import CUDNN_CHECKS, PROVIDER, RUNTIME_ONLY, Story

KNOWLEDGE = pathlib.Path(__file__).resolve().parents[2] / "knowledge"
NEEDED = ("libcublasLt.so.12", "libcublas.so.12", "libcurand.so.10", "libcufft.so.11",
          "libcudart.so.12", "libcudnn.so.9")


class Cuda12(Story):
    """onnxruntime-gpu[cuda,cudnn] 1.24.4: cuDNN in DT_NEEDED."""

    environment = "1.24.4"

    def test_as_installed_nothing_is_reachable(self):
        self.runs("not loaded", library="libcublasLt.so.12")
        self.assertEqual(sorted(session.not_found(self.state.provider)), sorted(NEEDED))
        self.assertFalse(session.guard_passes(self.state))
        report = self.asks([], status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.12")
        for library in NEEDED:
            folder = self.state.library(library).parent.relative_to(self.state.site)
            self.searched(report, library, PROVIDER, ("cache", "default"), lies_in=str(folder))
        self.cured(report)
        if report:
            self.assertEqual(len(report.of_rule("unreachable-library")), len(NEEDED))
            self.assertIn("preload_dlls", verdict.json.dumps(report.findings))

    def test_the_path_of_the_runtime_alone(self):
        path = [self.state.site / "nvidia/cuda_runtime/lib"]
        self.runs("not loaded", path, library="libcublasLt.so.12")
        self.assertFalse(session.guard_passes(self.state, path))
        report = self.asks(path, status=1, loadable="no", cause="unreachable-library",
                           first="libcublasLt.so.12")
        for library in NEEDED:
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
        for library in NEEDED:
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

    def test_a_plan_without_the_global_bridge(self):
        """The knowledge, less the flag: what a program that loads the bridge locally would get."""
        if RUNTIME_ONLY:
            return
        changed = self.state.scratch / "knowledge"
        shutil.copytree(KNOWLEDGE, changed)
        plan = changed / "onnxruntime.toml"
        before = plan.read_text(encoding="utf-8")
        after = re.sub(r'(id = "providers-shared"\n(?:.+\n)*?)is_global = true\n', r"\1", before)
        self.assertNotEqual(before, after)
        plan.write_text(after, encoding="utf-8")
        report = self.asks(self.every, "--knowledge", changed, status=1, loadable="no",
                           cause="missing-symbol")
        self.assertIn("Provider_GetHost", verdict.json.dumps(report.findings))

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
        """RPATH serves what the provider and its libraries ask for; RUNPATH what the provider asks
        for itself, and libnvrtc, which libcublasLt opens by name, is reached through cuDNN's."""
        folders = ":".join("$ORIGIN/../../nvidia/" + pathlib.Path(one).parent.name + "/lib"
                           for one in self.every)
        for options in ([], ["--force-rpath"]):
            with self.subTest(options), self.state.patched(self.state.provider, *options,
                                                           "--set-rpath", folders):
                self.runs("loaded", failure=100)
                self.healthy([], intact=None)

    def test_a_library_without_the_symbols(self):
        """A file of the right name in front, which defines the version and none of the symbols;
        then one which defines another version."""
        # A library's own name (DT_SONAME) is a version that it defines.
        for rule, node in (("missing-symbol", "libcufft.so.11"),
                           ("missing-symbol-version", "another.so.11")):
            folder = self.state.scratch / rule
            folder.mkdir()
            (folder / "a.c").write_text("int loadable_nothing(void) { return 0; }\n")
            (folder / "a.map").write_text(f"{node} {{ global: *; }};\n")
            subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{node}",
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


if __name__ == "__main__":
    story.main()
