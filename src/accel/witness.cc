// SPDX-License-Identifier: Apache-2.0
#include "accel/witness.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "base/quote.h"
#include "tree/tree.h"

namespace loadable::accel {
namespace {

constexpr std::uint64_t kMaxSearched = std::uint64_t{512} << 20;
constexpr std::uint64_t kMaxGenerated = std::uint64_t{64} << 10;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kMaxFiles = 16;

/// Which of the needles occur in a source, which is read in blocks that overlap.
std::vector<bool> find_texts(ByteSource& source, const std::vector<const std::string*>& needles) {
  std::vector<bool> found(needles.size(), false);
  std::size_t overlap = 0;
  for (const std::string* needle : needles) overlap = std::max(overlap, needle->size());
  std::vector<std::byte> block(kBlock + overlap);
  std::size_t kept = 0;
  const std::uint64_t end = std::min(source.size(), kMaxSearched);
  for (std::uint64_t at = 0; at < end;) {
    const auto read = source.read_at(at, std::span(block).subspan(kept, kBlock));
    if (!read || *read == 0) break;
    const std::size_t filled = kept + *read;
    for (std::size_t i = 0; i < needles.size(); ++i) {
      if (found[i]) continue;
      found[i] = memmem(block.data(), filled, needles[i]->data(), needles[i]->size()) != nullptr;
    }
    at += *read;
    kept = std::min(overlap, filled);
    std::memmove(block.data(), block.data() + (filled - kept), kept);
  }
  return found;
}

/// The text between quotes behind `name =` at the beginning of a line; empty: no such line.
std::string assigned(const std::string& text, const std::string& name) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(name)) continue;
    const std::size_t equals = line.find_first_not_of(' ', name.size());
    if (equals == std::string_view::npos || line[equals] != '=') continue;
    const std::size_t open = line.find_first_of("'\"", equals);
    if (open == std::string_view::npos) continue;
    const std::size_t close = line.find(line[open], open + 1);
    if (close != std::string_view::npos)
      return std::string(line.substr(open + 1, close - open - 1));
  }
  return {};
}

class Court {
 public:
  Court(const Knowledge& knowledge, loader::Store& store, std::string_view family) : store_(store) {
    for (const WitnessRow& row : knowledge.witnesses) {
      if (row.family == family) rows_.push_back(&row);
    }
  }

  std::vector<Testimony> hear(const std::string& package_dir) {
    std::vector<std::string> patterns;
    for (const WitnessRow* row : rows_) {
      if (std::find(patterns.begin(), patterns.end(), row->file) == patterns.end()) {
        patterns.push_back(row->file);
      }
    }
    for (const std::string& pattern : patterns) {
      for (const std::string& path : files(package_dir + "/" + pattern)) ask(path, pattern);
    }
    std::stable_sort(heard_.begin(), heard_.end(),
                     [](const Testimony& a, const Testimony& b) { return a.path < b.path; });
    return std::move(heard_);
  }

 private:
  std::vector<std::string> files(const std::string& text) {
    const tree::Path pattern(text);
    std::vector<std::string> found;
    const auto entries = store_.walk().list(pattern.parent());
    if (!entries) return found;
    for (const tree::Entry& entry : *entries) {
      if (found.size() == kMaxFiles) break;
      if (!fits(std::string(pattern.name()), entry.name)) continue;
      const std::string path = pattern.parent().join(entry.name).text();
      const auto& there = store_.walk().resolve(path);
      if (there && there->stat.kind == tree::Kind::Regular) found.push_back(path);
    }
    return found;
  }

  void ask(const std::string& path, const std::string& pattern) {
    std::vector<const WitnessRow*> texts;
    std::vector<const std::string*> needles;
    for (const WitnessRow* row : rows_) {
      if (row->file != pattern) continue;
      if (row->form == WitnessForm::Text) {
        texts.push_back(row);
        needles.push_back(&row->text);
      }
      if (row->form == WitnessForm::Symbol) ask_symbols(path, *row);
      if (row->form == WitnessForm::Assignment) ask_assignment(path, *row);
    }
    if (texts.empty()) return;
    const auto source = store_.walk().open(tree::Path(path));
    if (!source) return;
    const std::vector<bool> found = find_texts(**source, needles);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (found[i]) tell(path, *texts[i], format("holds the text {}", quoted(texts[i]->text)));
    }
  }

  void ask_symbols(const std::string& path, const WitnessRow& row) {
    const auto file = store_.open(path);
    if (!file || !(*file)->object) return;
    const auto symbols = store_.symbols(**file);
    if (!symbols) return;
    const auto& all = (*symbols)->symbols;
    const bool is_defined = std::any_of(all.begin(), all.end(), [&](const elf::Symbol& symbol) {
      return symbol.section != 0 && symbol.name == row.text;
    });
    if (is_defined) tell(path, row, format("defines {}", quoted(row.text)));
  }

  void ask_assignment(const std::string& path, const WitnessRow& row) {
    const auto text = store_.walk().read_text(tree::Path(path), kMaxGenerated);
    if (!text) return;
    const std::string value = assigned(*text, row.text);
    if (value.empty()) return;
    tell(path, row, format("says {} = {}", row.text, quoted(value)));
    heard_.back().member = value;
  }

  void tell(const std::string& path, const WitnessRow& row, std::string says) {
    heard_.push_back({path, std::move(says), {}, row.capability, row.has, row.is_verified});
  }

  loader::Store& store_;
  std::vector<const WitnessRow*> rows_;
  std::vector<Testimony> heard_;
};

}  // namespace

std::vector<Testimony> hear_witnesses(const Knowledge& knowledge, loader::Store& store,
                                      std::string_view family, const std::string& package_dir) {
  if (package_dir.empty()) return {};
  return Court(knowledge, store, family).hear(package_dir);
}

}  // namespace loadable::accel
