# SPDX-License-Identifier: Apache-2.0
"""What the program writes as JSON is what schema/ says, in healthy and in broken states."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "cases")]
import run_case  # noqa: E402
from json_schema import Validator  # noqa: E402

SITE = "/app/.venv/lib/python3.11/site-packages"


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for block in run_case.shared_blocks("cuda12_environment"):
            run_case.make(block, self.root)

    def fits(self, schema, *arguments, statuses=(0, 1)):
        done = subprocess.run([os.environ["LOADABLE_BIN"], *arguments, "--format", "json"], env={}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.root, check=False)
        self.assertIn(done.returncode, statuses, done.stderr)
        value = json.loads(done.stdout)
        problems = Validator(json.loads((ROOT / "schema" / schema).read_text())).problems(value)
        self.assertEqual(problems, [], done.stdout)
        return value

    def check(self, *arguments):
        return self.fits("check.schema.json", "check", "--root", str(self.root), *arguments)

    def ldd(self, *arguments):
        return self.fits("ldd.schema.json", "ldd", "--root", str(self.root), *arguments)

    def test_check_of_an_unreachable_provider(self):
        value = self.check("/app/.venv")
        self.assertEqual(value["providers"][0]["cause"], "unreachable-library")

    def test_check_of_a_healthy_environment(self):
        value = self.check("--after", "onnxruntime.preload_dlls", "/app/.venv")
        self.assertEqual(value["findings"], [])

    def test_check_of_several_targets(self):
        value = self.check("/app/.venv", "/app/.venv")
        self.assertEqual(len(value["reports"]), 2)

    def test_check_with_a_damaged_file_and_a_list_that_is_no_list(self):
        (self.root / SITE[1:] / "nvidia/cublas/lib/libcublasLt.so.12").write_bytes(b"")
        (self.root / SITE[1:] / "nvidia_cublas_cu12-12.9.2.10.dist-info/RECORD").write_bytes(b'"\xff')
        self.assertNotEqual(self.check("/app/.venv")["findings"], [])

    def test_ldd_of_a_program_of_a_library_and_of_steps_that_fail(self):
        self.assertEqual(self.ldd("/usr/bin/python3.11")["missing"], [])
        provider = f"{SITE}/onnxruntime/capi/libonnxruntime_providers_cuda.so"
        self.assertNotEqual(self.ldd(provider)["missing"], [])
        self.ldd("--dlopen", provider, "--symbols", "/usr/bin/python3.11")
        (self.root / "usr/lib/libcut.so").write_bytes(b"\x7fELF")
        value = self.ldd("--dlopen", "/usr/lib/libcut.so", "/usr/bin/python3.11")
        self.assertEqual([failure["kind"] for failure in value["failures"]], ["format"])


if __name__ == "__main__":
    unittest.main()
