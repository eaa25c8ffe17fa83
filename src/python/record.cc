// SPDX-License-Identifier: Apache-2.0
// The excel dialect of Python's csv module (Modules/_csv.c parse_process_char), as
// importlib.metadata uses it: a quote opens a quoted part only at the start of a field; what
// follows the closing quote is kept as it is.

#include "python/record.h"

#include <algorithm>
#include <charconv>

namespace loadable::python {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

std::string_view RecordReader::quoted_field(bool* ends_row) {
  // Fields past the third must not overwrite what the row's views point to.
  std::string& text = unquoted_[std::min(field_, kFields)];
  text.clear();
  ++at_;
  bool in_quotes = true;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (in_quotes && c == '"') {
      in_quotes = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
      if (in_quotes) text += '"';
      at_ += in_quotes ? 2 : 1;
      continue;
    }
    if (!in_quotes && (c == ',' || is_line_end(c))) break;
    text += c;
    ++at_;
  }
  *ends_row = at_ >= text_.size() || text_[at_] != ',';
  if (at_ < text_.size()) ++at_;
  return text;
}

void RecordReader::find_line_end() {
  if (carriage_return_ <= at_) carriage_return_ = std::min(text_.find('\r', at_), text_.size());
  line_end_ = std::min(text_.find('\n', at_), carriage_return_);
}

std::string_view RecordReader::field(bool* ends_row) {
  if (text_[at_] == '"') return quoted_field(ends_row);
  const std::size_t start = at_;
  if (at_ > line_end_ || line_end_ == 0) find_line_end();
  at_ = std::min(text_.substr(0, line_end_).find(',', at_), line_end_);
  const std::string_view value = text_.substr(start, at_ - start);
  *ends_row = at_ >= text_.size() || text_[at_] != ',';
  if (at_ < text_.size()) ++at_;
  return value;
}

bool RecordReader::next(RecordRow* row) {
  while (at_ < text_.size()) {
    if (is_line_end(text_[at_])) {
      ++at_;
      continue;
    }
    *row = {};
    row_start_ = at_;
    bool ends_row = false;
    std::string_view size;
    for (field_ = 0; !ends_row; ++field_) {
      if (at_ >= text_.size()) break;  // the text ends behind a comma
      const std::string_view value = field(&ends_row);
      if (field_ == 0) row->path = value;
      if (field_ == 1) row->hash = value;
      if (field_ == 2) size = value;
    }
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(size.data(), size.data() + size.size(), number);
    if (!size.empty() && parsed.ec == std::errc{} && parsed.ptr == size.data() + size.size()) {
      row->size = number;
    }
    if (!row->path.empty()) return true;
  }
  return false;
}

std::size_t RecordReader::line() const {
  const std::string_view before = text_.substr(0, row_start_);
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

}  // namespace loadable::python
