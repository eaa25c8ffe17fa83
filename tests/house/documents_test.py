# SPDX-License-Identifier: Apache-2.0
"""Documents that name things of the tree must name what is there."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).parents[2]
HEADINGS = ["What it reports", "Why it breaks loading", "Example", "How to fix", "When it is wrong", "Sources"]


def documents():
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


class Rules(unittest.TestCase):
    def test_each_rule_of_the_catalogue_has_a_page_and_each_page_a_rule(self):
        catalogue = (ROOT / "src" / "check" / "catalogue.cc").read_text()
        rules = set(re.findall(r'Rule\{"([a-z-]+)"', catalogue))
        self.assertGreater(len(rules), 20)
        self.assertEqual(rules, {path.stem for path in (ROOT / "docs" / "rules").glob("*.md")})

    def test_each_page_has_the_same_headings_in_the_same_order(self):
        for path in sorted((ROOT / "docs" / "rules").glob("*.md")):
            text = path.read_text()
            self.assertTrue(text.startswith(f"# {path.stem}\n\n"), path)
            self.assertEqual(re.findall(r"^## (.*)$", text, re.MULTILINE), HEADINGS, path)


class Links(unittest.TestCase):
    def test_each_relative_link_leads_somewhere(self):
        for path in documents():
            for target in re.findall(r"\]\(([^)#: ]+)(?:#[^)]*)?\)", path.read_text()):
                self.assertTrue((path.parent / target).exists(), f"{path}: {target}")

    def test_each_folder_of_src_is_in_the_architecture(self):
        text = (ROOT / "ARCHITECTURE.md").read_text()
        for folder in sorted((ROOT / "src").iterdir()):
            self.assertIn(f"`src/{folder.name}`", text)

    def test_each_package_that_is_installed_has_its_reason(self):
        text = (ROOT / "docs" / "dependencies.md").read_text()
        listed = subprocess.run([ROOT / "scripts" / "install", "test", "--list"], stdout=subprocess.PIPE, text=True,
                                check=True).stdout.split()
        self.assertIn("cmake", listed)
        for package in listed:
            self.assertRegex(text, rf"(?i)(?<![\w+-]){re.escape(package)}(?![\w+-])")


if __name__ == "__main__":
    unittest.main()
