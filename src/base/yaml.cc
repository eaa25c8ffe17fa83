// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <sstream>

#include "base/format.h"

namespace loadable {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;
constexpr std::size_t kMaxValues = 100'000;
constexpr std::size_t kMaxDepth = 100;

/// Thrown by the builder below and caught in parse_yaml(): yaml-cpp has no other way to be stopped.
struct Stop {
  Error error;
};

std::size_t count_of(const YamlValue& value) {
  std::size_t count = 1;
  for (const YamlValue& item : value.items) count += count_of(item);
  for (const YamlMember& member : value.members) count += count_of(member.value);
  return count;
}

/// Builds the tree from events. yaml-cpp's own nodes share what aliases name, so that a copy of
/// them would grow without a bound; here each copy is counted before it is made.
class Builder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(YamlValue{}, mark, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlValue scalar;
    scalar.kind = YamlValue::Kind::Text;
    scalar.text = value;
    add(std::move(scalar), mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      throw Stop{{ErrorCode::Malformed,
                  format("no valid YAML in line {}: an alias of what contains it", mark.line + 1),
                  {},
                  std::nullopt,
                  nullptr}};
    }
    count(count_of(known->second));
    place(YamlValue(known->second), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlValue::Kind::List, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlValue::Kind::Table, mark, anchor);
  }
  void OnMapEnd() override { close(); }

  YamlValue take() { return std::move(root_); }

 private:
  struct Open {
    YamlValue value;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    std::string key;
    bool has_key = false;
  };

  void count(std::size_t more) {
    values_ += more;
    if (values_ <= kMaxValues) return;
    throw Stop{{ErrorCode::LimitReached,
                format("more than {} values of YAML with those that aliases repeat", kMaxValues),
                {},
                std::nullopt,
                nullptr}};
  }

  void add(YamlValue value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(1);
    value.line = static_cast<std::uint32_t>(mark.line + 1);
    if (anchor != 0) anchors_[anchor] = value;
    place(std::move(value), mark);
  }

  void open(YamlValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(1);
    if (stack_.size() >= kMaxDepth) {
      throw Stop{{ErrorCode::LimitReached,
                  format("YAML nested over {} deep in line {}", kMaxDepth, mark.line + 1),
                  {},
                  std::nullopt,
                  nullptr}};
    }
    Open entry;
    entry.value.kind = kind;
    entry.value.line = static_cast<std::uint32_t>(mark.line + 1);
    entry.anchor = anchor;
    entry.mark = mark;
    stack_.push_back(std::move(entry));
  }

  void close() {
    Open entry = std::move(stack_.back());
    stack_.pop_back();
    if (entry.anchor != 0) {
      count(count_of(entry.value));
      anchors_[entry.anchor] = entry.value;
    }
    place(std::move(entry.value), entry.mark);
  }

  void place(YamlValue value, const YAML::Mark& mark) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = stack_.back();
    if (parent.value.kind == YamlValue::Kind::List) {
      parent.value.items.push_back(std::move(value));
      return;
    }
    if (parent.has_key) {
      parent.value.members.push_back({std::move(parent.key), std::move(value)});
      parent.has_key = false;
      return;
    }
    if (value.kind != YamlValue::Kind::Text && value.kind != YamlValue::Kind::Null) {
      throw Stop{
          {ErrorCode::Malformed,
           format("line {}: a key is {}, wanted a scalar", mark.line + 1, to_string(value.kind)),
           {},
           std::nullopt,
           nullptr}};
    }
    parent.key = std::move(value.text);
    parent.has_key = true;
  }

  YamlValue root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, YamlValue> anchors_;
  std::size_t values_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view to_string(YamlValue::Kind kind) {
  switch (kind) {
    case YamlValue::Kind::Null:
      return "nothing";
    case YamlValue::Kind::Text:
      return "a scalar";
    case YamlValue::Kind::List:
      return "a list";
    case YamlValue::Kind::Table:
      return "a table";
  }
  return "a value";
}

Result<YamlValue> parse_yaml(std::string_view text, std::string_view name) {
  if (text.size() > kMaxText) {
    return fail(ErrorCode::LimitReached,
                format("{} bytes of YAML, wanted at most {}", text.size(), kMaxText),
                std::string(name));
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder;
    parser.HandleNextDocument(builder);
    return builder.take();
  } catch (Stop& stop) {
    stop.error.subject = std::string(name);
    return fail(std::move(stop.error));
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::Malformed,
                format("no valid YAML in line {}, column {}: {}", error.mark.line + 1,
                       error.mark.column + 1, error.msg),
                std::string(name));
  }
}

}  // namespace loadable
