#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one case file (see README.md): makes its root, runs its commands, compares all three streams.

Usage: run_case.py CASE.md             LOADABLE_BIN names the program
       run_case.py --documents ROOT    every document that shows a case shows it as it is
"""

import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import case_root  # noqa: E402
from case_text import FENCE, CaseError, blocks_of, command_of, pick, rendered  # noqa: E402

TIMEOUT = 60  # seconds for one command
MARK = re.compile(r"<!-- case: ([a-z0-9_/-]+) -->\n+")


def run(command, root, binary):
    """(exit status, stdout, stderr) of a command, with the root's path written as $ROOT."""
    line, pointers = command.parts
    words = shlex.split(line.replace("$ROOT", str(root)))
    variables = {}
    while words and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0]):
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    if not words or words[0] != "loadable":
        raise CaseError(f"`{line}`: only `loadable` can be run")
    done = subprocess.run([binary, *words[1:]], cwd=root, env=variables, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False)
    stdout, stderr = (stream.decode(errors="backslashreplace").replace(str(root), "$ROOT")
                      for stream in (done.stdout, done.stderr))
    if pointers:
        try:
            value = json.loads(stdout)
        except json.JSONDecodeError as error:
            raise CaseError(f"`{line}`: no JSON: {error}\n{stdout}{stderr}") from None
        stdout = "".join(f"{p} = {json.dumps(pick(value, p), ensure_ascii=False)}\n" for p in pointers)
    return done.returncode, stdout, stderr


def with_newline(text):
    return text if not text or text.endswith("\n") else text + "\n"


def shared_blocks(name):
    """The blocks of a root that several cases use: roots/NAME.md, which has no commands."""
    path = HERE / "roots" / f"{name}.md"
    if not path.is_file():
        raise CaseError(f"no root `{name}`; it would be {path}")
    return blocks_of(path.read_text(encoding="utf-8"), needs_command=False)


def make(block, root):
    """Carries out a block that changes the root."""
    if block.kind == "root":
        for shared in shared_blocks(block.text.strip()):
            make(shared, root)
    elif block.kind == "tree":
        case_root.make_tree(root, block.text)
    elif block.kind == "elf":
        case_root.make_elfs(root, block.text)
    elif block.kind == "distribution":
        case_root.make_distribution(root, block.text)
    elif block.kind == "remove":
        case_root.remove(root, block.text)


def play(blocks, root, binary):
    """[(block, its text as it should be)] for console and stderr blocks, in order."""
    results = []
    for index, block in enumerate(blocks):
        make(block, root)
        if block.kind == "console":
            command = command_of(block)
            status, stdout, stderr = run(command, root, binary)
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            has_stderr = following is not None and following.kind == "stderr"
            words = [w for w in block.words if not w.startswith("exit=")] + [f"exit={status}"] * (status != 0)
            text = rendered("console", words, f"$ {command.line}\n{with_newline(stdout)}")
            if stderr and not has_stderr:
                text += "\n\n" + rendered("stderr", [], with_newline(stderr))
            results.append((block, text))
            if has_stderr:
                results.append((following, rendered("stderr", following.words, with_newline(stderr))))
    return results


def run_case(path, binary, update):
    """The unified diff between the case and what the program did; empty when they agree."""
    before = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="case-") as folder:
        results = play(blocks_of(before), pathlib.Path(folder).resolve(), binary)
    after = before
    for block, text in reversed(results):
        after = after[:block.start] + text + after[block.end:]
    if after != before and update:
        path.write_text(after, encoding="utf-8")
        print(f"{path}: rewritten")
        return ""
    return "".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), str(path),
                                        "what the program did"))


def shown(text, marks=MARK):
    """[(case, start, end)] of the blocks that a document shows of cases."""
    for mark in marks.finditer(text):
        block = FENCE.match(text, mark.end())
        if not block:
            raise CaseError(f"no fenced block after `{mark.group(0).strip()}`")
        yield mark.group(1), block.start(), block.end()


def check_documents(root, update):
    """Complaints about documents whose blocks are not those of the case that they name."""
    problems = []
    for path in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        before = after = path.read_text(encoding="utf-8")
        for name, start, end in reversed(list(shown(before))):
            case = root / "tests" / "cases" / f"{name}.md"
            if not case.is_file():
                problems.append(f"{path}: the case `{name}` is not there")
                continue
            blocks = [b for b in blocks_of(case.read_text(encoding="utf-8")) if b.kind == "console"]
            wanted = rendered("console", [], blocks[0].text)
            after = after[:start] + wanted + after[end:]
        if after != before and update:
            path.write_text(after, encoding="utf-8")
        elif after != before:
            problems.append("".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True),
                                                         str(path), "the case")))
    return problems


def main():
    update = os.environ.get("LOADABLE_UPDATE_CASES") == "1"
    try:
        if sys.argv[1] == "--documents":
            problems = check_documents(pathlib.Path(sys.argv[2]).resolve(), update)
        else:
            binary = os.environ.get("LOADABLE_BIN", "")
            if not os.access(binary, os.X_OK):
                raise CaseError(f"LOADABLE_BIN is `{binary}`, which is no program")
            difference = run_case(pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(binary), update)
            problems = [difference] if difference else []
    except CaseError as error:
        problems = [f"{sys.argv[-1]}: {error}"]
    print("\n".join(problems) or "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
