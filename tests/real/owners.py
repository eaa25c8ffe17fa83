#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the owners of an environment's files with csv and hashlib, to judge what the program says.

    python3 owners.py VENV     prints each contested file and whose bytes lie there
"""

import base64
import collections
import csv
import hashlib
import itertools
import json
import os
import pathlib
import re
import sys


def distributions(site):
    """`name version` (from METADATA) -> {absolute path: hash as recorded}, of every dist-info."""
    lists = {}
    for record in sorted(site.glob("*.dist-info/RECORD")):
        head = (record.parent / "METADATA").read_text(encoding="utf-8").split("\n\n")[0]
        fields = dict(re.findall(r"^(Name|Version): *(.*?)\r?$", head, re.MULTILINE))
        rows = {}
        with open(record, newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                # Where a name leads, links of directories followed.
                folder, base = os.path.split(os.path.join(site, row[0]))
                rows.setdefault(os.path.join(os.path.realpath(folder), base), row[1])
        lists[f"{fields['Name']} {fields['Version']}"] = rows
    return lists


def matches(path, recorded):
    """Whose bytes: `same`, `different`, or `gone`."""
    if not os.path.exists(path):
        return "gone"
    algorithm, _, wanted = recorded.partition("=")
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, algorithm).digest()
    found = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return "same" if found == wanted else "different"


def counts(path, site, recorded):
    """Does a row count? Not those without a hash, compiled files, metadata, and launchers."""
    launchers = os.path.realpath(site.parents[2] / "bin")
    return bool(recorded) and not path.endswith(".pyc") and ".dist-info/" not in path \
        and os.path.dirname(path) != launchers


def overlap(site, one, other):
    """What two lists have in common, as ownership_dump says it; None: nothing."""
    (first, rows_of_first), (second, rows_of_second) = one, other
    result = {"first": first, "second": second, "shared": 0, "identical": 0, "gone": 0,
              "of_first": 0, "of_second": 0, "of_neither": 0, "differing": {}}
    for path in sorted(rows_of_first.keys() & rows_of_second.keys()):
        hashes = rows_of_first[path], rows_of_second[path]
        if not all(counts(path, site, recorded) for recorded in hashes):
            continue
        result["shared"] += 1
        result["gone"] += not os.path.exists(path)
        if hashes[0] == hashes[1]:
            result["identical"] += 1
            continue
        said = [matches(path, recorded) for recorded in hashes]
        result["differing"][path] = dict(zip((first, second), said))
        result["of_first"] += said[0] == "same"
        result["of_second"] += said[1] == "same"
        result["of_neither"] += said == ["different", "different"]
    return result if result["shared"] else None


def losses(lists):
    """`name version` -> (listed, gone), without compiled files and metadata."""
    lost = {}
    for name, rows in lists.items():
        files = [path for path in rows if not path.endswith(".pyc") and ".dist-info/" not in path]
        gone = sum(not os.path.lexists(path) for path in files)
        if gone:
            lost[name] = [len(files), gone]
    return lost


def altered(lists):
    """Files whose lists agree and whose bytes do not."""
    hashes = collections.defaultdict(set)
    for rows in lists.values():
        for path, recorded in rows.items():
            if recorded:
                hashes[path].add(recorded)
    return sorted(path for path, recorded in hashes.items()
                  if len(recorded) == 1 and matches(path, min(recorded)) == "different")


def count(venv):
    """All of it, of a virtual environment."""
    site, = pathlib.Path(os.path.realpath(venv)).glob("lib/python3.*/site-packages")
    lists = distributions(site)
    pairs = (overlap(site, *pair) for pair in itertools.combinations(lists.items(), 2))
    return {"overlaps": [pair for pair in pairs if pair], "losses": losses(lists),
            "altered": altered(lists)}


if __name__ == "__main__":
    print(json.dumps(count(sys.argv[1]), indent=2))
