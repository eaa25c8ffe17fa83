#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends ./quickstart, ./test and the maker of the story at once, and the next run works."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["LOADABLE_SOURCE"])
SECONDS = 20

# A build that never ends: it says that it runs, and waits. No shell: dash loses a signal that comes
# while it forks.
CMAKE = """#!/usr/bin/env python3
import os, pathlib, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
if "--build" in sys.argv and not os.path.exists(os.environ["WORKS"]):
    pathlib.Path(os.environ["STARTED"]).touch()
    signal.pause()
"""


class Interrupted(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="loadable-interrupt-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.started, self.works = self.folder / "started", self.folder / "works"

    def program(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def make_tree(self):
        """The two scripts in a tree whose build hangs until `works` is there."""
        for name in ("quickstart", "test"):
            shutil.copy(SOURCE / name, self.folder / name)
        self.program("scripts/install", "#!/bin/sh\n")
        self.program("tools/cmake", CMAKE)
        self.program("tools/ctest", "#!/bin/sh\necho tests ran\n")
        self.program("build/release/loadable", "#!/bin/sh\necho \"loadable $*\"\n")

    def start(self, *words):
        variables = {**os.environ, "PATH": f"{self.folder}/tools:/usr/bin:/bin", "STARTED": str(self.started),
                     "WORKS": str(self.works), "LOADABLE_CACHE": str(self.folder / "cache")}
        process = subprocess.Popen([str(w) for w in words], cwd=self.folder, env=variables, text=True,
                                   start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.stdout.close()
        process.wait()

    def wait_for(self, condition, process):
        begin = time.monotonic()
        while not condition():
            self.assertIsNone(process.poll(), "it ended before it was interrupted")
            self.assertLess(time.monotonic() - begin, SECONDS)
            time.sleep(0.01)

    def interrupt(self, process):
        """As a terminal does: the whole group gets the signal."""
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=SECONDS)
        self.assertLess(time.monotonic() - begin, 5, out)
        self.assertEqual(process.returncode, 130, out)
        return out

    def test_quickstart_ends_and_works_the_next_time(self):
        self.make_tree()
        process = self.start("./quickstart", "/target")
        self.wait_for(self.started.exists, process)
        self.assertNotIn("loadable check", self.interrupt(process))
        self.works.touch()
        again = self.start("./quickstart", "/target")
        out, _ = again.communicate(timeout=SECONDS)
        self.assertEqual(again.returncode, 0, out)
        self.assertIn("loadable check /target", out)

    def test_test_runs_no_further_step_and_works_the_next_time(self):
        self.make_tree()
        process = self.start("./test", "--tier", "quick")
        self.wait_for(self.started.exists, process)
        out = self.interrupt(process)
        self.assertNotIn("ctest", out)
        self.assertNotIn("ran: tier quick", out)
        self.works.touch()
        again = self.start("./test", "--tier", "quick")
        out, _ = again.communicate(timeout=SECONDS)
        self.assertEqual(again.returncode, 0, out)
        self.assertIn("ran: tier quick", out)

    def test_a_half_made_story_is_made_anew(self):
        story, note = self.folder / "story", self.folder / "story/.story"
        for _ in range(2):  # the second run meets what the first one left
            process = self.start(SOURCE / "packaging/story/make_story", story)
            line = process.stdout.readline()
            self.assertIn("an environment of", line)
            self.wait_for((story / "venv/pyvenv.cfg").exists, process)
            self.assertNotIn("Traceback", self.interrupt(process))
            self.assertEqual(note.read_text(encoding="utf-8"), "")


if __name__ == "__main__":
    unittest.main()
