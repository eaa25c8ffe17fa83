# SPDX-License-Identifier: Apache-2.0
"""A lint that is switched off says nothing, and so does one that is content: provoke each tool once."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]

CLEAN = """// SPDX-License-Identifier: Apache-2.0
namespace loadable::elf {
int twice(int value) { return 2 * value; }
}  // namespace loadable::elf
"""

# check that must complain: code that provokes exactly it
VIOLATIONS = {
    "readability-identifier-naming": "int BadlyNamed(int value) { return value; }",
    "readability-function-size": "int long_one(int v) {\n" + "  v += 1;\n" * 61 + "  return v;\n}",
    "readability-function-cognitive-complexity":
        "int deep(int v) {\n" + "  if (v > 1) { while (v > 2) { for (;;) { if (v == 3) return v; --v; } } }\n" * 4 +
        "  return v;\n}",
    "bugprone-sizeof-expression": "struct S { int a; };\nunsigned long size() { S s; return sizeof(&s); }",
    "performance-unnecessary-value-param":
        "struct Big { Big(const Big&); int a[9]; };\nint first(const Big b) { return b.a[0]; }",
    "cppcoreguidelines-pro-type-const-cast": "int* drop(const int* p) { return const_cast<int*>(p); }",
    "modernize-use-using": "typedef int Number;",
}


def tidy(code):
    """clang-tidy's exit status and output for code that lies below a folder src/, as ours does."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "src" / "elf" / "canary.cc"
        path.parent.mkdir(parents=True)
        path.write_text(code)
        done = subprocess.run(["clang-tidy-16", f"--config-file={ROOT}/.clang-tidy", "--quiet", str(path), "--",
                               "-std=c++20"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr


def format_status(code):
    return subprocess.run(["clang-format-16", f"--style=file:{ROOT}/.clang-format", "--dry-run", "--Werror"],
                          input=code, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False).returncode


class Canary(unittest.TestCase):
    def test_clean_code_passes_both_tools(self):
        self.assertEqual(tidy(CLEAN), (0, ""))
        self.assertEqual(format_status(CLEAN), 0)

    def test_each_kind_of_violation_is_an_error(self):
        for check, code in VIOLATIONS.items():
            with self.subTest(check=check):
                text = CLEAN.replace("int twice(int value) { return 2 * value; }", code)
                status, output = tidy(text)
                self.assertNotEqual(status, 0, output)
                self.assertIn(f"[{check},-warnings-as-errors]", output)

    def test_a_violation_in_a_header_of_ours_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "src" / "elf"
            source.mkdir(parents=True)
            (source / "canary.h").write_text("#pragma once\ninline int BadlyNamed() { return 1; }\n")
            (source / "canary.cc").write_text('#include "elf/canary.h"\n')
            done = subprocess.run(["clang-tidy-16", f"--config-file={ROOT}/.clang-tidy", "--quiet",
                                   str(source / "canary.cc"), "--", "-std=c++20", f"-I{folder}/src"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("BadlyNamed", done.stdout)

    def test_the_configuration_has_no_unknown_check(self):
        done = subprocess.run(["clang-tidy-16", "--verify-config"], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertNotIn("warning", done.stdout + str(done.returncode and done.stdout))

    def test_a_badly_formatted_line_is_an_error(self):
        self.assertNotEqual(format_status(CLEAN.replace("return 2", "return    2")), 0)

    def test_warnings_of_the_compiler_are_errors(self):
        build = os.environ.get("LOADABLE_BUILD", str(ROOT / "build" / "dev"))
        commands = (pathlib.Path(build) / "compile_commands.json").read_text()
        for flag in ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wold-style-cast", "-Werror"):
            self.assertIn(flag + " ", commands)


if __name__ == "__main__":
    unittest.main()
