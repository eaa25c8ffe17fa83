// SPDX-License-Identifier: Apache-2.0
#include "exam/interpreter_release.h"

#include <algorithm>

#include "check/remedies.h"
#include "elf/releases.h"

namespace loadable::exam {
namespace {

/// The file that holds the code of the interpreter: its libpython, or the program itself.
const loader::File* code_of(Scene& scene, const std::string& program) {
  const auto process = start_program(scene, program, {});
  if (process) {
    for (const loader::LoadedObject& object : process->objects()) {
      if (check::file_name(object.path).starts_with("libpython")) return object.file;
    }
  }
  const auto file = scene.store.open(program);
  return file ? *file : nullptr;
}

}  // namespace

void settle_release(Scene& scene, std::size_t environment) {
  python::Environment& known = scene.inventory.environments[environment];
  if (known.program.empty() || std::count(known.version.begin(), known.version.end(), '.') != 1) {
    return;
  }
  const loader::File* file = code_of(scene, known.program);
  if (file == nullptr || !file->object) return;
  auto source = scene.target.walk->tree().open_regular(file->physical);
  if (!source) return;
  const auto found = elf::recover_releases(**source, *file->object, known.version);
  if (found && found->size() == 1) known.version = found->front();
}

}  // namespace loadable::exam
