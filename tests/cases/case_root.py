# SPDX-License-Identifier: Apache-2.0
"""Makes the root of a case on disk: directories, files, links, and ELF files from a description."""

import base64
import hashlib
import pathlib
import re
import struct
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "oracle"))
import elfgen  # noqa: E402
from case_text import CaseError  # noqa: E402

MACHINES = {"x86_64": elfgen.EM_X86_64, "aarch64": elfgen.EM_AARCH64, "i386": elfgen.EM_386, "arm": elfgen.EM_ARM}
TYPES = {"dyn": elfgen.ET_DYN, "exec": elfgen.ET_EXEC, "rel": elfgen.ET_REL}
STACKS = {"rw": elfgen.PF_R | elfgen.PF_W, "rwx": elfgen.PF_R | elfgen.PF_W | elfgen.PF_X, "none": None}
FLAGS = {"now": elfgen.DF_1_NOW, "nodelete": elfgen.DF_1_NODELETE, "noopen": elfgen.DF_1_NOOPEN,
         "nodeflib": elfgen.DF_1_NODEFLIB, "pie": elfgen.DF_1_PIE}
PLAIN = ("interp", "needed", "soname", "rpath", "runpath", "auxiliary", "filter", "bits", "osabi", "tls")
SYMBOLS = ("exports", "exports_data", "imports", "imports_data", "imports_weak")


def inside(root, path):
    if not path.startswith("/") or ".." in path.split("/"):
        raise CaseError(f"`{path}`: a path of the root begins with / and has no ..")
    target = root / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def make_tree(root, text):
    """Lines of a `tree` block; see README.md."""
    current, lines, mode = None, [], None

    def finish():
        if current is not None:
            current.write_text("".join(lines).replace("$ROOT", str(root)))
            if mode:
                current.chmod(int(mode, 8))

    for line in text.splitlines():
        if line.startswith("  ") or (not line.strip() and current is not None):
            if current is None:
                raise CaseError(f"tree: `{line}` belongs to no file")
            lines.append(line[2:] + "\n")
            continue
        finish()
        current, lines, mode = None, [], None
        if not line.strip():
            continue
        path, arrow, target = line.partition(" -> ")
        matched = re.fullmatch(r"(\S.*?)(?: \((0[0-7]+)\))?", path)
        path, mode = matched.group(1), matched.group(2)
        if arrow:
            inside(root, path).symlink_to(target.replace("$ROOT", str(root)))
        elif path.endswith("/"):
            inside(root, path).mkdir(parents=True, exist_ok=True)
            if mode:
                inside(root, path).chmod(int(mode, 8))
        else:
            current = inside(root, path)
    finish()


def symbols_of(table):
    """(symbols, needed versions) of the five lists of names."""
    symbols, needs = [], []
    for key in SYMBOLS:
        for entry in table.get(key, []):
            name, _, version = entry.partition("@")
            version, _, file = version.partition(":")
            kind = "data" if key.endswith("_data") else "func"
            bind = "weak" if key.endswith("_weak") else "global"
            symbols.append(elfgen.Symbol(name, kind=kind, bind=bind, defined=key.startswith("exports"),
                                         version=version or None))
            if file and not any(n.file == file and n.version == version for n in needs):
                needs.append(elfgen.VersionNeed(file, version))
    # Texts that a reader looks for in the file: as names of weak symbols they lie in its one segment.
    symbols += [elfgen.Symbol(text, kind="notype", bind="weak", defined=False) for text in table.get("strings", [])]
    return symbols, needs


def read_only(data):
    """The file with its loadable segment read-only (64 bit, little-endian): where real files keep their texts."""
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for start in range(offset, offset + size * count, size):
        if struct.unpack_from("<I", data, start)[0] == elfgen.PT_LOAD:
            data = elfgen.patched(data, start + 4, struct.pack("<I", elfgen.PF_R))
    return data


def elf_bytes(path, table):
    known = {*PLAIN, *SYMBOLS, "machine", "kind", "stack", "flags_1", "versions", "strings", "append"}
    unknown = set(table) - known
    if unknown:
        raise CaseError(f"elf `{path}`: unknown keys {sorted(unknown)}; known: {sorted(known)}")
    fields = {key: table[key] for key in PLAIN if key in table}
    symbols, needs = symbols_of(table)
    flags = 0
    for flag in table.get("flags_1", []):
        flags |= FLAGS[flag]
    elf = elfgen.Elf(**fields, machine=MACHINES[table.get("machine", "x86_64")],
                     type=TYPES[table.get("kind", "dyn")], stack=STACKS[table.get("stack", "rw")],
                     flags_1=flags, symbols=symbols, verneeds=needs, verdefs=table.get("versions", []))
    data = bytes(elf.bytes())
    if "strings" in table:
        data = read_only(data)
    return data + table.get("append", "").encode()


def make_elfs(root, text):
    """Tables of an `elf` block; see README.md."""
    for path, table in tomllib.loads(text).items():
        target = inside(root, path)
        target.write_bytes(elf_bytes(path, table))
        target.chmod(0o755)


def make_distribution(root, text):
    """Writes the metadata of a distribution over files that are there; see README.md."""
    lines = [line for line in text.splitlines() if line.strip()]
    matched = re.fullmatch(r"(\S+) (\S+) in (/\S+)", lines[0] if lines else "")
    if not matched:
        raise CaseError("distribution: the first line is `NAME VERSION in DIRECTORY`")
    name, version, site = matched.groups()
    metadata = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n"
    rows = []
    for line in lines[1:]:
        if line.startswith("  "):
            metadata += line[2:] + "\n"
            continue
        file = root / site.lstrip("/") / line
        if not file.is_file():
            raise CaseError(f"distribution: `{line}` is not there; make it first")
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).decode().rstrip("=")
        rows.append(f"{line},sha256={digest},{file.stat().st_size}\n")
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    rows += [f"{folder}/{name},,\n" for name in ("METADATA", "INSTALLER", "RECORD")]
    for name, content in (("METADATA", metadata), ("INSTALLER", "pip\n"), ("RECORD", "".join(rows))):
        inside(root, f"{site}/{folder}/{name}").write_text(content)


def remove(root, text):
    for line in text.split():
        target = inside(root, line)
        if not target.is_symlink() and not target.exists():
            raise CaseError(f"remove: `{line}` is not there")
        target.unlink()
