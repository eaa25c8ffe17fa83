# SPDX-License-Identifier: Apache-2.0
"""What the tests of the story share: a state, the real session in it, what `check` must say of it.

With `--runtime-only` the questions to `loadable` are left out, and the last line says so.
"""

import sys
import unittest

import session
import venvs
import verdict
from verdict import CUDA, TENSORRT

RUNTIME_ONLY = "--runtime-only" in sys.argv
PROVIDER = "onnxruntime/capi/libonnxruntime_providers_cuda.so"
PYBIND = "onnxruntime/capi/onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so"
PIECES = ("adv", "cnn", "engines_precompiled", "engines_runtime_compiled", "engines_tensor_ir",
          "ext", "graph", "heuristic", "ops")
CUDNN_CHECKS = ("cudnnGraphVersionCheck", "cudnnOpsVersionCheck", "cudnnCnnVersionCheck",
                "cudnnAdvVersionCheck")


class Story(unittest.TestCase):
    """A state of one environment, with a driver library that finds no device beside it."""

    environment = None

    @classmethod
    def setUpClass(cls):
        cls.state = venvs.State(cls.environment)
        cls.addClassCleanup(cls.state.close)
        cls.every = cls.state.library_folders()
        symbols = session.driver_symbols(cls.state)
        cls.driver = session.build_driver(cls.state.scratch / "driver", symbols)
        cls.symbols = symbols

    def runs(self, kind, folders=(), library="", symbol="", failure=0, driver=True, **options):
        """Asserts how the real session ends in the present state; returns the outcome."""
        extra = [self.driver] if driver else []
        got = session.run_session(self.state, [*folders, *extra], **options)
        self.assertEqual((got.kind, got.library, got.symbol, got.failure),
                         (kind, library, symbol, failure), got.text)
        if kind in ("loaded", "not loaded"):
            self.assertIn("CUDAExecutionProvider", got.listed, "listed in every state")
            self.assertEqual(got.got, ("CPUExecutionProvider",), "and the session is on the CPU")
        return got

    def asks(self, folders, *options, status, loadable, cause, shipped="yes", intact="yes",
             usable=None, first="", target=None, host_variables=None):
        """Asserts what `check` says in the present state; returns the report, or nothing."""
        if RUNTIME_ONLY:
            return None
        report = verdict.check(target or self.state.path, folders, *options,
                               host_variables=host_variables)
        entry = report.providers[CUDA]
        text = report.text()
        verdicts = entry["verdicts"]
        self.assertTrue(entry["required"], text)
        self.assertEqual(verdicts["shipped"], shipped, text)
        for name, value, wanted in (("intact", verdicts["intact"], intact),
                                    ("loadable", verdicts["loadable"], loadable),
                                    ("usable", verdicts["usable"], usable),
                                    ("cause", entry["cause"], cause)):
            if wanted is not None or name == "cause":
                self.assertIn(value, wanted if isinstance(wanted, tuple) else (wanted,),
                              f"{name}\n{text}")
        self.assertEqual(report.status, status, text)
        self.assertEqual(bool(report.rules("error")), status == 1, text)
        self.assertEqual(report.data["complete"], status != 3, text)
        if first:
            self.assertEqual(report.first_library(), first, text)
            self.assertIn(first, entry["reasons"]["loadable"], text)
        if shipped == "yes":
            self.tensorrt_is_a_note(report)
        return report

    def tensorrt_is_a_note(self, report):
        """The companion that never loads without TensorRT fails nobody."""
        entry = report.providers[TENSORRT]
        self.assertFalse(entry["required"], report.text())
        for item in report.findings:
            if verdict.concerned(item) == [TENSORRT]:
                self.assertEqual(item["severity"], "note", report.text())

    def healthy(self, folders, *options, warnings=(), **more):
        """Asserts that nothing is wrong, and that a driver that is not there is expected."""
        report = self.asks(folders, *options, status=0, loadable="yes", cause=None, **more)
        if report:
            entry = report.providers[CUDA]
            if self.driver not in folders:
                self.assertIn(session.DRIVER, entry["expected_at_run_time"], report.text())
            self.assertEqual(entry["losses"], [], report.text())
            self.assertEqual(sorted(set(report.rules("warning"))), sorted(warnings),
                             report.text())
        return report

    def searched(self, report, library, consumer, rules, folder="", lies_in=""):
        """Asserts that one finding about the library tells who asked, where was searched, where
        the library lies."""
        if not report:
            return
        self.assertTrue(report.of_library(library), f"{library}\n{report.text()}")
        item = report.of_library(library)[0]
        text = verdict.json.dumps(item, indent=1)
        self.assertTrue(any(path.endswith(consumer) for path in
                            verdict.places(item, "consumer")), text)
        candidates = list(verdict.tried(item["evidence"]))
        self.assertLessEqual(set(rules), {one["rule"] for one in candidates}, text)
        if folder:
            self.assertTrue(any(str(folder) in (one.get("path") or "") for one in candidates),
                            f"{folder}\n{text}")
        if lies_in:
            there = [one for one in item["locations"] if one.get("role") == "library"]
            self.assertTrue(any(one["path"].endswith(f"{lies_in}/{library}") for one in there),
                            text)
            self.assertTrue(all(one.get("distribution") for one in there), text)

    def cured(self, report):
        """Asserts that the loader path which the first finding proposes is a cure: the real
        session loads the provider, and `check` is content."""
        if not report:
            return
        commands = [command for item in report.of_rule(report.providers[CUDA]["cause"])[:1]
                    for remedy in item["remedies"] for command in remedy["commands"]]
        [path] = [command.partition("LD_LIBRARY_PATH=")[2] for command in commands
                  if "LD_LIBRARY_PATH=" in command]
        folders = path.strip("'\"").split(":")
        self.runs("loaded", folders, failure=100)
        self.healthy(folders)

    def lost(self, report, library):
        """Asserts that the entry's losses, or a finding when it cannot load, name the library."""
        if report:
            entry = report.providers[CUDA]
            named = verdict.json.dumps(entry["losses"])
            if entry["verdicts"]["loadable"] == "no":
                named += "".join(item["message"] for item in report.findings)
            self.assertIn(library, named, report.text())

    def cudnn_pieces(self, loadable, loadable_without_core):
        """Each piece of cuDNN removed: a session shows nothing, the guard shows nothing, cuDNN
        itself shows the loss of four of nine pieces."""
        whole = session.cudnn_answers(self.state, self.every, *CUDNN_CHECKS)
        self.assertEqual(set(whole.values()), {0})
        shown = set()
        for piece in PIECES:
            library = f"libcudnn_{piece}.so.9"
            with self.subTest(library), self.state.without(self.state.library(library)):
                self.runs("loaded", self.every, failure=100)
                self.assertTrue(session.guard_passes(self.state, self.every))
                if session.cudnn_answers(self.state, self.every, *CUDNN_CHECKS) != whole:
                    shown.add(piece)
                core = piece in ("graph", "ops")
                report = self.asks(self.every, status=1, intact="partly",
                                   loadable=loadable_without_core if core else loadable,
                                   cause=("incomplete-library-set", "missing-file"))
                self.lost(report, library)
        self.assertEqual(shown, {"graph", "ops", "cnn", "adv"})

    def bridge(self):
        """libonnxruntime_providers_shared.so is gone."""
        with self.state.without(self.state.shared):
            got = session.run_session(self.state, [*self.every, self.driver])
            self.assertEqual((got.kind, got.library),
                             ("not loaded", "libonnxruntime_providers_shared.so"), got.text)
            self.assertTrue(session.guard_passes(self.state, self.every))
            report = self.asks(self.every, status=1, loadable="no", intact=("partly", "no"),
                               cause=("missing-file", "missing-symbol"), first=got.library)
            if report:
                self.assertIn("Provider_GetHost", verdict.json.dumps(report.findings))


def main():
    """Runs the tests of the program that calls this."""
    if RUNTIME_ONLY:
        sys.argv.remove("--runtime-only")
    finished = unittest.main(exit=False).result
    if RUNTIME_ONLY:
        print("left out: every question to loadable", file=sys.stderr)
    sys.exit(not finished.wasSuccessful())
