#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No false alarm: `loadable check` on large, healthy targets of this kind of machine."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import venvs  # before environments: it knows where the fixtures are
import environments
import verdict

DEBIAN = "bookworm"
MOST_WARNINGS = 3


def debian_root(target):
    """Unpacks a minimal Debian root at `target`; it is made once and kept as a tar file."""
    def build(folder):
        folder.mkdir(parents=True)
        root = folder / "root"
        venvs.run("debootstrap", "--variant=minbase", DEBIAN, root)
        shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
        venvs.run("tar", "-C", root, "--numeric-owner", "-cf", folder / "root.tar", ".")
        shutil.rmtree(root)

    stored = venvs.kept("roots", f"debian-{DEBIAN}", f"minbase {DEBIAN}", build)
    venvs.run("tar", "-C", target, "--numeric-owner", "-xpf", stored / "root.tar")


class Healthy(unittest.TestCase):
    """Nothing is wrong here, and nothing may be said to be."""

    def quiet(self, *arguments):
        done = verdict.loadable("check", "--format", "json", "--no-host-env", *arguments)
        report = verdict.Report(done)
        said = "".join(f"{item['severity']} {item['rule']}: {item['message']}\n"
                       for item in report.findings if item["severity"] != "note")
        said += "".join(f"incident: {one}\n" for one in report.data["incidents"])
        self.assertEqual(report.rules("error"), [], said)
        self.assertLessEqual(len(report.rules("warning")), MOST_WARNINGS, said)
        self.assertTrue(report.data["complete"], said)
        self.assertEqual(report.status, 0, said)
        return report

    def loud(self, library, *arguments):
        """A warning names the library: it is one step below the error of a required provider."""
        done = verdict.loadable("check", "--format", "json", "--no-host-env", *arguments)
        report = verdict.Report(done)
        named = [item["message"] for item in report.findings if item["severity"] == "warning"]
        self.assertTrue(any(library in message for message in named), report.text())

    def test_a_scientific_environment(self):
        report = self.quiet(environments.environment("all"))
        self.assertFalse([one for one in report.providers.values() if one["required"]])

    def test_a_library_of_an_extension_is_removed(self):
        """The same environment, less one private library: silence above is not blindness."""
        with venvs.linked_copy(environments.environment("all")) as copy:
            [gone] = copy.glob("lib/python3.*/site-packages/numpy.libs/libscipy_openblas64_*.so")
            gone.unlink()
            self.loud(gone.name, copy)

    def test_the_machines_own_usr(self):
        self.quiet("--root", "/", "/usr")

    def test_a_root_made_by_debootstrap(self):
        with tempfile.TemporaryDirectory() as folder:
            debian_root(folder)
            report = self.quiet(folder)
            self.assertEqual(report.data["target"]["kind"], "rootfs")
            gone = pathlib.Path(folder) / "usr/lib/x86_64-linux-gnu/libpam.so.0"
            gone.resolve().unlink()
            gone.unlink()
            self.loud("libpam.so.0", folder)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("test_healthy.py: debootstrap wants root")
    unittest.main()
