// SPDX-License-Identifier: Apache-2.0
#pragma once
// A project folder: which of its files says what it installs.

#include <string>
#include <vector>

#include "base/result.h"
#include "python/lock.h"
#include "target/target.h"

namespace loadable::exam {

/// The lock or list of a target of kind Lock, Requirements or Project. Of a folder the lock counts
/// before the wishes, and a pyproject.toml that requires nothing not before a list beside it.
/// Errors: those of reading; NotFound (a folder without such a file); Unsupported (a lock of
/// another tool).
Result<python::Lock> read_planned(target::Target& target);

/// Names of other locks and lists of the folder, by name, at most ten: each may be what is
/// deployed.
std::vector<std::string> lists_beside(target::Target& target, const python::Lock& lock);

}  // namespace loadable::exam
