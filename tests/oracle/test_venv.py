# SPDX-License-Identifier: Apache-2.0
"""Every dynamic object of a scientific Python environment: `loadable ldd` says what the real loader
says, also with the libraries of several wheels on LD_LIBRARY_PATH."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))

import environments  # noqa: E402
import survey  # noqa: E402

SHOWN = 20


class Environment(unittest.TestCase):
    """Real wheels, installed by real pip."""

    @classmethod
    def setUpClass(cls):
        cls.path = environments.environment("all")
        groups = survey.sorted_by_word([str(cls.path)])
        cls.dynamic = groups.get("program", []) + groups.get("library", [])
        print({word: len(group) for word, group in sorted(groups.items())}, flush=True)

    def agree(self, symbols, env=None):
        reports = survey.examine_all(self.dynamic, symbols=symbols, env=env)
        print(f"{len(self.dynamic)} objects, {len(reports)} disagreements", flush=True)
        if reports:
            self.fail("\n" + "\n".join(reports[:SHOWN]))

    def test_the_environment_has_many_objects(self):
        self.assertGreater(len(self.dynamic), 700)

    def test_each_object_agrees_with_the_trace(self):
        self.agree(symbols=False)

    def test_each_object_agrees_with_ldd_r(self):
        self.agree(symbols=True)

    def test_each_object_agrees_with_library_folders_on_the_path(self):
        folders = sorted({str(pathlib.Path(path).parent) for path, _ in self.dynamic
                          if pathlib.Path(path).parent.name.endswith(".libs")})
        self.assertGreater(len(folders), 5)
        self.agree(symbols=False, env={"LD_LIBRARY_PATH": ":".join(folders)})


if __name__ == "__main__":
    unittest.main()
