# SPDX-License-Identifier: Apache-2.0
"""Behaviours that no table of cases can state: the secure mode, a lesser CPU, an assertion of the
loader, the order of the places that were searched, and what the JSON promises."""

import dataclasses
import os
import unittest

import cases
import compare
import emulated
import reference
import roots
from answers import absolute
from cases import PROGRAM, Driver, Link, lib, program
from elfgen import Elf, Symbol, VersionNeed, undefined

NOBODY = 65534


class Special(unittest.TestCase):
    """What the tests below share."""

    def setUp(self):
        self.root = roots.Root()
        self.addCleanup(self.root.close)

    def put(self, files, libc="glibc"):
        for path, content in files.items():
            cases.place(self.root, path, content, libc)

    def agree(self, real, answer, libc="glibc"):
        found = compare.differences(real, answer, libc)
        if found:
            self.fail(compare.as_text(found, real, answer))


class SecureMode(Special):
    """AT_SECURE: a set-user-ID program that another user starts."""

    def start(self, libc, env, **path):
        """The answer of a driver that belongs to root and is set-user-ID, started by nobody."""
        self.put({PROGRAM: Driver(needed=("liba.so",), **path)}, libc)
        os.chmod(self.root.at(PROGRAM), 0o4755)
        os.chmod(self.root.path, 0o755)
        job = dataclasses.replace(reference.driver_job(PROGRAM, [], env), user=NOBODY)
        return reference.read_driver(self.root.run([job])[0], libc, PROGRAM, [])

    def ask(self, env):
        return emulated.ask(PROGRAM, root=self.root.path, env=env, symbols=True,
                            more=["--secure"])

    def check(self, libc, env, names, **path):
        real = self.start(libc, env, **path)
        self.assertEqual([p for p in real.paths() if p not in cases.OWN], names, real.text)
        self.agree(real, self.ask(env), libc)

    def test_ld_library_path_is_ignored(self):
        for libc in ("glibc", "musl"):
            with self.subTest(libc):
                self.put({"/e/liba.so": lib("liba.so"), "/usr/lib/liba.so": lib("liba.so")})
                self.check(libc, {"LD_LIBRARY_PATH": "/e"}, ["/usr/lib/liba.so"])

    def test_a_preload_by_path_is_ignored(self):
        self.put({"/q/libpre.so": lib("libpre.so"), "/usr/lib/liba.so": lib("liba.so")})
        os.chmod(self.root.at("/q/libpre.so"), 0o4755)
        self.check("glibc", {"LD_PRELOAD": "/q/libpre.so"}, ["/usr/lib/liba.so"])

    def test_a_preload_by_name_must_be_set_user_id_in_a_default_directory(self):
        self.put({"/usr/lib/libpre.so": lib("libpre.so"), "/usr/lib/liba.so": lib("liba.so"),
                  "/usr/lib/libsuid.so": lib("libsuid.so")})
        os.chmod(self.root.at("/usr/lib/libsuid.so"), 0o4755)
        self.check("glibc", {"LD_PRELOAD": "libpre.so libsuid.so"},
                   ["/usr/lib/libsuid.so", "/usr/lib/liba.so"])

    def test_origin_outside_the_default_directories_is_dropped(self):
        self.put({"/bin/l/liba.so": lib("liba.so"), "/usr/lib/liba.so": lib("liba.so")})
        self.check("glibc", {}, ["/usr/lib/liba.so"], rpath="$ORIGIN/l")

    def test_an_absolute_rpath_counts(self):
        for libc in ("glibc", "musl"):
            with self.subTest(libc):
                self.put({"/p/liba.so": lib("liba.so"), "/usr/lib/liba.so": lib("liba.so")})
                self.check(libc, {}, ["/p/liba.so"], rpath="/p")


class LesserCpu(Special):
    """`--cpu`: the real loader is told by a tunable that the CPU lacks instructions."""

    LEVELS = {"x86-64-v3": "-AVX512F,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512VL",
              "x86-64-v2": "-AVX2,-AVX512F,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512VL",
              "x86-64": "-SSSE3,-SSE4_1,-SSE4_2,-POPCNT,-AVX2,-AVX512F,-AVX512BW,-AVX512CD,"
                        "-AVX512DQ,-AVX512VL"}

    def test_hwcaps_directories_follow_the_level(self):
        files = {PROGRAM: program("liba.so", "libb.so", "libd.so", runpath="/p"),
                 "/p/liba.so": lib("liba.so")}
        for number, name in ((2, "liba.so"), (3, "liba.so"), (4, "liba.so"), (3, "libb.so"),
                             (4, "libd.so")):
            files[f"/p/glibc-hwcaps/x86-64-v{number}/{name}"] = lib(name)
        self.put(files)
        for level, tunable in self.LEVELS.items():
            with self.subTest(level):
                env = {"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={tunable}"}
                job = reference.glibc_trace_job(PROGRAM, env)
                real = reference.read_glibc_trace(self.root.run([job])[0], PROGRAM)
                answer = emulated.ask(PROGRAM, root=self.root.path, more=["--cpu", level])
                self.agree(real, answer)


class Assertion(Special):
    """Row 50: glibc 2.36 aborts when a versioned reference meets its file without versions."""

    def files(self):
        return {"/p/libv.so": lib("libv.so", symbols=[Symbol("f")]),
                "/p/liba.so": lib("liba.so", "libv.so", runpath="/p", symbols=[
                    undefined("f", version="V1")], verneeds=[VersionNeed("libv.so", "V1")])}

    def test_the_real_loader_aborts_and_the_emulation_says_failure(self):
        self.put({PROGRAM: Driver(), **self.files()})
        outcome = self.root.run([reference.driver_job(PROGRAM, ["now@/p/liba.so"])])[0]
        self.assertEqual(outcome.status, 127, outcome)
        self.assertIn("Assertion", outcome.stderr)
        answer = emulated.ask(PROGRAM, root=self.root.path, steps=["now@/p/liba.so"], symbols=True)
        self.assertEqual(answer.steps, ["error"], answer.text)

    def test_a_lazy_open_is_not_bound_and_loads(self):
        self.put({PROGRAM: Driver(), **self.files()})
        job = reference.driver_job(PROGRAM, ["lazy@/p/liba.so"])
        real = reference.read_driver(self.root.run([job])[0], "glibc", PROGRAM, ["lazy@/p/liba.so"])
        self.assertEqual(real.steps, ["ok"])
        answer = emulated.ask(PROGRAM, root=self.root.path, steps=["lazy@/p/liba.so"], symbols=True)
        self.agree(real, answer)


class Places(Special):
    """The candidates of a miss are those that the real loader opens, in its order."""

    def tried_by_the_real_loader(self, name, env=None, cwd="/"):
        job = reference.glibc_trace_job(PROGRAM, env, cwd)
        places, inside = [], False
        for line in self.root.run([job])[0].stderr.splitlines():
            text = line.split("\t", 1)[-1].strip()
            if text.startswith("find library="):
                inside = text.startswith(f"find library={name} ")
            elif inside and text.startswith("trying file="):
                places.append(absolute(text.partition("=")[2], cwd))
        return places

    def tried_by_the_emulation(self, name, **options):
        report, _ = emulated.report(PROGRAM, root=self.root.path, **options)
        entry = next(entry for entry in report["missing"] if entry["request"] == name)
        return [place["path"] for place in entry["tried"] if place.get("path")], entry["tried"]

    def test_every_directory_is_tried_in_order(self):
        self.put({PROGRAM: program("libq.so", rpath="/p:$ORIGIN/l:/p/", flags=0),
                  "/p/liba.so": lib("liba.so"), "/bin/l/libz.so": lib("libz.so"),
                  "/e/libz.so": lib("libz.so")})
        env = {"LD_LIBRARY_PATH": "/e:/p"}
        real = [p for p in self.tried_by_the_real_loader("libq.so", env) if "/" in p]
        ours, _ = self.tried_by_the_emulation("libq.so", env=env)
        plain = [p for p in real if not any(part in p for part in ("/tls/", "/haswell/", "/x86_64/",
                                                                   "/avx512_1/", "glibc-hwcaps"))]
        chosen = [p for p in ours if p in plain]
        self.assertEqual(chosen, plain)

    def test_the_outcome_of_each_candidate_is_told(self):
        self.put({PROGRAM: program("libq.so", runpath="/a:/b:/d"),
                  "/a/libq.so": lib("libq.so", machine=183),
                  "/b/libq.so": Elf(bits=32, machine=3), "/d/libq.so": Link("/nowhere")})
        _, tried = self.tried_by_the_emulation("libq.so")
        outcomes = {place["path"]: place["outcome"] for place in tried if place.get("path")}
        self.assertIn("machine", outcomes["/a/libq.so"])
        self.assertIn("class", outcomes["/b/libq.so"])
        self.assertEqual(outcomes["/d/libq.so"], "absent")
        self.assertTrue(any(place["rule"] == "cache" for place in tried), tried)


class Contract(Special):
    """The JSON of `ldd`: fields, null answers, exit status."""

    def report(self, files, libc="glibc", **options):
        self.put(files, libc)
        return emulated.report(PROGRAM, root=self.root.path, **options)

    def test_each_field_is_there(self):
        found, status = self.report({PROGRAM: program("liba.so", "$ORIGIN/libb.so", "libq.so",
                                                      runpath="/p"),
                                     "/p/liba.so": lib("liba.so.7"), "/bin/libb.so": lib(None)})
        self.assertEqual(status, 1)
        self.assertEqual(found["schema_version"], 1)
        self.assertEqual(found["file"], PROGRAM)
        self.assertEqual(found["interpreter"], roots.GLIBC_LOADER)
        self.assertTrue(found["libc"].startswith("glibc 2."), found["libc"])
        first, second, third = found["objects"]
        self.assertEqual(first["path"], PROGRAM)
        self.assertEqual({name: second[name] for name in ("request", "path", "soname", "requested_by",
                                                          "rule", "step")},
                         {"request": "liba.so", "path": "/p/liba.so", "soname": "liba.so.7",
                          "requested_by": PROGRAM, "rule": "runpath", "step": 0})
        self.assertEqual(third["request"], "$ORIGIN/libb.so")
        self.assertEqual((third["path"], third["rule"]), ("/bin/libb.so", "path"))
        self.assertEqual([(entry["request"], entry["path"]) for entry in found["requests"]],
                         [("liba.so", "/p/liba.so"), ("$ORIGIN/libb.so", "/bin/libb.so"),
                          ("libq.so", None)])
        self.assertEqual([entry["request"] for entry in found["missing"]], ["libq.so"])
        self.assertEqual((found["failures"], found["warnings"]), ([], []))

    def test_a_whole_program_ends_with_zero(self):
        found, status = self.report({PROGRAM: program("liba.so", runpath="/p"),
                                     "/p/liba.so": lib("liba.so")})
        self.assertEqual((status, found["missing"]), (0, []))

    def test_an_absent_interpreter_is_the_one_miss(self):
        found, status = self.report({PROGRAM: Elf(interp="/lib/ld-nowhere.so.2",
                                                  needed=["libq.so"])})
        self.assertEqual(status, 1)
        self.assertEqual([entry["request"] for entry in found["missing"]], ["/lib/ld-nowhere.so.2"])
        self.assertEqual(found["failures"], [])

    def test_a_survived_preload_is_a_warning_and_ends_with_zero(self):
        found, status = self.report({PROGRAM: Driver()}, env={"LD_PRELOAD": "/none.so"})
        self.assertEqual((status, found["missing"], found["failures"]), (0, [], []))
        self.assertEqual([(entry["object"], entry["step"]) for entry in found["warnings"]],
                         [("/none.so", 0)])

    def test_a_survived_preload_is_a_warning_on_musl_too(self):
        found, status = self.report({PROGRAM: Driver()}, "musl", env={"LD_PRELOAD": "/none.so"})
        self.assertEqual((status, [entry["object"] for entry in found["warnings"]]),
                         (0, ["/none.so"]))

    def test_a_segment_past_the_end_is_a_warning(self):
        found, status = self.report({PROGRAM: program("liba.so", runpath="/p"),
                                     "/p/liba.so": lib("liba.so", phantom=True)})
        self.assertEqual(status, 0)
        self.assertEqual([(entry["object"], entry["kind"]) for entry in found["warnings"]],
                         [("/p/liba.so", "format")])

    def test_answers_by_what_is_loaded_are_named(self):
        found, _ = self.report({
            PROGRAM: program("liba.so", "libb.so", "libl.so", runpath="/p"),
            "/p/liba.so": lib("libx.so.1"), "/p/libl.so": cases.Hard("/p/liba.so"),
            "/p/libb.so": lib("libb.so", "liba.so", "libx.so.1")})
        rules = {(entry["request"], entry["requested_by"]): entry["rule"]
                 for entry in found["requests"]}
        self.assertEqual(rules.get(("liba.so", "/p/libb.so")), "name", rules)
        self.assertEqual(rules.get(("libx.so.1", "/p/libb.so")), "soname", rules)
        self.assertEqual(rules.get(("libl.so", PROGRAM)), "inode", rules)

    def test_flags_before_the_at_sign_are_flags_only_if_every_word_is_one(self):
        self.put({PROGRAM: Driver(), "/p/a@b.so": lib(None), "/p/liba.so": lib(None)})
        answer = emulated.ask(PROGRAM, root=self.root.path,
                              steps=["/p/a@b.so", "now,global@/p/liba.so"], symbols=True)
        self.assertEqual(answer.steps, ["ok", "ok"], answer.text)
        self.assertEqual(answer.objects[-2:], ["/p/a@b.so", "/p/liba.so"])

    def test_the_machine_of_musl_is_told(self):
        found, _ = self.report({PROGRAM: program("liba.so", runpath="/p"),
                                "/p/liba.so": lib("liba.so")}, "musl")
        self.assertTrue(found["libc"].startswith("musl 1."), found["libc"])

    def test_a_static_program_is_refused_and_not_run(self):
        self.put({PROGRAM: Elf(type=2, dynamic=False)})
        with self.assertRaisesRegex(RuntimeError, "ended with 2"):
            emulated.report(PROGRAM, root=self.root.path)


if __name__ == "__main__":
    unittest.main()
