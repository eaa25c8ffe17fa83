# SPDX-License-Identifier: Apache-2.0
"""The validator must refuse what the contract forbids, or the tests with it would prove nothing."""

import copy
import json
import pathlib
import unittest

from json_schema import Validator

SCHEMAS = pathlib.Path(__file__).parents[2] / "schema"

REPORT = {
    "schema_version": 1, "tool": {"name": "loadable", "version": "0.1.0", "knowledge": "2026-11-30"},
    "target": {"kind": "venv", "path": "/srv/app/.venv", "machine": "x86_64"},
    "environments": [{"id": 0, "interpreter": "/usr/bin/python3.11", "libc": "glibc 2.36", "python": "3.11.2",
                      "variables": {"LD_LIBRARY_PATH": "/x"}, "cwd": None}],
    "layers": [], "scenario": {"after": []}, "complete": True,
    "providers": [{"id": "onnxruntime:cuda", "environment": 0, "distribution": "onnxruntime-gpu",
                   "version": "1.24.4", "required": True,
                   "verdicts": {"shipped": "yes", "intact": "yes", "loadable": "no", "usable": "unknown",
                                "used": "unknown"},
                   "reasons": {"loadable": "x"}, "losses": [{"library": "libnvrtc.so.12", "effect": "x"}],
                   "cause": "unreachable-library", "effect": "x", "expected_at_run_time": ["libcuda.so.1"],
                   "lowest_driver": None, "confidence": "plan"}],
    "findings": [{"rule": "unreachable-library", "severity": "error", "provider": "onnxruntime:cuda",
                  "message": "x", "locations": [{"path": "/a", "role": "consumer"}], "evidence": {},
                  "remedies": [{"id": "loader-path", "title": "x", "commands": [], "side_effects": [],
                                "proven": False}]}],
    "incidents": [{"path": "/a", "message": "x"}]}

LDD = {"schema_version": 1, "file": "/usr/bin/x", "interpreter": "/lib64/ld-linux-x86-64.so.2",
       "libc": "glibc 2.36",
       "objects": [{"request": "libz.so.1", "path": "/lib/libz.so.1", "soname": "libz.so.1",
                    "requested_by": "/usr/bin/x", "rule": "cache", "step": 0}],
       "requests": [{"request": "libq.so", "requested_by": "/usr/bin/x", "path": None, "rule": None, "step": 0}],
       "missing": [{"request": "libq.so", "requested_by": "/usr/bin/x", "step": 0,
                    "tried": [{"rule": "runpath", "path": "/a/libq.so", "outcome": "absent"}]}],
       "failures": [{"object": "/a", "kind": "version", "message": "x", "step": 0}], "warnings": []}


def changed(value, path, new):
    """A copy with the value at the path replaced, or removed when `new` is KeyError."""
    value = copy.deepcopy(value)
    node = value
    for step in path[:-1]:
        node = node[step]
    if new is KeyError:
        del node[path[-1]]
    else:
        node[path[-1]] = new
    return value


class Schemas(unittest.TestCase):
    def problems(self, name, value):
        return Validator(json.loads((SCHEMAS / name).read_text())).problems(value)

    def test_the_contract_passes(self):
        self.assertEqual(self.problems("check.schema.json", REPORT), [])
        self.assertEqual(self.problems("check.schema.json", {"schema_version": 1, "reports": [REPORT, REPORT]}), [])
        self.assertEqual(self.problems("ldd.schema.json", LDD), [])

    def test_added_fields_pass(self):
        self.assertEqual(self.problems("check.schema.json", changed(REPORT, ["new"], 1)), [])

    def test_each_break_of_check_is_refused(self):
        for path, new in ((["complete"], KeyError), (["complete"], "true"), (["schema_version"], 2),
                          (["target", "kind"], "folder"), (["providers", 0, "verdicts", "loadable"], "maybe"),
                          (["providers", 0, "verdicts", "used"], KeyError), (["providers", 0, "cause"], "Not A Rule"),
                          (["findings", 0, "severity"], "fatal"), (["findings", 0, "locations", 0, "role"], "victim"),
                          (["findings", 0, "remedies", 0, "proven"], KeyError), (["incidents"], {}),
                          (["environments", 0, "id"], -1), (["environments", 0, "cwd"], 1),
                          (["environments", 0, "variables", "A"], 1), (["findings", 0, "message"], "")):
            self.assertNotEqual(self.problems("check.schema.json", changed(REPORT, path, new)), [], (path, new))

    def test_each_break_of_ldd_is_refused(self):
        for path, new in ((["objects"], KeyError), (["objects", 0, "rule"], "guess"), (["objects", 0, "step"], True),
                          (["missing", 0, "tried", 0, "outcome"], KeyError), (["failures", 0, "kind"], "other"),
                          (["requests", 0, "path"], 3), (["warnings"], None)):
            self.assertNotEqual(self.problems("ldd.schema.json", changed(LDD, path, new)), [], (path, new))

    def test_an_unknown_keyword_of_a_schema_is_an_error(self):
        with self.assertRaises(ValueError):
            Validator({"multipleOf": 3}).problems(3)


if __name__ == "__main__":
    unittest.main()
