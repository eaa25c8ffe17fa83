#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every remedy of a conflict is pasted as it stands, and the environment checked and run after it.

A project of fastembed and onnxruntime-gpu, whose wheels an index on this machine serves.
"""

import pathlib
import re
import subprocess
import unittest

import cures
import index
import pasted
import session
import test_locks
import venvs
import verdict
from cures import CPU_LIST, EMPTY, FASTEMBED, GPU, GPU_LIST

CONFLICT = "conflicting-distributions"
WISHES = f"fastembed=={FASTEMBED}\nonnxruntime-gpu=={GPU}\n"
# What fastembed needs on Windows: poetry and pdm resolve for all systems.
ELSEWHERE = (("colorama", "0.4.6"), ("win32-setctime", "1.2.0"), ("pyreadline3", "3.5.6"))

PROJECT = f"""\
[project]
name = "service"
version = "0"
requires-python = "==3.11.*"
dependencies = ["fastembed=={FASTEMBED}", "onnxruntime-gpu=={GPU}"]
"""
UV = "\n[tool.uv]\npackage = false\nenvironments = [\"sys_platform == 'linux'\"]\n"
POETRY = '\n[tool.poetry]\npackage-mode = false\n\n[[tool.poetry.source]]\nname = "here"\nurl = "{url}"\n'
PDM = ('\n[tool.pdm]\ndistribution = false\n\n[[tool.pdm.source]]\nname = "pypi"\nurl = "{url}"\n'
       "verify_ssl = false\n")


class Remedies(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = venvs.scratch_folder()
        self.addCleanup(subprocess.run, ["rm", "-rf", scratch], check=True)
        # Whoever forgets to quote a path fails here.
        self.folder = scratch / "my service"
        self.folder.mkdir()
        self.venv = self.folder / ".venv"
        (scratch / "uv.toml").write_text(f'no-index = true\nfind-links = ["{cures.wheels()}"]\n', encoding="utf-8")
        self.offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": cures.wheels(), "VIRTUAL_ENV": self.venv,
                        "UV_CONFIG_FILE": scratch / "uv.toml"}

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def serve(self):
        """The address of an index of the wheels."""
        empty = self.folder.parent / "empty"
        empty.mkdir()
        for name, version in ELSEWHERE:
            index.write_empty_wheel(empty, name, version)
        serving = index.served(cures.wheels(), empty)
        self.addCleanup(serving.__exit__, None, None, None)
        return serving.__enter__()  # pylint: disable=unnecessary-dunder-call

    def check(self, path, *options):
        return verdict.Report(verdict.loadable("check", "--format", "json", *options, path))

    def remedies(self, path, rule=CONFLICT):
        report = self.check(path)
        self.assertEqual(report.status, 1, report.text())
        return pasted.remedies_of(report, rule)

    def is_content(self, path):
        """Nothing is found in the lock any more."""
        report = self.check(path)
        self.assertEqual((report.status, report.rules("error", "warning")), (0, []), report.text())
        self.assertEqual(report.providers[verdict.CUDA]["verdicts"]["shipped"], "yes")

    def lists(self, python=None):
        """What the real runtime lists."""
        done = subprocess.run([python or self.venv / "bin/python", "-c", cures.ASK], check=False, text=True,
                              cwd="/", capture_output=True, env=session.clean_environment(), timeout=120)
        if done.returncode != 0:
            return done.stderr.strip().splitlines()[-1]
        text = done.stdout.strip()
        return text if text == EMPTY else text.split()

    def runs(self):
        """The environment works: CUDA is listed, what required the other build imports, `check` agrees."""
        self.assertEqual(self.lists(), GPU_LIST)
        done = subprocess.run([self.venv / "bin/python", "-c", "import fastembed"], check=False, text=True,
                              cwd="/", capture_output=True, env=session.clean_environment(), timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.check(self.venv, "--no-host-env")
        self.assertEqual(report.providers[verdict.CUDA]["verdicts"]["intact"], "yes", report.text())
        found = set(report.rules("error", "warning"))
        self.assertFalse(found & {"overwritten-file", "gutted-package", "missing-file", CONFLICT}, report.text())

    def make_venv(self, *options):
        subprocess.run(["rm", "-rf", self.venv], check=True)
        venvs.run(venvs.PYTHON, "-m", "venv", *options, self.venv)

    def make_uv_venv(self):
        venvs.run(venvs.tool("uv"), "venv", "-q", "--clear", "--python", venvs.PYTHON, self.venv)

    def paste(self, remedy, *programs, **variables):
        return pasted.paste(remedy, self.folder, *programs, **{**self.offline, **variables})


class OfPoetry(Remedies):
    def test_a_stand_in_as_a_dependency(self):
        tools = test_locks.tools("poetry")
        place = {"POETRY_CACHE_DIR": self.folder.parent / "cache", "POETRY_CONFIG_DIR": self.folder.parent,
                 "POETRY_VIRTUALENVS_IN_PROJECT": "true", "POETRY_NO_INTERACTION": "1", "PIP_NO_INDEX": "",
                 "PIP_FIND_LINKS": "", "VIRTUAL_ENV": ""}
        self.write("pyproject.toml", PROJECT + POETRY.format(url=self.serve()))
        lock = {"id": "lock", "commands": [f"poetry env use -q {venvs.PYTHON}", "poetry lock -q"]}
        self.paste(lock, tools, **place)
        remedies = self.remedies(self.folder / "poetry.lock")
        self.assertEqual(list(remedies), ["poetry-stand-in"])
        # From the folder above: the remedy says where to go.
        pasted.paste(remedies["poetry-stand-in"], "/", tools, **{**self.offline, **place})
        self.is_content(self.folder / "poetry.lock")
        self.runs()


class OfPdm(Remedies):
    def test_an_exclusion_also_where_both_are_installed(self):
        tools = test_locks.tools("pdm")
        place = {"PDM_CHECK_UPDATE": "false", "PDM_CACHE_DIR": self.folder.parent / "cache", "PIP_NO_INDEX": "",
                 "PDM_LOG_DIR": self.folder.parent / "log", "PIP_FIND_LINKS": "", "VIRTUAL_ENV": ""}
        self.write("pyproject.toml", PROJECT + PDM.format(url=self.serve()))
        first = {"id": "sync", "commands": [f"pdm use -q -f {venvs.PYTHON}", "pdm lock -q", "pdm sync -q"]}
        self.paste(first, tools, **place)
        remedies = self.remedies(self.folder / "pdm.lock")
        self.assertEqual(list(remedies), ["pdm-exclude"])
        commands = remedies["pdm-exclude"]["commands"]
        # The trap: without the last command the package is empty.
        self.paste({"id": "pdm-exclude", "commands": commands[:-1]}, tools, **place)
        self.assertEqual(self.lists(), EMPTY)
        self.paste({"id": "pdm-exclude", "commands": commands[-1:]}, tools, **place)
        self.is_content(self.folder / "pdm.lock")
        self.runs()


class OfUv(Remedies):
    def test_extras_are_said_to_exclude_each_other(self):
        extras = (PROJECT.replace(f'"fastembed=={FASTEMBED}", "onnxruntime-gpu=={GPU}"', "") +
                  f'\n[project.optional-dependencies]\ncpu = ["onnxruntime=={GPU}"]\n'
                  f'gpu = ["onnxruntime-gpu=={GPU}"]\n')
        uv = venvs.tool("uv").parent
        self.make_uv_venv()
        for table in ("", '\n[tool.uv]\npackage = false\n'):
            with self.subTest(table):
                self.write("pyproject.toml", extras + table)
                self.paste({"id": "lock", "commands": ["uv lock -q"]}, uv)
                remedies = self.remedies(self.folder / "uv.lock")
                self.assertEqual(next(iter(remedies)), "uv-conflicts")
                self.paste(remedies["uv-conflicts"], uv)
                self.is_content(self.folder / "uv.lock")
                (self.folder / "uv.lock").unlink()

    def test_tables_that_are_there_are_added_to(self):
        uv = venvs.tool("uv").parent
        tables = (UV + 'override-dependencies = ["numpy"]\n'
                  'exclude-dependencies = [\n  "sympy",\n]\nconstraint-dependencies = ["numpy>=2"]\n'
                  '\n[tool.uv.sources]\n')
        self.make_uv_venv()
        for name in ("uv-override", "uv-exclude", "uv-stand-in"):
            with self.subTest(name):
                self.write("pyproject.toml", PROJECT + tables)
                self.paste({"id": "lock", "commands": ["rm -f uv.lock", "uv lock -q"]}, uv)
                remedy = self.remedies(self.folder / "uv.lock")[name]
                self.paste(remedy, uv)
                self.is_content(self.folder / "uv.lock")
                self.runs()

    def test_what_uv_exported_is_exported_again(self):
        uv = venvs.tool("uv").parent
        self.write("pyproject.toml", PROJECT + UV)
        self.make_uv_venv()
        export = {"id": "export", "commands": ["uv lock -q", "uv export -q -o pylock.toml"]}
        self.paste(export, uv)
        remedies = self.remedies(self.folder / "pylock.toml")
        self.assertEqual(list(remedies), ["uv-override", "uv-exclude", "uv-stand-in", "pylock-without"])
        self.paste(remedies["pylock-without"], uv)
        self.is_content(self.folder / "pylock.toml")
        self.runs()
        self.paste(export, uv)
        self.paste(remedies["uv-override"], uv)
        self.is_content(self.folder / "pylock.toml")
        self.runs()


class OfRequirements(Remedies):
    def compiled(self, *options):
        """requirements.txt, as uv compiles it; the remedies that `check` names."""
        self.write("requirements.in", WISHES)
        command = " ".join(["uv pip compile -q", *options, "--no-emit-find-links requirements.in -o requirements.txt"])
        self.make_uv_venv()
        self.paste({"id": "compile", "commands": [command]}, venvs.tool("uv").parent)
        return self.remedies(self.folder / "requirements.txt")

    def test_pip_in_hash_mode_takes_the_stand_in_with_its_hash(self):
        remedies = self.compiled("--generate-hashes")
        self.assertEqual(list(remedies), ["pip-stand-in", "pip-without", "uv-pip-stand-in", "uv-pip-exclude",
                                          "dockerfile-order"])
        self.make_venv()
        self.paste(remedies["pip-stand-in"], self.venv / "bin")
        self.assertEqual((self.folder / "requirements.txt").read_text(encoding="utf-8").count("onnxruntime=="), 0)
        self.is_content(self.folder / "requirements.txt")
        self.runs()
        done = subprocess.run([self.venv / "bin/pip", "check"], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_uv_in_hash_mode(self):
        uv = venvs.tool("uv").parent
        for name in ("uv-pip-stand-in", "uv-pip-exclude"):
            with self.subTest(name):
                remedy = self.compiled("--generate-hashes")[name]
                self.make_uv_venv()
                self.paste(remedy, uv)
                self.is_content(self.folder / "requirements.txt")
                self.runs()

    def test_a_dockerfiles_lines_in_a_new_environment(self):
        """With hashes, as the shell of an image's build runs them; of wishes, in the other order."""
        remedy = self.compiled("--generate-hashes")["dockerfile-order"]
        self.assertTrue(all(line.startswith("RUN ") for line in remedy["commands"]))
        self.make_venv()
        self.paste(remedy, self.venv / "bin")
        self.runs()

    def test_wishes_and_a_dockerfile(self):
        path = self.write("requirements.txt", WISHES)
        remedies = self.remedies(path)
        self.make_venv()
        # A list of wishes is not changed: the order of the commands is the cure.
        self.paste(remedies["dockerfile-order"], self.venv / "bin")
        self.runs()
        self.paste(remedies["uv-pip-stand-in"], venvs.tool("uv").parent)
        self.runs()

    def test_every_command_is_one_that_a_shell_can_read(self):
        for hashes in ((), ("--generate-hashes",)):
            for remedy in self.compiled(*hashes).values():
                for command in remedy["commands"]:
                    line = command.removeprefix("RUN ")
                    done = subprocess.run(["sh", "-n", "-c", line], check=False, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
                    self.assertNotRegex(line, r"VERSION|NAME|…|\bENV\b|<[A-Z]")


class OfConda(Remedies):
    def test_condas_own_build_stands_in_the_file(self):
        """What follows, `conda env update`, is not carried out: no channel is at hand."""
        for indent in ("", "  "):
            text = "name: x\nchannels:\n  - conda-forge\ndependencies:\n" + "".join(
                indent + line + "\n" for line in (
                    "- python=3.11", "- pip", "- pip:", f"  - fastembed=={FASTEMBED}", f"  - onnxruntime-gpu=={GPU}"))
            path = self.write("environment.yml", text)
            remedy = self.remedies(path)["conda-build"]
            self.assertEqual(remedy["commands"].pop(), "conda env update --prune -f environment.yml")
            self.assertIn("not tried: no conda channel was at hand", remedy["side_effects"])
            self.paste(remedy)
            report = self.check(path)
            self.assertNotIn(CONFLICT, report.rules(), report.text())
            self.assertIn(f"dependencies:\n{indent}- onnxruntime=*=*cuda*\n{indent}- python", path.read_text("utf-8"))


class OfEnvironments(Remedies):
    """What is installed already, by the installer that made it, from any folder."""

    def uv(self, *words):
        self.paste({"id": "uv", "commands": ["uv pip " + " ".join(words)]}, venvs.tool("uv").parent)

    def anywhere(self, remedy):
        """Pasted in a folder that has nothing to do with the environment."""
        folder = self.folder.parent / "else where"
        folder.mkdir(exist_ok=True)
        offline = {**self.offline, "VIRTUAL_ENV": ""}
        pasted.paste(remedy, folder, venvs.tool("uv").parent, **offline)

    def overwrite(self):
        self.uv("install -q --no-deps --reinstall", f"onnxruntime-gpu=={GPU}")
        self.uv("install -q --no-deps --reinstall", f"onnxruntime=={GPU}")
        self.assertEqual(self.lists(), CPU_LIST)

    def test_uvs_environment_is_cured_by_uv(self):
        self.make_uv_venv()
        self.uv("install -q", *WISHES.split())
        wanted = ["uv-pip-stand-in", "uv-pip-exclude", "uv-pip-reinstall"]
        for name in wanted:
            with self.subTest(name):
                self.overwrite()
                remedies = self.remedies(self.venv, "overwritten-file")
                self.assertEqual(list(remedies), wanted)
                self.anywhere(remedies[name])
                self.runs()
        # The traps that the texts tell of.
        self.assertIn("uv pip install -U", remedies["uv-pip-stand-in"]["side_effects"][0])
        self.assertIn("do not stick", remedies["uv-pip-exclude"]["side_effects"][0])

    def test_uvs_project_is_told_first_and_is_where_the_cure_goes(self):
        self.write("pyproject.toml", PROJECT + UV)
        self.make_uv_venv()
        self.paste({"id": "sync", "commands": ["uv sync -q"]}, venvs.tool("uv").parent)
        self.overwrite()
        remedies = self.remedies(self.venv, "overwritten-file")
        self.assertEqual(next(iter(remedies)), "uv-override")
        pasted.paste(remedies["uv-override"], "/", venvs.tool("uv").parent,
                     **{**self.offline, "VIRTUAL_ENV": ""})
        self.runs()
        self.paste({"id": "sync", "commands": ["uv sync -q"]}, venvs.tool("uv").parent)
        self.runs()
        self.assertRegex(" ".join(remedies["uv-override"]["side_effects"]), "loses the shared files")

    def test_each_reinstallation_is_uvs_where_no_pip_is(self):
        self.make_uv_venv()
        self.uv("install -q", *WISHES.split())
        self.uv("uninstall -q onnxruntime")
        remedies = self.remedies(self.venv, "gutted-package")
        self.anywhere(remedies["reinstall"])
        self.runs()
        site = self.venv / "lib/python3.11/site-packages"
        (site / "onnxruntime/capi/libonnxruntime_providers_shared.so").unlink()
        remedies = pasted.remedies_of(self.check(self.venv, "--no-host-env"), "missing-file")
        self.anywhere(remedies["reinstall"])
        self.runs()
        stale = site / "onnxruntime_gpu-1.23.0.dist-info"
        stale.mkdir()
        old = (site / f"onnxruntime_gpu-{GPU}.dist-info/METADATA").read_text(encoding="utf-8")
        (stale / "METADATA").write_text(old.replace(f"Version: {GPU}", "Version: 1.23.0"), encoding="utf-8")
        (stale / "INSTALLER").write_text("uv", encoding="utf-8")
        (stale / "RECORD").write_text("onnxruntime_gpu-1.23.0.dist-info/METADATA,,\n"
                                      "onnxruntime_gpu-1.23.0.dist-info/INSTALLER,,\n"
                                      "onnxruntime_gpu-1.23.0.dist-info/RECORD,,\nonnxruntime/old.py,,\n", encoding="utf-8")
        remedies = pasted.remedies_of(self.check(self.venv, "--no-host-env"), "stale-metadata")
        self.anywhere(remedies["reinstall"])
        self.runs()
        self.assertEqual([path.name for path in site.glob("onnxruntime_gpu*")], [f"onnxruntime_gpu-{GPU}.dist-info"])

    def test_a_cpu_build_is_replaced(self):
        self.make_uv_venv()
        self.uv("install -q", f"onnxruntime=={GPU}")
        report = self.check(self.venv, "--no-host-env", "--require", verdict.CUDA)
        remedy = pasted.remedies_of(report, "cpu-build")["install-gpu-build"]
        for command in remedy["commands"]:
            self.assertRegex(command, r"^uv pip (un)?install --python '")
        # Without the extras, whose wheels are not at hand.
        plain = [re.sub(r"'?onnxruntime-gpu\[[\w,]*\]'?", "onnxruntime-gpu", line) for line in remedy["commands"]]
        self.anywhere({"id": "cpu-build", "commands": plain})
        self.assertEqual(self.lists(), GPU_LIST)


if __name__ == "__main__":
    unittest.main()
