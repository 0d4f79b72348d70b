#include "expression.hpp"

#include <utility>

#include "parser.hpp"
#include "printer.hpp"
#include "utf8_writer.hpp"

namespace daedalus::semantics {
namespace regular {
namespace {

bool is_assertion(const Node& node, Assertion assertion) {
  return node.kind == Node::Kind::kAssertion && node.assertion == assertion;
}

}  // namespace

std::optional<Literal> literal_of(const Expression& expression) {
  const Node& root = expression.root;
  std::span<const Node> nodes =
      root.kind == Node::Kind::kSequence ? std::span<const Node>(root.parts) : std::span<const Node>(&root, 1);
  Literal made;
  if (!nodes.empty() && is_assertion(nodes.front(), Assertion::kTextBegin)) {
    made.is_at_begin = true;
    nodes = nodes.subspan(1);
  }
  if (!nodes.empty() && is_assertion(nodes.back(), Assertion::kTextEnd)) {
    made.is_at_end = true;
    nodes = nodes.first(nodes.size() - 1);
  }
  for (const Node& node : nodes) {
    const std::optional<char32_t> one = node.kind == Node::Kind::kSet ? node.set.single() : std::nullopt;
    if (!one) {
      return std::nullopt;
    }
    scalar::append_character(made.text, *one);
  }
  return made;
}

}  // namespace regular

using regular::Literal;
using regular::Matcher;
using regular::Preference;
using regular::Syntax;

RegularExpression::RegularExpression(regular::Expression expression, std::optional<Literal> literal,
                                     std::optional<Matcher> matcher)
    : expression_(std::move(expression)),
      literal_(std::move(literal)),
      matcher_(std::move(matcher)),
      groups_(expression_.captures) {}

Result<std::unique_ptr<RegularExpression>> RegularExpression::read(std::string_view pattern, const Syntax& syntax) {
  auto expression = regular::parse(pattern, syntax);
  if (!expression) {
    return expression.error();
  }
  std::optional<Literal> literal = regular::literal_of(*expression);
  std::optional<Matcher> matcher;
  if (!literal) {
    auto made = Matcher::make(regular::printed(expression->root), regular::kMemoryMax);
    if (!made) {
      return made.error();
    }
    matcher = std::move(*made);
  }
  return std::unique_ptr<RegularExpression>(
      new RegularExpression(std::move(*expression), std::move(literal), std::move(matcher)));
}

bool RegularExpression::is_found(std::string_view text) const {
  if (literal_ || expression_.has_no_word_edge) {
    return find(text, 0).is_somewhere();
  }
  return matcher_->is_found(text, 0);
}

TextSpan RegularExpression::find_literal(std::string_view text, size_t from) const {
  const std::string& wanted = literal_->text;
  if (literal_->is_at_begin) {
    const bool is_there = from == 0 && (literal_->is_at_end ? text == wanted : text.starts_with(wanted));
    return is_there ? TextSpan{0, wanted.size()} : TextSpan{};
  }
  if (literal_->is_at_end) {
    const bool is_there = text.ends_with(wanted) && text.size() - wanted.size() >= from;
    return is_there ? TextSpan{text.size() - wanted.size(), text.size()} : TextSpan{};
  }
  const size_t found = text.find(wanted, from);
  return found == std::string_view::npos ? TextSpan{} : TextSpan{found, found + wanted.size()};
}

TextSpan RegularExpression::find(std::string_view text, size_t from) const {
  if (literal_) {
    return find_literal(text, from);
  }
  TextSpan found = matcher_->longest(text, from);
  if (found.is_somewhere() && expression_.root.traits.preference == Preference::kShort) {
    found.end = matcher_->shortest_at(text, found.begin);
  }
  return found;
}

Result<std::span<const TextSpan>> RegularExpression::groups(std::string_view text, TextSpan match) {
  if (!dissection_) {
    auto made = regular::Dissection::make(expression_.root);
    if (!made) {
      return made.error();
    }
    dissection_ = std::move(*made);
  }
  if (auto done = dissection_->dissect(text, match, groups_); !done) {
    return done.error();
  }
  return std::span<const TextSpan>(groups_);
}

std::optional<std::string> like_pattern_of(std::string_view pattern) {
  const auto expression = regular::parse(pattern, {});
  const std::optional<Literal> literal = expression ? regular::literal_of(*expression) : std::nullopt;
  if (!literal || !literal->is_at_begin) {
    return std::nullopt;
  }
  std::string made;
  for (const char c : literal->text) {
    made += c == '%' || c == '_' || c == '\\' ? "\\" : "";
    made += c;
  }
  return literal->is_at_end ? made : made + '%';
}

}  // namespace daedalus::semantics
