# SPDX-License-Identifier: Apache-2.0
"""check_layers.py must complain about each kind of bad tree, and only about it."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_layers  # noqa: E402

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"
TABLE = 'set(LOADABLE_LAYERS\n  "base:"  # comment\n  "elf: base"\n  "tree: base"\n  "cli: base elf tree"\n' \
        '  "testing: base elf"\n)\n'


def tree(files, table=TABLE):
    """The complaints about a tree of these files below src/."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "cmake").mkdir()
        (root / "cmake" / "layers.cmake").write_text(table)
        (root / "src").mkdir()
        for name, text in files.items():
            path = root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_layers.check(root)


def source(folder, body):
    return f"{HEAD}{body}\nnamespace loadable::{folder} {{}}\n"


class Includes(unittest.TestCase):
    def test_an_allowed_include_is_silent(self):
        self.assertEqual(tree({"elf/a.cc": source("elf", '#include "base/x.h"\n#include "elf/a.h"')}), [])

    def test_a_forbidden_include_is_named_with_line_and_table(self):
        problems = tree({"elf/a.cc": source("elf", '#include <vector>\n#include "tree/x.h"')})
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("src/elf/a.cc:3: `elf` must not use `tree`", problems[0])

    def test_tests_may_use_the_builders_and_other_code_may_not(self):
        self.assertEqual(tree({"tree/a_test.cc": source("tree", '#include "testing/x.h"')}), [])
        self.assertEqual(len(tree({"tree/a.cc": source("tree", '#include "testing/x.h"')})), 1)

    def test_an_include_in_a_comment_is_no_include(self):
        body = '// #include "tree/x.h"\n/*\n#include <elf.h>\n*/'
        self.assertEqual(tree({"elf/a.cc": source("elf", body)}), [])

    def test_a_path_that_is_not_from_src_is_refused(self):
        self.assertEqual(len(tree({"elf/a.cc": source("elf", '#include "a.h"')})), 1)

    def test_each_banned_header_is_refused_where_it_is_banned(self):
        for header in ("elf.h", "link.h", "dlfcn.h", "iostream", "cstdio", "filesystem", "fstream", "fcntl.h",
                       "unistd.h", "sys/stat.h", "sys/mman.h", "dirent.h", "nlohmann/json.hpp",
                       "toml++/toml.h", "fmt/core.h", "tl/expected.hpp", "CLI/CLI.hpp"):
            problems = tree({"elf/a.cc": source("elf", f"#include <{header}>")})
            self.assertEqual(len(problems), 1, (header, problems))

    def test_the_doors_to_the_host_may_include_its_headers(self):
        body = "#include <fcntl.h>\n#include <unistd.h>\n#include <sys/stat.h>"
        self.assertEqual(tree({"tree/host_tree.cc": source("tree", body),
                               "tree/host_tree_test.cc": source("tree", body)}), [])


class Table(unittest.TestCase):
    def test_a_cycle_is_refused(self):
        table = 'set(LOADABLE_LAYERS\n"base: elf"\n"elf: base"\n)'
        self.assertTrue(any("cycle" in p for p in tree({}, table)))

    def test_a_use_of_an_unknown_folder_is_refused(self):
        self.assertTrue(any("no row" in p for p in tree({}, 'set(LOADABLE_LAYERS\n"elf: nothere"\n)')))

    def test_a_folder_without_a_row_is_refused(self):
        self.assertIn("no row", tree({"other/a.cc": source("other", "")})[0])

    def test_the_table_of_this_project_is_sound(self):
        table = check_layers.read_table(ROOT / "cmake" / "layers.cmake")
        self.assertIn("loader", table)
        self.assertEqual(list(check_layers.check_table(table)), [])


class BannedCalls(unittest.TestCase):
    CALLS = ("std::filesystem::path p;", "auto f = fopen(x, y);", "int f = ::open(x, 0);",
             "std::ifstream in;", "auto v = getenv(name);", "auto v = std::getenv(name);", "std::cout << 1;",
             "std::cerr << 1;", "printf(x);", "std::printf(x);", "fputs(x, stdout);", "exit(1);",
             "std::exit(1);", "abort();", "std::abort();", "auto h = ::dlopen(x, 1);", "system(x);",
             "std::system(x);", "popen(x, y);", "fork();", "execve(a, b, c);", "mmap(a, b, c, d, e, f);",
             "getpwnam(x);", "reinterpret_cast<int*>(p);", "if (::stat(x, &s)) {}",
             "std::chrono::system_clock::now();")

    def test_each_banned_call_is_refused(self):
        for call in self.CALLS:
            problems = tree({"elf/a.cc": source("elf", f"void f() {{\n  {call}\n}}")})
            self.assertEqual(len(problems), 1, (call, problems))
            self.assertIn("src/elf/a.cc:3: ", problems[0])

    def test_members_declarations_comments_and_literals_are_no_calls(self):
        for line in ("tree.open(path);", "auto f = open(path);", "Result<File> Walk::open(const Path& p) {}", "tree->stat(path);", "Result<File> open(const Path& path);",
                     "process.dlopen(name);", "Result<Step> dlopen(std::string_view name);",
                     "// exit(1);", 'auto s = "abort()";', "auto n = 1'000'000; // printf(x)",
                     'auto r = R"x(system("a"))x";', "View::stat(path);", "int exit_status(int x);"):
            self.assertEqual(tree({"elf/a.cc": source("elf", line)}), [], line)

    def test_the_named_doors_may(self):
        self.assertEqual(tree({"cli/a.cc": source("cli", "void f() { std::cout << std::getenv(x); }"),
                               "base/b.cc": HEAD + "namespace loadable { auto p = reinterpret_cast<T*>(q); }",
                               "cli/main.cc": HEAD + "int main() { std::exit(0); }"}), [])


class Form(unittest.TestCase):
    def test_licence_guard_name_and_namespace_are_wanted(self):
        for name, text in (("elf/a.cc", "namespace loadable::elf {}\n"),
                           ("elf/a.h", source("elf", "")),
                           ("elf/elf_util.cc", source("elf", "")),
                           ("elf/CamelCase.cc", source("elf", "")),
                           ("elf/a.cc", source("tree", "")),
                           ("elf/notes.txt", "")):
            self.assertEqual(len(tree({name: text})), 1, (name, tree({name: text})))


if __name__ == "__main__":
    unittest.main()
