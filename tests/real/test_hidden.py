#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`attr` 0.3.2 brings the module `attr.py`, `attrs` the package `attr/`: no file is shared, and yet an
import gets only the package. Installed, and as wheels; the real import is the judge."""

import os
import shutil
import unittest

import venvs
import verdict
from installers import Installers, wheels

MODULE, PACKAGE = "attr 0.3.2", "attrs 25.3.0"


class Hidden(unittest.TestCase):
    def findings(self, target):
        report = verdict.check(target)
        self.assertEqual((report.status, report.data["incidents"]), (0, []), report.text())
        return [one for one in report.findings if one["severity"] != "note"]

    def test_installed_in_either_order(self):
        for tool in ("pip", "uv"):
            for order in ((MODULE, PACKAGE), (PACKAGE, MODULE)):
                venv = Installers.new()
                self.addCleanup(venv.close)
                for name in order:
                    self.assertEqual(self.findings(venv.path), [], name)
                    getattr(venv, tool)(name)
                self.assertIn("attr/__init__.py", venv.runs("import attr; print(attr.__file__)"))
                [finding] = self.findings(venv.path)
                self.assertEqual((finding["rule"], finding["severity"]), ("overwritten-file", "warning"))
                self.assertIn("hides the module `attr.py` of `attr` 0.3.2", finding["message"])
                self.assertEqual(sorted(place["distribution"] for place in finding["locations"]), [MODULE, PACKAGE])

    def test_as_wheels(self):
        scratch = venvs.scratch_folder()
        self.addCleanup(shutil.rmtree, scratch)
        for stem in ("attr-0.3.2", "attrs-25.3.0"):
            [wheel] = wheels().glob(f"{stem}-*.whl")
            os.link(wheel, scratch / wheel.name)
        [finding] = self.findings(scratch)
        self.assertEqual((finding["rule"], finding["severity"]), ("conflicting-distributions", "warning"))
        self.assertIn("the package `attr/` of the first would hide the module `attr.py`", finding["message"])
        self.assertEqual([place["distribution"] for place in finding["locations"]], [MODULE, PACKAGE])
        (scratch / "attr-0.3.2-py2.py3-none-any.whl").unlink()
        self.assertEqual(self.findings(scratch), [])


if __name__ == "__main__":
    unittest.main()
