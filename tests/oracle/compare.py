# SPDX-License-Identifier: Apache-2.0
"""Where two answers to one question disagree."""

import dataclasses

from answers import kind_of, subject


def differences(real, emulated, libc, exact_rules=False, filters=False):
    """Sentences, one for each disagreement; none when the answers agree. `filters`: the root has
    filter or auxiliary objects, which glibc moves before their owner, the absent ones included."""
    if real.is_crashed and (real.maps or not real.objects[1:]):
        return []  # the real loader died (a cycle of filters); the emulation need only end
    if not real.started:
        return start_differences(real, emulated, libc)
    if libc == "glibc" and (real.maps or real.is_crashed):
        # A program that runs binds its own functions lazily. `ldd -r` of glibc 2.36 dies (SIGSEGV)
        # at an object that needs versions of missing files only.
        real, emulated = (dataclasses.replace(answer, failures=[
            failure for failure in answer.failures if failure[1:] != ("symbol", 0)])
            for answer in (real, emulated))
    if libc == "glibc" and real.started and not real.maps:
        emulated = as_a_trace(real, emulated)
    found = []
    if not same_objects(real, emulated):
        found.append(f"objects: real {real.objects}\n      emulated {emulated.objects}")
    if real.steps != emulated.steps:
        found.append(f"steps: real {real.steps}, emulated {emulated.steps}")
    if not any(step == 0 for _, _, step in real.failures):
        found += missing_differences(real, emulated, libc, filters)
    found += failure_differences(real, emulated, libc)
    if libc == "glibc" and not same_warnings(real.warnings, emulated.warnings):
        found.append(f"warnings: real {real.warnings}, emulated {emulated.warnings}")
    return found + rule_differences(real, emulated, exact_rules)


def same_objects(real, emulated):
    """The same link map. Of a start that ended early only the order of mapping is known, in which
    the objects of filters are not yet where they go, nor ld.so."""
    if real.is_cut:
        loader = emulated.report.get("interpreter")
        return (sorted(path for path in real.objects if path != loader)
                == sorted(path for path in emulated.objects if path != loader))
    return real.objects == emulated.objects


def start_differences(real, emulated, libc):
    """A program that did not reach main: glibc told only what came first, musl each thing."""
    missing = [name for name, step in emulated.missing if step == 0]
    kinds = [kind for _, kind, step in emulated.failures if step == 0]
    if libc == "musl":
        theirs = sorted(real.missing_names()), sorted(real.failure_kinds())
        ours = sorted(missing), sorted(kinds)
        return [] if theirs == ours else [f"start: real {theirs}, emulated {ours}"]
    if real.missing:
        told = real.missing_names()[0]
        if missing and same_request(told, missing[0]):
            return []
        return [f"start: the real loader misses {told!r}, the emulation {missing}"]
    told = real.failure_kinds()[0]
    if not missing and kinds[:1] == [told]:
        return []
    if told == "symbol" and not missing and real.failures[0] in emulated.failures:
        return []  # the emulation binds everything, in another order, as `ldd -r`
    return [f"start: real failure {real.failures}, emulated {emulated.failures}, missing {missing}"]


LISTS = ("rpath", "runpath", "env", "default")


def rule_differences(real, emulated, exact):
    """The rule that found an object, and who asked first: glibc tells them with LD_DEBUG. It labels
    a directory by the first list that ever named it: with directories that several lists share only
    "a list", "the cache" and "a path" can be told apart."""
    found = []
    for path, rule in real.rules.items():
        ours = emulated.rules.get(path)
        if ours in (None, "preload", rule) or (not exact and rule in LISTS and ours in LISTS):
            continue
        found.append(f"rule of {path}: real {rule}, emulated {emulated.rules[path]}")
    for path, requester in real.requesters.items():
        if path in emulated.requesters and emulated.rules[path] != "preload":
            if emulated.requesters[path] != requester:
                found.append(f"requester of {path}: real {requester}, "
                             f"emulated {emulated.requesters[path]}")
    return found


def same_warnings(real, emulated):
    """By the last part: the emulation tells tokens in a directory as they were written."""
    return (sorted(name.rpartition("/")[2] for name in real)
            == sorted(name.rpartition("/")[2] for name in emulated))


def same_request(real, emulated):
    """The real loader shows tokens expanded, the emulation as they were written."""
    if "$" not in emulated:
        return real == emulated
    name = emulated.rpartition("/")[2]
    return "$" in name or ("/" in real and real.rpartition("/")[2] == name)


def missing_differences(real, emulated, libc, filters):
    """All misses of the program start; of a dlopen the first one, which the loader reports. On musl
    the emulation goes on after a failure, too, and may list misses that follow it."""
    found = []
    failed = {step for _, _, step in real.failures if step > 0} if libc == "musl" else ()
    is_trace = libc == "glibc" and not real.maps
    for step in sorted({step for _, step in real.missing} | {step for _, step in emulated.missing}):
        ours = [name for name, at in emulated.missing if at == step]
        theirs = [name for name, at in real.missing if at == step]
        if step > 0:
            ours = ours[:1]
        elif is_trace:
            ours += passed_over(emulated)
        if step in failed and not theirs:
            continue
        if not same_misses(theirs, ours, in_order=not (step == 0 and filters)):
            found.append(f"missing in step {step}: real {theirs}, emulated {ours}")
    return found


def passed_over(emulated):
    """Absent auxiliary objects: a trace of glibc lists them, too, and the program starts without."""
    mark = "optional filtee is not loaded: "
    told = [warning["message"].removeprefix(mark) for warning in emulated.report["warnings"]
            if warning["step"] == 0 and warning["message"].startswith(mark)]
    return [message.partition(": ")[0] for message in told if kind_of(message) == "missing"]


def as_a_trace(real, emulated):
    """The stand-in of an absent auxiliary object may hide from a trace which versions its file, found
    later, lacks. The program that starts has no such stand-in: the emulation is right to tell."""
    names = passed_over(emulated)
    kept = [failure for failure, told in zip(emulated.failures, emulated.report["failures"])
            if failure in real.failures or told.get("library") not in names]
    return dataclasses.replace(emulated, failures=kept)


def same_misses(theirs, ours, in_order):
    """Each real miss has one of the emulation, and the other way round."""
    if in_order:
        return len(ours) == len(theirs) and all(map(same_request, theirs, ours))
    rest = list(ours)
    for name in theirs:
        same = next((each for each in rest if same_request(name, each)), None)
        if same is None:
            return False
        rest.remove(same)
    return not rest


def failure_differences(real, emulated, libc):
    found = []
    missed = {step for _, step in real.missing if step > 0}  # the loader stopped at the miss
    requests = {subject(told["object"]): told["message"].partition(": ")[0]
                for told in emulated.report["failures"]}
    for step in sorted({at for _, _, at in real.failures} | {at for _, _, at in emulated.failures}):
        ours = [(name, kind) for name, kind, at in emulated.failures if at == step]
        theirs = [(name, kind) for name, kind, at in real.failures if at == step]
        if step in missed and not theirs:
            continue
        if libc == "musl":  # its messages name the request, not the file
            ours, theirs = [kind for _, kind in ours], [kind for _, kind in theirs]
        else:
            theirs = [(name.rpartition("/")[2] if "$" in name else name, kind)
                      for name, kind in theirs]  # tokens are not expanded in some messages
            ours = [(bare(name, requests, theirs), kind) for name, kind in ours]
        if step > 0:
            ours = ours[:1]
        if sorted(set(ours)) != sorted(set(theirs)):
            found.append(f"failures in step {step}: real {theirs}, emulated {ours}")
        elif libc == "glibc" and unbound(ours) != unbound(theirs):
            found.append(f"order of relocation: real {unbound(theirs)}, emulated {unbound(ours)}")
    return found


def unbound(failures):
    """The objects that miss symbols, in the order in which they are told."""
    return list(dict.fromkeys(name for name, kind in failures if kind == "symbol"))


def bare(path, requests, real):
    """The name that was asked for, where the real message had only that: the last part of the path,
    unless the cache leads to a file of another name."""
    names = (path.rpartition("/")[2], requests.get(path))
    return next((theirs for theirs, _ in real if theirs in names), path)


def as_text(differences_found, real, emulated):
    """A report of the disagreement with both answers in full."""
    told = "\n".join(line for line in real.text.splitlines()
                     if "\t search path=" not in line and "\t  trying file=" not in line)
    return ("the emulation disagrees with the real loader:\n  " + "\n  ".join(differences_found)
            + f"\n--- real loader\n{told}\n--- emulation\n{emulated.text}")
