// SPDX-License-Identifier: Apache-2.0
#pragma once
// Was a lock made from the pyproject.toml that stands beside it? Each tool's own test, as far as it
// needs no index. Internal to this folder.

#include <string>
#include <string_view>

#include "base/toml.h"
#include "python/lock.h"
#include "python/lock_fields.h"

namespace loadable::python {

/// The source of the entry of the project itself (`virtual .`); empty: the lock is of a workspace
/// whose root is no project.
[[nodiscard]] std::string root_source(const TomlValue& lock);
/// A member of uv's workspace, or the project itself: its entry in the lock, or the manifest of a
/// workspace that is no project, against its pyproject.toml. `source`: as LockedPackage::source
/// writes it. Returns what differs, as a sentence; empty: nothing, or its requirements are dynamic.
/// What counts is what uv compares (measured with uv 0.13.9, `uv lock --check`): requirements with
/// specifiers, extras and markers, groups; where they come from only roughly.
[[nodiscard]] std::string uv_difference(const TomlValue& lock, std::string_view source,
                                        const TomlValue& project, const std::string& file);
/// Overrides, constraints and exclusions of the manifest against [tool.uv] of the root, and the
/// releases of Python.
[[nodiscard]] std::string uv_manifest_difference(const TomlValue& lock, const TomlValue& project,
                                                 const std::string& file);
/// By `content-hash` (poetry 1.x to 2.5, poetry/packages/locker.py: `_get_content_hash`).
[[nodiscard]] std::string poetry_difference(const LockText& text, const Lock& lock);
/// By `content_hash` (pdm 2.22, pdm/project/project_file.py: `content_hash`).
[[nodiscard]] std::string pdm_difference(const LockText& text, const Lock& lock);
/// A lock without a root: is each plain requirement of the project locked in a version that it
/// allows?
[[nodiscard]] std::string pylock_difference(const LockText& text, const Lock& lock);

/// JSON as Python's `json.dumps(value, sort_keys=True)` writes it; empty: it cannot (a date).
[[nodiscard]] std::string python_json(const TomlValue& value);

}  // namespace loadable::python
