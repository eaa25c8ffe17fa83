# SPDX-License-Identifier: Apache-2.0
"""Writes tiny ELF files: what a dynamic loader reads of a file, and nothing else.

No compiler, no sections: an ELF header, program headers, one loadable segment that holds the
dynamic section with its tables. A shared object is a few hundred bytes, so that a test can make
thousands of them. Everything that a loader looks at can be set, to odd values too.

    Elf(needed=["libb.so"], soname="liba.so", runpath="$ORIGIN/l").bytes()
    Elf(interp="/lib64/ld-linux-x86-64.so.2", needed=["liba.so"]).bytes()   # a program (PIE)

Numbers are those of the System V ABI (gABI), its processor supplements, and the GNU extensions.
"""

import dataclasses
import struct

ET_REL, ET_EXEC, ET_DYN, ET_CORE = 1, 2, 3, 4
EM_386, EM_ARM, EM_X86_64, EM_AARCH64 = 3, 40, 62, 183
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR, PT_TLS = 1, 2, 3, 4, 6, 7
PT_GNU_STACK, PT_GNU_PROPERTY = 0x6474E551, 0x6474E553
PF_X, PF_W, PF_R = 1, 2, 4

DT_NEEDED, DT_PLTRELSZ, DT_PLTGOT, DT_HASH, DT_STRTAB, DT_SYMTAB = 1, 2, 3, 4, 5, 6
DT_RELA, DT_RELASZ, DT_RELAENT, DT_STRSZ, DT_SYMENT, DT_SONAME, DT_RPATH = 7, 8, 9, 10, 11, 14, 15
DT_SYMBOLIC, DT_PLTREL, DT_DEBUG, DT_TEXTREL, DT_JMPREL, DT_BIND_NOW = 16, 20, 21, 22, 23, 24
DT_RUNPATH, DT_FLAGS, DT_RELRSZ, DT_RELR, DT_RELRENT = 29, 30, 35, 36, 37
DT_GNU_HASH, DT_VERSYM, DT_FLAGS_1 = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFB
DT_VERDEF, DT_VERDEFNUM, DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
DT_AUXILIARY, DT_FILTER = 0x7FFFFFFD, 0x7FFFFFFF

DF_SYMBOLIC, DF_BIND_NOW, DF_STATIC_TLS = 2, 8, 16
DF_1_NOW, DF_1_NODELETE, DF_1_NOOPEN, DF_1_NODEFLIB, DF_1_PIE = 1, 8, 0x40, 0x800, 0x08000000

VER_FLG_BASE, VER_FLG_WEAK = 1, 2
STB = {"local": 0, "global": 1, "weak": 2, "unique": 10}
STT = {"notype": 0, "data": 1, "func": 2, "tls": 6, "ifunc": 10}
SHN_UNDEF, SHN_ABS = 0, 0xFFF1

# Relocation types by machine: a function slot, a data slot, an offset in static TLS.
RELOCATIONS = {EM_X86_64: {"func": 7, "data": 6, "tls": 18},
               EM_AARCH64: {"func": 1026, "data": 1025, "tls": 1030}}


@dataclasses.dataclass
class Symbol:
    """One dynamic symbol. `version` of a defined one names a version of `Elf.verdefs`, of an
    undefined one a version that `Elf.verneeds` lists. `bound`: has a relocation (undefined)."""
    name: str
    kind: str = "func"
    bind: str = "global"
    defined: bool = True
    version: str = None
    hidden: bool = False
    absolute: bool = False
    bound: bool = True


def undefined(name, kind="func", **more):
    """A reference to a symbol, with the relocation that makes the loader bind it."""
    return Symbol(name, kind=kind, defined=False, **more)


@dataclasses.dataclass
class VersionNeed:
    """One version of a file that is needed. `hash` overrides the computed hash."""
    file: str
    version: str
    weak: bool = False
    hash: int = None


def sysv_hash(name):
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


def gnu_hash(name):
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


@dataclasses.dataclass
class Elf:
    """What is in the file. Lists keep their order; `None` leaves a thing out."""
    needed: list = dataclasses.field(default_factory=list)
    soname: str = None
    rpath: str = None
    runpath: str = None
    interp: str = None
    bits: int = 64
    endian: str = "<"
    machine: int = EM_X86_64
    osabi: int = 0
    abiversion: int = 0
    version: int = 1
    type: int = ET_DYN
    flags: int = 0
    flags_1: int = 0
    auxiliary: list = dataclasses.field(default_factory=list)
    filter: list = dataclasses.field(default_factory=list)
    symbols: list = dataclasses.field(default_factory=list)
    hash: str = "both"  # "sysv", "gnu", "both" or None
    verdefs: list = dataclasses.field(default_factory=list)
    verneeds: list = dataclasses.field(default_factory=list)
    tls: int = None
    stack: int = PF_R | PF_W  # flags of PT_GNU_STACK, None: no such segment
    isa_needed: int = None
    abi_note: tuple = None
    note_padding: int = 0
    relr: bool = False
    phantom: bool = False  # a segment whose bytes lie past the end of the file
    align: int = 0x1000
    load: bool = True
    dynamic: bool = True
    extra: list = dataclasses.field(default_factory=list)  # further (tag, value) pairs

    def bytes(self):
        return _Writer(self).finish()


class _Writer:
    """Lays the parts out one after the other in one segment at address 0 = file offset 0."""

    def __init__(self, elf):
        self.elf = elf
        self.word = 8 if elf.bits == 64 else 4
        self.strings = bytearray(b"\0")
        self.offsets = {}
        self.headers = 64 if elf.bits == 64 else 52
        self.phentsize = 56 if elf.bits == 64 else 32
        self.segments = []
        self.body = bytearray()
        self.start = 0

    def pack(self, layout, *values):
        return struct.pack(self.elf.endian + layout, *values)

    def address(self, *values):
        letter = "Q" if self.elf.bits == 64 else "I"
        mask = (1 << (8 * self.word)) - 1
        return struct.pack(self.elf.endian + letter * len(values), *(v & mask for v in values))

    def string(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        if data not in self.offsets:
            self.offsets[data] = len(self.strings)
            self.strings += data + b"\0"
        return self.offsets[data]

    def place(self, data, align=8):
        """Adds the bytes to the segment and returns their address."""
        self.body += b"\0" * (-(self.start + len(self.body)) % align)
        where = self.start + len(self.body)
        self.body += data
        return where

    def segment(self, kind, flags, offset, size, align=8, memory=None):
        self.segments.append((kind, flags, offset, size, size if memory is None else memory, align))

    def count_segments(self):
        elf = self.elf
        notes = (elf.isa_needed is not None) * 2 + (elf.abi_note is not None or elf.note_padding > 0)
        return (elf.load + elf.dynamic + 2 * (elf.interp is not None) + (elf.tls is not None)
                + (elf.stack is not None) + elf.phantom + notes)

    def finish(self):
        elf = self.elf
        count = self.count_segments()
        self.start = self.headers + count * self.phentsize
        if elf.interp is not None:
            self.segment(PT_PHDR, PF_R, self.headers, count * self.phentsize)
            text = elf.interp.encode() + b"\0"
            self.segment(PT_INTERP, PF_R, self.place(text, 1), len(text), 1)
        if elf.load:
            self.segments.append(None)  # its size is known at the end; PT_LOADs come in order
            load_index = len(self.segments) - 1
        self.add_notes()
        if elf.dynamic:
            self.add_dynamic()
        if elf.tls is not None:
            self.segment(PT_TLS, PF_R, self.place(b"", 16), 0, 16, elf.tls)
        if elf.stack is not None:
            self.segment(PT_GNU_STACK, elf.stack, 0, 0, 16)
        total = self.start + len(self.body)
        if elf.load:
            self.segments[load_index] = (PT_LOAD, PF_R | PF_W, 0, total, total, elf.align)
        if elf.phantom:
            beyond = (total + 0xFFFF) & ~0xFFFF
            self.segment(PT_LOAD, PF_R, beyond, 0x1000, elf.align)
        assert len(self.segments) == count
        return self.elf_header(count) + b"".join(map(self.program_header, self.segments)) + self.body

    def elf_header(self, count):
        elf = self.elf
        ident = bytes([0x7F, 0x45, 0x4C, 0x46, 2 if elf.bits == 64 else 1,
                       1 if elf.endian == "<" else 2, elf.version, elf.osabi, elf.abiversion])
        return (ident.ljust(16, b"\0") + self.pack("HHI", elf.type, elf.machine, elf.version)
                + self.address(0, self.headers, 0)
                + self.pack("IHHHHHH", 0, self.headers, self.phentsize, count, 0, 0, 0))

    def program_header(self, entry):
        kind, flags, offset, size, memory, align = entry
        if self.elf.bits == 64:
            return self.pack("II", kind, flags) + self.address(offset, offset, offset, size, memory,
                                                               align)
        return (self.pack("I", kind) + self.address(offset, offset, offset, size, memory)
                + self.pack("I", flags) + self.address(align))

    def note(self, kind, descriptor):
        return self.pack("III", 4, len(descriptor), kind) + b"GNU\0" + descriptor

    def add_notes(self):
        elf = self.elf
        if elf.abi_note is not None or elf.note_padding:
            notes = b""
            if elf.note_padding:  # a long note of another kind before the one that counts
                notes += self.note(0x7777, b"\0" * elf.note_padding)
            if elf.abi_note is not None:
                notes += self.note(1, self.pack("IIII", *elf.abi_note))
            self.segment(PT_NOTE, PF_R, self.place(notes, 4), len(notes), 4)
        if elf.isa_needed is not None:
            data = self.pack("III", 0xC0008002, 4, elf.isa_needed)
            data += b"\0" * (-len(data) % self.word)
            note = self.note(5, data)
            where = self.place(note, 8)
            self.segment(PT_NOTE, PF_R, where, len(note), self.word)
            self.segment(PT_GNU_PROPERTY, PF_R, where, len(note), self.word)

    def add_dynamic(self):
        elf = self.elf
        entries = [(DT_NEEDED, self.string(name)) for name in elf.needed]
        for tag, value in ((DT_SONAME, elf.soname), (DT_RPATH, elf.rpath), (DT_RUNPATH, elf.runpath)):
            if value is not None:
                entries.append((tag, self.string(value)))
        entries += [(DT_FILTER, self.string(name)) for name in elf.filter]  # first, as ld does
        entries += [(DT_AUXILIARY, self.string(name)) for name in elf.auxiliary]
        entries += [(DT_FLAGS, elf.flags)] * bool(elf.flags)
        entries += [(DT_FLAGS_1, elf.flags_1)] * bool(elf.flags_1)
        if elf.interp is not None:
            entries.append((DT_DEBUG, 0))
        entries += self.symbol_tables() + self.version_tables() + self.relocation_tables()
        entries += elf.extra
        where = self.place(bytes(self.strings), 1)
        entries += [(DT_STRTAB, where), (DT_STRSZ, len(self.strings)), (0, 0)]
        data = b"".join(self.address(tag, value) for tag, value in entries)
        self.segment(PT_DYNAMIC, PF_R | PF_W, self.place(data, 8), len(data))

    def ordered_symbols(self):
        """Undefined ones first: the GNU hash table covers a suffix of the symbol table."""
        rest = [s for s in self.elf.symbols if not s.defined]
        defined = [s for s in self.elf.symbols if s.defined]
        return rest + defined, len(rest) + 1

    def symbol_tables(self):
        elf = self.elf
        self.symbols, self.first_defined = self.ordered_symbols()
        data_slot = self.place(b"\0" * 16, 16)
        table = bytearray(24 if elf.bits == 64 else 16)
        for symbol in self.symbols:
            name = self.string(symbol.name)
            info = STB[symbol.bind] << 4 | STT[symbol.kind]
            section = SHN_UNDEF if not symbol.defined else SHN_ABS if symbol.absolute else 1
            value = 0 if not symbol.defined or symbol.kind == "tls" else data_slot
            size = 8 if symbol.defined else 0
            if elf.bits == 64:
                table += self.pack("IBBHQQ", name, info, 0, section, value, size)
            else:
                table += self.pack("IIIBBH", name, value, size, info, 0, section)
        entries = [(DT_SYMTAB, self.place(bytes(table))), (DT_SYMENT, 24 if elf.bits == 64 else 16)]
        if elf.hash in ("sysv", "both"):
            entries.append((DT_HASH, self.place(self.sysv_table())))
        if elf.hash in ("gnu", "both"):
            entries.append((DT_GNU_HASH, self.place(self.gnu_table())))
        return entries

    def sysv_table(self):
        count = len(self.symbols) + 1
        chain = [0] * count
        head = 0
        for index in range(1, count):  # one bucket: every symbol is in its chain
            chain[index], head = head, index
        return self.pack(f"III{count}I", 1, count, head, *chain)

    def gnu_table(self):
        defined = self.symbols[self.first_defined - 1:]
        bloom = (1 << (8 * self.word)) - 1 if defined else 0
        chain = [gnu_hash(s.name) & ~1 for s in defined]
        if chain:
            chain[-1] |= 1
        head = self.first_defined if defined else 0
        return (self.pack("IIII", 1, self.first_defined, 1, 0) + self.address(bloom)
                + self.pack(f"I{len(chain)}I", head, *chain))

    def version_tables(self):
        elf = self.elf
        if not elf.verdefs and not elf.verneeds:
            return []
        entries = []
        defined = {None: 1}
        if elf.verdefs:
            base = elf.soname or "base"
            table = b""
            for number, name in enumerate([base, *elf.verdefs], start=1):
                if number > 1:
                    defined[name] = number
                last = number == len(elf.verdefs) + 1
                table += self.pack("HHHHIII", 1, VER_FLG_BASE if number == 1 else 0, number, 1,
                                   sysv_hash(name), 20, 0 if last else 28)
                table += self.pack("II", self.string(name), 0)
            entries += [(DT_VERDEF, self.place(table)), (DT_VERDEFNUM, len(elf.verdefs) + 1)]
        needed, table, files = self.need_table(len(elf.verdefs) + 2)
        if files:
            entries += [(DT_VERNEED, self.place(table)), (DT_VERNEEDNUM, files)]
        indices = [0]
        for symbol in self.symbols:
            index = defined[symbol.version] if symbol.defined else needed.get(symbol.version, 1)
            indices.append(index | (0x8000 if symbol.hidden else 0))
        entries.append((DT_VERSYM, self.place(self.pack(f"{len(indices)}H", *indices))))
        return entries

    def need_table(self, number):
        """The table of needed versions: {version: index}, its bytes, the count of files."""
        files = {}
        for need in self.elf.verneeds:
            files.setdefault(need.file, []).append(need)
        indices, table = {}, b""
        for position, (file, needs) in enumerate(files.items()):
            size = 16 + 16 * len(needs)
            following = 0 if position == len(files) - 1 else size
            table += self.pack("HHIII", 1, len(needs), self.string(file), 16, following)
            for place, need in enumerate(needs):
                indices[need.version] = number
                value = sysv_hash(need.version) if need.hash is None else need.hash
                table += self.pack("IHHII", value, VER_FLG_WEAK if need.weak else 0, number,
                                   self.string(need.version), 0 if place == len(needs) - 1 else 16)
                number += 1
        return indices, table, len(files)

    def relocation_tables(self):
        elf = self.elf
        types = RELOCATIONS.get(elf.machine)
        entries = []
        if elf.relr:
            slot = self.place(b"\0" * 8, 8)
            entries += [(DT_RELR, self.place(self.address(slot))), (DT_RELRSZ, self.word),
                        (DT_RELRENT, self.word)]
        if types is None or elf.bits != 64:
            return entries
        slots, data = b"", b""
        for index, symbol in enumerate(self.symbols, start=1):
            if symbol.kind == "notype" or not symbol.bound:
                continue
            if symbol.defined and symbol.kind != "tls":
                continue
            where = self.place(b"\0" * 8, 8)
            kind = "func" if symbol.kind == "ifunc" else symbol.kind
            record = self.pack("QQq", where, index << 32 | types[kind], 0)
            if kind == "func":
                slots += record
            else:
                data += record
        if data:
            entries += [(DT_RELA, self.place(data)), (DT_RELASZ, len(data)), (DT_RELAENT, 24)]
        if slots:
            entries += [(DT_JMPREL, self.place(slots)), (DT_PLTRELSZ, len(slots)),
                        (DT_PLTREL, DT_RELA), (DT_PLTGOT, self.place(b"\0" * 24, 8))]
        return entries


def patched(data, offset, replacement):
    """The bytes with some of them replaced."""
    return data[:offset] + replacement + data[offset + len(replacement):]
