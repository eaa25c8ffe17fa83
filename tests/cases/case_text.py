# SPDX-License-Identifier: Apache-2.0
"""Reads a case: a Markdown file as a list of fenced blocks, and writes changed blocks back."""

import dataclasses
import re

FENCE = re.compile(r"^```([a-z]+)?([^\n`]*)\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
KINDS = ("root", "tree", "elf", "distribution", "remove", "console", "stderr")


class CaseError(Exception):
    """The case itself is wrong; its text says where."""


@dataclasses.dataclass
class Block:
    """One fenced block: its kind, the words after it, its text, its place in the file."""
    kind: str
    words: list
    text: str
    start: int
    end: int
    line: int

    def option(self, name, default):
        for word in self.words:
            key, _, value = word.partition("=")
            if key == name:
                return value
        return default


def blocks_of(text, needs_command=True):
    """The blocks whose kind means something here; others, such as `text`, are prose."""
    blocks = []
    for match in FENCE.finditer(text):
        if match.group(1) in KINDS:
            blocks.append(Block(match.group(1), match.group(2).split(), match.group(3), match.start(),
                                match.end(), text.count("\n", 0, match.start()) + 1))
    if needs_command and not any(block.kind == "console" for block in blocks):
        raise CaseError("no console block: a case without a command asserts nothing")
    return blocks


def rendered(kind, words, text):
    """A fenced block as it stands in a file."""
    head = " ".join(["```" + kind, *words])
    return f"{head}\n{text}```"


@dataclasses.dataclass
class Command:
    """`$ NAME=value loadable … | pick POINTER…` with the output that is expected of it."""
    line: str
    expected: str
    status: int

    @property
    def parts(self):
        command, bar, pick = self.line.partition(" | pick ")
        return command, pick.split() if bar else []


def command_of(block):
    first, _, rest = block.text.partition("\n")
    if not first.startswith("$ "):
        raise CaseError(f"line {block.line}: a console block begins with `$ `, not with `{first}`")
    if "\n$ " in rest or rest.startswith("$ "):
        raise CaseError(f"line {block.line}: one command in a block")
    return Command(first[2:], rest, int(block.option("exit", "0")))


def pick(value, pointer):
    """The value at a JSON pointer (RFC 6901); a missing one is an error that names the step."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise CaseError(f"`{pointer}`: nothing at `{step}`") from None
    return value
