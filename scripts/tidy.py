#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the sources of src/ and fuzz/; a file that passed once is not read again.

The key of a result is a hash of the file, of all our headers that it includes, of .clang-tidy, of the
compile command and of the tool's version. Usage: tidy.py [--tests] [--jobs N] [FILE…]
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from source_text import includes_of  # noqa: E402

TIDY = "clang-tidy-16"
BUILD = ROOT / "build" / "tidy"
CACHE = ROOT / "build" / "tidy-cache"


def compile_commands():
    """{file: command} of the preset `tidy`, configured anew: it costs a second and cannot be stale."""
    done = subprocess.run(["cmake", "--preset", "tidy"], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"cmake --preset tidy failed:\n{done.stdout}")
    rows = json.loads((BUILD / "compile_commands.json").read_text())
    return {pathlib.Path(row["file"]): row["command"] for row in rows}


def closure(path, seen):
    """The file and all headers of ours that it includes, directly or not."""
    if path in seen or not path.is_file():
        return seen
    seen.add(path)
    for _, kind, name in includes_of(path.read_text(encoding="utf-8")):
        if kind == '"':
            closure(ROOT / "src" / name, seen)
    return seen


def key_of(path, command, base):
    digest = hashlib.sha256(base)
    digest.update(command.encode())
    for file in sorted(closure(path, set())):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def run_one(path):
    """(path, seconds, output); the output is empty when there is nothing to say."""
    start = time.monotonic()
    done = subprocess.run([TIDY, "-p", str(BUILD), "--quiet", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, errors="replace")
    output = done.stdout if not done.returncode else done.stdout + done.stderr
    return path, time.monotonic() - start, output if done.returncode or "warning:" in output else ""


def wanted(path, arguments):
    if arguments.files:
        return path in arguments.files
    inside = [p for p in ("src", "fuzz") if (ROOT / p) in path.parents]
    return bool(inside) and (arguments.tests or not path.name.endswith("_test.cc"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", action="store_true", help="the unit tests too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("files", nargs="*", type=lambda text: pathlib.Path(text).resolve())
    arguments = parser.parse_args()
    version = subprocess.run([TIDY, "--version"], stdout=subprocess.PIPE, check=True).stdout
    base = version + (ROOT / ".clang-tidy").read_bytes()
    commands = {p: c for p, c in compile_commands().items() if wanted(p, arguments)}
    CACHE.mkdir(parents=True, exist_ok=True)
    keys = {path: CACHE / key_of(path, command, base) for path, command in sorted(commands.items())}
    todo = [path for path, key in keys.items() if not key.exists()]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for count, (path, seconds, output) in enumerate(pool.map(run_one, todo), 1):
            print(f"tidy [{count}/{len(todo)}] {path.relative_to(ROOT)} {seconds:.1f} s", flush=True)
            if output:
                bad += 1
                print(output, flush=True)
            else:
                keys[path].touch()
    print(f"tidy: {len(keys)} files, {len(todo)} read, {len(keys) - len(todo)} known to be clean, "
          f"{bad} with complaints")
    return 1 if bad or not keys else 0


if __name__ == "__main__":
    sys.exit(main())
