#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each cure of `onnxruntime` over `onnxruntime-gpu`, carried out by real uv and pip, and the traps.

After each the real runtime is asked what it lists: in these states CUDA is listed exactly where the
files of the GPU's build won.
"""

import hashlib
import unittest

import verdict
from cures import CPU_LATEST, CPU_LIST, EMPTY, FASTEMBED, GPU, GPU_LIST, Project

OVERRIDE = "override-dependencies = [\"onnxruntime ; sys_platform == 'never'\"]\n"
EXCLUDE = 'exclude-dependencies = ["onnxruntime"]\n'
CONSTRAINT = f'constraint-dependencies = ["onnxruntime=={GPU}"]\n'
OWNERSHIP = ("overwritten-file", "gutted-package", "conflicting-distributions", "altered-file", "version-skew",
             "missing-file")
SOURCE = f'\n[tool.uv.sources]\nonnxruntime = {{ path = "wheels/onnxruntime-{GPU}-py3-none-any.whl" }}\n'


class Cures(unittest.TestCase):
    def project(self, table=""):
        project = Project(table)
        self.addCleanup(project.close)
        return project

    def judged(self, project, intact, *rules):
        """What `loadable check` says of who owns the files: the verdict, and the rules of its findings."""
        report = project.check()
        [said] = [entry for entry in report.data["providers"] if entry["id"] == verdict.CUDA]
        self.assertEqual(said["verdicts"]["intact"], intact, report.text())
        found = {rule for rule in report.rules("error", "warning") if rule in OWNERSHIP}
        self.assertEqual(found, set(rules), report.text())

    def works(self, project):
        """The GPU's build is whole."""
        self.assertEqual(project.providers(), GPU_LIST)
        self.assertEqual(project.installed("onnxruntime-gpu"), GPU)

    def is_judged_whole(self, project):
        self.works(project)
        self.judged(project, "yes")

    def is_judged_overwritten(self, project):
        self.assertEqual((project.installed("onnxruntime"), project.providers()), (CPU_LATEST, CPU_LIST))
        self.judged(project, "no", "overwritten-file")

    def works_over_two_syncs(self, project):
        for _ in range(2):
            project.sync()
            self.works(project)
        # What required the other build still works.
        self.assertIs(project.imports_fastembed(), True)
        self.judged(project, "yes")


class OfUv(Cures):
    def test_override_dependencies(self):
        project = self.project(OVERRIDE)
        self.works_over_two_syncs(project)
        self.assertIsNone(project.installed("onnxruntime"))
        # An entry of the lock that nothing installs: whoever reads a lock must follow the markers.
        self.assertEqual(project.locked()["onnxruntime"], CPU_LATEST)
        self.assertIn("requires `onnxruntime", project.uv_pip("check", ok=False))

    def test_exclude_dependencies(self):
        project = self.project(EXCLUDE)
        self.works_over_two_syncs(project)
        self.assertIsNone(project.installed("onnxruntime"))
        self.assertNotIn("onnxruntime", project.locked())

    def test_a_shim_as_source_with_a_constraint(self):
        project = self.project(CONSTRAINT + SOURCE)
        project.shim("--version", GPU, "--output", "wheels")
        self.works_over_two_syncs(project)
        self.assertEqual(project.installed("onnxruntime"), GPU)
        self.assertIn("compatible", project.uv_pip("check"))

    def test_a_reinstall(self):
        project = self.project()
        project.sync()
        project.overwrite()
        self.is_judged_overwritten(project)
        project.sync("--reinstall-package", "onnxruntime-gpu")
        self.works(project)
        project.sync()
        self.works(project)
        # Intact now; that the other build is still there, and may win next time, is a warning.
        self.judged(project, "yes", "overwritten-file")


class OfPip(Cures):
    def test_a_shim_as_constraint(self):
        project = self.project()
        project.make_venv()
        shim = project.shim("--version", GPU)
        (project.folder / "constraints.txt").write_text(f"onnxruntime @ file://{shim}\n", encoding="utf-8")
        wanted = (f"fastembed=={FASTEMBED}", f"onnxruntime-gpu=={GPU}")
        project.pip_install("--constraint", "constraints.txt", *wanted)
        self.works(project)
        self.assertEqual(project.installed("onnxruntime"), GPU)
        self.assertIn("No broken requirements", project.pip("check"))
        project.pip_install("--constraint", "constraints.txt", "--upgrade", "fastembed")
        self.is_judged_whole(project)

    def test_uninstalling_both_and_the_shim(self):
        """From an environment that is overwritten already, by the installed release."""
        project = self.project()
        project.make_venv()
        pinned = f"onnxruntime-gpu=={GPU}"
        project.pip_install(f"fastembed=={FASTEMBED}", pinned)
        self.assertEqual(project.providers(), CPU_LIST)
        self.judged(project, "no", "overwritten-file")
        shim = project.shim("--target", ".venv")
        (project.folder / "constraints.txt").write_text(f"onnxruntime @ file://{shim}\n", encoding="utf-8")
        project.pip("uninstall", "--yes", "onnxruntime", "onnxruntime-gpu")
        project.pip_install("--constraint", "constraints.txt", f"fastembed=={FASTEMBED}", pinned, "onnxruntime")
        self.is_judged_whole(project)
        self.assertEqual(project.installed("onnxruntime"), GPU)


class Traps(Cures):
    def test_a_cure_applied_to_an_overwritten_environment_empties_it(self):
        for name, table in (("override", OVERRIDE), ("exclude", EXCLUDE), ("shim", CONSTRAINT + SOURCE)):
            with self.subTest(name):
                project = self.project()
                project.sync()
                project.overwrite()
                project.write(table)
                project.shim("--version", GPU, "--output", "wheels")
                project.sync()
                self.assertEqual(project.providers(), EMPTY)
                self.judged(project, "no", "gutted-package")
                project.sync("--reinstall-package", "onnxruntime-gpu")
                self.works(project)
                project.sync()
                self.is_judged_whole(project)

    def test_an_upgrade_by_uv_pip_replaces_the_shim(self):
        project = self.project(CONSTRAINT + SOURCE)
        project.shim("--version", GPU, "--output", "wheels")
        project.sync()
        # In the project's folder its constraint holds …
        project.uv_pip("install", "--upgrade", "fastembed")
        self.assertEqual(project.installed("onnxruntime"), GPU)
        self.is_judged_whole(project)
        # … and anywhere else nothing does.
        project.uv_pip("install", "--upgrade", "fastembed", cwd=project.elsewhere())
        self.is_judged_overwritten(project)

    def test_a_constraint_on_the_command_line_keeps_the_shim(self):
        project = self.project(CONSTRAINT + SOURCE)
        shim = project.shim("--version", GPU, "--output", "wheels")
        project.sync()
        constraints = project.folder / "constraints.txt"
        constraints.write_text(f"onnxruntime @ file://{shim}\n", encoding="utf-8")
        project.uv_pip("install", "--upgrade", "--constraint", constraints, "fastembed",
                       cwd=project.elsewhere())
        self.works(project)

    def test_overrides_on_the_command_line_do_not_stick(self):
        project = self.project(OVERRIDE)
        project.sync()
        folder = project.elsewhere()
        overrides = folder / "overrides.txt"
        overrides.write_text("onnxruntime ; sys_platform == 'never'\n", encoding="utf-8")
        project.uv_pip("install", "--overrides", overrides, "fastembed", cwd=folder)
        self.works(project)
        project.uv_pip("install", "fastembed", cwd=folder)
        self.is_judged_overwritten(project)

    def test_a_source_alone_is_ignored_without_a_word(self):
        project = self.project(SOURCE)
        project.shim("--version", GPU, "--output", "wheels")
        said = project.uv("lock")
        self.assertEqual(project.locked()["onnxruntime"], CPU_LATEST)
        self.assertNotIn("warning", said)


class Shim(Cures):
    def test_is_the_same_file_again(self):
        project = self.project()
        first = hashlib.sha256(project.shim("--version", GPU).read_bytes()).hexdigest()
        self.assertEqual(hashlib.sha256(project.shim("--version", GPU).read_bytes()).hexdigest(), first)
        other = project.shim("--version", GPU, "--output", "other/place")
        self.assertEqual(hashlib.sha256(other.read_bytes()).hexdigest(), first)


if __name__ == "__main__":
    unittest.main()
