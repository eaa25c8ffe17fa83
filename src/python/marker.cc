// SPDX-License-Identifier: Apache-2.0
// The grammar of environment markers (PEP 508), by recursive descent, and their normal form. What
// the grammar leaves open is taken from `packaging` 26.4 (_parser.py, _tokenizer.py), which the
// comparison in tests/python checks.

#include "python/marker.h"

#include <array>
#include <utility>

#include "base/format.h"
#include "base/quote.h"
#include "python/blanks.h"
#include "python/marker_nodes.h"
#include "python/names.h"

namespace loadable::python {
namespace {

constexpr std::size_t kMaxText = std::size_t{64} * 1024, kMaxDepth = 200;

// As written; the name that counts has underscores.
constexpr std::array<std::string_view, 19> kVariables = {"python_version",
                                                         "python_full_version",
                                                         "os_name",
                                                         "os.name",
                                                         "sys_platform",
                                                         "sys.platform",
                                                         "platform_release",
                                                         "platform_system",
                                                         "platform_version",
                                                         "platform.version",
                                                         "platform_machine",
                                                         "platform.machine",
                                                         "platform_python_implementation",
                                                         "platform.python_implementation",
                                                         "python_implementation",
                                                         "implementation_name",
                                                         "implementation_version",
                                                         "extra",
                                                         "extras"};
constexpr std::string_view kGroups = "dependency_groups";
constexpr std::array<std::string_view, 8> kOperators = {
    "===", "==", "~=", "!=", "<=", ">=", "<", ">"};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Marker::Node> parse() {
    auto node = group(0);
    if (node && at_ < text_.size()) return wrong("the end, `and` or `or`");
    return node;
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  tl::unexpected<Error> wrong(std::string_view wanted) const {
    constexpr std::size_t kShown = 40;
    const std::string found = at_ < text_.size() ? quoted(rest().substr(0, kShown)) : "the end";
    return fail(Error{ErrorCode::Malformed,
                      format("{} in an environment marker, wanted {}", found, wanted),
                      {},
                      at_,
                      nullptr});
  }

  void pass_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view symbol) {
    if (!rest().starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  // A word that is not part of a longer one.
  bool take_word(std::string_view word) {
    if (!rest().starts_with(word) || (at_ > 0 && is_word(text_[at_ - 1]))) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }

  Result<Marker::Node> group(std::size_t depth) {
    Marker::Node node;
    while (true) {
      auto item = atom(depth);
      if (!item) return item;
      node.items.push_back(std::move(*item));
      const bool is_or = take_word("or");
      if (!is_or && !take_word("and")) return node;
      node.is_or.push_back(is_or ? 1 : 0);
    }
  }

  Result<Marker::Node> atom(std::size_t depth) {
    pass_blanks();
    if (!take("(")) {
      auto node = comparison();
      pass_blanks();
      return node;
    }
    if (depth == kMaxDepth) {
      return fail(ErrorCode::LimitReached,
                  format("an environment marker nested more than {} deep", kMaxDepth));
    }
    auto node = group(depth + 1);
    if (node && !take(")")) return wrong("`)`, `and` or `or`");
    pass_blanks();
    return node;
  }

  Result<Marker::Node> comparison() {
    Marker::Node node;
    auto left = operand();
    if (!left) return fail(std::move(left.error()));
    pass_blanks();
    auto operation = this->operation();
    if (!operation) return fail(std::move(operation.error()));
    pass_blanks();
    auto right = operand();
    if (!right) return fail(std::move(right.error()));
    node.left = std::move(*left);
    node.operation = std::move(*operation);
    node.right = std::move(*right);
    normalize(&node.left, &node.right);
    return node;
  }

  // PEP 685: names of extras (and groups) are compared in their normal form.
  static void normalize(MarkerOperand* left, MarkerOperand* right) {
    const auto is_extra = [](const MarkerOperand& side) {
      return side.is_variable && side.text == "extra";
    };
    if (is_extra(*left) && !right->is_variable) {
      right->text = normalize_name(right->text);
    } else if (right->is_variable && !left->is_variable &&
               (is_extra(*right) || is_set_variable(right->text))) {
      left->text = normalize_name(left->text);
    }
  }

  Result<MarkerOperand> operand() {
    for (const std::string_view name : kVariables) {
      if (take_word(name)) return variable(name);
    }
    if (take_word(kGroups)) return variable(kGroups);
    const std::size_t end = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')
                                ? text_.find(text_[at_], at_ + 1)
                                : std::string_view::npos;
    if (end == std::string_view::npos) return wrong("a variable or a quoted text");
    auto value = python_string(text_.substr(at_, end + 1 - at_));
    if (!value) return wrong("a quoted text as Python has it");
    at_ = end + 1;
    return MarkerOperand{std::move(*value), false};
  }

  static MarkerOperand variable(std::string_view written) {
    MarkerOperand operand{std::string(written), true};
    for (char& c : operand.text) {
      if (c == '.') c = '_';
    }
    if (operand.text == "python_implementation") operand.text = "platform_python_implementation";
    return operand;
  }

  Result<std::string> operation() {
    if (take_word("in")) return std::string("in");
    const std::size_t before = at_;
    if (take_word("not")) {
      const std::size_t behind = at_;
      pass_blanks();
      if (at_ > behind && take_word("in")) return std::string("not in");
      at_ = before;
    }
    for (const std::string_view symbol : kOperators) {
      if (take(symbol)) return std::string(symbol);
    }
    return wrong("a comparison: `<=`, `<`, `!=`, `==`, `>=`, `>`, `~=`, `===`, `in`, `not in`");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Which quotes a literal is written in. One that holds both kinds cannot be written as it is:
// `packaging` fails then.
std::string literal(const std::string& text) {
  if (text.find('"') == std::string::npos) return '"' + text + '"';
  if (text.find('\'') == std::string::npos) return '\'' + text + '\'';
  std::string escaped;
  for (const char c : text) escaped += c == '"' ? std::string(R"(\x22)") : std::string(1, c);
  return '"' + escaped + '"';
}

std::string side(const MarkerOperand& operand) {
  return operand.is_variable ? operand.text : literal(operand.text);
}

std::string written(const Marker::Node& node, bool is_first) {
  if (!node.is_group()) return side(node.left) + ' ' + node.operation + ' ' + side(node.right);
  if (node.items.size() == 1) return written(node.items.front(), is_first);
  std::string text;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) text += node.is_or[i - 1] != 0 ? " or " : " and ";
    text += written(node.items[i], false);
  }
  return is_first ? text : '(' + text + ')';
}

}  // namespace

Result<Marker> Marker::parse(std::string_view text) {
  if (text.size() > kMaxText) {
    return fail(ErrorCode::LimitReached,
                format("an environment marker of {} bytes, more than {}", text.size(), kMaxText));
  }
  auto node = Parser(text).parse();
  if (!node) return fail(std::move(node.error()));
  Marker marker;
  marker.root_ = std::make_shared<const Node>(std::move(*node));
  return marker;
}

std::string Marker::to_string() const { return root_ ? written(*root_, true) : std::string{}; }

}  // namespace loadable::python
