#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wheels that are odd, wrong or made to hurt, one and in a folder."""

import os
import random
import time
import unittest
import zipfile

import wheels
from attack import Attack

CPU = "onnxruntime-1.24.4-py3-none-any.whl"
GPU = "onnxruntime_gpu-1.24.4-py3-none-any.whl"
BOMB = 300_000_000


class Wheels(Attack):
    def setUp(self):
        super().setUp()
        self.folder = self.root / "wheels"
        self.folder.mkdir()

    def put(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def checked(self, path, *words):
        return self.run_it("check", "--no-host-env", "--format", "json", *words, path)

    def refused(self, data, *words):
        """One wheel that cannot be read: a message with these words. In a folder: an incident."""
        path = self.put(GPU, data)
        ran = self.checked(path)
        self.assertEqual(ran.status, 2, ran)
        for word in (GPU, *words):
            self.assertIn(word, ran.err.decode(), ran)
        self.put("other-1-py3-none-any.whl", wheels.packed(wheels.members("other", "1", [])))
        ran = self.checked(self.folder)
        self.assertFalse(ran.json["complete"], ran)
        told = " ".join(one["path"] + one["message"] for one in ran.json["incidents"])
        for word in (GPU, *words):
            self.assertIn(word, told, ran)

    def rules(self, ran):
        return [finding["rule"] for finding in ran.json["findings"]]


class OfEveryForm(Wheels):
    """Archives that are right are read, however they were packed."""

    def test_is_read(self):
        forms = {"deflated": {}, "stored": {"method": zipfile.ZIP_STORED}, "descriptors": {"stream": True},
                 "zip64 members": {"zip64": True}, "zip64 descriptors": {"stream": True, "zip64": True},
                 "comment": {"comment": b"PK" * 30_000}}
        for name, form in forms.items():
            for end in (bytes, wheels.with_zip64_end):
                with self.subTest(name, end=end.__name__):
                    if "comment" in form and end is wheels.with_zip64_end:
                        continue
                    self.put(CPU, end(wheels.packed(wheels.onnxruntime("cpu"), **form)))
                    self.put(GPU, end(wheels.packed(wheels.onnxruntime("gpu"), **form)))
                    ran = self.checked(self.folder)
                    self.assertIn("conflicting-distributions", self.rules(ran), ran)
                    self.assertEqual(ran.json["incidents"], [], ran)
                    self.assertIn("onnxruntime_pybind11_state.so", ran.out.decode(), ran)
                    self.assertEqual(self.checked(self.folder / GPU).json["incidents"], [])

    def test_a_shim_is_no_conflict(self):
        self.put(GPU, wheels.packed(wheels.onnxruntime("gpu")))
        shim = self.run_it("shim", "onnxruntime", "--version", "1.24.4", "--output", self.folder, user=None)
        self.assertEqual(shim.status, 0, shim)
        ran = self.checked(self.folder)
        self.assertEqual((ran.status, ran.json["incidents"]), (0, []), ran)
        self.assertEqual([f for f in ran.json["findings"] if f["severity"] != "note"], [], ran)


class ThatHurt(Wheels):
    def test_is_no_archive(self):
        for data in (b"", b"<html>404</html>", b"\0" * 70_000, b"PK\5\6", b"PK\3\4" * 30_000, os.urandom(5_000)):
            with self.subTest(data[:20]):
                self.refused(data)

    def test_is_cut_short(self):
        whole = wheels.packed(wheels.onnxruntime("gpu"))
        for length in range(0, len(whole), 37):
            with self.subTest(length):
                ran = self.checked(self.put(GPU, whole[:length]))
                self.assertEqual(ran.status, 2, ran)

    def test_climbs_out(self):
        for name in ("../../evil.py", "onnxruntime/../../evil.py", "/etc/evil.py", "..", "a\\..\\..\\evil.py", "C:\\evil.py"):
            with self.subTest(name):
                evil = [(name, b"evil"), *wheels.onnxruntime("gpu")]
                self.refused(wheels.packed(evil), "wanted one that stays inside")

    def test_holds_a_name_twice(self):
        self.refused(wheels.packed([("a.py", b"1"), ("a.py", b"2")]), "two members are named `a.py`")

    def test_is_encrypted(self):
        self.refused(wheels.packed(wheels.onnxruntime("gpu"), flags=1), "encrypted")

    def test_is_packed_by_another_method(self):
        self.refused(wheels.packed(wheels.onnxruntime("gpu"), method=zipfile.ZIP_LZMA), "compressed by method 14")

    def test_is_a_bomb(self):
        zeros = bytes(BOMB)
        begin = time.monotonic()
        self.refused(wheels.packed(wheels.onnxruntime("gpu", metadata=zeros)), "METADATA", f"{BOMB} bytes unpacked")
        self.refused(wheels.packed(wheels.onnxruntime("gpu", record=zeros)), "RECORD", f"{BOMB} bytes unpacked")
        self.assertLess(time.monotonic() - begin, 60)

    def test_is_a_bomb_that_says_it_is_small(self):
        data = bytearray(wheels.packed(wheels.onnxruntime("gpu", metadata=bytes(30_000_000))))
        for at in wheels.entries(data):
            if b"METADATA" in data[at:at + 120]:
                data[at + 24:at + 28] = (100).to_bytes(4, "little")
                break
        self.refused(bytes(data), "METADATA")

    def test_has_a_record_of_a_million_lines(self):
        lines = b"".join(b"onnxruntime/gone%d.py,sha256=abc,1\n" % i for i in range(1_000_000))
        begin = time.monotonic()
        ran = self.checked(self.put(GPU, wheels.packed(wheels.onnxruntime("gpu", record=lines))))
        self.assertIn("its RECORD lists what the archive lacks: `onnxruntime/gone0.py` and 999999 more", ran.out.decode(), ran)
        self.assertLess(time.monotonic() - begin, 20)

    def test_has_a_hundred_thousand_members(self):
        many = [(f"onnxruntime/{i}.py", b"") for i in range(100_000)]
        record = b"".join(b"onnxruntime/%d.py,%s,0\n" % (i, wheels.NOTHING) for i in range(100_000))
        begin = time.monotonic()
        ran = self.checked(self.put(GPU, wheels.packed(many + wheels.onnxruntime("gpu", record=record))))
        self.assertIn(ran.status, (0, 3), ran)
        self.assertLess(time.monotonic() - begin, 30)

    def test_bytes_changed_at_random(self):
        chance = random.Random(4)
        whole = wheels.packed(wheels.onnxruntime("gpu"), stream=True)
        for _ in range(150):
            data = bytearray(whole)
            for _ in range(chance.choice((1, 1, 3, 20))):
                data[chance.randrange(len(data))] = chance.choice((0, 1, 0x50, 0x7f, 0xff, chance.randrange(256)))
            self.checked(self.put(GPU, data))


class ThatContradict(Wheels):
    def told(self, data, *words, name=GPU, is_complete=False):
        ran = self.checked(self.put(name, data))
        told = " ".join(one["message"] for one in ran.json["incidents"])
        for word in words:
            self.assertIn(word, told, ran)
        self.assertIs(ran.json["complete"], is_complete, ran)

    def test_in_name_and_version(self):
        whole = wheels.packed(wheels.onnxruntime("gpu"))
        self.told(whole, "`onnxruntime` in its file name", name=CPU)
        self.told(whole, "`1.9` in its file name", name="onnxruntime_gpu-1.9-py3-none-any.whl")

    def test_in_the_list_of_files(self):
        unlisted = [("onnxruntime/more.py", b""), *wheels.onnxruntime("gpu")]
        self.told(wheels.packed(unlisted), "does not list: `onnxruntime/more.py`", is_complete=True)
        for path in (b"../../../../etc/passwd", b"/etc/shadow"):
            record = path + b",sha256=abc,1\n"
            self.told(wheels.packed(wheels.onnxruntime("gpu", record=record)), "lead out", path.decode(), is_complete=True)

    def test_with_names_that_move_the_cursor(self):
        nasty = "onnxruntime/\x1b[31m\x07\u0085\n.py"
        for name, data in (("onnxruntime_gpu\x1b[2J-1-py3-none-any.whl", wheels.packed(wheels.onnxruntime("gpu"))),
                           (GPU, wheels.packed([(nasty, b""), *wheels.onnxruntime("gpu")])),
                           (GPU, wheels.packed(wheels.onnxruntime("gpu", metadata=b"Name: \x1b[2J\xff\nVersion: \x07\n")))):
            self.put(name, data)
            for form in ("full", "concise", "json"):
                self.run_it("check", "--no-host-env", "--color", "never", "-v", "--format", form, self.folder)
                self.run_it("check", "--no-host-env", "--color", "never", "--format", form, self.folder / name)


class OfTags(Wheels):
    def put_pair(self, cpu, gpu):
        for path in self.folder.iterdir():
            path.unlink()
        for build, tag in (("cpu", cpu), ("gpu", gpu)):
            name = "onnxruntime" if build == "cpu" else "onnxruntime_gpu"
            self.put(f"{name}-1.24.4-{tag}.whl", wheels.packed(wheels.onnxruntime(build)))

    def conflicts(self, cpu, gpu, *words):
        self.put_pair(cpu, gpu)
        ran = self.checked(self.folder, *words)
        self.assertTrue(ran.json["complete"], ran)
        return [one["message"] for one in ran.json["findings"] if one["rule"] == "conflicting-distributions"]

    def test_that_no_interpreter_takes_together(self):
        for cpu, gpu in (("cp311-cp311-linux_x86_64", "cp312-cp312-linux_x86_64"),
                         ("cp311-cp311-win_amd64", "cp311-cp311-manylinux_2_28_x86_64"),
                         ("cp311-cp311-manylinux_2_28_aarch64", "cp311-cp311-manylinux_2_28_x86_64"),
                         ("cp313-cp313t-linux_x86_64", "cp313-cp313-linux_x86_64")):
            self.assertEqual(self.conflicts(cpu, gpu), [], (cpu, gpu))

    def test_that_one_interpreter_takes_together(self):
        linux = "manylinux_2_28_x86_64"
        for cpu, gpu, which in ((f"cp310.cp311-none-{linux}", f"cp311.cp312-none-{linux}", "CPython 3.11 on x86_64 Linux"),
                                (f"cp38-abi3-{linux}", f"cp312-cp312-{linux}.win_amd64", "CPython 3.12 on x86_64 Linux"),
                                ("cp311-cp311-win_amd64", "cp311-cp311-linux_x86_64.win_amd64",
                                 "CPython 3.11 on AMD64 Windows")):
            [message] = self.conflicts(cpu, gpu)
            self.assertIn(f"are both in this folder for {which}, and both install", message)
        self.assertEqual(self.conflicts("cp311.cp312-none-any", "cp311.cp312-none-any", "--python-version", "3.10"), [])
        [message] = self.conflicts("cp311.cp312-none-any", "cp311.cp312-none-any", "--python-version", "3.11")
        self.assertIn("for CPython 3.11 on x86_64 Linux", message)
        both = "cp311-cp311-linux_x86_64.win_amd64"
        self.assertEqual(self.conflicts(both, "cp311-cp311-win_amd64", "--platform", "linux"), [])
        self.assertEqual(len(self.conflicts(both, "cp311-cp311-win_amd64", "--platform", "windows")), 1)

    def test_of_any_form(self):
        many = ".".join(f"cp3{number}" for number in range(10, 33))
        for tag in ("foo-bar-baz", "cp-cp-any", "cp311-cp311-", "..-..-..", "py-none-any", "py99999999999-none-any",
                    f"{many}-none-any", "cp311-cp311-" + ".".join(f"os{number}" for number in range(30))):
            self.put_pair(tag, "py3-none-any")
            for form in ("full", "json"):
                self.run_it("check", "--no-host-env", "--format", form, self.folder)
                self.run_it("check", "--no-host-env", "--format", form, self.folder, "--python-version", "3.11")
        self.put(os.fsdecode(b"\xff-1-py3-none-any.whl"), b"")
        self.put(os.fsdecode(b"onnxruntime-2-\xff-\xfe-\xfd.whl"), wheels.packed(wheels.onnxruntime("cpu")))
        for form in ("full", "concise", "json"):
            ran = self.run_it("check", "--no-host-env", "--format", form, self.folder)
            self.assertIn(ran.status, (1, 3), ran)
        self.assertEqual(self.checked(self.folder, "--platform", "beos").status, 2)
        self.assertEqual(self.checked(self.folder, "--python-version", "\x1b[2J").status, 2)

    def test_two_files_of_one_name(self):
        whole = wheels.packed(wheels.onnxruntime("gpu"))
        for name in (GPU, "OnnxRuntime.GPU-1.24.4-py3-none-any.whl", "onnxruntime_gpu-1.24.4-2-py3-none-any.whl"):
            self.put(name, whole)
        ran = self.checked(self.folder)
        self.assertEqual((ran.status, self.rules(ran), ran.json["counts"]["distributions"]), (0, [], 1), ran)


class ThatAreNone(Wheels):
    def test_is_no_file(self):
        self.fifo("/wheels/" + GPU)
        (self.folder / "a-1-py3-none-any.whl").mkdir()
        (self.folder / "b-1-py3-none-any.whl").symlink_to("/dev/zero")
        (self.folder / "c-1-py3-none-any.whl").symlink_to("nowhere")
        (self.folder / "d-1-py3-none-any.whl").symlink_to("d-1-py3-none-any.whl")
        for name in os.listdir(self.folder):
            self.assertEqual(self.checked(self.folder / name).status, 2)
        ran = self.checked(self.folder)
        self.assertEqual(len(ran.json["incidents"]), 5, ran)
        self.assertEqual(ran.status, 3, ran)

    def test_of_a_stated_kind(self):
        self.put(GPU, wheels.packed(wheels.onnxruntime("gpu")))
        self.assertEqual(self.checked(self.folder, "--kind", "wheel").status, 2)
        self.assertEqual(self.checked(self.folder / GPU, "--kind", "wheelhouse").status, 2)
        self.assertEqual(self.checked(self.folder / GPU, "--kind", "venv").status, 2)


if __name__ == "__main__":
    unittest.main()
