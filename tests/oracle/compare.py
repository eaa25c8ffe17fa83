# SPDX-License-Identifier: Apache-2.0
"""Where two answers to one question disagree."""

from answers import absolute


def differences(real, emulated, libc, fatal_hides_objects=False):
    """Sentences, one for each disagreement; none when the answers agree."""
    found = []
    if real.objects != emulated.objects:
        found.append(f"objects: real {real.objects}\n      emulated {emulated.objects}")
    found += step_differences(real, emulated)
    if not any(step == 0 for _, _, step in real.failures):
        found += missing_differences(real, emulated)
    found += failure_differences(real, emulated, libc)
    if sorted(real.warnings) != sorted(emulated.warnings):
        found.append(f"warnings: real {real.warnings}, emulated {emulated.warnings}")
    for path, rule in real.rules.items():
        if path in emulated.rules and emulated.rules[path] not in (rule, "preload"):
            found.append(f"rule of {path}: real {rule}, emulated {emulated.rules[path]}")
    for path, requester in real.requesters.items():
        if path in emulated.requesters and emulated.requesters[path] != requester:
            if emulated.rules[path] != "preload":
                found.append(f"requester of {path}: real {requester}, "
                             f"emulated {emulated.requesters[path]}")
    return found


def step_differences(real, emulated):
    if real.steps != emulated.steps:
        return [f"steps: real {real.steps}, emulated {emulated.steps}"]
    return []


def same_request(real, emulated):
    """The real loader shows tokens expanded, the emulation as they were written."""
    return real == emulated or "$" in emulated


def missing_differences(real, emulated):
    """All misses of the program start; of a dlopen the first one, which the loader reports."""
    found = []
    for step in sorted({step for _, step in real.missing} | {step for _, step in emulated.missing}):
        ours = [name for name, at in emulated.missing if at == step]
        theirs = [name for name, at in real.missing if at == step]
        if step > 0:
            ours = ours[:1]
        if len(ours) != len(theirs) or not all(map(same_request, theirs, ours)):
            found.append(f"missing in step {step}: real {theirs}, emulated {ours}")
    return found


def failure_differences(real, emulated, libc):
    found = []
    for step in sorted({at for _, _, at in real.failures} | {at for _, _, at in emulated.failures}):
        ours = [(name, kind) for name, kind, at in emulated.failures if at == step]
        theirs = [(name, kind) for name, kind, at in real.failures if at == step]
        if libc == "musl":  # its messages name the request, not the file
            ours, theirs = [kind for _, kind in ours], [kind for _, kind in theirs]
        if step > 0:
            ours = ours[:1]
        else:
            ours = [(bare(name, theirs), kind) for name, kind in ours]
        if sorted(set(ours)) != sorted(set(theirs)):
            found.append(f"failures in step {step}: real {theirs}, emulated {ours}")
    return found


def bare(path, real):
    """The file name only, where the real message had only that."""
    name = path.rpartition("/")[2]
    return name if any(theirs == name for theirs, _ in real) else path


def as_text(differences_found, real, emulated):
    """A report of the disagreement with both answers in full."""
    return ("the emulation disagrees with the real loader:\n  " + "\n  ".join(differences_found)
            + f"\n--- real loader\n{real.text}\n--- emulation\n{emulated.text}")


__all__ = ["absolute", "as_text", "differences"]
