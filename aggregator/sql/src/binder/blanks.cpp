#include "blanks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "bound_lists.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

bool is_null_constant(const BoundExpression& value) { return value.is_constant() && semantics::is_null(value.value); }

std::string stripped(const Value& text) {
  const auto& whole = std::get<std::string>(text);
  return whole.substr(0, whole.find_last_not_of(' ') + 1);
}

Result<BoundExpression> cast_to(BoundExpression value, TypeKind kind) {
  return semantics::make_call(FunctionId::kCast, list_of(std::move(value)), Type{kind});
}

/// Says whether the argument at this place is one of the values that a CASE or COALESCE chooses from.
bool is_choice(const BoundExpression& call, size_t place) {
  return call.function == FunctionId::kCoalesce || place % 2 == 1 || place + 1 == call.arguments.size();
}

/// Says whether it is the text of a char with blanks of its own.
bool is_text_of_blanks(const BoundExpression& expression) {
  return expression.is_call(FunctionId::kCast) && expression.type.kind == TypeKind::kText &&
         semantics::has_own_blanks(expression.arguments[0].type);
}

/// The text of such a char: one of the texts where it is one of several chars.
Result<BoundExpression> chosen_text(BoundExpression value) {
  if (value.is_call(FunctionId::kCast) && value.arguments[0].type.kind == TypeKind::kChar) {
    return cast_to(std::move(value.arguments[0]), TypeKind::kText);
  }
  if (!value.is_call(FunctionId::kCase) && !value.is_call(FunctionId::kCoalesce)) {
    return without_blanks(std::move(value));
  }
  for (size_t place = 0; place < value.arguments.size(); ++place) {
    if (!is_choice(value, place)) {
      continue;
    }
    BoundExpression& argument = value.arguments[place];
    auto chosen = semantics::has_own_blanks(argument.type) && !argument.is_constant()
                      ? chosen_text(std::move(argument))
                      : without_blanks(std::move(argument));
    if (!chosen) {
      return chosen;
    }
    argument = std::move(*chosen);
  }
  return semantics::make_call(value.function, std::move(value.arguments));
}

/// Says whether a function looks at the blanks of a char: LIKE and regular expressions match them, a length counts
/// them.
bool sees_blanks(const semantics::ScalarFunction& function) {
  constexpr std::array<std::string_view, 11> kNames{
      "~~", "!~~", "~~*", "!~~*", "~", "!~", "~*", "!~*", "octet_length", "bpchar_larger", "bpchar_smaller"};
  const semantics::ScalarFunction* meant = semantics::find_function(function.id);
  return meant == nullptr || std::find(kNames.begin(), kNames.end(), meant->name) != kNames.end();
}

}  // namespace

Result<void> keep_blanks(std::vector<BoundExpression>& values) {
  const auto first =
      std::find_if(values.begin(), values.end(), [](const BoundExpression& value) { return !is_null_constant(value); });
  const bool are_alike = std::all_of(first, values.end(), [&](const BoundExpression& value) {
    return is_null_constant(value) || value.type.length == first->type.length;
  });
  if (are_alike || first->type.kind != TypeKind::kChar) {
    return {};
  }
  for (BoundExpression& value : values) {
    if (is_null_constant(value) || semantics::has_own_blanks(value.type)) {
      continue;
    }
    auto kept = cast_to(std::move(value), TypeKind::kChar);
    if (!kept) {
      return kept.error();
    }
    value = std::move(*kept);
  }
  return {};
}

Result<BoundExpression> without_blanks(BoundExpression value) {
  if (value.is_constant()) {
    return semantics::make_constant(Type{TypeKind::kText},
                                    is_null_constant(value) ? Value() : Value(stripped(value.value)));
  }
  return value.type.kind == TypeKind::kText ? Result<BoundExpression>(std::move(value))
                                            : cast_to(std::move(value), TypeKind::kText);
}

Result<void> choose_texts(BoundExpression& expression) {
  if (is_text_of_blanks(expression)) {
    auto chosen = chosen_text(std::move(expression.arguments[0]));
    if (!chosen) {
      return chosen.error();
    }
    expression = std::move(*chosen);
  }
  for (BoundExpression& argument : expression.arguments) {
    if (auto made = choose_texts(argument); !made) {
      return made;
    }
  }
  return {};
}

Result<BoundExpression> as_char(BoundExpression text) { return cast_to(std::move(text), TypeKind::kChar); }

Result<BoundExpression> char_without_blanks(BoundExpression value) {
  if (value.is_constant() && !semantics::is_null(value.value)) {
    std::string text = stripped(value.value);
    const auto length = static_cast<uint32_t>(std::max<size_t>(text.size(), 1));
    return semantics::make_constant(Type{TypeKind::kChar, 0, 0, length}, std::move(text));
  }
  auto text = without_blanks(std::move(value));
  return text ? as_char(std::move(*text)) : text;
}

Result<void> make_comparable(std::vector<BoundExpression>& values) {
  const auto has_blanks = [](const BoundExpression& value) { return semantics::has_own_blanks(value.type); };
  for (BoundExpression& value : values) {
    if (has_blanks(value) && value.is_constant()) {
      value = *char_without_blanks(std::move(value));
    }
  }
  if (std::none_of(values.begin(), values.end(), has_blanks)) {
    return {};
  }
  for (BoundExpression& value : values) {
    auto text = without_blanks(std::move(value));
    if (!text) {
      return text.error();
    }
    value = std::move(*text);
  }
  return {};
}

Result<void> ignore_blanks(const semantics::ScalarFunction& function, std::vector<BoundExpression>& arguments) {
  if (sees_blanks(function)) {
    return {};
  }
  if (function.is_operator) {
    return make_comparable(arguments);
  }
  for (size_t place = 0; place < function.arguments.size(); ++place) {
    if (!semantics::has_own_blanks(arguments[place].type)) {
      continue;
    }
    auto made = char_without_blanks(std::move(arguments[place]));
    if (!made) {
      return made.error();
    }
    arguments[place] = std::move(*made);
  }
  return {};
}

}  // namespace daedalus::aggregator::sql
