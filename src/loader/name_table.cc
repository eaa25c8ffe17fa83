// SPDX-License-Identifier: Apache-2.0
#include "loader/state.h"

namespace loadable::loader {
namespace {

std::size_t start_of(std::uint32_t name, std::size_t size) {
  return static_cast<std::size_t>(name * 0x9e3779b1U) & (size - 1);
}

}  // namespace

const NameTable::Slot* NameTable::find(NameId name) const {
  if (slots_.empty()) return nullptr;
  for (std::size_t at = start_of(name + 1, slots_.size());; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.name == name + 1) return &slot;
    if (slot.name == 0) return nullptr;
  }
}

void NameTable::insert(const Slot& slot) {
  std::size_t at = start_of(slot.name, slots_.size());
  while (slots_[at].name != 0 && slots_[at].name != slot.name) at = (at + 1) & (slots_.size() - 1);
  Slot& place = slots_[at];
  if (place.name == 0) {
    place = slot;
    ++count_;
  } else if (place.object == slot.object) {
    place.is_soname_only = place.is_soname_only && slot.is_soname_only;
  }
}

void NameTable::add(NameId name, ObjectIndex object, bool is_soname_only) {
  if ((count_ + 1) * 4 > slots_.size() * 3) {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
    count_ = 0;
    for (const Slot& slot : old) {
      if (slot.name != 0) insert(slot);
    }
  }
  insert({name + 1, object, is_soname_only});
}

void NameTable::replace(ObjectIndex from, ObjectIndex to) {
  for (Slot& slot : slots_) {
    if (slot.name != 0 && slot.object == from) slot.object = to;
  }
}

void NameTable::clear() {
  slots_.assign(slots_.size(), Slot{});
  count_ = 0;
}

}  // namespace loadable::loader
