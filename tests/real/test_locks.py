#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A project with fastembed and onnxruntime-gpu, locked by the real uv, pip, poetry and pdm.

Without a cure each of their files holds a conflict; with the cure that `check` itself names, none.
Only metadata is downloaded. A lock is kept in the cache folder under the hash of the tools and of
the project, so that a run without changes asks no index.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import cures
import venvs
from verdict import CUDA, Report, loadable

PROJECT = """[project]
name = "demo"
version = "0.1.0"
requires-python = ">=3.11,<3.13"
dependencies = [{dependencies}]
"""
# The resolution of a live index drifts: what decides is pinned, and uv looks no later than this.
BOTH = ("fastembed==0.7.4", "onnxruntime-gpu==1.24.4")
NEWEST = {"UV_EXCLUDE_NEWER": "2026-10-01T00:00:00Z"}
CONFLICT = "conflicting-distributions"


def tools(name):
    """The folder of programs of `requirements/lock-NAME.txt`."""
    wanted = venvs.REQUIREMENTS / f"lock-{name}.txt"

    def build(target):
        venvs.run(venvs.tool("uv"), "venv", "--python", venvs.PYTHON, target)
        venvs.download_and_install(venvs.tool("uv"), "pip", "install", "--python",
                                   target / "bin/python", "--require-hashes", "--no-deps",
                                   "--only-binary", ":all:", "-r", wanted)

    recipe = venvs.recipe_text(wanted.read_text(encoding="utf-8"))
    return venvs.kept("tools", f"lock-{name}", recipe, build) / "bin"


def uv_version():
    wanted = (venvs.REQUIREMENTS / "tools.txt").read_text(encoding="utf-8")
    return re.search(r"^uv==\S+", wanted, re.M).group(0)


def project(*dependencies, extra=""):
    listed = ", ".join(f'"{item}"' for item in dependencies)
    return PROJECT.format(dependencies=listed) + extra


def folder(name, recipe, build):
    """A folder of files that a tool made, from the cache; `build(path)` makes it."""

    def make(target):
        target.mkdir()
        build(target)

    return venvs.kept("locks", name, recipe, make)


def locked_by_uv(name, text, *more, files=()):
    """The project with its uv.lock; `more` are further commands of uv, run there."""

    def build(target):
        (target / "pyproject.toml").write_text(text, encoding="utf-8")
        for source, place in files:
            (target / place).parent.mkdir(exist_ok=True)
            shutil.copy(source, target / place)
        uv = venvs.tool("uv")
        venvs.run(uv, "lock", "-q", "--directory", target, "--python", venvs.PYTHON, **NEWEST)
        for command in more:
            venvs.run(uv, *command, "--directory", target, **NEWEST)

    recipe = "\n".join([uv_version(), str(NEWEST), text, repr(more),
                        *(pathlib.Path(s).name for s, _ in files)])
    return folder(f"uv-{name}", recipe, build)


def check(path, *options):
    return Report(loadable("check", path, "--format", "json", *options))


class Locks(unittest.TestCase):
    maxDiff = None

    def finding(self, report, status=1):
        """The one conflict of a report, about the CUDA provider, and what follows from it."""
        self.assertEqual(report.status, status, report.text())
        found = [item for item in report.findings if item["rule"] == CONFLICT]
        self.assertEqual(len(found), 1, report.text())
        self.assertEqual((found[0]["severity"], found[0]["provider"]), ("error", CUDA))
        provider = report.providers[CUDA]
        self.assertEqual(provider["cause"], CONFLICT)
        self.assertEqual(provider["verdicts"]["shipped"], "yes")
        self.assertEqual(provider["verdicts"]["intact"], "no")
        self.assertEqual(provider["verdicts"]["loadable"], "unknown")
        return found[0]

    def healthy(self, report):
        self.assertEqual(report.status, 0, report.text())
        self.assertEqual(report.rules("error", "warning"), [], report.text())
        self.assertEqual(report.providers[CUDA]["verdicts"]["shipped"], "yes")
        self.assertNotEqual(report.providers[CUDA]["verdicts"]["intact"], "no")
        self.assertTrue(report.data["complete"])

    def members(self, finding):
        return [item.split(" ")[0] for item in finding["evidence"]["members"]]

    # ---- uv ----

    def test_uv_lock_holds_both_until_an_override_or_exclusion(self):
        plain = locked_by_uv("plain", project(*BOTH))
        report = check(plain / "uv.lock")
        finding = self.finding(report)
        self.assertEqual(report.data["target"]["kind"], "lock")
        self.assertEqual(self.members(finding), ["onnxruntime", "onnxruntime-gpu"])
        self.assertEqual(finding["evidence"]["why onnxruntime"],
                         ["demo requires fastembed==0.7.4", "fastembed 0.7.4 requires onnxruntime"])
        self.assertEqual([item["id"] for item in finding["remedies"]],
                         ["uv-override", "uv-exclude", "uv-stand-in"])
        line = finding["locations"][0]["line"]
        text = (plain / "uv.lock").read_text(encoding="utf-8").splitlines()
        self.assertIn('name = "onnxruntime"', text[line - 1:line + 1])

        override = "[tool.uv]\noverride-dependencies = [\"onnxruntime ; sys_platform == 'never'\"]\n"
        cured = locked_by_uv("override", project(*BOTH, extra=override))
        self.assertIn('name = "onnxruntime"\n', (cured / "uv.lock").read_text(encoding="utf-8"))
        self.healthy(check(cured / "uv.lock"))
        exclude = '[tool.uv]\nexclude-dependencies = ["onnxruntime"]\n'
        self.healthy(check(locked_by_uv("exclude", project(*BOTH, extra=exclude)) / "uv.lock"))

    def test_uvs_remedies_are_lines_that_uv_accepts(self):
        """The commands of the report, as a user would paste them, up to the lock."""
        plain = locked_by_uv("plain", project(*BOTH))
        for wanted in ("uv-override", "uv-exclude"):
            with self.subTest(wanted), tempfile.TemporaryDirectory() as scratch:
                for name in ("pyproject.toml", "uv.lock"):
                    shutil.copy(plain / name, scratch)
                remedies = {item["id"]: item for item in check(f"{scratch}/uv.lock").findings[0]["remedies"]}
                commands = remedies[wanted]["commands"]
                self.assertEqual(commands[0], f"cd {scratch}")
                script = "\n".join(c for c in commands if not c.startswith("uv sync"))
                bin_folder = venvs.tool("uv").parent
                venvs.run("sh", "-e", "-c", f'PATH="{bin_folder}:$PATH"\n{script}', **NEWEST)
                self.healthy(check(pathlib.Path(scratch) / "uv.lock"))
                self.healthy(check(scratch))

    def test_extras_that_exclude_each_other_do_not_conflict(self):
        extras = ('[project.optional-dependencies]\ncpu = ["onnxruntime==1.24.4"]\n'
                  'gpu = ["onnxruntime-gpu==1.24.4"]\n')
        conflicts = '[tool.uv]\nconflicts = [[{ extra = "cpu" }, { extra = "gpu" }]]\n'
        free = locked_by_uv("extras", project(extra=extras))
        report = check(free / "uv.lock")
        self.assertEqual(report.status, 1, report.text())
        self.assertIn("with extra `cpu`, extra `gpu`", report.findings[0]["message"])
        declared = locked_by_uv("conflicts", project(extra=extras + conflicts))
        self.healthy(check(declared / "uv.lock"))
        self.healthy(check(declared / "uv.lock", "--extra", "gpu"))
        cpu = check(declared / "uv.lock", "--extra", "cpu", "--require", CUDA)
        self.assertEqual((cpu.status, cpu.rules()), (1, ["cpu-build"]), cpu.text())
        both = loadable("check", declared / "uv.lock", "--all-extras")
        self.assertEqual(both.returncode, 2)
        self.assertIn("exclude each other", both.stderr)

    def test_what_uv_exports_says_the_same(self):
        plain = locked_by_uv(
            "exports", project(*BOTH),
            ("export", "-q", "--no-emit-project", "--format", "pylock.toml", "-o", "pylock.toml"),
            ("export", "-q", "--no-emit-project", "-o", "requirements.txt"),
            ("pip", "compile", "-q", "pyproject.toml", "--python-version", "3.11", "-o",
             "requirements-compiled.txt"))
        for name in ("pylock.toml", "requirements.txt", "requirements-compiled.txt"):
            with self.subTest(name):
                finding = self.finding(check(plain / name))
                self.assertEqual(self.members(finding), ["onnxruntime", "onnxruntime-gpu"])
        finding = self.finding(check(plain / "requirements-compiled.txt"))
        self.assertEqual(finding["evidence"]["why onnxruntime"],
                         ["demo requires fastembed", "fastembed 0.7.4 requires onnxruntime"])

    def test_a_stand_in_with_source_and_constraint_is_no_conflict(self):
        with tempfile.TemporaryDirectory() as scratch:
            made = loadable("shim", "onnxruntime", "--version", "1.24.4", "--output", scratch)
            self.assertEqual(made.returncode, 0, made.stderr)
            wheel = next(pathlib.Path(scratch).glob("*.whl"))
            place = f"wheels/{wheel.name}"
            source = (f'[tool.uv.sources]\nonnxruntime = {{ path = "{place}" }}\n')
            constraint = '[tool.uv]\nconstraint-dependencies = ["onnxruntime==1.24.4"]\n'
            cured = locked_by_uv("stand-in", project(*BOTH, extra=constraint + source),
                                 files=[(wheel, place)])
            self.healthy(check(cured / "uv.lock"))
            ignored = locked_by_uv("source-alone", project(*BOTH, extra=source),
                                   files=[(wheel, place)])
            self.finding(check(ignored / "uv.lock"))

    # ---- pip ----

    def test_pip_lock_holds_both(self):
        pip = tools("poetry") / "pip"

        def build(target):
            venvs.download_and_install(pip, "lock", "-q", "--only-binary", ":all:", "-o",
                                       target / "pylock.toml", *BOTH)
            venvs.download_and_install(pip, "lock", "-q", "--only-binary", ":all:", "-o",
                                       target / "pylock.cured.toml", BOTH[1])

        lists = (venvs.REQUIREMENTS / "lock-poetry.txt").read_text(encoding="utf-8")
        made = folder("pip", "\n".join([lists, *BOTH]), build)
        self.finding(check(made / "pylock.toml"))
        self.healthy(check(made / "pylock.cured.toml"))

    def test_pip_lock_with_a_stand_in_as_constraint_is_no_conflict(self):
        """pip writes the stand-in as an archive without a version, its URL with `%20` for a blank."""
        with tempfile.TemporaryDirectory(prefix="a b ") as scratch:
            place = pathlib.Path(scratch)
            made = loadable("shim", "onnxruntime", "--version", "1.24.4", "--output", place)
            self.assertEqual(made.returncode, 0, made.stderr)
            wheel = next(place.glob("*.whl"))
            (place / "c.txt").write_text(f"onnxruntime @ {wheel.as_uri()}\n", encoding="utf-8")
            venvs.run(tools("poetry") / "pip", "lock", "-q", "--no-deps", "--no-index", "-c", place / "c.txt",
                      "-o", place / "pylock.toml", "onnxruntime", "-f", cures.wheels(), "onnxruntime-gpu==1.24.4")
            self.assertIn("[packages.archive]", (place / "pylock.toml").read_text(encoding="utf-8"))
            self.healthy(check(place / "pylock.toml"))
            wheel.unlink()  # what it holds cannot be known then
            self.finding(check(place / "pylock.toml"))

    def test_what_pip_freezes_holds_both(self):
        frozen = "fastembed==0.7.4\nnumpy==2.0\nonnxruntime==1.24.4\nonnxruntime-gpu==1.24.4\n"
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "requirements.txt"
            path.write_text(frozen, encoding="utf-8")
            finding = self.finding(check(path))
            self.assertEqual([item["line"] for item in finding["locations"]], [3, 4])
            self.assertIn("pip-stand-in", [item["id"] for item in finding["remedies"]])
            # `pip install -r` of a list without it brings it all the same: fastembed requires it.
            less = frozen.replace("onnxruntime==1.24.4\n", "", 1)
            path.write_text(less, encoding="utf-8")
            finding = self.finding(check(path))
            self.assertEqual(finding["evidence"]["why onnxruntime"],
                             "fastembed requires onnxruntime")
            path.write_text(less.replace("fastembed==0.7.4\n", ""), encoding="utf-8")
            self.healthy(check(path))

    # ---- poetry, pdm ----

    def locked_by_poetry(self, name, text, wheel=None):
        poetry = tools("poetry") / "poetry"
        lists = (venvs.REQUIREMENTS / "lock-poetry.txt").read_text(encoding="utf-8")

        def build(target):
            (target / "pyproject.toml").write_text(text, encoding="utf-8")
            if wheel is not None:
                (target / "wheels").mkdir()
                shutil.copy(wheel, target / "wheels")
            venvs.download_and_install(poetry, "lock", "-q", "-n", "-C", target)

        return folder(f"poetry-{name}", lists + text, build)

    def locked_by_pdm(self, name, text):
        pdm = tools("pdm") / "pdm"
        lists = (venvs.REQUIREMENTS / "lock-pdm.txt").read_text(encoding="utf-8")

        def build(target):
            (target / "pyproject.toml").write_text(text, encoding="utf-8")
            venvs.download_and_install(pdm, "lock", "-q", "-p", target)

        return folder(f"pdm-{name}", lists + text, build)

    def test_poetry_lock_holds_both_until_a_stand_in(self):
        locked = self.locked_by_poetry
        report = check(locked("plain", project(*BOTH)) / "poetry.lock")
        finding = self.finding(report)
        self.assertEqual(finding["evidence"]["why onnxruntime"][0],
                         "demo requires fastembed==0.7.4")
        with tempfile.TemporaryDirectory() as scratch:
            made = loadable("shim", "onnxruntime", "--version", "1.24.4", "--output", scratch)
            self.assertEqual(made.returncode, 0, made.stderr)
            wheel = next(pathlib.Path(scratch).glob("*.whl"))
            text = project(*BOTH, "onnxruntime") + (
                f'[tool.poetry.dependencies]\nonnxruntime = {{ path = "wheels/{wheel.name}" }}\n')
            self.healthy(check(locked("stand-in", text, wheel) / "poetry.lock"))

    def test_pdm_lock_holds_both_until_an_exclusion(self):
        locked = self.locked_by_pdm
        finding = self.finding(check(locked("plain", project(*BOTH)) / "pdm.lock"))
        self.assertEqual([item["id"] for item in finding["remedies"]], ["pdm-exclude"])
        exclude = '[tool.pdm.resolution]\nexcludes = ["onnxruntime"]\n'
        self.healthy(check(locked("exclude", project(*BOTH, extra=exclude)) / "pdm.lock"))

    # ---- locks that are out of date: the tool itself is the judge ----

    #: What is done to the pyproject.toml behind its lock.
    EDITS = (
        ("nothing", "", ""),
        ("another spelling", '"fastembed==0.7.4"', '"FastEmbed == 0.7.4"'),
        ("a requirement more", '"fastembed==0.7.4"', '"fastembed==0.7.4", "six"'),
        ("a requirement less", '"fastembed==0.7.4", ', ""),
        ("another version", "fastembed==0.7.4", "fastembed>=0.7"),
        ("a marker", "fastembed==0.7.4", "fastembed==0.7.4 ; sys_platform == 'linux'"),
        ("a marker of another Python", "fastembed==0.7.4",
         "fastembed==0.7.4 ; python_version < '3.12'"),
        ("an extra", "", '[project.optional-dependencies]\ngpu = ["six"]\n'),
        ("a group", "", '[dependency-groups]\ngpu = ["six"]\n'),
        ("other Pythons", ">=3.11,<3.13", ">=3.10,<3.13"),
        ("uv's override", "", '[tool.uv]\noverride-dependencies = ["idna<4"]\n'),
        ("uv's override of nothing", "", '[tool.uv]\noverride-dependencies = ["six<2"]\n'),
        ("uv's exclusion", "", '[tool.uv]\nexclude-dependencies = ["onnxruntime"]\n'),
        ("uv's exclusion of nothing", "", '[tool.uv]\nexclude-dependencies = ["six"]\n'),
        ("uv's constraint", "", '[tool.uv]\nconstraint-dependencies = ["idna<9"]\n'),
        ("pdm's exclusion", "", '[tool.pdm.resolution]\nexcludes = ["six"]\n'),
        ("poetry's group", "", '[tool.poetry.group.gpu.dependencies]\nsix = "*"\n'),
        ("something else", "", "[tool.other]\nx = 1\n"),
    )

    def compare_with_tool(self, made, lock, accepts):
        """`accepts(folder)`: does the tool itself take the lock for that of the project?"""
        stale = 0
        for name, old, new in self.EDITS:
            with self.subTest(name), tempfile.TemporaryDirectory() as scratch:
                place = pathlib.Path(scratch) / "demo"
                shutil.copytree(made, place, symlinks=True)
                file = place / "pyproject.toml"
                text = file.read_text(encoding="utf-8")
                self.assertIn(old, text)
                file.write_text(text.replace(old, new, 1) if old else text + new,
                                encoding="utf-8")
                is_fresh = accepts(place)
                report = check(place)
                said = [item["message"] for item in report.data["incidents"]
                        if "this lock is out of date" in item["message"]]
                self.assertEqual(report.data["complete"], is_fresh, report.text())
                self.assertEqual(len(said), 0 if is_fresh else 1, report.text())
                self.assertNotEqual(report.status, 0, report.text())
                bare = loadable("check", place / lock, "--ignore", CONFLICT)
                self.assertEqual(bare.returncode, 0 if is_fresh else 3, bare.stdout)
                stale += not is_fresh
        self.assertGreater(stale, 4)

    def test_uv_and_check_agree_on_which_locks_are_out_of_date(self):
        def accepts(place):
            done = subprocess.run(
                [venvs.tool("uv"), "lock", "--check", "--offline", "--directory", place,
                 "--python", venvs.PYTHON], env={**os.environ, **NEWEST}, capture_output=True,
                check=False)
            return done.returncode == 0

        self.compare_with_tool(locked_by_uv("plain", project(*BOTH)), "uv.lock", accepts)

    def test_poetry_and_check_agree_on_which_locks_are_out_of_date(self):
        poetry = tools("poetry") / "poetry"

        def accepts(place):
            done = subprocess.run([poetry, "check", "--lock", "-n", "-C", place],
                                  capture_output=True, text=True, check=False)
            return "changed significantly" not in done.stdout + done.stderr

        self.compare_with_tool(self.locked_by_poetry("plain", project(*BOTH)), "poetry.lock",
                               accepts)

    def test_pdm_and_check_agree_on_which_locks_are_out_of_date(self):
        pdm = tools("pdm") / "pdm"

        def accepts(place):
            done = subprocess.run([pdm, "lock", "--check", "-p", place], capture_output=True,
                                  check=False)
            return done.returncode == 0

        self.compare_with_tool(self.locked_by_pdm("plain", project(*BOTH)), "pdm.lock", accepts)

    def test_a_lock_older_than_the_gpu_is_told_of_the_conflict_to_come(self):
        """The newcomer's case: the lock knows nothing yet of what pyproject.toml now requires."""
        old = locked_by_uv("idna", project("idna==3.7"))
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch) / "demo"
            shutil.copytree(old, place)
            (place / "pyproject.toml").write_text(project(*BOTH), encoding="utf-8")
            report = check(place)
            self.assertEqual((report.status, report.data["complete"]), (1, False))
            self.assertIn("are both required by `pyproject.toml`", report.findings[0]["message"])
            (place / "pyproject.toml").write_text(project("idna==3.8"), encoding="utf-8")
            report = check(place)
            self.assertEqual((report.status, report.rules()), (3, []), report.text())

    #: Projects whose hash says more than that of a plain list.
    HASHED = {
        "poetry": (
            '[tool.poetry]\nname = "x"\nversion = "1"\n[tool.poetry.dependencies]\npython = "^3.11"\n'
            'six = { version = "^1", optional = true, markers = "sys_platform == \'linux\'" }\n'
            '[tool.poetry.extras]\ngpu = ["six"]\n'
            '[tool.poetry.group.dev.dependencies]\npytest = "*"\n',
            '[tool.poetry]\nname = "x"\nversion = "1"\n[tool.poetry.dev-dependencies]\npytest = "*"\n'
            '[[tool.poetry.source]]\nname = "pp"\nurl = "https://x.org/\u00e4"\n',
            '[project]\nname = "x"\nversion = "1"\n[dependency-groups]\n'
            'g = ["six", { include-group = "h" }]\nh = []\n',
            "[tool.poetry]\npackage-mode = false\n",
        ),
        "pdm": (
            '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.9"\n'
            'dependencies = ["six"]\n[project.optional-dependencies]\ng = ["a"]\n'
            '[dependency-groups]\nDev_x = ["b", { include-group = "l" }]\nl = ["c"]\n'
            '[tool.pdm.dev-dependencies]\ndev-x = ["d"]\n'
            '[[tool.pdm.source]]\nname = "pypi"\nurl = "https://x.org/\u00e4"\nverify_ssl = true\n'
            '[tool.pdm.resolution]\nexcludes = ["z"]\n[tool.pdm.resolution.overrides]\nq = "1"\n',
            "[tool.pdm]\ndistribution = false\n",
        ),
    }
    HASHERS = {
        "poetry": "import sys, tomllib; from poetry.packages.locker import Locker; "
                  "from pathlib import Path; p = Path(sys.argv[1]); "
                  "print(Locker(p, tomllib.loads(p.read_text()))._content_hash)",
        "pdm": "import sys, os; from pdm.project import Project; from pdm.core import Core; "
               "print(Project(Core(), os.path.dirname(sys.argv[1])).pyproject.content_hash())",
    }
    HASH_LOCKS = {
        "poetry": '# @generated by Poetry 2.5.1 and\npackage = []\n[metadata]\n'
                  'lock-version = "2.1"\ncontent-hash = "{}"\n',
        "pdm": '[metadata]\nlock_version = "4.5.0"\ncontent_hash = "sha256:{}"\n',
    }

    def test_the_hashes_of_poetry_and_pdm_are_known(self):
        for tool, projects in self.HASHED.items():
            python = tools(tool) / "python"
            for index, text in enumerate(projects):
                with self.subTest(tool, index=index), tempfile.TemporaryDirectory() as scratch:
                    place = pathlib.Path(scratch)
                    file = place / "pyproject.toml"
                    file.write_text(text, encoding="utf-8")
                    value = subprocess.run([python, "-c", self.HASHERS[tool], file], text=True,
                                           stdout=subprocess.PIPE, check=True).stdout.strip()
                    self.assertRegex(value, "^[0-9a-f]{64}$")
                    lock = place / f"{tool}.lock"
                    lock.write_text(self.HASH_LOCKS[tool].format(value), encoding="utf-8")
                    report = check(lock)
                    self.assertEqual((report.status, report.data["incidents"]), (0, []))
                    lock.write_text(self.HASH_LOCKS[tool].format("0" * 64), encoding="utf-8")
                    self.assertEqual(check(lock).status, 3)

    # ---- selections ----

    def test_a_required_provider_is_asked_for_on_every_python(self):
        split = ("onnxruntime-gpu==1.24.4 ; python_version >= '3.12'",
                 "onnxruntime==1.24.4 ; python_version < '3.12'")
        made = locked_by_uv("split", project(*split))
        self.healthy(check(made / "uv.lock"))
        report = check(made / "uv.lock", "--require", CUDA)
        self.assertEqual((report.status, report.rules()), (1, ["cpu-build"]), report.text())
        self.assertIn("locked on Python 3.11,", report.findings[0]["message"])
        self.healthy(check(made / "uv.lock", "--require", CUDA, "--python-version", "3.12"))
        systems = ("onnxruntime-gpu==1.24.4 ; sys_platform == 'linux'",
                   "onnxruntime==1.24.4 ; sys_platform != 'linux'")
        self.healthy(check(locked_by_uv("systems", project(*systems)) / "uv.lock", "--require",
                           CUDA))

    # ---- wishes ----

    def test_a_project_that_requires_the_plain_name_is_told_of_extras(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "pyproject.toml"
            path.write_text(project("onnxruntime>=1.17"), encoding="utf-8")
            report = check(scratch)
            self.assertEqual((report.status, report.rules()), (0, []), "an application")
            built = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
            path.write_text(project("onnxruntime>=1.17", extra=built), encoding="utf-8")
            report = check(scratch)
            self.assertEqual((report.status, report.rules()), (0, ["hard-family-dependency"]))
            self.assertEqual(report.data["target"]["kind"], "project")
            text = json.dumps(report.findings)
            self.assertIn("a lock that holds both extras still conflicts", text)

    def test_a_damaged_lock_is_exit_2(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "uv.lock"
            path.write_text("version = 1\n[[package]]\nname = 3\n", encoding="utf-8")
            done = loadable("check", path)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("line 3: `name` is an integer, wanted a string", done.stderr)


if __name__ == "__main__":
    unittest.main()
