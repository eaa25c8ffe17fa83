# SPDX-License-Identifier: Apache-2.0
"""Random versions, specifiers, markers, requirements and RECORDs, right and wrong ones.

Everything follows from (seed, kind, index): a text can be made again.
"""

import random
import re

NUMBERS = ("0", "1", "1", "2", "2", "3", "9", "10", "11", "20", "2024", "01", "007", "9223372036854775807")
SEPARATORS = ("", "", ".", "-", "_")
PRE = ("a", "b", "rc", "c", "alpha", "beta", "pre", "preview", "A", "RC", "Beta")
POST = ("post", "rev", "r", "POST")
NAMES = ("numpy", "onnxruntime", "onnxruntime-gpu", "Foo.Bar_baz", "a", "x2", "A__b", "zope.interface",
         "2to3", "foo_", "d-.-e")
EXTRAS = ("gpu", "cpu", "All_the.Rest", "x", "dev-1")
NOISE = tuple("._-+!*v~=<>()[];,@'\" \t\n\r\x0b\x1c\\#/:|&aAcdeghinoprstx019é") + (
    "===", "and", " or ", "not", "in", ".*", "||", "''", '"')

VALUES = {
    "python_version": ("3.8", "3.9", "3.10", "3.11", "3.12", "3", "3.*", "3.11.*", "2.7", "4", "3.11.0",
                       "3.8, 3.11", "=3.11", " 3.11", "three", "3.11.7", "3.11rc1", ">3"),
    "python_full_version": ("3.11", "3.11.7", "3.11.7rc1", "3.11.*", "3.12.0a1", "3.11.7+local", "3.11.6"),
    "os_name": ("posix", "nt", "java", "pos", ""),
    "sys_platform": ("linux", "win32", "darwin", "never", "lin", "cygwin"),
    "platform_release": ("6.1.0", "6.1.0-generic", "5", "7", "", "6.1.*"),
    "platform_system": ("Linux", "Windows", "Darwin", "linux"),
    "platform_version": ("#1 SMP", "1", "SMP"),
    "platform_machine": ("x86_64", "aarch64", "arm64", "x86_64 aarch64"),
    "platform_python_implementation": ("CPython", "PyPy", "cpython"),
    "python_implementation": ("CPython", "PyPy"),
    "implementation_name": ("cpython", "pypy"),
    "implementation_version": ("3.11.7", "3", "3.12", "7.3.*"),
    "extra": EXTRAS + ("GPU", "", "all-the-rest", "gpu cpu"),
    "extras": EXTRAS,
    "dependency_groups": ("dev", "Test_1", "docs"),
}
SPELLINGS = {
    "os_name": ("os_name", "os.name"),
    "sys_platform": ("sys_platform", "sys.platform"),
    "platform_version": ("platform_version", "platform.version"),
    "platform_machine": ("platform_machine", "platform.machine"),
    "platform_python_implementation": ("platform_python_implementation",
                                       "platform.python_implementation"),
    "platform_release": ("platform_release", "platform.release"),
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "~=", "===", "in", "not in")
ESCAPES = ("\\n", "\\x41", "\\'", '\\"', "\\\\", "\\q", "\\101", "\\u00e9", "\\U0001F600", "\\x4",
           "\\", "\\8", "\\777", "\t", "\n", "\x00", "\x0c", "é", "'", '"')


class Generator:
    """Texts of one kind and number."""

    def __init__(self, seed, kind, index):
        self.random = random.Random(f"{seed}:{kind}:{index}")

    def chance(self, share):
        return self.random.random() < share

    def one(self, choices):
        return self.random.choice(choices)

    def blanks(self, share=0.3):
        return self.one((" ", "  ", "\t")) if self.chance(share) else ""

    def damaged(self, text, share=0.25):
        """The text, with some probability changed in one to three places."""
        if not self.chance(share):
            return text
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randint(0, len(text))
            way = self.random.randrange(4)
            if way == 0:
                text = text[:at] + self.one(NOISE) + text[at:]
            elif way == 1:
                text = text[:at] + text[at + 1:]
            elif way == 2:
                text = text[:at] + self.one(NOISE) + text[at + 1:]
            else:
                text = text[:at] + text[self.random.randint(0, len(text)):]
        # Numbers beyond 64 bits are all one to loadable (version.h).
        return re.sub(r"[0-9]{20,}", lambda number: number[0][:19], text)

    # Versions.

    def number(self):
        return self.one(NUMBERS[:-1]) if self.chance(0.99) else NUMBERS[-1]

    def part(self, words):
        """`.post-3`, in one of its spellings; the number may be missing."""
        number = self.number() if self.chance(0.85) else ""
        return self.one(SEPARATORS) + self.one(words) + self.one(SEPARATORS) + number

    def release(self, longest=4):
        return ".".join(self.number() for _ in range(self.random.randint(1, longest)))

    def version(self, has_local=True, like=None):
        """A version; `like` gives the release that it shares with another."""
        text = self.one(("", "", "", "", "v", "V"))
        text += f"{self.number()}!" if self.chance(0.06) else ""
        text += like if like and self.chance(0.6) else self.release()
        text += self.part(PRE) if self.chance(0.3) else ""
        if self.chance(0.3):
            text += f"-{self.number()}" if self.chance(0.2) else self.part(POST)
        text += self.part(("dev", "DEV")) if self.chance(0.2) else ""
        if has_local and self.chance(0.2):
            segments = (self.one(("cu12", "CU", "1", "01", "ubuntu", "abc", "10", "1a"))
                        for _ in range(self.random.randint(1, 3)))
            text += "+" + self.one(".-_").join(segments)
        return text

    def version_pair(self):
        like = self.release()
        pair = [self.version(like=like) for _ in range(2)]
        if self.chance(0.1):
            pair[1] = pair[0] + self.one(("", ".0", ".dev0", ".post0", "a0", "+x"))
        return [self.blanks(0.05) + self.damaged(text) + self.blanks(0.05) for text in pair]

    # Specifiers.

    def clause(self, like):
        operator = self.one(("==", "!=", "<", "<=", ">", ">=", "~=", "==="))
        if operator in ("==", "!=") and self.chance(0.4):
            version = (like if self.chance(0.6) else self.release()) + ".*"
        else:
            version = self.version(has_local=operator in ("==", "!=", "===") or self.chance(0.05),
                                   like=like)
        if operator == "===" and self.chance(0.2):
            version = self.one(("weird", "1.0.0", "a-b,c", "x;y"))
        return operator + self.blanks() + version

    def clauses(self, like, most=4):
        comma = self.blanks(0.2) + "," + self.blanks(0.2)
        comma = "," + comma if self.chance(0.02) else comma
        text = comma.join(self.clause(like) for _ in range(self.random.randint(0, most)))
        return text + ("," if self.chance(0.05) else "")

    def specifiers(self):
        """A text of clauses, and versions to ask it about."""
        like = self.release(3)
        text = self.blanks(0.1) + self.damaged(self.clauses(like)) + self.blanks(0.1)
        asked = [self.version(like=like) for _ in range(12)]
        return text, asked + [like, like + ".0", like + ".dev0", like + "+local", like + ".post1"]

    # Markers.

    def quoted(self, text):
        if self.chance(0.03):
            text += self.one(ESCAPES) + self.one(("", "tail"))
        quote = "'" if self.chance(0.5) else '"'
        return quote + text + quote

    def comparison(self):
        variable = self.one(tuple(VALUES))
        written = self.one(SPELLINGS.get(variable, (variable,)))
        value = self.quoted(self.one(VALUES[variable]))
        operator = self.one(COMPARISONS) if self.chance(0.85) else "=="
        is_set = variable in ("extras", "dependency_groups")
        sides = [written, value]
        if self.chance(0.9 if is_set else 0.15):
            sides.reverse()
        if is_set and self.chance(0.8):
            operator = self.one(("in", "not in"))
        if self.chance(0.02):
            sides[self.random.randrange(2)] = self.one((self.quoted("os_name"), "sys_platform",
                                                        "platform", "extra", self.quoted("extra")))
        gap = " " if operator[-1] == "n" and self.chance(0.9) else self.blanks(0.7)
        operator = operator.replace(" ", self.one((" ", "  ", "\t")))
        return sides[0] + gap + operator + (gap or self.blanks()) + sides[1]

    def marker_tree(self, depth=0):
        if depth > 3 or self.chance(0.45):
            return self.comparison()
        parts = []
        for _ in range(self.random.randint(1, 3)):
            part = self.marker_tree(depth + 1)
            if self.chance(0.4):
                part = "(" + self.blanks(0.2) + part + self.blanks(0.2) + ")"
            parts.append(part)
        text = parts[0]
        for part in parts[1:]:
            word = self.one(("and", "or"))
            text += (" " if self.chance(0.95) else "") + word + (" " if self.chance(0.95) else "") + part
        return text

    def marker_text(self):
        text = self.marker_tree()
        if self.chance(0.003):
            depth = self.one((199, 200, 201))
            text = "(" * depth + text + ")" * depth
        return self.blanks(0.1) + self.damaged(text, 0.2) + self.blanks(0.1)

    def marker(self):
        """A marker, values of the variables, chosen extras and groups."""
        variables = {
            "implementation_name": self.one(("cpython", "pypy")),
            "implementation_version": self.one(("3.11.7", "7.3.11")),
            "os_name": self.one(("posix", "posix", "nt")),
            "platform_machine": self.one(("x86_64", "aarch64", "")),
            "platform_release": self.one(("6.1.0", "6.1.0-generic", "10")),
            "platform_system": self.one(("Linux", "Windows")),
            "platform_version": self.one(("#1 SMP", "1")),
            "python_full_version": self.one(("3.11.7", "3.11.7+", "3.12.0rc1", "3.9.2")),
            "platform_python_implementation": self.one(("CPython", "PyPy")),
            "python_version": self.one(("3.11", "3.9", "3.12")),
            "sys_platform": self.one(("linux", "win32")),
        }
        extras = self.random.sample(("gpu", "cpu", "all-the-rest", "x"), self.random.randint(0, 2))
        groups = self.random.sample(("dev", "test-1"), self.random.randint(0, 2))
        return self.marker_text(), variables, extras, groups

    # Requirements.

    def requirement(self):
        text = self.blanks(0.05) + self.one(NAMES) + self.blanks(0.3)
        if self.chance(0.3):
            comma = self.blanks() + "," + self.blanks()
            extras = comma.join(self.one(EXTRAS) for _ in range(self.random.randint(0, 3)))
            text += "[" + self.blanks() + extras + self.blanks() + "]" + self.blanks()
        if self.chance(0.15):
            text += "@" + self.blanks(0.7) + self.one(("https://example.invalid/a-1.whl",
                                                        "file:///x;y", "git+ssh://h/p@v1#egg=x"))
            text += " " if self.chance(0.9) else ""
        elif self.chance(0.75):
            clauses = self.clauses(self.release(3), 3)
            if self.chance(0.3):
                clauses = "(" + self.blanks() + clauses + self.blanks() + ")"
            text += clauses + self.blanks()
        if self.chance(0.4):
            text += ";" + self.blanks(0.7) + self.marker_tree(2)
        return self.damaged(text, 0.2)

    # RECORD.

    def record_row(self):
        path = self.one(("a/b.py", "../../bin/x", "/abs/p", "é/x.so", "a-1.dist-info/RECORD", "x, y",
                         'say "x"'))
        digest = self.one(("sha256=q_-", "sha256=q_-", "md5=1", "sha384=0", ""))
        quoted = [f'"{path}"'.replace('"x"', '""x""') if self.chance(0.3) else path,
                  f'"{digest}"' if self.chance(0.1) else digest,
                  self.one(("12", "0", "", "-1", "1 ", "18446744073709551615", "18446744073709551616"))]
        if self.chance(0.1):  # a reader must not take these for one of the three
            quoted += self.one((['more'], ['"9"'], ['9', '"10"'], ['"9"', '"10"', '"11"']))
            quoted[2] = self.one((quoted[2], f'"{quoted[2]}"'))
        return ",".join(quoted) + self.one(("\n", "\n", "\r\n", "\r"))

    def record(self):
        pieces = ("a/b.py", "sha256=1", "12", ",", ",", '"', '"', '""', "\n", "\r\n", "\r", " ", "é",
                  "\x00", "\x0b", "\x1c", "\u2028")
        text = ""
        for _ in range(self.random.randint(0, 5)):
            if self.chance(0.7):
                text += self.record_row()
            else:
                text += "".join(self.one(pieces) for _ in range(self.random.randint(1, 8)))
        return text

    # requires.txt of an egg-info directory.

    def requires(self):
        text = ""
        for _ in range(self.random.randint(0, 8)):
            if self.chance(0.35):
                extra = self.one(("gpu", "Dev_1", "", "all"))
                marker = self.one((":", "")) + (self.marker_tree(3) if self.chance(0.5) else "")
                text += f"[{extra}{marker}]"
            else:
                text += self.blanks(0.1) + self.one(NAMES) + self.clauses("1.2", 2) + self.blanks(0.1)
                text += " @ https://example.invalid/x.whl" if self.chance(0.1) else ""
            text += self.one(("\n", "\n", "\r\n", "\n\n"))
        return text
