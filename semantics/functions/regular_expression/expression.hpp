// A regular expression, ready to be matched.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/regular_expression.hpp"
#include "dissection.hpp"
#include "matcher.hpp"
#include "syntax.hpp"
#include "tree.hpp"

namespace daedalus::semantics::regular {

/// A text that stands for itself, and where it has to be.
struct Literal {
  std::string text;
  bool is_at_begin = false;
  bool is_at_end = false;
};

/// Nothing: it is no such text.
[[nodiscard]] std::optional<Literal> literal_of(const Expression& expression);

}  // namespace daedalus::semantics::regular

namespace daedalus::semantics {

/// Text is well-formed UTF-8; places are of bytes.
class RegularExpression {
 public:
  /// Errors: 2201B, 0A000.
  [[nodiscard]] static Result<std::unique_ptr<RegularExpression>> read(std::string_view pattern,
                                                                       const regular::Syntax& syntax);

  [[nodiscard]] bool is_found(std::string_view text) const;
  /// The first match from there on, as long or as short as the expression prefers.
  [[nodiscard]] TextSpan find(std::string_view text, size_t from) const;

  /// Says how many steps one find() in so many bytes may take at most.
  [[nodiscard]] uint64_t steps_of(size_t bytes) const { return matcher_ ? matcher_->steps_of(bytes) : bytes; }
  [[nodiscard]] size_t automaton_count() const {
    return (matcher_ ? 1 : 0) + (dissection_ ? dissection_->automaton_count() : 0);
  }
  [[nodiscard]] uint32_t group_count() const { return expression_.captures; }
  /// Gives what each group takes of a match that find() has found; valid until the next call.
  /// Errors: 0A000, 54000: those of the dissection.
  [[nodiscard]] Result<std::span<const TextSpan>> groups(std::string_view text, TextSpan match);

 private:
  RegularExpression(regular::Expression expression, std::optional<regular::Literal> literal,
                    std::optional<regular::Matcher> matcher);

  [[nodiscard]] TextSpan find_literal(std::string_view text, size_t from) const;

  regular::Expression expression_;
  std::optional<regular::Literal> literal_;  ///< An expression that is one needs no automaton.
  std::optional<regular::Matcher> matcher_;
  std::optional<regular::Dissection> dissection_;  ///< Made when groups are asked for.
  std::vector<TextSpan> groups_;
};

/// An expression that the thread keeps, with other flags than ~ has.
[[nodiscard]] Result<RegularExpression*> kept_expression(std::string_view pattern, const regular::Syntax& syntax);

}  // namespace daedalus::semantics
