# SPDX-License-Identifier: Apache-2.0
"""The runner of cases must see each difference; it is driven here with a program that only echoes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cases"))
import case_root  # noqa: E402
import run_case  # noqa: E402
from case_text import CaseError  # noqa: E402

# Prints its arguments, the files below the working directory, and on request fails or complains.
FAKE = """#!/bin/sh
case $1 in
  args) shift; echo "$@" ;;
  list) find . -mindepth 1 -printf '%P %y %l%m\\n' | sort ;;
  cat) cat "$2" ;;
  fail) echo "broken" >&2; exit 3 ;;
  json) echo '{"a": [{"b": "c"}], "d": true}' ;;
  env) echo "$NAME" ;;
esac
"""


def case(text, update=False):
    """(the difference that the runner sees, the file afterwards)."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "fake"
        program.write_text(FAKE)
        program.chmod(0o755)
        path = pathlib.Path(folder) / "case.md"
        path.write_text(text)
        difference = run_case.run_case(path, str(program), update)
        return difference, path.read_text()


def console(command, output="", words=""):
    return f"# A sentence\n\n```console{words}\n$ loadable {command}\n{output}```\n"


class Comparison(unittest.TestCase):
    def test_an_equal_output_is_silent(self):
        self.assertEqual(case(console("args a b", "a b\n"))[0], "")

    def test_another_output_is_a_difference(self):
        self.assertIn("+a b", case(console("args a b", "a c\n"))[0])

    def test_another_exit_status_is_a_difference(self):
        text = console("fail") + "\n```stderr\nbroken\n```\n"
        self.assertIn("+```console exit=3", case(text)[0])
        self.assertEqual(case(text.replace("```console", "```console exit=3"))[0], "")

    def test_an_unexpected_complaint_is_a_difference(self):
        self.assertIn("+broken", case(console("fail", "", " exit=3"))[0])

    def test_the_root_is_written_as_its_name(self):
        self.assertEqual(case(console("args $ROOT/x", "$ROOT/x\n"))[0], "")

    def test_values_of_json_are_picked(self):
        text = console("json | pick /a/0/b /d", '/a/0/b = "c"\n/d = true\n')
        self.assertEqual(case(text)[0], "")
        with self.assertRaisesRegex(CaseError, "nothing at `1`"):
            case(console("json | pick /a/1"))

    def test_the_environment_is_empty_but_for_what_the_line_says(self):
        os.environ["NAME"] = "leaked"
        self.assertEqual(case("```console\n$ NAME=x loadable env\nx\n```\n")[0], "")
        self.assertEqual(case("```console\n$ loadable env\n\n```\n")[0], "")

    def test_update_writes_what_the_program_said(self):
        difference, text = case(console("args a b", "old\n"), update=True)
        self.assertEqual(difference, "")
        self.assertEqual(text, console("args a b", "a b\n"))

    def test_only_our_program_is_run_and_a_case_needs_a_command(self):
        with self.assertRaises(CaseError):
            case("```console\n$ rm -rf x\n```\n")
        with self.assertRaises(CaseError):
            case("# Only prose\n")


class Roots(unittest.TestCase):
    def test_files_directories_links_and_modes_are_made(self):
        tree = "```tree\n/a/b/\n/etc/conf (0600)\n  one\n\n  two\n/l -> a/b\n/empty\n```\n"
        listing = "a d 755\na/b d 755\nempty f 644\netc d 755\netc/conf f 600\nl l a/b777\n"
        self.assertEqual(case(tree + console("list", listing))[0], "")
        self.assertEqual(case(tree + console("cat etc/conf", "one\n\ntwo\n"))[0], "")

    def test_a_path_cannot_leave_the_root(self):
        with self.assertRaises(CaseError):
            case("```tree\n/../x\n```\n" + console("list"))

    def test_remove_needs_something_to_remove(self):
        with self.assertRaises(CaseError):
            case("```remove\n/x\n```\n" + console("list"))

    def test_a_described_elf_is_accepted_by_the_real_loader(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            case_root.make_elfs(root, '["/bin/tool"]\ninterp = "/lib64/ld-linux-x86-64.so.2"\n'
                                      'needed = ["libcase.so.1"]\nrunpath = "$ORIGIN/../lib"\n'
                                      '["/lib/libcase.so.1"]\nsoname = "libcase.so.1"\nexports = ["f@V1"]\n'
                                      'versions = ["V1"]\n')
            done = subprocess.run([root / "bin" / "tool"], env={"LD_TRACE_LOADED_OBJECTS": "1"}, text=True,
                                  stdout=subprocess.PIPE, check=False)
            self.assertIn(f"libcase.so.1 => {root}/bin/../lib/libcase.so.1", done.stdout)

    def test_an_unknown_key_of_an_elf_is_refused(self):
        with self.assertRaisesRegex(CaseError, "unknown keys"):
            case_root.make_elfs(pathlib.Path("/nothere"), '["/x"]\nneded = []\n')


class Documents(unittest.TestCase):
    def test_a_document_must_show_the_case_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests" / "cases" / "a").mkdir(parents=True)
            (root / "tests" / "cases" / "a" / "b.md").write_text(console("args x", "x\n", " exit=1"))
            shown = "<!-- case: a/b -->\n\n```console\n$ loadable args x\nx\n```\n"
            (root / "README.md").write_text(shown)
            self.assertEqual(run_case.check_documents(root, False), [])
            (root / "README.md").write_text(shown.replace("\nx\n", "\ny\n"))
            self.assertEqual(len(run_case.check_documents(root, False)), 1)
            run_case.check_documents(root, True)
            self.assertEqual((root / "README.md").read_text(), shown)


if __name__ == "__main__":
    unittest.main()
