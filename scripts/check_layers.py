#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder of src/ uses what it must not: another folder, the host, the terminal.

The table of folders is the one that makes the CMake targets, cmake/layers.cmake. The laws behind the
banned names are in ARCHITECTURE.md. Usage: check_layers.py [ROOT]
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from source_text import code_of, includes_of  # noqa: E402

# Doors to the host: the only files that may touch files, processes or the environment of this machine.
HOST = ("tree/host_", "archive/", "remedy/apply_", "live/", "cli/")
ASSERT = ("base/assert.cc",)
OUTPUT = ("cli/",) + ASSERT


def call(names):
    """A call of a plain function: not a member, not a declaration with a type before the name."""
    return re.compile(r"(?:(?:^|[=(,;{}!?&|<:+-]|\breturn)\s*(?:std)?::|(?:^|[=(,;{}!?&|]|\breturn)\s*)"
                      r"(?:%s)\s*\(" % names, re.MULTILINE)


def word(names):
    return re.compile(r"\b(?:%s)\b" % names)


# (pattern in code, prefixes of files that may, what to use instead)
BANNED_CODE = [
    (word(r"std::filesystem"), HOST, "the tree (tree/), the only view of a file system"),
    (call(r"fopen|openat|creat|opendir|fstatat|readlinkat"), HOST, "the tree (tree/)"),
    # Plain `open(path)` may be a member of ours; the header of the system's is banned below.
    (re.compile(r"(?<![\w>])::(?:open|stat|lstat|readlink|access)\s*\("), HOST, "the tree (tree/)"),
    (word(r"ifstream|ofstream|fstream"), HOST, "the tree (tree/)"),
    (word(r"getenv|secure_getenv|setenv|putenv|environ"), ("cli/",),
     "the variables of the target, which cli/ passes in"),
    (word(r"std::c(?:out|err|log|in)"), OUTPUT, "a returned string; only cli/ writes"),
    (call(r"printf|vprintf|puts|putchar|fprintf|vfprintf|fputs|fwrite|perror|fmt::print|print"), OUTPUT,
     "a returned string; only cli/ writes"),
    (call(r"exit|_exit|_Exit|quick_exit|terminate"), ("cli/main.cc", "cli/run_", "tree/host_tree_test.cc"), "a Result up to cli/"),
    (call(r"abort"), ASSERT, "LOADABLE_ASSERT, or a Result when the user can cause it"),
    (call(r"dlopen|dlmopen|dlsym"), (), "the emulated process (loader/); nothing of a target is loaded"),
    (call(r"system|popen|fork|vfork|posix_spawnp?|execl|execlp|execv|execve|execvp|execvpe"),
     ("live/", "remedy/apply_", "cli/run_", "tree/host_tree_test.cc"), "nothing: a target is never run"),
    (call(r"mmap|mmap64"), (), "ByteSource: a mapped file can be truncated by another process"),
    (word(r"getpwnam|getpwuid|getgrnam|getaddrinfo|gethostbyname"), (), "nothing: no NSS in a static file"),
    (word(r"reinterpret_cast"), ("base/",), "load<T>() and as_bytes() of base/bytes.h"),
    (word(r"system_clock|random_device|srand|rand"), ("cli/", "live/"), "a value that is passed in"),
]

# (header, prefixes of files that may, what to use instead)
BANNED_INCLUDES = [
    (r"elf\.h|link\.h|linux/elf\.h", (), "elf/ has the constants; the macros of the system would clash"),
    (r"dlfcn\.h", (), "the emulated process (loader/)"),
    (r"iostream", OUTPUT, "a returned string; only cli/ writes"),
    (r"cstdio|stdio\.h", OUTPUT + HOST, "a returned string; only cli/ writes"),
    (r"filesystem|fstream|fcntl\.h|dirent\.h|ftw\.h|sys/stat\.h|unistd\.h|sys/mman\.h", HOST + ASSERT,
     "the tree (tree/), the only view of a file system"),
    (r"nlohmann/.*", ("base/",), "base/json.h"),
    (r"toml\+\+/.*|toml\.hpp", ("base/",), "the wrapper of TOML in base/"),
    (r"yaml-cpp/.*", ("base/",), "the wrapper of YAML in base/"),
    (r"fmt/.*", ("base/",), "base/format.h"),
    (r"tl/.*", ("base/",), "base/result.h"),
    (r"CLI/.*", ("cli/",), "options are read in cli/ only"),
    (r"archive.*\.h", ("archive/",), "archive/"),
    (r"openssl/.*", ("base/", "archive/"), "the hashes of base/"),
]

BAD_WORDS = re.compile(r"(?:^|_)(utils?|common|helpers?|managers?|misc)(?:_|$)")


def read_table(path):
    """{folder: [folders it may use]} from the set() in cmake/layers.cmake."""
    text = re.sub(r"#[^\n]*", "", path.read_text())
    body = re.search(r"set\s*\(\s*LOADABLE_LAYERS(.*?)\)", text, re.DOTALL)
    if not body:
        raise SystemExit(f"{path}: no set(LOADABLE_LAYERS …) found")
    rows = re.findall(r'"([^"]*)"', body.group(1))
    return {row.split(":")[0].strip(): row.split(":")[1].split() for row in rows}


def check_table(table):
    """Unknown folders and cycles; folders must come after those that they use, so order shows both."""
    seen = set()
    for folder, uses in table.items():
        for used in uses:
            if used not in table:
                yield f"cmake/layers.cmake: `{folder}` may use `{used}`, which has no row"
            elif used not in seen:
                yield (f"cmake/layers.cmake: `{folder}` may use `{used}`, which is not above it: "
                       "a cycle, or a row in the wrong place")
        seen.add(folder)


def allowed(name, prefixes):
    stem = name.replace("_test.cc", ".cc")
    return any(name.startswith(p) or stem.startswith(p) for p in prefixes)


def check_includes(name, text, table):
    folder = name.split("/")[0]
    may = {folder, *table.get(folder, [])}
    if name.endswith(("_test.cc", "_test.h")) and "testing" in table:
        may |= {"testing", *table["testing"]}
    for line, kind, header in includes_of(text):
        if kind == '"':
            other = header.split("/")[0]
            if "/" not in header or other not in table:
                yield f"src/{name}:{line}: `#include \"{header}\"`: write the path from src/"
            elif other not in may:
                yield (f"src/{name}:{line}: `{folder}` must not use `{other}` "
                       f"(cmake/layers.cmake allows: {' '.join(table[folder]) or 'nothing'})")
        for pattern, prefixes, instead in BANNED_INCLUDES:
            if kind == "<" and re.fullmatch(pattern, header) and not allowed(name, prefixes):
                yield f"src/{name}:{line}: `#include <{header}>` is banned here; use {instead}"


def check_code(name, text):
    code = re.sub(r"^[^\S\n]*#\s*include[^\n]*", "", code_of(text), flags=re.MULTILINE)
    for pattern, prefixes, instead in BANNED_CODE:
        if allowed(name, prefixes):
            continue
        for match in pattern.finditer(code):
            start = match.start() + len(match.group(0)) - len(match.group(0).lstrip())
            line = code.count("\n", 0, match.end() - 1) + 1
            shown = code[start:match.end()].strip().lstrip("=(,;{}!?&|<+- \n").rstrip("( ")
            yield f"src/{name}:{line}: `{shown}` is banned here; use {instead}"


def check_form(name, text):
    """Licence line, include guard, name of the file, namespace."""
    folder = name.split("/")[0]
    if not text.startswith("// SPDX-License-Identifier: Apache-2.0\n"):
        yield f"src/{name}:1: the first line must be `// SPDX-License-Identifier: Apache-2.0`"
    if name.endswith(".h") and "\n#pragma once\n" not in text:
        yield f"src/{name}:1: a header needs `#pragma once`"
    stem = pathlib.PurePath(name).stem
    if not re.fullmatch(r"[a-z][a-z0-9_]*", stem) or BAD_WORDS.search(stem):
        yield f"src/{name}:1: name a file in snake_case for its job (no util, common, helper, manager)"
    space = f"loadable::{folder}"
    if folder != "base" and stem != "main" and not re.search(rf"\b{space}\b", text):
        yield f"src/{name}:1: the code of this folder belongs into namespace `{space}`"


def check(root):
    """All complaints about the tree below `root`, in order."""
    table = read_table(root / "cmake" / "layers.cmake")
    problems = list(check_table(table))
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cc", ".h"):
            if path.is_file():
                problems.append(f"src/{path.relative_to(root / 'src')}: only .cc and .h belong here")
            continue
        name = path.relative_to(root / "src").as_posix()
        if name.count("/") != 1 or name.split("/")[0] not in table:
            problems.append(f"src/{name}: its folder has no row in cmake/layers.cmake")
            continue
        text = path.read_text(encoding="utf-8")
        problems += [*check_includes(name, text, table), *check_code(name, text), *check_form(name, text)]
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    problems = check(root.resolve())
    for problem in problems:
        print(problem)
    print(f"check_layers: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
