#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists of files that are made to hurt: they name what is not theirs, too much, or nothing real."""

import hashlib
import time
import unittest

from attack import PROVIDER, SITE, Attack

PYTHON = "x = 1\n"


class Lists(Attack):
    """A healthy environment, and one distribution with a list of our making."""

    def setUp(self):
        super().setUp()
        self.make_environment()

    def distribution(self, name, record):
        info = f"{SITE}/{name}-1.dist-info"
        self.file(info + "/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n\n")
        self.file(info + "/RECORD", record)
        return info + "/RECORD"

    def whole(self, *words, **more):
        """Every file that has a hash is compared."""
        return self.healthy("--integrity", "full", *words, **more)

    def said_of(self, ran, path):
        return [row["message"] for row in ran.json["incidents"] if row["path"] == path]

    def test_rows_that_point_out_of_the_environment_are_never_read(self):
        self.file("/etc/shadow", "a secret")
        self.fifo("/etc/fifo")
        names = ["../../../../../etc/shadow", "/etc/shadow", "/etc/fifo", "/app/other", "../../../../.."]
        list_path = self.distribution("evil", "".join(f"{name},sha256=YWJj,3\n" for name in names))
        ran = self.whole()
        said = self.said_of(ran, list_path)
        self.assertEqual(said[:3], [
            "2 further rows point out of the environment",
            "line 1: `../../../../../etc/shadow` points out of the environment, and is not looked at",
            "line 2: `/etc/shadow` points out of the environment, and is not looked at"], ran)
        self.assertEqual(len(said), 4, ran)
        secret = hashlib.sha256(b"a secret").digest()
        for text in ("a secret", secret.hex(), "missing-file", "altered-file"):
            self.assertNotIn(text.encode(), ran.out)

    def test_rows_that_name_no_regular_file(self):
        self.fifo(SITE + "/evil/fifo")
        self.file(SITE + "/evil/file", "x")
        (self.root / SITE[1:] / "evil/loop").symlink_to("loop")
        (self.root / SITE[1:] / "evil/dangling").symlink_to("/nowhere")
        (self.root / SITE[1:] / "evil/up").symlink_to("/etc")
        rows = ["evil/fifo", "evil", "evil/loop", "evil/dangling", "evil/up/hostname", "evil/file/below",
                "evil/" + "n" * 300, "evil//./file", ".", "", "\x00", '"evil/a\nb"', '"', '","']
        for name in ("one", "two"):
            self.distribution(name, "".join(f"{row},sha256={name},1\n" for row in rows))
        self.whole()

    def test_ten_million_rows(self):
        for row in ("x,,\n", "a/long/name/of/a/file/that/is/not/there.py,,\n"):
            with self.subTest(row):
                list_path = self.distribution("big", row * 10_000_000)
                start = time.monotonic()
                ran = self.check()
                self.assertLess(time.monotonic() - start, 60)
                self.assertRegex("".join(self.said_of(ran, list_path)), "over 1000000 rows|at most 67108864")

    def test_a_million_different_rows_of_files_that_are_gone(self):
        list_path = self.distribution("big", "".join(f"big/{n}.py,sha256=YWJj,3\n" for n in range(1_000_000)))
        ran = self.check()
        self.assertRegex("".join(self.said_of(ran, list_path)), "over 100000 listed files are gone")

    def test_many_lists_that_name_the_same_files(self):
        for number in range(300):
            self.file(f"{SITE}/many/{number}.py", PYTHON)
        for owner in range(60):
            rows = "".join(f"many/{n}.py,sha256={'A' * 42}{owner % 10},6\n" for n in range(300))
            self.distribution(f"owner{owner}", rows)
        self.whole()

    def test_one_file_named_a_million_times(self):
        self.file(SITE + "/same/x.py", PYTHON)
        for name in ("a", "b"):
            self.distribution(name, f"same/x.py,sha256={name},6\nsame/y.py,,\n" * 400_000)
        self.whole()

    def test_hashes_that_are_none(self):
        self.file(SITE + "/odd/x.py", PYTHON)
        for number, text in enumerate(("sha256", "sha256=", "=", "sha256=!!!", "shake_128=YWJj", "sha256=" + "A" * 100_000,
                                       "md5=AAAA", "\x1b[31m=x", "sha3_256=YWJj")):
            self.distribution(f"odd{number}", f"odd/x.py,{text},6\nodd/y.py,{text},-1\n")
        self.whole()

    def test_a_file_that_ten_thousand_lists_name(self):
        self.file(SITE + "/many/x.py", PYTHON)
        for number in range(10_000):
            self.distribution(f"owner{number}", f"many/x.py,sha256={'A' * 38}{number:05},6\n")
        self.whole()

    def test_three_thousand_members_of_a_family(self):
        """Pairs grow with the square of them: a bound says how many are not told."""
        for number in range(40):
            self.file(f"{SITE}/cupy/x{number}.py", PYTHON)
        for number in range(3_000):
            rows = "".join(f"cupy/x{(number + step) % 40}.py,sha256={'A' * 38}{number:05},6\n" for step in (0, 7, 14))
            list_path = self.distribution(f"cupy-cuda{number}", rows)
            if number >= 2_900:
                (self.root / list_path[1:]).unlink()
        start = time.monotonic()
        ran = self.whole()
        self.assertLess(time.monotonic() - start, 60)
        self.assertRegex(str(ran.json["incidents"]), "further pairs of distributions share files")

    def test_a_list_that_names_the_files_of_another(self):
        """An absolute path inside of the environment is one of its files: the claim takes nothing away."""
        self.distribution("evil", f"{PROVIDER},sha256={'A' * 43},3\n{PROVIDER}\x00,sha256=YWJj,3\n")
        provider = self.healthy().json["providers"][0]
        self.assertEqual([provider["distribution"], provider["verdicts"]["intact"]], ["onnxruntime-gpu", "yes"])

    def test_metadata_that_lie_or_are_links(self):
        site = self.root / SITE[1:]
        for number, folder in enumerate(("-.dist-info", ".dist-info", "--.dist-info", "-1.dist-info", "x.dist-info",
                                         "onnxruntime-.dist-info", "\u202e-1.dist-info", "innocent-1.dist-info")):
            name = "ONNX_runtime.GPU\x1b[31m" if number == 7 else folder
            self.file(f"{SITE}/{folder}/METADATA", f"Name: {name}\nVersion: 1\x1b[2J\nRequires-Dist: {name}\n")
            self.file(f"{SITE}/{folder}/RECORD", "x/y.py,,\n")
        for name, target in (("proc-1.dist-info", "/proc/self"), ("loop-1.dist-info", "loop-1.dist-info"),
                             ("etc-1.dist-info", "../../../../../../../../etc")):
            (site / name).symlink_to(target)
        for name in ("METADATA", "RECORD", "INSTALLER"):
            (site / "folders-1.dist-info" / name).mkdir(parents=True)
        self.whole()


if __name__ == "__main__":
    unittest.main()
