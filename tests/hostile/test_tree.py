#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile trees: what cannot be read, what would block, names of any bytes, links to anywhere, lists of any size."""

import os
import shutil
import socket
import stat
import time
import unittest

from attack import Attack, CAPI, CUBLAS, Elf, LOADER, NOBODY, PROVIDER, SITE

CACHE = "/etc/ld.so.cache"
RECORD = SITE + "/onnxruntime_gpu-1.24.4.dist-info/RECORD"
METADATA = SITE + "/onnxruntime_gpu-1.24.4.dist-info/METADATA"
CFG = "/app/.venv/pyvenv.cfg"
# A name that clears a terminal, ends a line, is no UTF-8, and turns the direction of writing.
NASTY = b"li\x1b[2Jb\n\xff\xfe\r\x9b\xc2\x9b2J\xe2\x80\xae\x7fx.so"
REQUIRE = ("--require", "onnxruntime:cuda")


class Unreadable(Attack):
    """What nobody may not read; root may."""

    def setUp(self):
        super().setUp()
        self.make_environment()

    def closed(self, path):
        target = self.root / path[1:]
        mode = stat.S_IMODE(os.stat(target).st_mode)
        target.chmod(0)
        try:
            return self.healthy(*REQUIRE, user=NOBODY)
        finally:
            target.chmod(mode)

    def incomplete(self, ran):
        """Neither fine nor complete, with the reason."""
        self.assertFalse(ran.json["complete"], ran)
        self.assertIn(ran.status, (1, 3), ran)
        self.assertTrue(ran.json["incidents"], ran)
        self.assertNotEqual(self.sole(ran)["verdicts"]["loadable"], "yes", ran)

    def test_readable_for_nobody_too_it_is_fine(self):
        ran = self.healthy(*REQUIRE, user=NOBODY)
        self.assertEqual((ran.status, self.sole(ran)["verdicts"]["loadable"]), (0, "yes"), ran)

    def test_a_provider_or_library_that_cannot_be_read_is_not_called_fine(self):
        for path in (PROVIDER, CUBLAS, CAPI + "/libonnxruntime_providers_shared.so", os.path.dirname(CUBLAS), CAPI,
                     "/lib/x86_64-linux-gnu/libc.so.6", LOADER):
            with self.subTest(path):
                self.incomplete(self.closed(path))

    def test_site_packages_that_cannot_be_listed_are_not_called_empty(self):
        for path in (SITE, "/app/.venv/lib"):
            with self.subTest(path):
                ran = self.closed(path)
                self.incomplete(ran)
                self.assertEqual(self.sole(ran)["verdicts"]["shipped"], "unknown", ran)
                self.assertEqual(ran.status, 3, ran)

    def test_what_a_pth_file_may_name_is_not_called_absent(self):
        self.file(SITE + "/more.pth", "/opt/more/lib\n")
        self.file("/opt/more/lib/x.py", "")
        for path in (SITE + "/more.pth", "/opt/more/lib", "/opt/more"):
            with self.subTest(path):
                ran = self.closed(path)
                self.assertFalse(ran.json["complete"], ran)
                self.assertEqual(ran.status, 3, ran)
                self.assertIn(path, " ".join(i["path"] for i in ran.json["incidents"]), ran)
        self.assertEqual(self.healthy(*REQUIRE, user=NOBODY).status, 0)

    def test_lists_that_cannot_be_read_are_an_incident(self):
        for path in (RECORD, METADATA):
            with self.subTest(path):
                ran = self.closed(path)
                self.assertTrue(ran.json["incidents"], ran)
                self.assertIn(ran.status, (0, 1, 3), ran)

    def test_a_target_that_cannot_be_read_is_refused(self):
        for path in (CFG, "/app/.venv", "/app"):
            with self.subTest(path):
                (self.root / path[1:]).chmod(0)
                self.addCleanup((self.root / path[1:]).chmod, 0o755)
                self.assertEqual(self.check(user=NOBODY).status, 2)
                (self.root / path[1:]).chmod(0o755)

    def test_an_unrelated_unreadable_directory_does_not_matter(self):
        (self.root / "secret").mkdir(mode=0)
        ran = self.healthy(*REQUIRE, user=NOBODY)
        self.assertEqual(ran.status, 0, ran)

    def test_ldd_of_an_unreadable_program_or_library(self):
        self.file("/p", Elf(interp=LOADER, needed=["libs.so", "libc.so.6"]), 0o755)
        library = self.file("/lib/libs.so", Elf(soname="libs.so"))
        self.assertEqual(self.ldd("/p", user=NOBODY).status, 0)
        library.chmod(0)
        self.assertEqual(self.ldd("/p", user=NOBODY).status, 1)
        (self.root / "p").chmod(0)
        self.assertEqual(self.ldd("/p", user=NOBODY).status, 2)


class Blocking(Attack):
    """FIFOs, sockets and devices stand where files are wanted: nothing blocks."""

    def setUp(self):
        super().setUp()
        self.make_environment()

    def put(self, kind, path):
        target = self.root / path[1:]
        if target.is_symlink() or target.exists():
            target.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        if kind == "fifo":
            os.mkfifo(target)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as one:
                here = os.open(target.parent, os.O_PATH)  # a socket's name has 108 bytes at most
                one.bind(f"/proc/self/fd/{here}/{target.name}")
                os.close(here)
        elif kind == "device":
            os.mknod(target, 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero: never ends
        elif kind == "directory":
            target.mkdir()
        else:
            target.symlink_to(kind)

    def kinds(self):
        return ["fifo", "socket", "directory", "/dev/zero", "/proc/self/mem"] + ["device"] * (os.geteuid() == 0)

    def test_in_place_of_each_file_that_is_read(self):
        for path in (PROVIDER, CUBLAS, RECORD, METADATA, CACHE, "/etc/ld.so.conf", "/etc/ld.so.preload", LOADER,
                     "/usr/bin/python3.11", CFG):
            for kind in self.kinds():
                with self.subTest(path=path, kind=kind):
                    kept = self.root / path[1:]
                    data = kept.read_bytes() if kept.exists() else None
                    self.put(kind, path)
                    ran = self.healthy(*REQUIRE)
                    if path in (PROVIDER, CUBLAS, LOADER):
                        self.assertIn(ran.status, (1, 3), ran)
                    if path == CFG:
                        self.assertIn(ran.status, (1, 2, 3), ran)
                    if kind == "directory":
                        os.rmdir(kept)
                    if data is None:
                        if kind != "directory":
                            kept.unlink()
                    else:
                        self.file(path, data, 0o755)

    def test_all_over_the_tree(self):
        for kind in self.kinds():
            for folder in (SITE, CAPI, "/lib", "/etc/ld.so.conf.d"):
                self.put(kind, f"{folder}/lib{kind.strip('/').replace('/', '_')}.so")
        self.assertEqual(self.healthy(*REQUIRE).status, 0)
        self.run_it("check", "--no-host-env", "--format", "json", self.root)
        self.run_it("check", "--root", self.root, "--no-host-env", "--symbols", "--format", "json", "/")

    def test_on_the_search_path(self):
        self.put("fifo", "/l1/libx.so")
        self.put("directory", "/l2/libx.so")
        self.put("/dev/zero", "/l3/libx.so")
        self.file("/l4", "no directory")
        self.file("/l5/libx.so", Elf(soname="libx.so"))
        for first in ("/l1", "/l2", "/l3", "/l4"):
            self.file("/p", Elf(interp=LOADER, needed=["libx.so"], runpath=first + ":/l5"), 0o755)
            self.ldd("/p")
            self.why("/p", "libx.so")
        self.fifo("/p")
        self.assertEqual(self.ldd("/p").status, 2)
        self.assertEqual(self.why("/p", "libx.so").status, 2)


class Names(Attack):
    """Names of any bytes: a terminal gets no control byte, JSON stays JSON."""

    def setUp(self):
        super().setUp()
        self.make_environment()

    def formats(self, *words):
        for form in ("text", "json"):
            ran = self.run_it(*words[:1], "--root", self.root, "--color", "never", "--format", form, *words[1:])
            if form == "json" and ran.status != 2:
                self.assertTrue(ran.json)

    def test_of_libraries_programs_and_requests(self):
        name = os.fsdecode(NASTY)
        for place in (b"/n/", b"/n/d" + NASTY + b"/"):
            self.file(place + NASTY, Elf(soname=NASTY, needed=[NASTY, b"gone" + NASTY], runpath=b"/n"), 0o755)
        self.file("/p", Elf(interp=LOADER, needed=[NASTY, b"gone" + NASTY], runpath=b"/n:/" + NASTY), 0o755)
        self.file(b"/" + NASTY, Elf(interp=LOADER, needed=[NASTY]), 0o755)
        self.formats("ldd", "/p")
        self.formats("ldd", "/" + name)
        self.formats("ldd", "/none" + name)
        self.formats("ldd", "--dlopen", "/n/" + name, "--dlopen", "none" + name, "/p")
        self.formats("why", "/p", name)
        self.formats("why", "/p", "gone" + name)
        self.formats("why", "/none" + name, name)

    def test_of_files_of_an_environment(self):
        for folder in (SITE, CAPI, SITE + "/nvidia/cublas/lib"):
            self.file(os.fsencode(folder) + b"/" + NASTY, Elf(soname=NASTY, needed=[b"gone" + NASTY]))
            self.file(os.fsencode(folder) + b"/" + NASTY + b".dist-info/METADATA", b"Name: " + NASTY + b"\nVersion: \xff\n")
        with open(self.root / RECORD[1:], "ab") as record:
            record.write(b'"' + NASTY + b'",,\nonnxruntime/gone\x1b[31m\xff.so,,\n')
        self.file(PROVIDER, Elf(needed=[b"libcublasLt.so.12\x1b]0;x\x07\xff", NASTY]))
        for form in ("full", "concise", "json"):
            ran = self.run_it("check", "--root", self.root, "--no-host-env", "-v", "--color", "never", "--symbols",
                              "--format", form, *REQUIRE, "/app/.venv")
            self.assertEqual(ran.status, 1, ran)
        shutil.copytree(os.fsencode(self.root / "app/.venv"), os.fsencode(self.root) + b"/" + NASTY, symlinks=True)
        self.check(path="/" + os.fsdecode(NASTY))

    def test_of_a_root(self):
        root = os.fsencode(self.root) + b"/" + NASTY
        os.mkdir(root)
        for form in ("full", "json"):
            self.run_it("check", "--root", root, "--format", form, "/")
        self.run_it("ldd", "--root", root, "/p")


class Links(Attack):
    def setUp(self):
        super().setUp()
        self.make_environment()

    def test_that_lead_out_of_the_root_stay_inside(self):
        outside = self.root / "outside"
        inner = self.root / "inner"
        outside.mkdir()
        (outside / "libx.so").write_bytes(Elf(soname="libx.so").bytes())
        inner.mkdir()
        for i in range(10):
            (inner / f"l{i}").symlink_to(f"l{i + 1}" if i % 2 else f"/l{i + 1}")
        (inner / "l10").symlink_to("../" * 30 + "outside/libx.so")
        (inner / "l11").symlink_to(outside / "libx.so")
        shutil.copytree(self.root / "lib64", inner / "lib64")
        (inner / "p").write_bytes(Elf(interp=LOADER, needed=["/l0", "/l11"]).bytes())
        ran = self.run_it("ldd", "--root", inner, "--format", "json", "/p")
        self.assertEqual([m["request"] for m in ran.json["missing"]], ["/l0", "/l11"])

    def test_cycles_and_chains(self):
        (self.root / "a").symlink_to("b")
        (self.root / "b").symlink_to("a")
        (self.root / "self").symlink_to("self")
        (self.root / "up").symlink_to("..")
        for i in range(60):
            (self.root / f"c{i}").symlink_to(f"c{i + 1}")
        self.file("/p", Elf(interp=LOADER, needed=["/a", "/self/x", "/c0", "/up/up/up/lib/x86_64-linux-gnu/libc.so.6"],
                            runpath="/self:/up/self"), 0o755)
        ran = self.ldd("/p")
        self.assertEqual([m["request"] for m in ran.json["missing"]], ["/a", "/self/x", "/c0"])
        for where in (SITE + "/loop", CAPI + "/loop", "/loop"):
            (self.root / where[1:]).symlink_to(".")
        self.assertEqual(self.healthy(*REQUIRE).status, 0)
        self.check(path="/")
        self.assertEqual(self.check(path="/a").status, 2)

    def test_into_proc(self):
        for i, target in enumerate(("/proc/self/exe", "/proc/self/fd/0", "/proc/self/root", "/proc/self/cwd",
                                    "/proc/self/maps", "/proc/kcore", "/proc/1/root")):
            (self.root / f"lib/libz{i}.so").symlink_to(target)
            (self.root / SITE[1:] / f"z{i}.so").symlink_to(target)
            (self.root / SITE[1:] / f"z{i}").symlink_to(target)
            self.file("/p", Elf(interp=LOADER, needed=[f"libz{i}.so"]), 0o755)
            self.ldd("/p")
            self.run_it("ldd", "--format", "json", "--no-such", target)
            self.run_it("ldd", "--format", "json", target)
        self.assertEqual(self.healthy(*REQUIRE).status, 0)
        self.run_it("check", "--no-host-env", "--format", "json", self.root / "app/.venv")


class Lists(Attack):
    """RECORD, METADATA, pyvenv.cfg, the loader's cache and configuration, of any size and content."""

    def setUp(self):
        super().setUp()
        self.make_environment()

    def test_a_hundred_thousand_files_in_one_directory(self):
        folder = os.open(self.root / CAPI[1:], os.O_RDONLY)
        for i in range(100_000):
            os.close(os.open(f"f{i}.so" if i % 100 == 0 else f"f{i}.py", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=folder))
        os.close(folder)
        begin = time.monotonic()
        self.healthy(*REQUIRE)
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_tree_a_thousand_deep(self):
        here = os.open(self.root / SITE[1:], os.O_RDONLY)
        for _ in range(1_500):
            os.mkdir("ddd", dir_fd=here)
            below = os.open("ddd", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)
        self.healthy(*REQUIRE)
        self.check(path="/")

    def test_a_record_of_half_a_million_lines(self):
        with open(self.root / RECORD[1:], "a", encoding="utf-8") as record:
            record.writelines(f"onnxruntime/gone/{i}.py,sha256=abc,1\n" for i in range(500_000))
        begin = time.monotonic()
        self.healthy(*REQUIRE)
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_record_with_paths_that_lead_out(self):
        with open(self.root / RECORD[1:], "a", encoding="utf-8") as record:
            record.write("/etc/shadow,,\n/lib/libx.so,,\n" + "../" * 40 + "etc/libp.so,,\n../../../bin/tool,,\n"
                         "..,,\n.,,\n,,\n\"\"\"\"\"unclosed,,\n" + "x" * 1_000_000 + ".so,,\n" + "a/" * 10_000 + "b.so,,\n")
        self.healthy(*REQUIRE)

    def test_metadata_of_any_size(self):
        for data in (b"", b"\0" * 1000, b"Name: onnxruntime-gpu\n" + b"X: " + b"y" * 64_000_000, b"Name: " + b"n" * 1_000_000,
                     b"Name: onnxruntime-gpu\nVersion: " + b"9." * 100_000 + b"\n", b"Name: a\n" * 500_000,
                     b"Name: onnxruntime-gpu\nVersion: 1!999999999999999999999999.post99999999999999999999\n",
                     b"Name: onnxruntime-gpu\nVersion: none at all\n", b"\xff\xfeN\0a\0m\0e\0:\0"):
            with self.subTest(data[:40]):
                self.file(METADATA, data)
                self.healthy()
                self.healthy(*REQUIRE)

    def test_a_cache_of_any_bytes(self):
        magic = b"glibc-ld.so.cache1.1"
        for data in (b"", magic, magic + b"\xff" * 28, magic + b"\xff\xff\xff\x7f" + b"\0" * 400, b"ld.so-1.7.0\0" + b"\xff" * 64,
                     b"ld.so-1.7.0\0" + b"\xff" * 12 + magic + b"\xff" * 100, magic + b"\1\0\0\0\xff\xff\xff\xff" + b"\xff" * 60,
                     magic + b"\2\0\0\0\x10\0\0\0" + b"\0" * 12 + b"\1\0\0\0\xff\xff\xff\xff\xf0\xff\xff\xff" * 4):
            with self.subTest(data[:40]):
                self.file(CACHE, data)
                self.file("/p", Elf(interp=LOADER, needed=["libq.so"]), 0o755)
                self.assertEqual(self.ldd("/p").status, 1)
                self.why("/p", "libq.so")
                self.healthy(*REQUIRE)

    def test_configuration_that_includes_itself(self):
        self.file("/etc/ld.so.conf", "include /etc/ld.so.conf\ninclude ld.so.conf.d/*.conf\ninclude /*/*/*/*/*\n" + "/x\n" * 50_000)
        for i in range(200):
            self.file(f"/etc/ld.so.conf.d/{i}.conf", "include /etc/ld.so.conf.d/*.conf\n/d\n\0\xff\n")
        self.file("/p", Elf(interp=LOADER, needed=["libq.so"]), 0o755)
        begin = time.monotonic()
        self.assertEqual(self.why("/p", "libq.so").status, 1)
        self.check(path="/")
        self.healthy(*REQUIRE)
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_preload_list_of_a_megabyte(self):
        self.file("/etc/ld.so.preload", "libgone.so " * 100_000)
        self.file("/p", Elf(interp=LOADER, needed=["libc.so.6"]), 0o755)
        self.ldd("/p")
        self.file("/etc/ld.so.preload", b"\0\xff\x1b[2J /" + b"p" * 1_000_000)
        self.ldd("/p")


class Environments(Attack):
    """Virtual environments that are none."""

    def setUp(self):
        super().setUp()
        self.make_environment()

    def never_fine(self, *words):
        """With the provider required, nothing of it is `yes`, and the status is not 0."""
        ran = self.healthy(*REQUIRE, *words)
        self.assertNotEqual(ran.status, 0, ran)
        return ran

    def cfg(self, text):
        self.file(CFG, text)
        (self.root / "app/.venv/bin/python").unlink(missing_ok=True)

    def test_a_home_that_leads_nowhere(self):
        for home in ("/none", "/app/.venv", "/app/.venv/bin", "", "/etc/passwd", "../..", "/" + "h" * 5_000, "\x1b[2J", "/fifo"):
            with self.subTest(home):
                self.cfg(f"home = {home}\nversion = 3.11.2\n")
                self.fifo("/fifo")
                self.never_fine()

    def test_a_cfg_of_any_bytes(self):
        for text in (b"", b"\0" * 1_000, b"\xff\xfe", b"home" * 1_000_000, b"= = =\n" * 100_000, b"version = " + b"9" * 100_000):
            with self.subTest(text[:20]):
                self.cfg(text)
                self.never_fine()

    def test_that_is_empty(self):
        shutil.rmtree(self.root / "app/.venv/lib")
        ran = self.never_fine()
        self.assertEqual(self.check().json["providers"], [], ran)

    def test_whose_interpreter_is_static_foreign_text_or_missing(self):
        static = Elf(type=2, dynamic=False)
        foreign = Elf(interp="/lib/ld-linux-aarch64.so.1", machine=183, needed=["libc.so.6"])
        for data in (static, foreign, "#!/bin/sh\nexec python3\n", "#!" + "x" * 100_000, b"", Elf(interp="/none/ld.so"), None):
            with self.subTest(str(data)[:40]):
                self.file("/usr/bin/python3.11", data or b"", 0o755)
                if data is None:
                    (self.root / "usr/bin/python3.11").unlink()
                self.never_fine()
                self.why("/app/.venv", "libc.so.6")

    def test_without_a_loader_nothing_is_fine(self):
        (self.root / LOADER[1:]).unlink()
        self.never_fine()
        shutil.rmtree(self.root / "lib")
        self.never_fine()
        self.check(path="/")


if __name__ == "__main__":
    unittest.main()
