#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lock files of bad intent: an answer, bounded in time and memory, and never a crash."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time
import unittest

LIMIT_S = 60
LIMIT_MEMORY = 3 << 30


def check(path, *options):
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_MEMORY, LIMIT_MEMORY))

    start = time.monotonic()
    done = subprocess.run([os.environ["LOADABLE_BIN"], "check", path, *options], check=False,
                          capture_output=True, text=True, timeout=LIMIT_S, preexec_fn=bound)
    return done, time.monotonic() - start


class HostileLocks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def refused(self, path, words):
        done, _ = check(path)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)

    def test_a_hundred_thousand_packages_in_a_ring_with_extras(self):
        count = 60_000
        rows = ['version = 1\n[[package]]\nname = "demo"\nsource = { virtual = "." }\n'
                'dependencies = [{ name = "p0" }]\n[package.optional-dependencies]\n']
        rows += [f'x{i} = [{{ name = "p{i}" }}]\n' for i in range(40)]
        for i in range(count):
            rows.append(f'[[package]]\nname = "p{i}"\nversion = "1"\n'
                        f'dependencies = [{{ name = "p{(i + 1) % count}" }}]\n')
        rows.append('[[package]]\nname = "onnxruntime"\nversion = "1"\n'
                    '[[package]]\nname = "onnxruntime-gpu"\nversion = "1"\n')
        done, _ = check(self.write("uv.lock", "".join(rows)), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["counts"]["distributions"], count)

    def test_too_many_packages_and_too_much_text(self):
        self.refused(self.write("uv.lock", "[[package]]\nname = \"a\"\n" * 100_001),
                     "packages, wanted at most 100000")
        self.refused(self.write("poetry.lock", "# " + "x" * (17 << 20)), "at most 16777216")
        self.refused(self.write("requirements.txt", "a\n" * 100_001),
                     "packages, wanted at most 100000")

    def test_one_name_a_hundred_thousand_times(self):
        text = "".join(f"onnxruntime-gpu=={i}\n" for i in range(90_000)) + "onnxruntime==1\n"
        done, _ = check(self.write("requirements.txt", text), "--format", "concise")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("conflicting-distributions", done.stdout)

    def test_includes_that_loop_and_that_never_end(self):
        self.write("a.txt", "-r requirements.txt\n-c requirements.txt\nonnxruntime\n")
        done, _ = check(self.write("requirements.txt", "-r a.txt\n-r requirements.txt\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for i in range(30):
            self.write(f"deep{i}.txt", f"-r deep{i + 1}.txt\n")
        self.refused(self.write("requirements-deep.txt", "-r deep0.txt\n"), "over 20 deep")
        self.write("link.txt", "-r /dev/zero\n-r /proc/self/mem\n-r .\n")
        done, _ = check(self.write("requirements-odd.txt", "-r link.txt\nonnxruntime-gpu\n"))
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_bombs_of_yaml(self):
        text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for i in range(1, 20):
            text += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n"
        self.refused(self.write("environment.yml", text + "dependencies: *a19\n"), "YAML")
        self.refused(self.write("environment.yaml", "dependencies: " + "[" * 50_000), "YAML")

    def test_depth_of_toml_and_of_markers(self):
        self.refused(self.write("uv.lock", "package = " + "[" * 100_000), "TOML")
        marker = "(" * 5000 + "os_name == 'x'" + ")" * 5000
        self.refused(self.write("pdm.lock", f'[[package]]\nname = "a"\nmarker = "{marker}"\n'),
                     "line 3: `marker`")

    def test_names_that_would_forge_a_line_of_the_report(self):
        text = ('version = 1\n'
                '[[package]]\nname = "demo"\nsource = { virtual = "." }\ndependencies = ['
                '{ name = "onnxruntime" }, { name = "onnxruntime-gpu" }]\n'
                '[[package]]\nname = "onnxruntime"\nversion = "1\\u001b[2J\\nerror: x"\n'
                '[[package]]\nname = "onnxruntime-gpu"\nversion = "1"\n')
        done, _ = check(self.write("uv.lock", text))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("\x1b[2J", done.stdout)
        self.assertNotIn("\nerror: x", done.stdout)


if __name__ == "__main__":
    unittest.main()
