# SPDX-License-Identifier: Apache-2.0
"""Timing of whole commands: wall time, peak memory, instructions. Ratios are taken in one run on one
machine, because absolute times differ tenfold between machines."""

import os
import re
import resource
import statistics
import subprocess
import tempfile
import time


def run_once(command, **options):
    """(wall seconds, peak KiB, exit status) of one run; its output is thrown away."""
    devnull = options.pop("stdout", subprocess.DEVNULL)
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=devnull, stderr=subprocess.DEVNULL, **options) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - start, usage.ru_maxrss, child.returncode


def wall(command, runs=5, warm_up=1, accepted=(0,), **options):
    """Median wall seconds of `runs` runs after `warm_up` ones, and the largest peak memory in KiB.

    A status outside of `accepted` is an error: a command that failed at once would look fast."""
    times, peak = [], 0
    for count in range(warm_up + runs):
        seconds, memory, status = run_once(command, **options)
        if accepted is not None and status not in accepted:
            raise RuntimeError(f"{command[:4]} … ended with status {status}, wanted one of {accepted}")
        if count >= warm_up:
            times.append(seconds)
            peak = max(peak, memory)
    return statistics.median(times), peak


def wall_each(command, arguments, **options):
    """Wall seconds of one process per argument, one after the other (a peer that takes one file)."""
    start = time.perf_counter()
    for argument in arguments:
        run_once([*command, argument], **options)
    return time.perf_counter() - start


def instructions(command, accepted=(0,)):
    """Instructions executed by the command, counted by callgrind: equal from run to run."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             f"--log-file={log}", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode not in accepted:
            raise RuntimeError(f"callgrind of {command[:3]} … ended with {done.returncode}")
        text = open(log, encoding="utf-8", errors="replace").read()
    found = re.search(r"Collected\s*:\s*(\d+)", text)
    if not found:
        raise RuntimeError("callgrind printed no count:\n" + text[-2000:])
    return int(found.group(1))


def children_peak_kib():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
