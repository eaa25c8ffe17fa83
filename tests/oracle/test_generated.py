# SPDX-License-Identifier: Apache-2.0
"""Random roots: the emulation answers as the real loaders do.

LOADABLE_ORACLE_COUNT roots (2000) of LOADABLE_ORACLE_SEED (another one in each run, printed), or
only the one named by LOADABLE_ORACLE_INDEX. Roots about which the answers differ are kept in
LOADABLE_ORACLE_KEEP.
"""

import multiprocessing
import os
import shutil
import tempfile
import traceback
import unittest

import compare
import emulated
import generate
import reference
import roots

SHOWN = 5  # disagreements that are printed in full


def job_of(question):
    start = question.via or question.path
    if question.steps is not None:
        prefix = f"{question.caller}|" if question.caller else ""
        steps = [prefix + step for step in question.steps]
        return reference.driver_job(start, steps, question.env, question.cwd,
                                    debug=question.libc == "glibc")
    if question.libc == "glibc":
        return reference.glibc_trace_job(start, question.env, question.cwd, question.symbols)
    return reference.musl_trace_job(start, question.env, question.cwd)


def read_real(question, outcome):
    start = question.via or question.path
    if question.steps is not None:
        return reference.read_driver(outcome, question.libc, start, question.steps, question.cwd)
    if question.libc == "glibc":
        return reference.read_glibc_trace(outcome, start, question.cwd)
    return reference.read_musl_trace(outcome, start, question.cwd)


def ask_emulation(question, root):
    return emulated.ask(question.via or question.path, root=root.path, env=question.env,
                        cwd=question.cwd, steps=question.steps or (), caller=question.caller,
                        symbols=question.symbols or question.steps is not None)


def examine(seed, index, keep):
    """The number of questions about one root and the reports of disagreements."""
    plan = generate.Generator(seed, index).make()
    reports = []
    root = roots.Root(merged=plan.merged)
    try:
        generate.build(plan, root)
        outcomes = root.run([job_of(question) for question in plan.questions])
        for question, outcome in zip(plan.questions, outcomes):
            report = examine_question(question, outcome, root, plan)
            if report:
                reports.append(f"seed {seed} index {index}: {question.libc} "
                               f"{question.via or question.path} env={question.env} "
                               f"cwd={question.cwd} steps={question.steps} "
                               f"caller={question.caller}\n{report}")
        if reports:
            reports[-1] += "\n--- tree\n" + root.describe()
            folder = os.path.join(keep, f"root-{index}")
            reports[-1] += f"\n--- kept in {folder}"
            root.keep(folder)
    finally:
        root.close()
    return len(plan.questions), reports


def examine_question(question, outcome, root, plan):
    real = emulation = None
    try:
        real = read_real(question, outcome)
        emulation = ask_emulation(question, root)
        found = compare.differences(real, emulation, question.libc, filters=plan.filters)
    except Exception:  # noqa: a message that nobody knows is a disagreement, too
        return traceback.format_exc() + f"\n{outcome.stdout}\n{outcome.stderr[-2000:]}"
    return compare.as_text(found, real, emulation) if found else None


def work(arguments):
    """One process: every n-th root."""
    seed, indices, keep = arguments
    asked, reports = 0, []
    for index in indices:
        count, found = examine(seed, index, keep)
        asked += count
        reports += found
    return asked, reports


class Generated(unittest.TestCase):
    """Choice, order, missing set and failure agree in every random root."""

    def test_random_roots(self):
        seed = generate.seed()
        count = int(os.environ.get("LOADABLE_ORACLE_COUNT") or 2000)
        only = os.environ.get("LOADABLE_ORACLE_INDEX")
        indices = [int(only)] if only else list(range(count))
        print(f"LOADABLE_ORACLE_SEED={seed} LOADABLE_ORACLE_COUNT={count}", flush=True)
        keep = os.environ.get("LOADABLE_ORACLE_KEEP") or tempfile.mkdtemp(prefix="loadable-oracle-kept-")
        os.makedirs(keep, exist_ok=True)
        self.prepare()
        workers = min(len(os.sched_getaffinity(0)), len(indices))
        shares = [(seed, indices[number::workers], keep) for number in range(workers)]
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            results = pool.map(work, shares)
        asked = sum(number for number, _ in results)
        reports = [report for _, found in results for report in found]
        print(f"{len(indices)} roots, {asked} questions, {len(reports)} disagreements", flush=True)
        if not reports:
            shutil.rmtree(keep)
        self.assertEqual(asked, 5 * len(indices))
        if reports:
            self.fail("\n\n".join(reports[:SHOWN]))

    @staticmethod
    def prepare():
        """What the workers share: the mount namespace and the compiled programs."""
        roots.isolate()
        for libc in ("glibc", "musl"):
            for path in ({}, {"rpath": "/x"}, {"runpath": "/x"}):
                roots.driver(libc, **path)
                roots.caller_library(libc, **path)


if __name__ == "__main__":
    unittest.main()
