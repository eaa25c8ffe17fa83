# SPDX-License-Identifier: Apache-2.0
"""The release binary is one static-PIE file that runs in an empty root, as root and as nobody."""

import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("LOADABLE_RELEASE_BIN", ROOT / "build" / "release" / "loadable"))
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
DT_NEEDED, DT_FLAGS, DT_FLAGS_1, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 1, 30, 0x6FFFFFFB, 8, 1, 0x08000000
NOBODY = 65534


def headers(data):
    """[(type, flags, offset, size in the file)] of the program headers of a 64-bit little-endian ELF."""
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    rows = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    return [(row[0], row[1], row[2], row[5]) for row in rows]


def dynamic(data):
    """[(tag, value)] of PT_DYNAMIC."""
    for kind, _, offset, size in headers(data):
        if kind == PT_DYNAMIC:
            return [struct.unpack_from("<QQ", data, offset + i) for i in range(0, size, 16)]
    return []


class Form(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not BINARY.is_file():
            raise AssertionError(f"{BINARY} is not there: cmake --preset release && cmake --build --preset release")
        cls.data = BINARY.read_bytes()

    def test_it_is_a_position_independent_program_without_interpreter(self):
        self.assertEqual(struct.unpack_from("<H", self.data, 16)[0], 3, "e_type is not ET_DYN")
        kinds = [row[0] for row in headers(self.data)]
        self.assertNotIn(PT_INTERP, kinds)
        self.assertIn(PT_GNU_RELRO, kinds)
        flags = dict(dynamic(self.data)).get(DT_FLAGS_1, 0)
        self.assertTrue(flags & DF_1_PIE, hex(flags))

    def test_it_needs_no_library_and_binds_at_start(self):
        tags = dynamic(self.data)
        self.assertNotIn(DT_NEEDED, [tag for tag, _ in tags])
        flags = dict(tags)
        self.assertTrue(flags.get(DT_FLAGS, 0) & DF_BIND_NOW or flags.get(DT_FLAGS_1, 0) & DF_1_NOW)

    def test_its_stack_is_not_executable(self):
        stack = [flags for kind, flags, _, _ in headers(self.data) if kind == PT_GNU_STACK]
        self.assertEqual(len(stack), 1)
        self.assertFalse(stack[0] & 1)


class EmptyRoot(unittest.TestCase):
    """In a chroot that holds the binary and nothing else; needs root, as a chroot does."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        os.chmod(self.root, 0o755)
        shutil.copy(BINARY, self.root)

    def tearDown(self):
        shutil.rmtree(self.root)

    def run_inside(self, *arguments, uid=0):
        def enter():
            os.chroot(self.root)
            os.chdir("/")
            if uid:
                os.setgroups([])
                os.setgid(uid)
                os.setuid(uid)
        return subprocess.run(["/loadable", *arguments], preexec_fn=enter, env={}, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def test_version_is_printed(self):
        for uid in (0, NOBODY):
            done = self.run_inside("--version", uid=uid)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"^loadable \d+\.\d+\.\d+")

    def test_itself_is_judged_as_static_or_refused_with_a_message(self):
        done = self.run_inside("ldd", "--root", "/", "/loadable")
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertNotEqual(done.stdout + done.stderr, "")

    def test_a_missing_target_is_exit_2_with_a_message_on_stderr(self):
        done = self.run_inside("check", "/nothere", uid=NOBODY)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nothere", done.stderr)


if __name__ == "__main__":
    unittest.main()
