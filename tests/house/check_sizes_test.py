# SPDX-License-Identifier: Apache-2.0
"""check_sizes.py must complain about each limit, and not one line before it."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
import check_sizes  # noqa: E402


def problems_of(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return check_sizes.check(pathlib.Path(folder))


class Sizes(unittest.TestCase):
    def test_a_source_may_have_500_lines_and_not_501(self):
        self.assertEqual(problems_of("src/elf/a.cc", "x\n" * 500), [])
        self.assertEqual(problems_of("src/elf/a.cc", "x\n" * 501), ["src/elf/a.cc: 501 lines, at most 500"])

    def test_a_header_may_have_250_lines_and_not_251(self):
        self.assertEqual(problems_of("src/elf/a.h", "x\n" * 250), [])
        self.assertEqual(len(problems_of("src/elf/a.h", "x\n" * 251)), 1)

    def test_scripts_without_a_suffix_count_too(self):
        self.assertEqual(len(problems_of("scripts/run", "#!/bin/sh\n" + "x\n" * 500)), 1)

    def test_a_python_function_may_have_60_lines_and_not_61(self):
        body = "def f():\n" + "    x = 1\n" * 59
        self.assertEqual(problems_of("tests/a/b.py", body), [])
        self.assertEqual(problems_of("tests/a/b.py", body + "    x = 1\n"),
                         ["tests/a/b.py:1: `f` has 61 lines, at most 60"])

    def test_python_that_does_not_parse_is_refused(self):
        self.assertEqual(len(problems_of("scripts/a.py", "def f(:\n")), 1)

    def test_seeds_of_the_fuzzers_are_left_alone(self):
        self.assertEqual(problems_of("fuzz/corpus/elf/a.py", "x\n" * 900), [])


if __name__ == "__main__":
    unittest.main()
