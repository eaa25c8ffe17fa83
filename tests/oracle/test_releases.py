# SPDX-License-Identifier: Apache-2.0
"""glibc of other Debian releases: the same cases, and where they differ from 2.36.

2.41 (trixie) runs all cases. 2.31 (bullseye) runs those that trace: a program that is compiled here
needs symbols of 2.34, so its dlopen cannot be asked.
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))

import cases  # noqa: E402
import cases_cache  # noqa: E402
import cases_dlopen  # noqa: E402
import cases_search  # noqa: E402
import cases_versions  # noqa: E402
import compare  # noqa: E402
import debian  # noqa: E402
import generate  # noqa: E402
import roots  # noqa: E402
import test_generated  # noqa: E402

TABLES = (cases_search.PATHS, cases_search.TOKENS, cases_search.CANDIDATES, cases_dlopen.SEARCH,
          cases_dlopen.EMPTY_OR_BAD, cases_dlopen.SYMBOLS, cases_cache.CACHE, cases_cache.HARDWARE,
          cases_cache.PRELOAD, cases_cache.FILTERS, cases_versions.NEEDS, cases_versions.BINDING,
          cases_versions.START)
ALL = [case for table in TABLES for case in table if case.glibc is not None]
GENERATED = 150

# Cases whose answer under that release is not the one under 2.36.
DIFFERENT_2_41 = (
    "an_executable_stack_is_accepted_by_2_36", "legacy_directories_in_each_other",
    "legacy_directories_of_the_avx512_kind", "legacy_hwcap_entries_of_2_36",
    "legacy_tls_before_haswell", "legacy_x86_64",
    "no_word_about_the_stack_means_an_executable_one", "the_legacy_tls_directory_is_used_by_2_36")
DIFFERENT_2_31 = (
    "a_damaged_file_in_a_hwcaps_directory_is_fatal", "a_note_for_a_newer_kernel_is_not_looked_at",
    "a_note_for_another_system_is_not_looked_at", "a_segment_alignment_below_the_page_is_loaded",
    "a_stale_hwcaps_entry_hides_the_plain_one", "all_levels",
    "hwcaps_come_before_the_legacy_directories", "hwcaps_entries_come_before_the_plain_one",
    "hwcaps_of_ld_library_path", "hwcaps_of_the_default_directories",
    "hwcaps_v2_comes_before_the_plain_directory", "messages_of_a_cycle", "messages_of_a_cycle_of_three",
    "messages_of_two_cycles_with_a_common_object", "the_best_hwcaps_entry_that_the_cpu_supports",
    "the_origin_of_a_library_in_a_hwcaps_directory", "v3_comes_before_v2")


def differs(case, real):
    """Does this answer differ from what the case says of 2.36?"""
    want = case.glibc
    pairs = [(want.missing, real.missing_names()), (want.fails, real.failure_kinds()),
             (want.warns, real.warnings), (want.steps, real.steps),
             (want.tells, compare.unbound([failure[:2] for failure in real.failures]))]
    if want.paths is not None:
        pairs.append((want.paths, [p for p in real.paths() if p not in cases.OWN]))
    return any(wanted is not None and wanted != found for wanted, found in pairs)


class Release:
    """All cases under the glibc of one release: what the classes of the releases share."""

    @classmethod
    def setUpClass(cls):
        cls.release = debian.root(cls.suite, "amd64", ["libc6"])

    def run_cases(self, chosen):
        """The names of the cases whose real answer is not that of 2.36; reports of disagreement."""
        different, reports = [], []
        for case in chosen:
            with roots.Root(merged=case.merged, release=self.release) as root:
                cases.build(case, "glibc", root)
                real = cases.ask_real(case, "glibc", root)
                if differs(case, real):
                    different.append(case.name)
                answer = cases.ask_emulation(case, root)
                found = compare.differences(real, answer, "glibc")
                if found:
                    reports.append(f"{case.name}: " + compare.as_text(found, real, answer))
        return sorted(different), reports

    def check_cases(self, chosen, different):
        self.assertGreater(len(chosen), 100)
        found, reports = self.run_cases(chosen)
        self.assertEqual(found, sorted(different))
        if reports:
            self.fail(f"{len(reports)} disagreements\n" + "\n\n".join(reports[:8]))

    def check_generated(self, wanted):
        """Random roots, asked only what `wanted` accepts."""
        seed = generate.seed()
        print(f"LOADABLE_ORACLE_SEED={seed} ({self.suite})", flush=True)
        reports, asked = [], 0
        for index in range(GENERATED):
            plan = generate.Generator(seed, index).make()
            questions = [question for question in plan.questions if wanted(question)]
            with roots.Root(merged=plan.merged, release=self.release) as root:
                generate.build(plan, root)
                outcomes = root.run([test_generated.job_of(question) for question in questions])
                for question, outcome in zip(questions, outcomes):
                    asked += 1
                    report = test_generated.examine_question(question, outcome, root, plan)
                    if report:
                        reports.append(f"seed {seed} index {index} {question.path}: {report}")
        self.assertGreater(asked, GENERATED)
        if reports:
            self.fail(f"{len(reports)} of {asked}\n" + "\n\n".join(reports[:5]))


class Trixie(Release, unittest.TestCase):
    """glibc 2.41: no legacy hardware directories, executable stacks refused."""

    suite = "trixie"

    def test_each_case_agrees(self):
        self.check_cases(ALL, DIFFERENT_2_41)

    def test_random_roots_agree(self):
        self.check_generated(lambda question: question.libc == "glibc")


class Bullseye(Release, unittest.TestCase):
    """glibc 2.31: no glibc-hwcaps."""

    suite = "bullseye"

    def test_each_case_that_traces_agrees(self):
        chosen = [case for case in ALL if not cases.is_driver(case)]
        self.check_cases(chosen, DIFFERENT_2_31)

    def test_random_roots_agree(self):
        self.check_generated(lambda question: question.libc == "glibc" and question.steps is None)


if __name__ == "__main__":
    unittest.main()
