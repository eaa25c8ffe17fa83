#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real wheels that share files, installed over each other by real pip and uv: whose bytes lie there.

Each state is counted twice: by the program (ownership_dump), and in Python with csv and hashlib
(owners.py). The figures that stand here are those of docs and of the wheels' own lists."""

import base64
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import unittest
import zipfile

import owners
import venvs
import verdict
from installers import CPU, GPU, Installers, wheels

DUMP = os.path.join(os.environ["LOADABLE_BUILD"], "ownership_dump")


class Owners(unittest.TestCase):
    """A state is made, counted twice, and compared with what is known of it."""

    def setUp(self):
        self.venv = Installers.new()
        self.addCleanup(self.venv.close)

    def counted(self, hidden=0):
        """Both counts, which must agree; the program's is returned."""
        done = subprocess.run([DUMP, "--all", "--threads=2", os.path.realpath(self.venv.path)],
                              check=True, stdout=subprocess.PIPE)
        ours, theirs = json.loads(done.stdout), owners.count(self.venv.path)
        self.assertEqual(ours["overlaps"], theirs["overlaps"])
        self.assertEqual({row["distribution"]: [row["listed"], row["gone"]] for row in ours["losses"]},
                         theirs["losses"])
        self.assertEqual([row["path"] for row in ours["altered"]], theirs["altered"])
        self.assertEqual(ours["incidents"], [])
        self.assertEqual(ours["stale"], [])
        self.assertEqual(len(ours["hidden"]), hidden)
        # By default only what is contested is read: the answer is the same.
        done = subprocess.run([DUMP, os.path.realpath(self.venv.path)], check=True,
                              stdout=subprocess.PIPE)
        default = json.loads(done.stdout)
        self.assertEqual(default["overlaps"], ours["overlaps"])
        self.assertEqual(default["altered"], [])
        there = sum("gone" not in said.values() for overlap in ours["overlaps"]
                    for said in overlap["differing"].values())
        self.assertEqual(default["files_hashed"], there)
        return ours

    def pair(self, shared, identical, of_first, of_second, gone=0, hidden=0):
        """The one overlap, with these figures."""
        ours = self.counted(hidden)
        self.assertEqual(len(ours["overlaps"]), 1)
        found = ours["overlaps"][0]
        keys = ("shared", "identical", "of_first", "of_second", "of_neither", "gone")
        self.assertEqual([found[key] for key in keys],
                         [shared, identical, of_first, of_second, 0, gone])
        return ours

    def told(self):
        """`severity message` of the program's own findings of ownership."""
        report = verdict.Report(verdict.loadable("check", self.venv.path, "--format", "json"))
        return [f"{one['severity']} {one['message']}" for one in report.findings
                if one["rule"] == "overwritten-file"]


class SameVersion(Owners):
    """onnxruntime and onnxruntime-gpu 1.24.4: 315 files, 312 of them identical, and a launcher."""

    def test_pip_the_cpu_build_last_then_the_gpu_build_then_an_uninstall(self):
        self.venv.pip(GPU)
        self.assertEqual(self.counted()["overlaps"], [])
        self.venv.pip(CPU)
        self.pair(315, 312, of_first=3, of_second=0)
        self.venv.pip_uninstall("onnxruntime")
        ours = self.counted()
        self.assertEqual(ours["losses"][0]["gone"], 316)
        self.assertEqual(ours["losses"][0]["gutted"], [os.path.realpath(self.venv.site / "onnxruntime")])
        self.assertEqual(self.venv.runs("import onnxruntime as o; print(o.__file__, list(o.__path__) != [])"),
                         "None True")
        left = [path for path in ours["unowned"] if "onnxruntime" in path]
        self.assertEqual(left, [], "the provider libraries are still listed by the GPU build")

    def test_pip_the_gpu_build_last(self):
        self.venv.pip(CPU)
        self.venv.pip(GPU)
        self.pair(315, 312, of_first=0, of_second=3)
        self.venv.pip_uninstall("onnxruntime-gpu")
        ours = self.counted()
        self.assertEqual(ours["losses"][0]["distribution"], CPU)
        self.assertEqual(ours["losses"][0]["gone"], 316)
        self.assertIn("ModuleNotFoundError", self.venv.runs("import onnxruntime"))

    def test_uv_two_commands_and_a_mixed_state(self):
        self.venv.uv(GPU)
        self.venv.uv(CPU)
        self.pair(315, 312, of_first=3, of_second=0)
        self.venv.take_from_wheel("onnxruntime_gpu-1.24.4-cp311*", "onnxruntime/capi/libonnxruntime.so.1")
        self.pair(315, 312, of_first=2, of_second=1)
        self.venv.take_from_wheel("onnxruntime_gpu-1.24.4-cp311*", "onnxruntime/capi/build_and_package")
        self.pair(315, 312, of_first=1, of_second=2)
        self.venv.uv_uninstall("onnxruntime-gpu")
        self.assertEqual(self.counted()["losses"][0]["gone"], 316)

    def test_uv_symlinks_are_followed(self):
        self.venv.uv(CPU, mode="symlink")
        self.venv.uv(GPU, mode="symlink")
        self.pair(315, 312, of_first=0, of_second=3)

    def test_uv_one_command_is_a_race_and_the_bytes_tell_who_won(self):
        for mode in ("hardlink", "copy", "copy", "copy"):
            with self.subTest(mode):
                self.venv = Installers.new()
                self.addCleanup(self.venv.close)
                self.venv.uv(CPU, GPU, mode=mode)
                found, = self.counted()["overlaps"]
                self.assertEqual([found["shared"], found["identical"], found["of_neither"]], [315, 312, 0])
                self.assertEqual(found["of_first"] + found["of_second"], 3)


class OtherPairs(Owners):
    """Other releases and other families."""

    def test_different_releases(self):
        self.venv.uv("onnxruntime-gpu 1.31.1")
        self.venv.uv("onnxruntime 1.32.0")
        found, = self.counted()["overlaps"]
        self.assertEqual(found["first"], "onnxruntime 1.32.0")
        self.assertEqual([found["of_first"], found["of_second"]], [len(found["differing"]), 0])
        self.assertEqual(len(found["differing"]), 17)

    def test_opencv(self):
        self.venv.pip("opencv-python-headless 5.0.0.93")
        self.venv.pip("opencv-python 5.0.0.93")
        ours = self.pair(39, 36, of_first=3, of_second=0)
        self.assertEqual(ours["overlaps"][0]["first"], "opencv-python 5.0.0.93")
        self.venv.pip_uninstall("opencv-python-headless")
        lost, = self.counted()["losses"]
        self.assertEqual(lost["gutted"], [os.path.realpath(self.venv.site / "cv2")])

    def test_fastembed_is_identical_and_an_uninstall_guts_it(self):
        self.venv.uv("fastembed 0.9.1", "fastembed-gpu 0.9.1")
        self.pair(69, 69, 0, 0)
        self.venv.uv_uninstall("fastembed")
        lost, = self.counted()["losses"]
        self.assertEqual([lost["distribution"], lost["listed"], lost["gone"]],
                         ["fastembed-gpu 0.9.1", 69, 69])

    def test_faiss_in_both_orders(self):
        """The wrapper is the last one's; the module that it imports is the CPU build's in any order,
        because an import tries `.abi3.so` before `.so`."""
        cpu, gpu = "faiss-cpu 1.15.1", "faiss-gpu-cu12 1.14.1.post1"
        self.venv.pip(cpu)
        self.assertEqual(self.counted()["overlaps"], [])
        self.venv.pip(gpu)
        ours = self.pair(25, 3, of_first=0, of_second=22, hidden=1)
        package = os.path.realpath(self.venv.site / "faiss")
        self.assertEqual(ours["hidden"], [
            {"package": package + "/_swigfaiss.abi3.so", "package_of": cpu,
             "module": package + "/_swigfaiss.so", "module_of": gpu}])
        find = "from importlib.machinery import PathFinder as F; print(F.find_spec('_swigfaiss', [%r]).origin)"
        self.assertEqual(self.venv.runs(find % package), package + "/_swigfaiss.abi3.so")
        told = self.told()
        self.assertEqual(len(told), 2, told)
        self.assertIn("`faiss-gpu-cu12` 1.14.1.post1 owns all 22 files", told[0])
        self.assertIn("`_swigfaiss.abi3.so` of `faiss-cpu` 1.15.1 hides the module `_swigfaiss.so`", told[1])
        self.venv.pip_uninstall("faiss-gpu-cu12")
        lost, = self.counted()["losses"]
        self.assertEqual([lost["distribution"], lost["gone"], lost["gutted"]], [cpu, 25, [package]])
        self.venv = Installers.new()
        self.addCleanup(self.venv.close)
        self.venv.uv(gpu)
        self.venv.uv(cpu)
        self.pair(25, 3, of_first=22, of_second=0, hidden=1)
        self.assertIn("what `faiss-gpu-cu12` has for CUDA 12 is gone", self.told()[0])


class CondaPrefix(unittest.TestCase):
    """conda's onnxruntime, made in conda's documented format from the real wheel, and pip's wheels over it."""

    NOTICES = "onnxruntime/ThirdPartyNotices.txt"

    def setUp(self):
        self.venv = Installers.new()
        self.addCleanup(self.venv.close)
        self.prefix = pathlib.Path(os.path.realpath(self.venv.scratch)) / "conda"
        self.site = self.prefix / "lib/python3.11/site-packages"
        self.package = self.prefix / "conda-meta/onnxruntime-1.24.4-py311_cpu.json"
        self.site.mkdir(parents=True)
        (self.prefix / "bin").mkdir()
        (self.prefix / "bin/python3.11").symlink_to(os.path.realpath(self.venv.python))
        (self.prefix / "bin/python").symlink_to("python3.11")
        (self.prefix / "lib/python3.11/os.py").touch()
        self.package.parent.mkdir()
        self.describe("python", "3.11.7", "0", ["bin/python", "bin/python3.11"])
        self.conda_install()

    def describe(self, name, version, build, files):
        rows = []
        for path in files:
            data = (self.prefix / path).read_bytes()
            # What conda rewrites has other bytes than its package: only `sha256_in_prefix` tells.
            rows.append({"_path": path, "path_type": "hardlink", "size_in_bytes": len(data),
                         "sha256_in_prefix": hashlib.sha256(data).hexdigest(),
                         "sha256": "0" * 64 if path.endswith(self.NOTICES) else hashlib.sha256(data).hexdigest()})
        meta = {"name": name, "version": version, "build": build, "channel": "conda-forge", "depends": [],
                "files": files, "paths_data": {"paths_version": 1, "paths": rows}}
        (self.package.parent / f"{name}-{version}-{build}.json").write_text(json.dumps(meta), encoding="utf-8")

    def conda_install(self):
        wheel, = wheels().glob("onnxruntime-1.24.4-cp311*")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.site)
            names = [name for name in archive.namelist() if not name.endswith("/")]
        with open(self.site / self.NOTICES, "a", encoding="utf-8") as file:
            file.write(str(self.prefix))
        info = "onnxruntime-1.24.4.dist-info"
        (self.site / info / "INSTALLER").write_text("conda\n", encoding="utf-8")
        names = [f"lib/python3.11/site-packages/{name}" for name in [*names, info + "/INSTALLER"]]
        self.describe("onnxruntime", "1.24.4", "py311_cpu", names)

    def pip_install(self, name):
        venvs.run(venvs.tool("pip"), "--python", self.venv.python, "install", "--prefix", self.prefix,
                  *self.venv.wanted([name]))

    def counted(self):
        done = subprocess.run([DUMP, "--below", "--all", str(self.prefix)], check=True, stdout=subprocess.PIPE)
        ours = json.loads(done.stdout)
        self.assertEqual([ours["incidents"], ours["altered"]], [[], []])
        return ours["overlaps"]

    def independent(self, pips):
        """Of the paths in conda's list and pip's: whose bytes lie there, by path."""
        paths = json.loads(self.package.read_text(encoding="utf-8"))["paths_data"]["paths"]
        condas = {row["_path"].removeprefix("lib/python3.11/site-packages/"): row["sha256_in_prefix"] for row in paths}
        wanted = {}
        with open(self.site / pips / "RECORD", newline="", encoding="utf-8") as file:
            for path, recorded, _ in csv.reader(file):
                if ".dist-info/" in path or path not in condas or not recorded:
                    continue
                hexed = base64.urlsafe_b64decode(recorded.partition("=")[2] + "=").hex()
                found = hashlib.sha256((self.site / path).read_bytes()).hexdigest()
                if hexed != condas[path]:
                    wanted[str(self.site / path)] = ("same" if found == condas[path] else "different",
                                                     "same" if found == hexed else "different")
        return wanted

    def compare(self, pips, name):
        """The program's one overlap against the count here; conda's is first, by its dist-info."""
        overlap, = self.counted()
        ours = {path: tuple(said[one] for one in (CPU, name)) for path, said in overlap["differing"].items()}
        self.assertEqual(ours, self.independent(pips))
        return overlap

    def check(self):
        return verdict.Report(verdict.loadable("check", self.prefix, "--format", "json"))

    def test_conda_alone_is_judged_by_the_hashes_in_its_prefix(self):
        self.assertEqual(self.counted(), [])
        report = self.check()
        self.assertEqual([report.status, report.data["target"]["kind"], report.findings], [0, "conda", []])

    def test_pips_gpu_build_over_condas_cpu_build_and_conda_over_that(self):
        self.pip_install(GPU)
        overlap = self.compare("onnxruntime_gpu-1.24.4.dist-info", GPU)
        self.assertEqual([overlap["of_first"], overlap["of_second"]], [0, 4], "one that conda rewrote too")
        entry = self.check().providers[verdict.CUDA]
        self.assertEqual(entry["verdicts"]["intact"], "yes")
        self.conda_install()
        overlap = self.compare("onnxruntime_gpu-1.24.4.dist-info", GPU)
        self.assertEqual([overlap["of_first"], overlap["of_second"]], [4, 0])
        report = self.check()
        entry = report.providers[verdict.CUDA]
        self.assertEqual([entry["verdicts"]["intact"], entry["cause"]], ["no", "overwritten-file"], report.text())

    def test_pips_build_of_the_same_name_is_no_longer_condas(self):
        self.pip_install(CPU)
        report = self.check()
        message, = [one["message"] for one in report.findings]
        self.assertIn("`onnxruntime` 1.24.4 of pip owns the one file in which it differs from `onnxruntime` 1.24.4 "
                      "of conda", message)
        self.assertEqual(report.status, 0)


if __name__ == "__main__":
    unittest.main()
