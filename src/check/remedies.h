// SPDX-License-Identifier: Apache-2.0
#pragma once
// Remedies as text, none of them proven, and the small words that rules share.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "check/ruling.h"

namespace loadable::check {

/// Order of what is told after everything that the loader met.
inline constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();

/// How to install another selection of a lock that would ship the provider, if there is one.
void add_elsewhere(Finding& finding, const Subject& subject);
/// Installs the gap's supplier into the subject's environment, if the knowledge names one.
void add_install(Finding& finding, const Subject& subject, const Gap& gap);
/// Installs the distribution that the subject's provider is wanted from, if the knowledge names it.
void add_wanted(Finding& finding, const Subject& subject);
/// Replaces an installed CPU build (`name`, `version`) by it.
void add_replacement(Finding& finding, const Subject& subject, const std::string& name,
                     const std::string& version);
/// `--provided NAME`: the host supplies it.
void add_provided(Finding& finding, const Subject& subject, const Gap& gap);
/// LD_LIBRARY_PATH with every directory that the provider needs, those of `copies` first.
void add_loader_path(Finding& finding, const Subject& subject, const std::vector<Copy>& copies);
/// What the program may load first, and how to judge the target that way.
void add_preloads(Finding& finding, const Subject& subject, const Gap& gap);
/// Installs the distributions of these files again, each by who installed it.
void add_reinstall(Finding& finding, const Subject& subject, const std::vector<Gone>& files);

[[nodiscard]] std::string file_name(std::string_view path);
[[nodiscard]] std::string directory_name(std::string_view path);
/// The directory of the first usable copy.
[[nodiscard]] std::string directory_of(const std::vector<Copy>& copies);
/// `` `a`, `b` ``: at most `limit` names.
[[nodiscard]] std::string first_names(const std::vector<std::string>& names, std::size_t limit);
/// Quoted for a POSIX shell where that is needed.
[[nodiscard]] std::string shell_word(std::string_view text);
/// The same of each, with a blank before it: what follows a command.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

}  // namespace loadable::check
