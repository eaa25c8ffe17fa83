#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ELF reader against GNU readelf: files of this machine, files made by yaml2obj and by the builder.

Usage: test_readelf.py --dump PROGRAM [--seed N] [--files N]
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

SEGMENTS = {"LOAD": 1, "DYNAMIC": 2, "INTERP": 3, "NOTE": 4, "PHDR": 6, "TLS": 7,
            "GNU_EH_FRAME": 0x6474E550, "GNU_STACK": 0x6474E551, "GNU_RELRO": 0x6474E552,
            "GNU_PROPERTY": 0x6474E553}
TAGS = {"NEEDED": "needed", "SONAME": "soname", "RPATH": "rpath", "RUNPATH": "runpath",
        "AUXILIARY": "auxiliary", "FILTER": "filter"}
NUMBERS = {"STRTAB", "STRSZ", "SYMTAB", "GNU_HASH", "HASH", "VERSYM", "VERNEED", "VERDEF", "RELASZ",
           "RELSZ", "PLTRELSZ", "RELRSZ"}
TYPES = {"NOTYPE": 0, "OBJECT": 1, "FUNC": 2, "SECTION": 3, "FILE": 4, "COMMON": 5, "TLS": 6, "IFUNC": 10}
BINDS = {"LOCAL": 0, "GLOBAL": 1, "WEAK": 2, "UNIQUE": 10, "<OS specific>: 10": 10}
VISIBILITIES = {"DEFAULT": 0, "INTERNAL": 1, "HIDDEN": 2, "PROTECTED": 3}
FLAGS = {"none": 0, "BASE": 1, "WEAK": 2}
SECTIONS = {"UND": 0, "ABS": 0xFFF1, "COM": 0xFFF2}
LARGEST = 30_000_000
OPTIONS = None


class Seen:
    """What one reader says of one object: lines as sets or lists, and the symbols by index."""

    def __init__(self):
        self.lines = []
        self.symbols = {}
        self.error = None


def parse_dump(text):
    """elf_dump's output, by path."""
    files = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "file":
            seen = files[rest] = Seen()
            needs, definitions = {}, {}
        elif kind == "error":
            seen.error = rest
        elif kind == "symbol":
            index, value, size, *numbers, name = rest.split(" ", 9)
            add_symbol(seen, int(index), (value, size, *map(int, numbers), name), needs, definitions)
        elif kind == "segment":
            if int(rest.split()[0], 16) in SEGMENTS.values():
                seen.lines.append(line)
        elif kind not in ("header", "abi_tag", "defect"):
            seen.lines.append(line)
            if kind == "version_need":
                _, version, _, index = rest.split(" ")
                needs[int(index)] = version
            if kind == "version_definition":
                version, _, index = rest.split(" ")[:3]
                definitions[int(index)] = version
    return files


def add_symbol(seen, index, fields, needs, definitions):
    value, size, kind, bind, visibility, section, version, hidden, name = fields
    if section == 0 or version not in definitions:
        suffix = "@" + needs[version] if version in needs else ""
    else:
        suffix = ("@" if hidden else "@@") + definitions[version] if version > 1 else ""
    if suffix.lstrip("@") == name:  # the symbol of a version itself: readelf leaves it out
        suffix = ""
    seen.symbols[index] = (int(value, 16), int(size, 16), kind, bind, visibility, section, name + suffix)


def parse_readelf(text):
    """readelf's output, by path."""
    files, seen, file = {}, None, ""
    for line in text.splitlines():
        if line.startswith("File: "):
            seen = files[line[6:]] = Seen()
        elif seen is None:
            continue
        elif found := re.match(r"\s+(\w+)\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) (.{3}) 0x(\w+)$", line):
            add_segment(seen, found)
        elif found := re.match(r"\s+\[Requesting program interpreter: (.*)\]$", line):
            seen.lines.append("interpreter " + found[1])
        elif found := re.match(r" 0x\w+ \((\w+)\)\s+(.*)$", line):
            add_tag(seen, found[1], found[2])
        elif found := re.search(r"Build ID: (\w+)$", line):
            seen.lines.append("build_id " + found[1])
        elif found := re.match(r"\s+(\d+): (\w+)\s+(\w+) (\S+)\s+(\S+|<OS specific>: 10)\s+"
                               r"(\w+)\s+(\w+)(?: (.*))?$", line):
            add_readelf_symbol(seen, found)
        else:
            file = add_version(seen, line, file)
    return files


def add_segment(seen, found):
    name, offset, vaddr, filesz, memsz, flags, align = found.groups()
    if name in SEGMENTS:
        bits = ("R" in flags) * 4 + ("W" in flags) * 2 + ("E" in flags)
        numbers = [SEGMENTS[name], bits] + [int(n, 16) for n in (offset, vaddr, filesz, memsz, align)]
        seen.lines.append("segment " + " ".join(f"{n:x}" for n in numbers))


def add_tag(seen, tag, text):
    if tag in TAGS:
        seen.lines.append(f"{TAGS[tag]} {text[text.index('[') + 1:text.rindex(']')]}")
    elif tag in NUMBERS:
        number = int(text.split()[0], 0)
        if number:
            seen.lines.append(f"number {tag} {number:x}")


def add_readelf_symbol(seen, found):
    index, value, size, kind, bind, visibility, section, name = found.groups()
    if int(index) == 0:
        return
    name = re.sub(r" \(\d+\)$", "", name or "").strip()
    section = SECTIONS.get(section) if section in SECTIONS else int(section)
    seen.symbols[int(index)] = (int(value, 16), int(size, 0), TYPES.get(kind, kind), BINDS.get(bind, bind),
                                VISIBILITIES[visibility], section, name)


def add_version(seen, line, file):
    if found := re.match(r"\s+(?:0x)?\w+: Version: \d+  File: (\S+)", line):
        return found[1]
    if found := re.match(r"\s+0x\w+:   Name: (\S+)  Flags: (\w+)\s+Version: (\d+)", line):
        seen.lines.append(f"version_need {file} {found[1]} {FLAGS[found[2]]} {found[3]}")
    if found := re.match(r"\s+(?:0x)?\w+: Rev: 1  Flags: (\w+)\s+Index: (\d+)  Cnt: \d+  Name: (\S+)", line):
        seen.lines.append(f"version_definition {found[3]} {FLAGS[found[1]]} {found[2]}")
    if found := re.match(r"\s+0x\w+: Parent \d+: (\S+)", line):
        seen.lines[-1] += " " + found[1]
    return file


def run(*command):
    return subprocess.run(command, capture_output=True, check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C"})


def compare(paths):
    """Differences between the two readers over all paths; readelf prints no path for a single one."""
    ours = parse_dump(run(OPTIONS.dump, *paths).stdout.decode("utf-8", "surrogateescape"))
    readelf = run("readelf", "-W", "-l", "-d", "-n", "-V", "--dyn-syms", *paths, "/dev/null")
    theirs = parse_readelf(readelf.stdout.decode("utf-8", "surrogateescape"))
    for path in paths:
        yield from compare_file(path, ours[path], theirs[path])


def compare_file(path, ours, theirs):
    if ours.error:
        yield f"{path}: {ours.error}"
        return
    for line in sorted(set(ours.lines) ^ set(theirs.lines)):
        yield f"{path}: only {'ours' if line in ours.lines else 'readelf'}: {line}"
    for kind in ("needed", "version_need", "version_definition"):
        orders = [[line for line in seen.lines if line.startswith(kind + " ")] for seen in (ours, theirs)]
        if orders[0] != orders[1]:
            yield f"{path}: order of {kind}: {orders[0]} and {orders[1]}"
    for index, symbol in ours.symbols.items():
        if theirs.symbols and symbol != theirs.symbols.get(index):
            yield f"{path}: symbol {index}: {symbol}, by readelf {theirs.symbols.get(index)}"
    for index in set(theirs.symbols) - set(ours.symbols):
        if theirs.symbols[index][5] != 0:
            yield f"{path}: defined symbol {index} is not read: {theirs.symbols[index]}"


def is_elf(path):
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
            return False
        with open(path, "rb") as file:
            head = file.read(20)
        return head[:4] == b"\x7fELF" and head[16:18] in (b"\x02\0", b"\x03\0")
    except OSError:
        return False


def made_by_yaml2obj(directory):
    """Objects of other classes and byte orders, of another maker than our builder."""
    strings = b"\0libc.so.6\0libyaml.so.1\0$ORIGIN/lib\0"
    for bits in (32, 64):
        for order in ("LSB", "MSB"):
            path = pathlib.Path(directory, f"yaml-{bits}-{order}")
            text = f"""--- !ELF
FileHeader: {{Class: ELFCLASS{bits}, Data: ELFDATA2{order}, Type: ET_DYN, Machine: EM_MIPS}}
ProgramHeaders:
  - {{Type: PT_LOAD, Flags: [PF_R, PF_W], VAddr: 0x10000, Align: 0x1000, FirstSec: .dynstr, LastSec: .dynamic}}
  - {{Type: PT_DYNAMIC, Flags: [PF_R], VAddr: 0x10100, FirstSec: .dynamic, LastSec: .dynamic}}
Sections:
  - {{Name: .dynstr, Type: SHT_STRTAB, Flags: [SHF_ALLOC], Address: 0x10000, Content: {strings.hex()}}}
  - Name: .dynamic
    Type: SHT_DYNAMIC
    Flags: [SHF_ALLOC, SHF_WRITE]
    Address: 0x10100
    AddressAlign: 0x100
    Entries:
      - {{Tag: DT_NEEDED, Value: 1}}
      - {{Tag: DT_SONAME, Value: 11}}
      - {{Tag: DT_RUNPATH, Value: 24}}
      - {{Tag: DT_STRTAB, Value: 0x10000}}
      - {{Tag: DT_STRSZ, Value: {len(strings)}}}
      - {{Tag: DT_NULL, Value: 0}}
"""
            made = subprocess.run(["yaml2obj-16", "-o", str(path)], input=text.encode(), check=False,
                                  capture_output=True)
            if made.returncode != 0:
                raise AssertionError(made.stderr.decode())
            yield str(path)


class Readelf(unittest.TestCase):
    def test_files_of_this_machine(self):
        seed = OPTIONS.seed if OPTIONS.seed is not None else random.SystemRandom().randrange(1 << 32)
        candidates = sorted(str(p) for root in ("/usr/lib", "/usr/bin") for p in pathlib.Path(root).rglob("*")
                            if (".so" in p.name or root == "/usr/bin") and is_elf(p))
        self.assertGreater(len(candidates), 20)
        paths = random.Random(seed).sample(candidates, min(OPTIONS.files, len(candidates)))
        differences = []
        for start in range(0, len(paths), 25):
            differences += compare(paths[start:start + 25])
        self.assertEqual(differences, [], f"--seed {seed}, {len(paths)} of {len(candidates)} objects")
        print(f"{len(paths)} of {len(candidates)} objects agree (--seed {seed})", file=sys.stderr)

    def test_objects_made_by_yaml2obj(self):
        with tempfile.TemporaryDirectory() as directory:
            paths = list(made_by_yaml2obj(directory))
            self.assertEqual(list(compare(paths)), [])
            for seen in parse_dump(run(OPTIONS.dump, *paths).stdout.decode()).values():
                self.assertIn("soname libyaml.so.1", seen.lines)

    def test_objects_made_by_the_builder(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(run(OPTIONS.dump, "--build", directory).returncode, 0)
            paths = sorted(str(path) for path in pathlib.Path(directory).iterdir())
            self.assertEqual(len(paths), 5)
            # readelf looks for version tables and symbols by section headers, which these lack.
            differences = [d for d in compare(paths) if "only ours: version_" not in d and "order of version_" not in d]
            self.assertEqual(differences, [])

    def test_the_real_loader_takes_the_builders_object(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(run(OPTIONS.dump, "--build", directory).returncode, 0)
            code = f"import ctypes; ctypes.CDLL({directory + '/native'!r}).made_f"
            loaded = run(sys.executable, "-c", code)
            self.assertEqual((loaded.returncode, loaded.stderr.decode()), (0, ""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--files", type=int, default=300)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
