# SPDX-License-Identifier: Apache-2.0
"""Every dynamic object of this machine's own /usr: `loadable ldd` says what the real loader says.

Static programs, relocatable files and objects of other machines are classified, never run.
"""

import os
import subprocess
import unittest

import emulated
import survey

SHOWN = 20


class Machine(unittest.TestCase):
    """The objects of /usr, as they are on the machine that runs the tests."""

    @classmethod
    def setUpClass(cls):
        cls.groups = survey.sorted_by_word(["/usr"])
        cls.dynamic = cls.groups.get("program", []) + cls.groups.get("library", [])
        print({word: len(group) for word, group in sorted(cls.groups.items())}, flush=True)

    def agree(self, objects, symbols):
        reports = survey.examine_all(objects, symbols=symbols)
        print(f"{len(objects)} objects, {len(reports)} disagreements", flush=True)
        if reports:
            self.fail("\n" + "\n".join(reports[:SHOWN]))

    def test_the_machine_has_objects_of_each_kind(self):
        self.assertGreater(len(self.groups["program"]), 100)
        self.assertGreater(len(self.groups["library"]), 100)

    def test_each_dynamic_object_agrees_with_the_trace(self):
        self.agree(self.dynamic, symbols=False)

    def test_each_dynamic_object_agrees_with_ldd_r(self):
        self.agree(self.dynamic, symbols=True)

    def test_other_files_are_classified_and_not_judged(self):
        """A static program, a relocatable file: refused with a message, exit 2; nothing is run."""
        for word in ("static", "relocatable"):
            for path, _ in self.groups.get(word, [])[:200]:
                done = subprocess.run(emulated.command(path), capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, b""), path)
                self.assertIn(os.fsencode(os.path.basename(path)), done.stderr)


if __name__ == "__main__":
    unittest.main()
