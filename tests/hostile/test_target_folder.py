#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of `pip install --target` that are odd, wrong or made to hurt."""

import os
import unittest

from attack import NOBODY, Attack

METADATA = b"Metadata-Version: 2.1\nName: x\nVersion: 1\n"


class Folders(Attack):
    def setUp(self):
        super().setUp()
        self.folder = self.root / "deps"
        self.folder.mkdir()
        self.file("/deps/good-1.dist-info/METADATA", b"Metadata-Version: 2.1\nName: good\nVersion: 1\n")
        self.file("/deps/good-1.dist-info/RECORD", b"good.py,,\ngood-1.dist-info/METADATA,,\n")
        self.file("/deps/good.py")

    def checked(self, *words, **more):
        return self.run_it("check", "--no-host-env", "--format", "json", *words, self.folder, **more)

    def fine(self, ran, count=1):
        self.assertEqual((ran.status, ran.json["target"]["kind"]), (0, "interpreter"), ran)
        self.assertEqual(ran.json["counts"]["distributions"], count, ran)


class Metadata(Folders):
    def test_good(self):
        self.fine(self.checked())

    def test_that_is_a_file_a_link_or_a_pipe(self):
        self.file("/deps/file-1.dist-info", METADATA)
        self.fifo("/deps/pipe-1.dist-info")
        for name, target in (("loop", "loop-1.dist-info"), ("nowhere", "none"), ("zero", "/dev/zero"),
                             ("etc", "/etc"), ("up", "..")):
            (self.folder / f"{name}-1.dist-info").symlink_to(target)
        ran = self.checked()
        self.assertIn(ran.status, (0, 3), ran)
        self.assertEqual(ran.json["target"]["kind"], "interpreter", ran)
        self.assertNotIn("/etc/", ran.out.decode().replace("etc-1", ""), ran)

    def test_whose_parts_are_no_files(self):
        for name in ("METADATA", "RECORD", "INSTALLER", "direct_url.json"):
            with self.subTest(name):
                self.fifo(f"/deps/x-1.dist-info/{name}")
                ran = self.checked()
                self.assertIn(ran.status, (0, 3), ran)
                os.remove(self.folder / "x-1.dist-info" / name)
                (self.folder / "x-1.dist-info" / name).symlink_to(name)
                self.assertIn(self.checked().status, (0, 3))
                os.remove(self.folder / "x-1.dist-info" / name)

    def test_that_cannot_be_read(self):
        closed = self.file("/deps/x-1.dist-info/METADATA", METADATA).parent
        closed.chmod(0)
        ran = self.checked(user=NOBODY)
        self.assertIn("x-1.dist-info", " ".join(one["path"] for one in ran.json["incidents"]), ran)
        self.folder.chmod(0)
        self.assertEqual(self.checked(user=NOBODY).status, 2)

    def test_whose_rows_lead_out(self):
        rows = b"../../../../etc/passwd,sha256=abc,1\n/etc/shadow,,\n../../bin/x,,\n..,,\n"
        self.file("/deps/x-1.dist-info/METADATA", METADATA)
        self.file("/deps/x-1.dist-info/RECORD", rows)
        ran = self.checked("--integrity", "full")
        self.assertIn("points out of the environment", ran.out.decode(), ran)
        self.assertEqual(ran.json["findings"][1:], [], ran)  # `bin/x` is gone

    def test_of_names_that_are_no_text(self):
        for name in (b"\xff\xfe-1.dist-info", b"\x1b[2J-1.dist-info", b"a\nb-1.dist-info", b"-.dist-info", b"x.dist-info"):
            os.mkdir(os.fsencode(self.folder) + b"/" + name)
        for form in ("full", "concise", "json"):
            ran = self.run_it("check", "--no-host-env", "--color", "never", "-v", "--format", form, self.folder)
            self.assertIn(ran.status, (0, 3), ran)

    def test_twenty_thousand_of_them(self):
        for number in range(20_000):
            (self.folder / f"n{number}-1.dist-info").mkdir()
        self.fine(self.checked(), 20_001)


class Interpreter(Folders):
    def test_that_is_none(self):
        self.file("/bin1/python3", "#!/bin/sh\nexit 0\n", 0o755)
        self.file("/bin2/python3", b"\x7fELF", 0o755)
        (self.root / "bin3/python3").mkdir(parents=True)
        self.fifo("/bin4/python3")
        (self.root / "bin5").mkdir()
        (self.root / "bin5/python3").symlink_to("python3")
        for number in range(1, 6):
            folder = self.root / f"bin{number}"
            with self.subTest(number):
                # Only what can be executed is found on PATH.
                ran = self.run_it("check", "--format", "json", self.folder, variables={"PATH": str(folder)})
                # With an ELF file that is cut nothing that it would load is judged: never exit 0.
                self.assertIn(ran.status, (2, 3), ran)
                if ran.status == 2:
                    self.assertIn(b"--python", ran.err, ran)
                else:
                    self.assertNotEqual(ran.json["incidents"], [], ran)
                self.assertEqual(self.checked("--python", folder / "python3").status, ran.status)

    def test_on_a_path_of_any_form(self):
        for path in ("", ":", "::/usr/bin:", "x" * 100_000, ":".join(["/usr/./bin"] * 10_000), "/dev/null:/usr/bin",
                     "\x1b[2J", "relative:../x"):
            ran = self.run_it("check", "--format", "json", self.folder, variables={"PATH": path}, cwd=self.root)
            self.assertIn(ran.status, (0, 2), ran)
        self.assertEqual(self.checked("--python", "\x1b[2J").status, 2)

    def test_in_another_root(self):
        ran = self.run_it("check", "--root", self.root, "--format", "json", "/deps")
        self.assertIn(ran.status, (0, 1, 2, 3), ran)
        self.make_debian()
        ran = self.run_it("check", "--root", self.root, "--format", "json", "/deps")
        self.assertIn(ran.status, (0, 3), ran)


if __name__ == "__main__":
    unittest.main()
