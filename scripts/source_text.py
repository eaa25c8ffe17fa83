# SPDX-License-Identifier: Apache-2.0
"""Reading C++ for the checks of this folder: code without comments and literals, line by line."""

import re

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def _blank(match):
    """The same number of lines, without the text, so that line numbers stay true."""
    text = match.group(0)
    if text[0] == "'" and match.start() and match.string[match.start() - 1].isalnum():
        return text  # a digit separator such as 1'000
    lines = "\n" * text.count("\n")
    return lines if text[0] == "/" else '""' + lines


def code_of(text):
    """The text with comments removed and literals emptied."""
    return _TOKEN.sub(_blank, text)


def includes_of(text):
    """(line number, '<' or '"', name) of each include that is not inside a comment."""
    comments = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    bare = comments.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    return [(bare.count("\n", 0, m.start(2)) + 1, m.group(1), m.group(2))
            for m in _INCLUDE.finditer(bare)]
