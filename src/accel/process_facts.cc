// SPDX-License-Identifier: Apache-2.0
#include "accel/process_facts.h"

#include <algorithm>
#include <charconv>

#include "accel/plan_runner.h"
#include "base/format.h"

namespace loadable::accel {
namespace {

std::string name_of(const loader::LoadedObject& object) {
  return object.soname.empty() ? std::string(tree::Path(object.path).name()) : object.soname;
}

std::string requester_of(const loader::Process& process, const loader::LoadedObject& object) {
  return object.requested_by ? process.objects()[*object.requested_by].path : std::string();
}

// The `13` of a component `cu13` in a search path.
std::optional<int> cuda_of_path(std::string_view path) {
  std::size_t at = 0;
  while ((at = path.find("/cu", at)) != std::string_view::npos) {
    at += 3;
    int major = 0;
    const char* begin = path.data() + at;
    const auto [end, error] = std::from_chars(begin, path.data() + path.size(), major);
    const bool is_whole = end == path.data() + path.size() || *end == '/' || *end == ':';
    if (error == std::errc() && is_whole && major >= 10 && major < 100) return major;
  }
  return std::nullopt;
}

}  // namespace

bool CudaMajors::is_mixed() const {
  return std::any_of(objects.begin(), objects.end(), [&](const CudaObject& object) {
    return expected ? object.cuda != *expected : object.cuda != objects.front().cuda;
  });
}

std::optional<std::pair<int, std::string>> cuda_of_file(const Knowledge& knowledge,
                                                        const loader::File& file) {
  if (!file.object) return std::nullopt;
  const elf::Dynamic& dynamic = file.object->dynamic;
  for (const std::string& needed : dynamic.needed) {
    if (const auto cuda = knowledge.cuda_of(needed)) return {{*cuda, "needs " + needed}};
  }
  const std::string_view tag = dynamic.runpath ? "RUNPATH" : "RPATH";
  const auto& path = dynamic.runpath ? dynamic.runpath : dynamic.rpath;
  if (path) {
    if (const auto cuda = cuda_of_path(*path)) {
      return {{*cuda, format("its {} names a directory cu{}", tag, *cuda)}};
    }
  }
  return std::nullopt;
}

CudaMajors cuda_majors(const Knowledge& knowledge, const loader::Process& process,
                       const std::string& provider_library) {
  CudaMajors majors;
  if (const auto index = process.find(provider_library)) {
    const loader::File* file = process.objects()[*index].file;
    if (file != nullptr) majors.expected = cuda_of_needs(knowledge, *file);
  }
  for (const loader::LoadedObject& object : process.objects()) {
    CudaObject found;
    found.soname = name_of(object);
    if (const auto cuda = knowledge.cuda_of(found.soname)) {
      found.cuda = *cuda;
      found.reason = "its soname";
    } else if (knowledge.family(found.soname) != nullptr && object.file != nullptr) {
      const auto told = cuda_of_file(knowledge, *object.file);
      if (!told) continue;
      found.cuda = told->first;
      found.reason = told->second;
    } else {
      continue;
    }
    found.path = object.path;
    found.request = object.request;
    found.requested_by = requester_of(process, object);
    majors.objects.push_back(std::move(found));
  }
  return majors;
}

bool LibrarySet::is_mixed() const {
  std::string release;
  for (const SetMember& member : members) {
    if (member.directory != members.front().directory) return true;
    if (member.release.empty()) continue;
    if (!release.empty() && member.release != release) return true;
    release = member.release;
  }
  return false;
}

std::vector<LibrarySet> library_sets(
    const Knowledge& knowledge, const loader::Process& process,
    const std::function<std::string(const std::string&)>& release_of) {
  std::vector<LibrarySet> sets;
  for (const SetRow& row : knowledge.sets) {
    LibrarySet set{row.id, row.what, {}, {}};
    for (const loader::LoadedObject& object : process.objects()) {
      const std::string name = name_of(object);
      if (!fits(row.members, name)) continue;
      SetMember member{name, object.path, {}, {}};
      // Two names of one directory are one place.
      member.directory = object.file == nullptr ? tree::Path(object.path).parent().text()
                                                : object.file->physical.parent().text();
      if (release_of) member.release = release_of(object.path);
      if (name == row.front) set.front = object.path;
      set.members.push_back(std::move(member));
    }
    if (set.front.empty()) continue;
    std::stable_partition(set.members.begin(), set.members.end(),
                          [&](const SetMember& member) { return member.path == set.front; });
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace loadable::accel
