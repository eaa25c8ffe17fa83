#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Versions, specifiers, markers and requirements against the library `packaging`, RECORD against Python's
csv module and requires.txt against importlib.metadata, on generated texts.

    LOADABLE_FORMATS_SEED   the seed; without it each run takes its own and prints it
    LOADABLE_FORMATS_COUNT  texts of each kind, 10000 by default

    python3 test_packaging.py --dump build/dev/…/python_dump [unittest's options]
"""

import csv
import importlib.metadata
import io
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "real"))
import generate  # noqa: E402
import venvs  # noqa: E402

SEED = os.environ.get("LOADABLE_FORMATS_SEED") or str(random.SystemRandom().randrange(10**9))
COUNT = int(os.environ.get("LOADABLE_FORMATS_COUNT") or 10_000)
SHOWN = 20
DUMP = None


def load_packaging():
    """Puts the pinned `packaging` on the path, downloaded once."""
    wanted = HERE / "requirements.txt"

    def build(target):
        venvs.run(venvs.PYTHON, "-m", "venv", target)
        venvs.download_and_install(target / "bin/pip", "install", "--require-hashes", "--no-deps",
                                   "--only-binary", ":all:", "-r", wanted)

    folder = venvs.kept("tools", "packaging", venvs.recipe_text(wanted.read_text(encoding="utf-8")),
                        build)
    (site,) = folder.glob("lib/python3*/site-packages")
    sys.path.insert(0, str(site))


class Formats(unittest.TestCase):
    """One test for each kind of text; all disagreements of a kind are counted, the first are shown."""

    def compare(self, kind, make_question, expect, agrees=lambda wanted, found: wanted == found,
                is_valid=lambda wanted: wanted is not None):
        questions = [make_question(generate.Generator(SEED, kind, index)) for index in range(COUNT)]
        lines = "".join(json.dumps([kind, *question]) + "\n" for question in questions)
        done = subprocess.run([DUMP], input=lines.encode(), stdout=subprocess.PIPE, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(questions))
        reports, valid = [], 0
        for index, (question, found) in enumerate(zip(questions, answers)):
            wanted = expect(*question)
            valid += is_valid(wanted)
            if not agrees(wanted, found):
                reports.append(f"{kind} {index}: {question!r}\n  wanted {wanted}\n  found  {found}")
        print(f"seed {SEED}: {len(questions)} of {kind}, {valid} valid, "
              f"{len(reports)} disagreements", flush=True)
        # A generator that makes nothing right, or nothing wrong, would test half.
        self.assertGreater(valid, COUNT // 4)
        self.assertLess(valid, COUNT * 19 // 20)
        if reports:
            self.fail(f"{len(reports)} disagreements\n" + "\n".join(reports[:SHOWN]))

    def test_versions(self):
        from packaging.version import InvalidVersion, Version

        def described(text):
            try:
                version = Version(text)
            except InvalidVersion:
                return None, None
            return version, {"text": str(version), "release": list(version.release),
                             "epoch": version.epoch, "pre": version.is_prerelease,
                             "post": version.is_postrelease, "dev": version.is_devrelease,
                             "local": version.local or "", "public": version.public}

        def expect(a, b):
            (left, a), (right, b) = described(a), described(b)
            wanted = {"a": a, "b": b}
            if left and right:
                wanted["order"] = -1 if left < right else 0 if left == right else 1
            return wanted

        self.compare("version", lambda make: make.version_pair(), expect,
                     is_valid=lambda wanted: wanted["a"] is not None)

    def test_specifiers(self):
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
        from packaging.version import InvalidVersion, Version

        def holds(specifiers, text, prereleases):
            try:
                return specifiers.contains(Version(text), prereleases=prereleases)
            except InvalidVersion:
                return False

        def expect(text, versions):
            try:
                specifiers = SpecifierSet(text)
            except InvalidSpecifier:
                return None
            return {"clauses": sorted(map(str, specifiers)),
                    "names_prerelease": bool(specifiers.prereleases),
                    "all": [holds(specifiers, version, True) for version in versions],
                    "final": [holds(specifiers, version, False) for version in versions]}

        def agrees(wanted, found):
            if found:
                found["clauses"].sort()
            return wanted == found

        self.compare("specifiers", lambda make: make.specifiers(), expect, agrees)

    def test_markers(self):
        from packaging.markers import InvalidMarker, Marker, UndefinedComparison
        from packaging.markers import UndefinedEnvironmentName

        def holds(marker, variables, extras, sets):
            try:
                return any(marker.evaluate({**variables, **sets, "extra": extra})
                           for extra in ("", *extras))
            except (UndefinedComparison, UndefinedEnvironmentName):
                return False  # documented in marker.h

        def could_hold(marker, variables, extras, text):
            """Tries every extra and every set that the marker can tell apart."""
            literals = itertools.chain(*re.findall("'([^']*)'|\"([^\"]*)\"", text))
            words = re.findall(r"[\w.-]+", text)
            names = sorted({"another", *extras, *literals, *words})
            sets = [set(), {"gpu"}, {"cpu"}, {"x"}, {"all-the-rest"}, {"dev-1"},
                    {"gpu", "cpu", "x", "all-the-rest", "dev-1"}]
            groups = [set(), {"dev"}, {"test-1"}, {"docs"}, {"dev", "test-1", "docs"}]
            return any(holds(marker, variables, names, {"extras": some, "dependency_groups": chosen})
                       for some, chosen in itertools.product(
                           sets if "extras" in text else [set()],
                           groups if "dependency_groups" in text else [set()]))

        def expect(text, variables, extras, groups):
            try:
                marker = Marker(text)
            except InvalidMarker:
                return None
            try:
                normal = str(marker)
            except ValueError:
                normal = None  # a literal with both kinds of quotes
            sets = {"extras": set(extras), "dependency_groups": set(groups)}
            return {"text": normal, "holds": holds(marker, variables, extras, sets),
                    "can_hold": could_hold(marker, variables, extras, normal or text),
                    "has_sets": "extras" in text or "dependency_groups" in text}

        def agrees(wanted, found):
            if wanted is None or found is None:
                return wanted is found
            return (wanted["text"] in (None, found["text"]) and wanted["holds"] == found["holds"]
                    # Sets are looked at comparison by comparison: a yes may be one too many.
                    and (wanted["can_hold"] == found["can_hold"]
                         or (wanted["has_sets"] and found["can_hold"])))

        self.compare("marker", lambda make: make.marker(), expect, agrees)

    def test_requirements(self):
        from packaging.requirements import InvalidRequirement, Requirement
        from packaging.utils import canonicalize_name

        def expect(text):
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                return None
            try:
                marker = str(requirement.marker or "")
            except ValueError:
                marker = None
            return {"name": requirement.name, "normalized": canonicalize_name(requirement.name),
                    "extras": sorted(map(canonicalize_name, requirement.extras)),
                    "clauses": sorted(map(str, requirement.specifier)),
                    "url": requirement.url or "", "marker": marker}

        def agrees(wanted, found):
            if wanted and found:
                found["clauses"].sort()
                found["extras"].sort()
                wanted["extras"] = sorted(set(wanted["extras"]))
                found["extras"] = sorted(set(found["extras"]))
                if wanted["marker"] is None:
                    found["marker"] = None
            return wanted == found

        self.compare("requirement", lambda make: [make.requirement()], expect, agrees)

    def test_records(self):
        def expect(text):
            rows = []
            for row in csv.reader(io.StringIO(text, newline="")):
                path, digest, size, *_ = [*row, "", "", ""]
                if path:
                    number = int(size) if re.fullmatch("[0-9]+", size) else None
                    rows.append([path, digest, number if number is None or number < 2**64 else None])
            return rows

        # Every text is a RECORD: one with a whole row counts as a right one.
        self.compare("record", lambda make: [make.record()], expect,
                     is_valid=lambda rows: any(row[1] and row[2] is not None for row in rows))

    def test_requires_of_eggs(self):
        class Egg(importlib.metadata.Distribution):
            """A distribution that has requires.txt alone."""

            def __init__(self, text):
                self.text = text

            def read_text(self, filename):
                return {"requires.txt": self.text, "PKG-INFO": "Name: x\n"}.get(filename)

            def locate_file(self, path):
                return path

        site = pathlib.Path("/usr/lib/python3/dist-packages")
        found_here = sorted(site.glob("*.egg-info/requires.txt"))
        print(f"{len(found_here)} files of this machine's own among them", flush=True)

        def make_question(make):
            # Comments and markers of a line's own are read otherwise, on purpose (metadata.h).
            if found_here:
                return [found_here.pop().read_text(encoding="utf-8")]
            return [re.sub("[\x0b\x0c\x1c-\x1e\x85;#]", "", make.requires())]

        self.compare("requires", make_question,
                     lambda text: [line.rstrip(" ") for line in Egg(text).requires or []],
                     is_valid=lambda lines: any("extra ==" in line for line in lines))


if __name__ == "__main__":
    place = sys.argv.index("--dump")
    DUMP = sys.argv[place + 1]
    del sys.argv[place:place + 2]
    warnings.simplefilter("ignore")  # Python's own, of odd escapes in generated literals
    load_packaging()
    unittest.main(warnings="ignore")
