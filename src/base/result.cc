// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include "base/format.h"
#include "base/quote.h"

namespace loadable {

std::string Error::to_string() const {
  std::string text = subject.empty() ? std::string{} : printable(subject) + ": ";
  text += message;
  if (offset) text += format(" (at offset {:#x})", *offset);
  if (cause) text += ": " + cause->to_string();
  return text;
}

}  // namespace loadable
