#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file is too long to be read at once: sources 500 lines, headers 250, Python functions 60.

C++ functions are measured by clang-tidy (readability-function-size in .clang-tidy), which parses
them; tests/house proves that it complains. Usage: check_sizes.py [ROOT]
"""

import ast
import pathlib
import sys

MAX_SOURCE = 500
MAX_HEADER = 250
MAX_FUNCTION = 60
FOLDERS = ("src", "fuzz", "bench", "tests", "scripts", "cmake", "packaging")
SOURCES = {".cc": MAX_SOURCE, ".h": MAX_HEADER, ".py": MAX_SOURCE, ".cmake": MAX_SOURCE, ".sh": MAX_SOURCE}


def is_python(path, text):
    return path.suffix == ".py" or (not path.suffix and text.startswith("#!") and
                                    "python" in text.split("\n", 1)[0])


def check_functions(name, text):
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield f"{name}:{error.lineno}: not Python: {error.msg}"
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            if lines > MAX_FUNCTION:
                yield f"{name}:{node.lineno}: `{node.name}` has {lines} lines, at most {MAX_FUNCTION}"


def check_file(path, name):
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return  # seeds of the fuzzers are bytes
    python = is_python(path, text)
    limit = SOURCES.get(path.suffix, MAX_SOURCE if text.startswith("#!") else None)
    lines = text.count("\n")
    if limit is not None and lines > limit:
        yield f"{name}: {lines} lines, at most {limit}"
    if python:
        yield from check_functions(name, text)


def check(root):
    """All complaints about the tree below `root`, in order."""
    problems = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if "corpus" in relative.parts or "crashes" in relative.parts or "__pycache__" in relative.parts:
                continue
            if path.is_file() and not path.is_symlink():
                problems += check_file(path, relative.as_posix())
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    problems = check(root.resolve())
    for problem in problems:
        print(problem)
    print(f"check_sizes: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
