#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real wheels that share files, installed over each other by real pip and uv: whose bytes lie there.

Each state is counted twice: by the program (ownership_dump), and in Python with csv and hashlib
(owners.py). The figures that stand here are those of docs and of the wheels' own lists."""

import json
import os
import subprocess
import unittest

import owners
from installers import CPU, GPU, Installers

DUMP = os.path.join(os.environ["LOADABLE_BUILD"], "ownership_dump")


class Owners(unittest.TestCase):
    """A state is made, counted twice, and compared with what is known of it."""

    def setUp(self):
        self.venv = Installers.new()
        self.addCleanup(self.venv.close)

    def counted(self):
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
        self.assertEqual(ours["hidden"], [])
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

    def pair(self, shared, identical, of_first, of_second, gone=0):
        """The one overlap, with these figures."""
        ours = self.counted()
        self.assertEqual(len(ours["overlaps"]), 1)
        found = ours["overlaps"][0]
        keys = ("shared", "identical", "of_first", "of_second", "of_neither", "gone")
        self.assertEqual([found[key] for key in keys],
                         [shared, identical, of_first, of_second, 0, gone])
        return ours


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


if __name__ == "__main__":
    unittest.main()
