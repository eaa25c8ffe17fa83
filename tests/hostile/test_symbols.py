# SPDX-License-Identifier: Apache-2.0
"""Tables of symbols, relocations and versions that are made to be slow, endless or outside."""

import struct
import time
import unittest

from attack import LOADER, PROVIDER, Attack
from elfgen import gnu_hash

DT_NEEDED, DT_PLTRELSZ, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_RELAENT = 1, 2, 4, 5, 6, 7, 8, 9
DT_STRSZ, DT_SYMENT, DT_SONAME, DT_PLTREL, DT_JMPREL = 10, 11, 14, 20, 23
DT_GNU_HASH, DT_VERDEF, DT_VERDEFNUM = 0x6FFFFEF5, 0x6FFFFFFC, 0x6FFFFFFD
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
MUCH = 2**64 - 1


class Raw:
    """An object of one segment whose tables are bytes that a test wrote; address = file offset."""

    def __init__(self, program=False):
        self.parts, self.entries, self.program = [], [], program
        self.end, self.strings = 0x1000, bytearray(b"\0")

    def string(self, text):
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text) - 1

    def place(self, data=b"", hole=0):
        """The address of the bytes, or of a hole of that size."""
        where = self.end = -(-self.end // 16) * 16
        self.parts.append((where, data))
        self.end += len(data) + hole
        return where

    def tag(self, tag, value):
        self.entries.append((tag, value))
        return self

    def symbols(self, names, section):
        """A symbol table: functions, defined (section 1) or referred to (0)."""
        table = b"".join(struct.pack("<IBBHQQ", name, 0x12, 0, section, 0x1000 * section, 8) for name in names)
        return self.tag(DT_SYMTAB, self.place(bytes(24) + table)).tag(DT_SYMENT, 24)

    def relocations(self, count):
        """One for each symbol."""
        table = b"".join(struct.pack("<QQq", 0x1000, (i + 1) << 32 | 6, 0) for i in range(count))
        return self.tag(DT_RELA, self.place(table)).tag(DT_RELASZ, len(table)).tag(DT_RELAENT, 24)

    def write(self, path):
        interp = self.place(LOADER.encode() + b"\0")
        self.tag(DT_STRTAB, self.place(bytes(self.strings))).tag(DT_STRSZ, len(self.strings))
        dynamic = b"".join(struct.pack("<QQ", *entry) for entry in [*self.entries, (0, 0)])
        segments = [(3, interp, len(LOADER) + 1, 1)] if self.program else []
        where = self.place(dynamic)
        segments += [(1, 0, self.end, 0x1000), (2, where, len(dynamic), 8), (0x6474E551, 0, 0, 16)]
        with open(path, "wb") as file:
            file.truncate(self.end)
            file.write(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
                "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0))
            for kind, offset, size, align in segments:
                file.write(struct.pack("<IIQQQQQQ", kind, 6, offset, offset, offset, size, size, align))
            for offset, data in self.parts:
                file.seek(offset)
                file.write(data)


class Tables(Attack):
    """`ldd --symbols` ends soon, and says what it could not read."""

    def setUp(self):
        super().setUp()
        self.make_debian()

    def library(self, name="liba.so"):
        raw = Raw()
        return raw.tag(DT_SONAME, raw.string(name))

    def program(self, names, needed="liba.so"):
        """A program that refers to those symbols and needs a library."""
        raw = Raw(program=True)
        raw.tag(DT_NEEDED, raw.string(needed))
        known = {name: raw.string(name) for name in dict.fromkeys(names)}
        raw.symbols([known[name] for name in names], 0).relocations(len(names)).write(self.root / "p")

    def bound(self, seconds=20):
        begin = time.monotonic()
        ran = self.ldd("/p", "--symbols")
        self.assertLess(time.monotonic() - begin, seconds, ran)
        return ran

    def unread(self, raw, path="/lib/liba.so"):
        """The object's tables are said to be unreadable: such a file is never called fine."""
        raw.write(self.root / path.lstrip("/"))
        ran = self.bound()
        said = {failure["object"]: failure for failure in ran.json["failures"] if failure["kind"] == "format"}
        self.assertIn(path, said, ran)
        self.assertIn("the symbols cannot be read", said[path]["message"])

    def test_half_a_million_names_of_one_hash(self):
        self.program(["f"] * 20_000)
        raw = self.library()
        raw.symbols([raw.string("f")] * 500_000, 1)
        chain = struct.pack("<I", gnu_hash("f") & ~1) * 499_999 + struct.pack("<I", gnu_hash("f") | 1)
        raw.tag(DT_GNU_HASH, raw.place(struct.pack("<IIIIQI", 1, 1, 1, 6, MUCH, 1) + chain))
        raw.write(self.root / "lib/liba.so")
        self.assertEqual(self.bound().json["failures"], [])

    def test_many_references_that_nothing_answers(self):
        self.program([f"nobody{i}" for i in range(200_000)])
        self.library().write(self.root / "lib/liba.so")
        self.assertEqual(len(self.bound(60).json["failures"]), 200_000)

    def test_relocations_in_a_hole_of_a_hundred_gigabytes(self):
        for tags in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
            self.program(["f"])
            raw = self.library()
            raw.symbols([raw.string("f")], 1).tag(tags[0], raw.place(hole=100 << 30)).tag(tags[1], 100 << 30)
            self.unread(raw.tag(DT_PLTREL, DT_RELA))

    def test_hash_tables_that_make_no_sense(self):
        self.program(["f", "g"])
        words = {"no bucket": (0, 1, 1, 0), "a shift of 64": (1, 1, 1, 64), "a shift of 2^32": (1, 1, 1, 2**32 - 1),
                 "no filter": (1, 1, 0, 6), "a filter of three words": (1, 1, 3, 6),
                 "a first symbol beyond": (1, 2**32 - 1, 1, 6), "buckets without end": (2**32 - 1, 1, 1, 6),
                 "a filter without end": (1, 1, 2**31, 6)}
        for what, header in words.items():
            with self.subTest(what):
                raw = self.library()
                raw.symbols([raw.string("f")], 1)
                raw.tag(DT_GNU_HASH, raw.place(struct.pack("<IIIIQI", *header, MUCH, 1)))
                raw.write(self.root / "lib/liba.so")
                self.assertEqual(self.bound().status, 1)  # `g` is nowhere, whatever else
        for what, header in {"no bucket": (0, 3, 0), "a ring": (1, 3, 1, 0, 2, 1), "huge": (2**32 - 1, 2**32 - 1)}.items():
            with self.subTest(what):
                raw = self.library()
                raw.symbols([raw.string("f")] * 2, 1)
                raw.tag(DT_HASH, raw.place(struct.pack(f"<{len(header)}I", *header)))
                raw.write(self.root / "lib/liba.so")
                self.assertEqual(self.bound().status, 1)

    def test_a_chain_without_an_end(self):
        self.program(["f"])
        raw = self.library()
        raw.symbols([raw.string("f")], 1)
        self.unread(raw.tag(DT_GNU_HASH, raw.place(struct.pack("<IIIIQI", 1, 1, 1, 6, MUCH, 1), hole=1 << 34)))

    def test_symbols_outside_of_the_file(self):
        self.program(["f"])
        raw = self.library()
        raw.tag(DT_SYMTAB, 1 << 40).tag(DT_SYMENT, 24)
        self.unread(raw.tag(DT_GNU_HASH, raw.place(struct.pack("<IIIIQII", 1, 1, 1, 6, MUCH, 1, 1))))

    def test_names_that_overlap(self):
        self.program(["f"])
        raw = self.library()
        raw.strings += b"s" * 1_000_000 + b"\0"
        raw.symbols(range(1, 60_001), 0).relocations(60_000)
        self.unread(raw)

    def test_versions_that_overlap_and_loop(self):
        for tags in ((DT_VERNEED, DT_VERNEEDNUM), (DT_VERDEF, DT_VERDEFNUM)):
            for entry in (b"\1\0" * 8, struct.pack("<HHIII", 1, 65535, 1, 16, 4), struct.pack("<HHIII", 1, 65535, 1, 0, 0)):
                self.program(["f"])
                raw = self.library()
                raw.symbols([raw.string("f")], 1).tag(tags[0], raw.place(entry * 100_000)).tag(tags[1], 1 << 40)
                raw.write(self.root / "lib/liba.so")
                self.assertEqual(self.bound().status, 1)

    def test_sixty_thousand_segments(self):
        note = struct.pack("<III", 4, 0, 0x77) + b"GNU\0"
        for kind in (1, 2, 3, 4, 7, 0x6474E553):
            raw = Raw(program=True)
            notes = raw.place(note * 65_536)
            raw.write(self.root / "p")
            data = bytearray((self.root / "p").read_bytes())
            old = bytes(data[64:64 + 56 * 4])
            more = struct.pack("<IIQQQQQQ", kind, 4, notes, notes, notes, len(note) * 65_536, len(note) * 65_536, 4)
            data[32:40], data[56:58] = struct.pack("<Q", len(data)), struct.pack("<H", 4 + 60_000)
            (self.root / "p").write_bytes(bytes(data) + old + more * 60_000)
            begin = time.monotonic()
            self.ldd("/p", "--symbols")
            self.assertLess(time.monotonic() - begin, 20)


class Provider(Attack):
    """A provider of an environment that is healthy otherwise."""

    def test_whose_symbols_lie_outside_of_it_is_not_called_fine(self):
        self.make_environment()
        self.assertEqual(self.healthy().status, 0)
        file = self.root / PROVIDER.lstrip("/")
        data = bytearray(file.read_bytes())
        first, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
        headers = [struct.unpack_from("<IIQQQQQQ", data, first + 56 * i) for i in range(count)]
        where, size = next((header[2], header[5]) for header in headers if header[0] == 2)
        for at in range(where, where + size, 16):
            if struct.unpack_from("<Q", data, at)[0] == DT_SYMTAB:
                struct.pack_into("<Q", data, at + 8, 1 << 40)
        file.write_bytes(data)
        entry = self.sole(self.healthy())
        self.assertEqual((entry["cause"], entry["verdicts"]["loadable"]), ("damaged-library", "no"))


if __name__ == "__main__":
    unittest.main()
