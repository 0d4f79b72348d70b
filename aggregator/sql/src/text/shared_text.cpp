#include "shared_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "daedalus/contract/translate.hpp"
#include "lexer.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

bool is_symbol(const std::optional<Token>& token, std::string_view any_of) {
  return token && token->kind == TokenKind::kSymbol && any_of.find(token->text[0]) != std::string_view::npos;
}

/// Returns whether a comparison ends where this token follows its literal: no operator works on the literal first.
bool ends_comparison(const std::optional<Token>& next) {
  return !next || next->kind == TokenKind::kWord || is_symbol(next, ");");
}

std::optional<wire::v1::Constant> number_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;  // A point, an exponent, or too large for a bigint.
  }
  const bool is_int = value <= std::numeric_limits<int32_t>::max();
  return contract::from_value(Type{is_int ? TypeKind::kInt : TypeKind::kBigint}, Value(value));
}

/// Reads a string in single quotes without a prefix, on one line; returns nothing for any other.
std::optional<wire::v1::Constant> string_of(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '\'' || quoted.back() != '\'') {
    return std::nullopt;
  }
  std::string text;
  for (size_t at = 1; at + 1 < quoted.size(); ++at) {
    if (quoted[at] == '\'' && (at + 2 >= quoted.size() || quoted[++at] != '\'')) {
      return std::nullopt;  // It goes on behind blanks, or was never ended.
    }
    text += quoted[at];
  }
  return contract::from_value(Type{TypeKind::kVarchar}, Value(std::move(text)));
}

/// The tokens around one, and whether it stands where a comparison has its other side.
class Neighbours {
 public:
  explicit Neighbours(std::string_view text) : lexer_(text), next_(lexer_.next()) {}

  /// False at the end.
  bool step() {
    if (token_) {
      if (is_keyword(*token_, "between")) {
        bounds_ = 2;
      } else if (bounds_ == 2 && is_keyword(*token_, "and")) {
        bounds_ = 1;
      } else if (token_->kind == TokenKind::kWord) {
        bounds_ = 0;
      }
    }
    before_ = token_;
    token_ = next_;
    next_ = token_ ? lexer_.next() : std::nullopt;
    return token_.has_value();
  }
  [[nodiscard]] const Token& token() const { return *token_; }
  [[nodiscard]] bool is_compared() const {
    const bool is_bound =
        before_ && ((bounds_ == 2 && is_keyword(*before_, "between")) || (bounds_ == 1 && is_keyword(*before_, "and")));
    return (is_symbol(before_, "=<>") || is_bound) && ends_comparison(next_);
  }

 private:
  Lexer lexer_;
  std::optional<Token> before_;
  std::optional<Token> token_;
  std::optional<Token> next_;
  int bounds_ = 0;  ///< The number of bounds of a BETWEEN that are still to come.
};

}  // namespace

std::optional<SharedText> share_literals(std::string_view sql) {
  if (sql.size() > kSharedTextSizeMax || sql.find('$') != std::string_view::npos) {
    return std::nullopt;
  }
  SharedText shared;
  size_t copied = 0;
  Neighbours at(sql);
  bool is_first = true;
  while (at.step()) {
    const Token& token = at.token();
    if (std::exchange(is_first, false) && !is_keyword(token, "select")) {
      return std::nullopt;
    }
    const bool is_literal = token.kind == TokenKind::kNumber || token.kind == TokenKind::kQuoted;
    if (!is_literal || !at.is_compared()) {
      continue;
    }
    auto constant = token.kind == TokenKind::kNumber ? number_of(token.text) : string_of(token.text);
    if (!constant) {
      continue;
    }
    shared.parameters.push_back(std::move(*constant));
    shared.text.append(sql.substr(copied, token.offset - copied));
    shared.text += fmt::format("${}", shared.parameters.size());
    copied = token.offset + token.text.size();
  }
  if (shared.parameters.empty()) {
    return std::nullopt;
  }
  shared.text.append(sql.substr(copied));
  return shared;
}

}  // namespace daedalus::aggregator::sql
