#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders that real pip and uv fill by `--target`: what `check` says, held against the real import
with PYTHONPATH. pip keeps a directory that is there already (a warning, exit 0), or replaces it whole
with --upgrade; uv writes file by file."""

import os
import pathlib
import shutil
import subprocess
import unittest

import cures
import session
import venvs
import verdict
from verdict import CUDA

ASK = "import onnxruntime as o; print(*o.get_available_providers())"
CPU_BUILD, GPU_BUILD = "onnxruntime==1.24.4", f"onnxruntime-gpu=={cures.GPU}"
NEEDED = ["flatbuffers", "numpy", "packaging", "protobuf", "sympy", "mpmath"]
OFFLINE = ["--no-index", "--no-deps"]


class TargetFolder(unittest.TestCase):
    """One folder; the libraries of CUDA come from an environment, by LD_LIBRARY_PATH."""

    @classmethod
    def setUpClass(cls):
        cls.state = venvs.State("1.24.4")
        cls.addClassCleanup(cls.state.close)

    def setUp(self):
        self.scratch = venvs.scratch_folder()
        self.addCleanup(shutil.rmtree, self.scratch)
        self.folder = self.scratch / "package"
        self.uv(*NEEDED)

    def pip(self, *words):
        return cures.run(venvs.tool("pip"), "install", "--no-compile", *OFFLINE, "--find-links",
                         cures.wheels(), "--target", self.folder, *words, cwd=self.scratch)

    def uv(self, *words):
        return cures.run(venvs.tool("uv"), "pip", "install", "--python", venvs.PYTHON, *OFFLINE,
                         "--find-links", cures.wheels(), "--target", self.folder, *words, cwd=self.scratch)

    def listed(self):
        """What the real runtime lists, or the end of the error of its import."""
        done = subprocess.run([venvs.PYTHON, "-c", ASK], check=False, text=True, cwd="/",
                              env=session.clean_environment(PYTHONPATH=str(self.folder)),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.strip().splitlines()[-1].split()

    def asks(self, intact, status, *words):
        """`check`, held against the import, and against what lies in the folder."""
        report = verdict.check(self.folder, self.state.library_folders(), *words)
        text = report.text()
        self.assertEqual(report.data["target"]["kind"], "interpreter", text)
        [environment] = report.data["environments"]
        self.assertEqual(environment["interpreter"], venvs.PYTHON, text)
        self.assertEqual(environment["variables"]["PYTHONPATH"], os.path.realpath(self.folder), text)
        self.assertEqual(report.data["counts"]["distributions"],
                         len(list(self.folder.glob("*.dist-info"))), text)
        self.assertEqual((report.providers[CUDA]["verdicts"]["intact"], report.status), (intact, status), text)
        self.assertEqual("CUDAExecutionProvider" in self.listed(), intact != "no", text)
        self.assertEqual(report.data["incidents"], [], text)
        for finding in [one for one in report.findings if one["severity"] != "note"]:
            for place in finding["locations"]:
                self.assertTrue(str(place["path"]).startswith(os.path.realpath(self.folder)), text)
        return report

    def overwritten(self, report, severity):
        [finding] = [one for one in report.of_rule("overwritten-file") if one["severity"] == severity]
        return finding

    def carry_out(self, remedy):
        """Runs the commands of a remedy: pip and uv are the pinned ones, wheels those of the tests."""
        for command in remedy["commands"]:
            if command.startswith("rm -r "):
                subprocess.run(command, shell=True, check=True)
                continue
            words = command.split()
            self.assertIn("--target", words, command)
            tool = "uv" if words[0] == "uv" else "pip"
            verb = words.index("install")
            more = ["pip"] if tool == "uv" else []
            cures.run(venvs.tool(tool), *more, "install", "--no-index", "--find-links", cures.wheels(),
                      *words[verb + 1:], cwd=self.scratch)

    def cured_by(self, report, beginning):
        remedies = [one for one in self.overwritten(report, "error")["remedies"]
                    if "reinstall" in one["id"]]
        [remedy] = [one for one in remedies if one["id"].startswith(beginning)]
        self.carry_out(remedy)
        self.assertEqual(self.asks("yes", 0).of_rule("overwritten-file"), [])

    def test_the_gpu_build_alone_is_in_order(self):
        self.pip(GPU_BUILD)
        report = self.asks("yes", 0)
        self.assertEqual(report.rules("error", "warning"), [], report.text())
        self.assertEqual(self.asks("yes", 0, "--integrity", "full").rules("error", "warning"), [])

    def test_pip_keeps_what_is_there_and_says_installed(self):
        self.pip(GPU_BUILD)
        self.assertIn("already exists", self.pip(CPU_BUILD))
        self.overwritten(self.asks("yes", 0), "warning")

    def test_pip_with_upgrade_replaces_the_package(self):
        self.pip(GPU_BUILD)
        self.pip("--upgrade", CPU_BUILD)
        report = self.asks("no", 1)
        # The whole directory is the CPU build's: the provider's own libraries went with it.
        self.assertIn(report.providers[CUDA]["cause"], ("overwritten-file", "missing-file"), report.text())
        self.cured_by(report, "pip-")

    def test_pip_both_in_one_command(self):
        self.pip(CPU_BUILD, GPU_BUILD)
        kept = "CUDAExecutionProvider" in self.listed()
        self.asks("yes" if kept else "no", 0 if kept else 1)

    def test_uv_writes_over_it_file_by_file(self):
        self.uv(GPU_BUILD)
        self.uv(CPU_BUILD)
        report = self.asks("no", 1)
        finding = self.overwritten(report, "error")
        self.assertIn("owns 3 of the 315 files it shares with `onnxruntime-gpu`", finding["message"])
        for remedy in finding["remedies"]:
            self.assertIn(f"--target {os.path.realpath(self.folder)}", "\n".join(remedy["commands"]), finding)
        self.cured_by(report, "uv-")

    def test_a_package_of_which_the_files_went(self):
        self.uv(GPU_BUILD)
        for path in (self.folder / "onnxruntime").rglob("*.py"):
            path.unlink()
        report = self.asks("no", 1)
        self.assertEqual(report.providers[CUDA]["cause"], "gutted-package", report.text())

    def test_pip_leaves_the_second_piece_of_a_shared_directory_out(self):
        """`nvidia/` is there from the first one, so pip keeps it: cuRAND is not installed."""
        self.pip(GPU_BUILD)
        wheels = self.scratch / "wheels"
        names = ("nvidia-cuda-runtime-cu12", "nvidia-curand-cu12")
        rows = [line for line in (venvs.REQUIREMENTS / "cuda12.txt").read_text(encoding="utf-8").splitlines()
                if line.startswith(names)]
        (self.scratch / "rows.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
        common = venvs.cache_folder() / "wheels"
        venvs.download_and_install(venvs.tool("pip"), "download", "--require-hashes", "--no-deps",
                                   "--only-binary", ":all:", "--find-links", common, "-d", common,
                                   "-r", self.scratch / "rows.txt")
        wheels.mkdir()
        for row in rows:
            name, version = row.split(" ")[0].split("==")
            [wheel] = common.glob(f"{name.replace('-', '_')}-{version}-*.whl")
            os.link(wheel, wheels / wheel.name)
            self.pip("--find-links", wheels, f"{name}=={version}")
        self.assertFalse((self.folder / "nvidia/curand").exists())
        others = [path for path in self.state.library_folders() if "curand" not in path]
        report = verdict.check(self.folder, others)
        self.assertEqual((report.providers[CUDA]["cause"], report.status), ("missing-file", 1), report.text())
        [finding] = report.of_library("libcurand.so.10")
        [remedy] = finding["remedies"][:1]
        [command] = remedy["commands"]
        self.assertTrue(command.startswith("uv pip install --target "), finding)
        cures.run(venvs.tool("uv"), "pip", "install", "--python", venvs.PYTHON, "--no-index", "--find-links",
                  wheels, *command.split()[3:], cwd=self.scratch)
        self.assertTrue((self.folder / "nvidia/cuda_runtime/lib").is_dir(), "the other piece is still there")
        folders = [*others, str(self.folder / "nvidia/curand/lib")]
        self.assertEqual(verdict.check(self.folder, folders).status, 0)

    def test_the_interpreter_is_the_callers_or_the_one_that_is_named(self):
        self.pip(GPU_BUILD)
        python = verdict.check(self.folder, self.state.library_folders(), "--python", self.state.python)
        self.assertEqual(python.data["environments"][0]["interpreter"], str(self.state.python))
        self.assertEqual(python.data["counts"]["distributions"], len(list(self.folder.glob("*.dist-info"))))
        within = verdict.check(self.folder, self.state.library_folders(), "--root", "/")
        self.assertEqual(within.data["environments"][0]["variables"]["PYTHONPATH"], os.path.realpath(self.folder))
        empty = verdict.loadable("check", self.folder, variables={"PATH": str(self.scratch)})
        self.assertEqual(empty.returncode, 2)
        self.assertIn("--python", empty.stderr)

    def test_a_package_of_the_interpreter_hides_a_part_of_a_namespace(self):
        self.pip(GPU_BUILD)
        python = venvs.State("1.24.4")
        self.addCleanup(python.close)
        (self.folder / "mine-1.dist-info").mkdir()
        (self.folder / "mine-1.dist-info/RECORD").write_text("mine/part.py,,\n", encoding="utf-8")
        (self.folder / "mine").mkdir()
        (self.folder / "mine/part.py").touch()

        def imports():
            return subprocess.run([python.python, "-c", "import mine.part"], check=False, cwd="/", stderr=subprocess.DEVNULL,
                                  env=session.clean_environment(PYTHONPATH=str(self.folder))).returncode == 0

        def warned():
            report = verdict.check(self.folder, self.state.library_folders(), "--python", python.python)
            return [one["message"] for one in report.findings if "behind this folder" in one["message"]]

        (python.site / "mine").mkdir()
        self.assertTrue(imports(), "two parts of a namespace")
        self.assertEqual(warned(), [])
        (python.site / "mine/__init__.py").touch()
        self.assertFalse(imports(), "the package comes first, although it is behind")
        [message] = warned()
        self.assertIn("hides the directory `mine` of `mine` 1", message)
        (self.folder / "mine/__init__.py").touch()
        self.assertTrue(imports())
        self.assertEqual(warned(), [])

    def test_what_the_interpreter_has_itself_is_not_told(self):
        """The environment of the interpreter is broken; the folder is not."""
        self.pip(GPU_BUILD)
        spoilt = venvs.State("1.24.4")
        self.addCleanup(spoilt.close)
        provider = pathlib.Path(spoilt.provider)
        provider.unlink()
        report = verdict.check(self.folder, self.state.library_folders(), "--python", spoilt.python)
        self.assertEqual((report.status, report.rules("error", "warning")), (0, []), report.text())


if __name__ == "__main__":
    unittest.main()
