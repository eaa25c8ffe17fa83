#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged ELF files: each field of each header and table, one by one, through the command line."""

import struct
import time
import unittest

from attack import Attack, CUBLAS, elfgen, Elf, LOADER, PROVIDER, Symbol

ODD = {2: (0, 1, 0x7FFF, 0xFFFF), 4: (0, 1, 0x7FFFFFFF, 0xFFFFFFFF),
       8: (0, 1, 0xFFF, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 4096)}
LETTER = {1: "B", 2: "H", 4: "I", 8: "Q"}
HEADER_64 = ((16, 2), (18, 2), (20, 4), (24, 8), (32, 8), (40, 8), (48, 4), (52, 2), (54, 2), (56, 2), (58, 2),
             (60, 2), (62, 2))
HEADER_32 = ((16, 2), (18, 2), (20, 4), (24, 4), (28, 4), (32, 4), (36, 4), (40, 2), (42, 2), (44, 2), (46, 2),
             (48, 2), (50, 2))
SEGMENT_64 = ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8))
SEGMENT_32 = tuple((at, 4) for at in range(0, 32, 4))


def victim(bits=64, endian="<", **more):
    """A library that has every table."""
    return bytes(Elf(bits=bits, endian=endian, needed=["libc.so.6"], soname="libv.so", runpath="$ORIGIN/x",
                     symbols=[Symbol("f", version="V1"), Symbol("d", kind="data"), Symbol("t", kind="tls"),
                              elfgen.undefined("g", version="V9"), elfgen.undefined("h", kind="data")],
                     verdefs=["V1"], verneeds=[elfgen.VersionNeed("libc.so.6", "V9")], tls=16, isa_needed=1,
                     abi_note=(0, 3, 2, 0), relr=True, **more).bytes())


def changed(data, offset, size, value, endian="<"):
    return elfgen.patched(data, offset, struct.pack(endian + LETTER[size], value))


def header_changes(data, bits=64, endian="<"):
    """The file with one field of its header or of a program header changed, for each."""
    fields = HEADER_64 if bits == 64 else HEADER_32
    segment, start, step = (SEGMENT_64, 64, 56) if bits == 64 else (SEGMENT_32, 52, 32)
    count, = struct.unpack_from(endian + "H", data, 56 if bits == 64 else 44)
    for at in range(4, 16):
        yield f"e_ident[{at}]", changed(data, at, 1, 0xEE)
    places = [(f"header+{at}", at, size) for at, size in fields]
    places += [(f"segment {i}+{at}", start + i * step + at, size) for i in range(count) for at, size in segment]
    for name, at, size in places:
        for value in (*ODD[size], len(data) - 1, len(data), len(data) + 1):
            if value < 1 << (8 * size):
                yield f"{name} = {value:#x}", changed(data, at, size, value, endian)


def dynamic_changes(data):
    """The file with one value of its dynamic section changed, for each; 64 bit."""
    for start in range(64, 64 + 56 * struct.unpack_from("<H", data, 56)[0], 56):
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", data, start)
        if kind == elfgen.PT_DYNAMIC:
            for at in range(offset, offset + size, 16):
                for value in (0, len(data) - 1, len(data), (1 << 31) - 1, (1 << 63) - 1, (1 << 64) - 8):
                    yield f"tag {struct.unpack_from('<Q', data, at)[0]:#x} = {value:#x}", changed(data, at + 8, 8, value)
                yield f"tag at {at} lost", changed(data, at, 8, 0)


class Damaged(Attack):
    """Each damaged library is loaded by one program after the other: many in one run."""

    def setUp(self):
        super().setUp()
        self.make_debian()
        self.file("/p", Elf(interp=LOADER, needed=["libc.so.6"]), 0o755)

    def attack(self, changes, together=40):
        """All of them by dlopen with symbols; alone where the run of a batch fails."""
        batch = []
        number = 0
        for number, (name, data) in enumerate(changes):
            self.file(f"/d/{number}.so", data, 0o755)
            batch.append((name, f"/d/{number}.so"))
            if len(batch) == together:
                self.attack_batch(batch)
                batch = []
        self.attack_batch(batch)
        return number + 1

    def attack_batch(self, batch):
        try:
            self.load([path for _, path in batch])
        except (AssertionError, ValueError) as error:
            for name, path in batch:
                with self.subTest(name):
                    self.load([path])
            raise AssertionError("together they fail, alone they do not") from error

    def load(self, paths):
        words = [word for path in paths for word in ("--dlopen", "now,global@" + path)]
        ran = self.ldd("/p", "--symbols", *words)
        self.assertIn(ran.status, (0, 1), ran)
        for entry in ran.json["failures"]:
            self.assertTrue(entry["message"], ran)

    def test_each_header_field_of_each_class_and_byte_order(self):
        for bits, endian in ((64, "<"), (64, ">"), (32, "<"), (32, ">")):
            with self.subTest(bits=bits, endian=endian):
                changes = header_changes(victim(bits, endian, machine=elfgen.EM_X86_64), bits, endian)
                self.assertGreater(self.attack(changes), 200)

    def test_each_value_of_the_dynamic_section(self):
        self.assertGreater(self.attack(dynamic_changes(victim())), 100)

    def test_each_word_of_all_tables(self):
        data = victim()
        changes = ((f"word {at} = {value:#x}", changed(data, at, 4, value))
                   for at in range(64, len(data) - 4, 4) for value in (0xFFFFFFFF, 0x7FFFFFF0))
        self.attack(changes)

    def test_each_length_to_which_it_can_be_cut(self):
        data = victim()
        self.attack((f"cut to {size}", data[:size]) for size in range(0, len(data), 7))

    def test_a_damaged_program_is_named_by_each_command(self):
        data = bytes(Elf(interp=LOADER, needed=["libc.so.6"]).bytes())
        for name, damaged in list(header_changes(data))[::9]:
            with self.subTest(name):
                self.file("/q", damaged, 0o755)
                self.ldd("/q")
                self.why("/q", "libc.so.6")

    def test_a_damaged_provider_or_library_is_never_fine_unseen(self):
        self.make_environment()
        for path in (PROVIDER, CUBLAS):
            data = (self.root / path[1:]).read_bytes()
            for name, damaged in [*list(header_changes(data))[::17], ("cut", data[:100]), ("empty", b"")]:
                with self.subTest(path=path, damage=name):
                    self.file(path, damaged, 0o755)
                    self.healthy("--require", "onnxruntime:cuda")
            for damaged in (data[:100], b"", b"\0" * len(data), b"version https://git-lfs.github.com/spec/v1\n"):
                self.file(path, damaged, 0o755)
                ran = self.healthy("--require", "onnxruntime:cuda")
                self.assertEqual(ran.status, 1, ran)
                self.assertEqual(self.sole(ran)["verdicts"]["loadable"], "no", ran)
            self.file(path, data, 0o755)

    def test_a_damaged_loader_gives_no_clean_answer(self):
        self.make_environment()
        for damaged in (b"", b"\x7fELF", b"not a loader\n", victim()[:90]):
            self.file(LOADER, damaged, 0o755)
            self.assertNotEqual(self.ldd("/p").status, 0)
            ran = self.healthy("--require", "onnxruntime:cuda")
            self.assertEqual([(f["rule"], f["severity"]) for f in ran.json["findings"]],
                             [("damaged-library", "error")], ran)
            self.assertIn(LOADER, ran.json["findings"][0]["message"], ran)


class Large(Attack):
    """Tables of a size that no linker makes."""

    def setUp(self):
        super().setUp()
        self.make_debian()

    def test_a_runpath_of_a_megabyte(self):
        long = ":".join(f"/dir{i:06d}/$ORIGIN/$LIB" for i in range(45_000))
        self.file("/p", Elf(interp=LOADER, needed=["libx.so", "liby.so"], runpath=long), 0o755)
        ran = self.ldd("/p")
        self.assertEqual([m["request"] for m in ran.json["missing"]], ["libx.so", "liby.so"])
        self.file("/p", Elf(interp=LOADER, needed=["libx.so"], runpath="/" + "a" * 1_000_000), 0o755)
        self.assertEqual(self.ldd("/p").status, 1)
        self.file("/p", Elf(interp=LOADER, needed=["libx.so"], runpath=":" * 1_000_000), 0o755)
        self.assertEqual(self.ldd("/p").status, 1)
        self.assertEqual(self.why("/p", "libx.so").status, 1)

    def test_names_of_a_megabyte(self):
        name = "l" * 1_000_000
        self.file("/p", Elf(interp=LOADER, needed=[name], soname=name), 0o755)
        ran = self.ldd("/p")
        self.assertTrue(ran.json["missing"] == [] or [m["request"] for m in ran.json["missing"]] == [name])
        self.file("/p", Elf(interp="/" + name), 0o755)
        self.assertNotEqual(self.ldd("/p").status, 0)

    def test_five_thousand_needed(self):
        names = [f"lib{i}.so" for i in range(5_000)]
        self.file("/p", Elf(interp=LOADER, needed=names, runpath="/a:/b:/c"), 0o755)
        ran = self.ldd("/p")
        self.assertEqual([m["request"] for m in ran.json["missing"]], names)

    def test_a_cycle_of_needed_ends(self):
        for i in range(3):
            self.file(f"/lib/libr{i}.so", Elf(needed=[f"libr{(i + 1) % 3}.so", f"libr{i}.so"], soname=f"libr{i}.so"))
        self.file("/p", Elf(interp=LOADER, needed=["libr0.so"]), 0o755)
        ran = self.ldd("/p", "--symbols")
        self.assertEqual(ran.status, 0)
        self.assertEqual(len(ran.json["objects"]), 4)

    def test_a_closure_of_two_thousand_objects(self):
        for i in range(2_000):
            needs = [f"libn{n}.so" for n in (2 * i + 1, 2 * i + 2, (i * 7) % 2_000) if n < 2_000]
            self.file(f"/lib/libn{i}.so", Elf(needed=needs, soname=f"libn{i}.so", symbols=[Symbol(f"s{i}")]))
        self.file("/p", Elf(interp=LOADER, needed=["libn0.so"]), 0o755)
        ran = self.ldd("/p", "--symbols")
        self.assertEqual(ran.status, 0)
        self.assertEqual(len(ran.json["objects"]), 2_001)

    def test_a_sparse_file_of_a_terabyte_is_read_in_part(self):
        target = self.file("/p", Elf(interp=LOADER, needed=["libc.so.6"]), 0o755)
        with open(target, "r+b") as file:
            file.truncate(1 << 40)
        begin = time.monotonic()
        self.assertEqual(self.ldd("/p").status, 0)
        self.assertLess(time.monotonic() - begin, 20)
        huge = bytes(Elf(interp=LOADER, needed=["libc.so.6"]).bytes())
        for start in range(64, 64 + 56 * struct.unpack_from("<H", huge, 56)[0], 56):
            wide = changed(changed(huge, start + 32, 8, 1 << 39), start + 40, 8, 1 << 39)
            with open(self.file("/q", wide, 0o755), "r+b") as file:
                file.truncate(1 << 40)
            self.ldd("/q", "--symbols")


if __name__ == "__main__":
    unittest.main()
