// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is it one of a few?

#include <algorithm>
#include <iterator>

namespace loadable {

/// Compares with `==`, one after the other: for short lists.
template <class List, class Item>
[[nodiscard]] bool holds(const List& list, const Item& item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

}  // namespace loadable
