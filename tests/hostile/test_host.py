#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the program: options, outputs that fail, signals, variables, tables of knowledge."""

import os
import pty
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from attack import Attack, Elf, LOADER, NOBODY, environment, has_sanitizer, prepare, program


class Options(Attack):
    """What is wrong is named, and what is accepted is told."""

    def refused(self, words, *parts):
        ran = self.run_it(*words)
        self.assertEqual(ran.status, 2, ran)
        for part in parts:
            self.assertIn(part.encode(), ran.err, ran)

    def test_words_that_are_none(self):
        for words, parts in ((("chexk",), ("`chexk`", "check")), (("--versoin",), ("--version",)),
                             (("check", "--requier", "x"), ("--require",)), (("ldd",), ("FILE",)), (("why", "/x"), ("NAME",)),
                             (("ldd", "--format", "xml", "/x"), ("xml", "json")), (("explain", "nothing"), ("nothing",)),
                             (("check", "--format", "xml"), ("xml", "concise")), (("check", "--fail-on", "all"), ("all", "warning")),
                             (("check", "--require", "onnx:gpu"), ("onnx:gpu", "onnxruntime:cuda")),
                             (("check", "--kind", "jail", "/"), ("jail", "rootfs")), (("check", "--cpu", "z80", "/"), ("z80", "x86-64-v")),
                             (("ldd", "--libc", "libc-1", "/x"), ("libc-1", "glibc")), (("check", "--env", "K", "/"), ("K",)),
                             (("ldd", "--root", "/none", "/x"), ("/none",)), (("check", "--baseline", "/none", "/"), ("/none",)),
                             (("check", "--config", "/none"), ("/none",)), (("check", "--knowledge", "/none", "/"), ("/none",)),
                             (("completions", "tcsh"), ("tcsh", "bash"))):
            with self.subTest(words):
                self.refused(words, *parts)

    def test_targets_that_are_none(self):
        (self.root / "empty").mkdir()
        self.file("/text", "hello\n")
        self.file("/python3", "hello\n", 0o755)
        self.file("/x.whl", b"PK\3\4")
        self.fifo("/fifo")
        (self.root / "loop").symlink_to("loop")
        for name in ("none", "empty", "text", "x.whl", "fifo", "loop", "text/under", "n" * 300, "n/" * 3_000, "a\nb\x1b[2J"):
            with self.subTest(name[:20]):
                self.refused(("check", self.root / name))
                self.refused(("ldd", self.root / name))
                self.refused(("why", self.root / name, "libc.so.6"))
        self.refused(("check", self.root / "none"), "pyvenv.cfg", "conda-meta")
        for path in ("/dev/null", "/dev/zero", "/proc/self/mem", ""):
            self.refused(("ldd", path))
        self.assertNotEqual(self.run_it("check", self.root / "python3").status, 0)

    def test_words_of_any_size_and_byte(self):
        for word in (b"\xff\xfe\x1b[2J\n", b"x" * 100_000, b"--" + b"y" * 100_000, b"-", b"--", b"=", b"--root"):
            for command in ("check", "ldd", "why", "explain", "rules"):
                self.run_it(command, os.fsdecode(word), *(["--root", self.root] if command in ("check", "ldd") else []))


class Knowledge(Attack):
    def test_a_broken_table_is_refused(self):
        for text in (b"= broken", b"\xff\xfe", b"[[provider]]\nid = 3\n", b"[[distribution]]\n", b"a = " + b"[" * 100_000, b"\0" * 1000):
            for name in ("providers.toml", "families.toml"):
                with self.subTest(name=name, text=text[:20]):
                    folder = self.root / "k"
                    shutil.rmtree(folder, ignore_errors=True)
                    self.file("/k/" + name, text)
                    self.assertEqual(self.run_it("check", "--knowledge", folder, "/").status, 2)
        shutil.rmtree(self.root / "k")
        self.fifo("/k/providers.toml")
        self.assertEqual(self.run_it("check", "--knowledge", self.root / "k", "/").status, 2)

    def test_a_broken_configuration_is_refused(self):
        self.make_environment()
        for text in (b"= broken", b"\xff", b"require = 3\n", b"a = " + b"[" * 100_000, b"unknown-key = 1\n"):
            with self.subTest(text[:20]):
                self.file("/loadable.toml", text)
                self.assertEqual(self.check("--config", self.root / "loadable.toml").status, 2)
        for text in (b"", b"[]", b"{", b"[" * 100_000, b"\xff" * 100, b'{"findings": [{"rule": 3}]}'):
            with self.subTest(text[:20]):
                self.file("/base.json", text)
                self.check("--baseline", self.root / "base.json")


class Output(Attack):
    """A report that cannot be written is said so, and what was there stays."""

    def setUp(self):
        super().setUp()
        self.make_debian()

    def report(self, where, **more):
        return self.run_it("ldd", "--root", self.root, "--output", where, "/usr/bin/python3.11", **more)

    def test_a_place_that_cannot_be_written(self):
        self.file("/kept", "mine")
        (self.root / "closed").mkdir(mode=0o555)
        for where in ("kept", "none/report", "closed/report", "usr", "kept/report", "n" * 300):
            ran = self.report(self.root / where, user=NOBODY)
            self.assertEqual(ran.status, 2, ran)
        self.assertEqual((self.root / "kept").read_text(), "mine")
        self.assertEqual(sorted(p.name for p in self.root.iterdir() if "kept" in p.name or "report" in p.name), ["kept"])

    def test_a_full_place(self):
        self.assertEqual(self.report("/dev/full").status, 2)
        kept = self.file("/full/kept", "mine")
        ran = self.report(kept, limits=[(resource.RLIMIT_FSIZE, 16)])
        self.assertEqual(ran.status, 2, ran)
        self.assertEqual(kept.read_text(), "mine")
        self.assertEqual(os.listdir(self.root / "full"), ["kept"])

    def test_standard_output_that_is_full_closed_or_read_no_more(self):
        words = [program(), "ldd", "--root", str(self.root), "/usr/bin/python3.11"]
        with open("/dev/full", "wb") as full:
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, env=environment(None), timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write the report", done.stderr)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, env=environment(None), timeout=60, check=False)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = subprocess.run(words, stderr=subprocess.PIPE, env=environment(None), timeout=60, check=False,
                              preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_an_output_that_is_a_link_stays_one(self):
        target = self.file("/target", "old")
        (self.root / "link").symlink_to(target)
        self.assertEqual(self.report(self.root / "link").status, 0)
        self.assertTrue((self.root / "link").is_symlink())
        self.assertNotEqual(target.read_text(), "old")


class Signals(Attack):
    """A long run ends at once when it is interrupted, and leaves the terminal as it was."""

    def long_run(self, targets):
        self.make_environment()
        for i in range(1_000):
            self.file(f"/app/.venv/lib/python3.11/site-packages/m{i}/x{i}.so", Elf(needed=["libc.so.6", f"libg{i}.so"]))
        return [program(), "check", "--root", str(self.root), "--no-host-env", "--symbols", *["/app/.venv"] * targets]

    def test_an_interrupt(self):
        words = self.long_run(60)
        ours, theirs = pty.openpty()
        running = subprocess.Popen(words, stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs, env=environment(None),
                                   preexec_fn=prepare(), start_new_session=True)
        os.close(theirs)
        time.sleep(1)
        self.assertIsNone(running.poll(), "the run is too short for this test")
        begin = time.monotonic()
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(60), -signal.SIGINT)
        self.assertLess(time.monotonic() - begin, 2)  # 0.2 s on an idle machine
        os.set_blocking(ours, False)
        try:
            drawn = os.read(ours, 1 << 20) if has_data(ours) else b""
        except OSError:  # EIO: nothing was drawn, and the other side is closed
            drawn = b""
        os.close(ours)
        for sequence in (b"\x1b[?25l", b"\x1b[?1049h"):  # a cursor that is hidden, another screen
            self.assertNotIn(sequence, drawn)

    def test_files_that_change_meanwhile(self):
        words = self.long_run(1)
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(None),
                                   preexec_fn=prepare())
        time.sleep(0.1)
        for i in range(0, 1_000, 2):
            name = self.root / f"app/.venv/lib/python3.11/site-packages/m{i}/x{i}.so"
            os.truncate(name, 70)
            os.unlink(name)
        _, err = running.communicate(timeout=120)
        self.assertIn(running.returncode, (0, 1, 3), err)


def has_data(descriptor):
    return bool(select.select([descriptor], [], [], 0)[0])


class Variables(Attack):
    def setUp(self):
        super().setUp()
        self.make_environment()
        self.file("/p", Elf(interp=LOADER, needed=["libq.so", "libc.so.6"]), 0o755)

    def test_a_library_path_of_a_megabyte(self):
        long = ":".join(f"/d{i}" for i in range(140_000))[:1_000_000]
        self.file("/loadable.toml", f'env = ["LD_LIBRARY_PATH={long}"]\n')
        # One word of a command line has 128 KiB at most: the configuration has more room.
        self.check("--config", self.root / "loadable.toml", "--require", "onnxruntime:cuda")
        short = long[:120_000]
        self.assertEqual(self.ldd("/p", "--env", "LD_LIBRARY_PATH=" + short).status, 1)
        self.check("--env", "LD_LIBRARY_PATH=" + ":" * 120_000, "--require", "onnxruntime:cuda")
        self.check("--env", "LD_PRELOAD=" + "x " * 60_000)
        self.run_it("ldd", self.root / "p", variables={"LD_LIBRARY_PATH": short, "LD_PRELOAD": "\x1b[2J\n:x"})

    def test_variables_of_the_caller_that_are_odd(self):
        for variables in ({"HOME": "/none", "PATH": ""}, {"VIRTUAL_ENV": "/dev/zero"}, {"CONDA_PREFIX": "\x1b[2J"},
                          {"LOADABLE_FORMAT": "xml"}, {"TERM": "\x1b", "COLUMNS": "-1", "NO_COLOR": ""}, {"LC_ALL": "\xff"},
                          {"GLIBC_TUNABLES": "glibc.rtld.execstack=" + "9" * 1000, "LD_HWCAP_MASK": "x", "LD_DEBUG": "all"}):
            with self.subTest(variables):
                self.run_it("check", variables=variables, cwd=self.root)
                self.run_it("ldd", self.root / "p", variables=variables)

    def test_a_working_directory_that_is_gone(self):
        folder = tempfile.mkdtemp()
        words = f'cd {folder} && rmdir {folder} && exec "$0" "$@"'
        for command in (["check"], ["check", "--root", str(self.root), "/app/.venv"], ["ldd", "x"]):
            os.makedirs(folder, exist_ok=True)
            done = subprocess.run(["sh", "-c", words, program(), *command], capture_output=True, timeout=60,
                                  env=environment(None), check=False)
            self.assertIn(done.returncode, (0, 1, 2, 3), done)

    def test_few_descriptors(self):
        self.healthy(limits=[(resource.RLIMIT_NOFILE, 8)])

    def test_little_memory_is_said(self):
        if has_sanitizer():
            return
        ran = self.run_it("check", "--root", self.root, "/app/.venv", limits=[(resource.RLIMIT_AS, 64 << 20)])
        self.assertIn(ran.status, (0, 1, 2), ran)


if __name__ == "__main__":
    unittest.main()
