# SPDX-License-Identifier: Apache-2.0
"""A Debian arm64 root, judged by its own ld.so under qemu, with a cache made by its own ldconfig."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))

import compare  # noqa: E402
import debian  # noqa: E402
import emulated  # noqa: E402
import reference  # noqa: E402
import roots  # noqa: E402
import survey  # noqa: E402
from elfgen import DF_1_NODEFLIB, EM_AARCH64, EM_X86_64, Elf  # noqa: E402

QEMU = "/usr/bin/qemu-aarch64-static"
LOADER = "/lib/ld-linux-aarch64.so.1"
PACKAGES = ("libc6", "libc-bin", "zlib1g", "libstdc++6", "libgcc-s1", "bash", "coreutils",
            "libtinfo6", "libselinux1", "libpcre2-8-0", "libacl1", "libattr1", "libgmp10",
            "libcrypt1", "libpython3.11-stdlib", "libssl3", "libexpat1", "libffi8",
            "libsqlite3-0", "perl-base")


def job(path, is_program, env=None, symbols=False):
    """The root's own loader, run by qemu, traces the object."""
    variables = dict(env or {}, LD_TRACE_LOADED_OBJECTS="1")
    if symbols:
        variables.update(LD_WARN="yes", LD_BIND_NOW="yes")
    command = ["/qemu-aarch64-static"]
    for name, value in variables.items():
        command += ["-E", f"{name}={value}"]
    return roots.Job([*command, path] if is_program else [*command, LOADER, path])


class Aarch64(unittest.TestCase):
    """The loader of another machine."""

    @classmethod
    def setUpClass(cls):
        source = debian.root("bookworm", "arm64", PACKAGES)
        cls.root = roots.Root(loaders=False)
        subprocess.run(["cp", "-a", f"{source}/.", cls.root.path], check=True)
        shutil.copy(QEMU, cls.root.at("/qemu-aarch64-static"))
        os.chmod(cls.root.at("/qemu-aarch64-static"), 0o755)
        cls.objects = cls.find_objects()
        print(f"{len(cls.objects)} objects", flush=True)

    @classmethod
    def tearDownClass(cls):
        cls.root.close()

    @classmethod
    def find_objects(cls):
        """(path inside the root, is it a program) of each dynamic aarch64 object."""
        found = []
        for folder, inner, files in os.walk(cls.root.path):
            inner[:] = sorted(name for name in inner if f"{folder}/{name}" != cls.root.at("/proc"))
            for name in sorted(files):
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    continue
                kind = survey.classify(path, EM_AARCH64, LOADER)
                if kind is not None and kind.word in ("program", "library"):
                    found.append((path[len(cls.root.path):], kind.word == "program"))
        return found

    def agree(self, objects, env=None, symbols=False):
        outcomes = self.root.run([job(path, is_program, env, symbols)
                                  for path, is_program in objects])
        reports = []
        for (path, _), outcome in zip(objects, outcomes):
            real = reference.read_glibc_trace(outcome, path)
            answer = emulated.ask(path, root=self.root.path, env=env, symbols=symbols)
            found = compare.differences(real, answer, "glibc")
            if symbols and not found:
                found = survey.symbol_differences(real, answer.report)
            if found:
                reports.append(f"{path}: " + "\n    ".join(found))
        if reports:
            self.fail(f"{len(reports)} of {len(objects)}\n" + "\n".join(reports[:20]))

    def test_the_root_has_programs_and_libraries(self):
        self.assertGreater(sum(is_program for _, is_program in self.objects), 80)
        self.assertGreater(len(self.objects), 200)

    def test_1_each_object_without_a_cache(self):
        self.assertFalse(os.path.exists(self.root.at("/etc/ld.so.cache")))
        self.agree(self.objects)

    def test_2_each_object_with_a_cache_of_its_own_ldconfig(self):
        made = self.root.run([roots.Job(["/qemu-aarch64-static", "/sbin/ldconfig"])])[0]
        self.assertEqual(made.status, 0, made.stderr)
        self.assertTrue(os.path.getsize(self.root.at("/etc/ld.so.cache")))
        self.agree(self.objects)

    def test_3_symbols(self):
        self.agree(self.objects, symbols=True)

    def test_4_search_rules(self):
        """Small files of this machine: tokens, other machines, defaults, hwcaps that it lacks."""
        lib = lambda *needed, **more: Elf(machine=EM_AARCH64, needed=list(needed), **more)  # noqa: E731
        write = lambda path, elf: self.root.write(path, elf.bytes())  # noqa: E731
        write("/t/liba.so", lib("libb.so", "libd.so", runpath="$ORIGIN/$LIB:/t/$PLATFORM"))
        write("/t/lib/aarch64-linux-gnu/libb.so", lib())
        write("/t/aarch64/libd.so", lib("libe.so"))
        write("/usr/lib/libe.so", Elf(machine=EM_X86_64))
        write("/usr/lib/aarch64-linux-gnu/glibc-hwcaps/x86-64-v2/libf.so", lib())
        write("/t/x86/libg.so", Elf(machine=EM_X86_64))
        write("/t/libg.so", lib())
        write("/usr/lib/libh.so", lib())
        for number, fields in enumerate((
                {"needed": ["liba.so", "libf.so", "libg.so"], "rpath": "/t/x86:/t"},
                {"needed": ["libh.so"], "flags_1": DF_1_NODEFLIB},
                {"needed": ["libh.so", "libc.so.6", "libnone.so"]})):
            write(f"/t/prog{number}", Elf(machine=EM_AARCH64, interp=LOADER, **fields))
        programs = [(f"/t/prog{number}", True) for number in range(3)]
        self.agree(programs)
        self.agree(programs, env={"LD_LIBRARY_PATH": "/t:/usr/lib"})


if __name__ == "__main__":
    unittest.main()
