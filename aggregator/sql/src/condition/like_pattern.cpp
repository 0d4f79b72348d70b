#include "like_pattern.hpp"

#include <utility>

namespace daedalus::aggregator::sql {

using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

std::optional<LikePattern> read_like_pattern(std::string_view pattern) {
  LikePattern result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    const bool is_wildcard = c == '%' || c == '_';
    if (c == '_' || (result.is_prefix && !is_wildcard)) {
      return std::nullopt;
    }
    if (is_wildcard) {
      result.is_prefix = true;
      continue;
    }
    if (c == '\\') {
      if (++i == pattern.size()) {
        return std::nullopt;
      }
      c = pattern[i];
    }
    result.text.push_back(c);
  }
  return result;
}

Result<semantics::Condition> like_condition(const semantics::Schema& schema, uint32_t column,
                                            const LikePattern& pattern, bool is_negated) {
  const Type& type = schema.columns[column].type;
  const Type text_type{TypeKind::kVarchar};
  if (pattern.is_prefix) {
    const Operator op = is_negated ? Operator::kNotStartsWith : Operator::kStartsWith;
    return semantics::to_comparison(schema, column, op, text_type, Value(pattern.text));
  }
  const Operator op = is_negated ? Operator::kNotEqual : Operator::kEqual;
  std::string whole = pattern.text;
  if (type.kind == TypeKind::kChar) {
    // LIKE sees the padding of char(n): only a pattern of the declared length can match. One of another length is
    // replaced by a text that no value of the column equals, so that NULL stays NULL and everything else is decided.
    const bool can_match = whole.size() == type.length;
    whole = can_match ? whole.substr(0, whole.find_last_not_of(' ') + 1) : std::string(type.length + 1, 'x');
  }
  return semantics::to_comparison(schema, column, op, text_type, Value(std::move(whole)));
}

}  // namespace daedalus::aggregator::sql
