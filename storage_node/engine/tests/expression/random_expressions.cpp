#include "random_expressions.hpp"

#include <algorithm>

#include "daedalus/semantics/selection.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/uuid.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::ScalarFunction;
using semantics::Type;
using semantics::TypeKind;

constexpr TypeKind kKinds[] = {TypeKind::kBool,     TypeKind::kSmallint,    TypeKind::kInt,       TypeKind::kBigint,
                               TypeKind::kReal,     TypeKind::kDouble,      TypeKind::kNumeric,   TypeKind::kDate,
                               TypeKind::kChar,     TypeKind::kVarchar,     TypeKind::kTimestamp, TypeKind::kText,
                               TypeKind::kInterval, TypeKind::kTimestampTz, TypeKind::kTime,      TypeKind::kUuid};

std::vector<const ScalarFunction*> functions_with(TypeKind result) {
  std::vector<const ScalarFunction*> found;
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    if (function.result == result && function.evaluate != nullptr) {
      found.push_back(&function);
    }
  }
  return found;
}

std::string some_text(Random& random) {
  static const std::vector<std::string> kTexts = {
      "",     "a",      "ab",   "zz",  "é",   "aé",   "%a%",        "a_",    "_",    "a%",      " a ", "year", "day",
      "week", "second", "ab\\", "-12", "1.5", "true", "2013-01-01", "month", "hour", "quarter", "dow", "doy"};
  return kTexts[below(random, kTexts.size())];
}

Value some_constant(Random& random, TypeKind kind) {
  if (one_in(random, 12)) {
    return {};
  }
  const auto number = static_cast<int64_t>(below(random, 9)) - 4;
  switch (kind) {
    case TypeKind::kBool:
      return one_in(random, 2);
    case TypeKind::kSmallint:
      return one_in(random, 6) ? int64_t{INT16_MAX} : number;
    case TypeKind::kInt:
      return one_in(random, 6) ? int64_t{INT32_MIN} : number;
    case TypeKind::kBigint:
      return one_in(random, 6) ? INT64_MAX - 1 : number;
    case TypeKind::kDate:
      return 15'706 + number;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return (15'706 + number) * semantics::kMicrosPerDay + number;
    case TypeKind::kTime:
      return one_in(random, 6) ? semantics::kTimeMicrosMax : (number + 4) * 3'661'000'001;
    case TypeKind::kUuid:
      return semantics::uuid_bytes(__int128{number} << (one_in(random, 2) ? 70 : 3));
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return static_cast<double>(number) / 4;
    case TypeKind::kNumeric:
      return one_in(random, 6) ? decimal(INT64_MAX, 3) : decimal(number, static_cast<int32_t>(below(random, 4)));
    case TypeKind::kInterval:
      return semantics::Interval{static_cast<int32_t>(number), static_cast<int32_t>(number), number * 1'000'000};
    default:
      return some_text(random);
  }
}

BoundExpression some_leaf(Random& random, TypeKind kind) {
  std::vector<uint32_t> columns;
  for (uint32_t column = 0; column < test_schema().columns.size(); ++column) {
    if (test_schema().columns[column].type.kind == kind) {
      columns.push_back(column);
    }
  }
  if (!columns.empty() && !one_in(random, 3)) {
    return semantics::column_of(test_schema(), columns[below(random, columns.size())]);
  }
  if (kind == TypeKind::kText && !one_in(random, 3)) {
    const uint32_t column = std::vector<uint32_t>{kText, kName, kChar, kCode}[below(random, 4)];
    return *semantics::make_call(FunctionId::kCast, {semantics::column_of(test_schema(), column)}, Type{kind});
  }
  return semantics::make_constant(Type{kind}, some_constant(random, kind));
}

/// A cast to a kind, from whatever PostgreSQL casts to it.
std::optional<BoundExpression> some_cast(Random& random, TypeKind kind, uint32_t depth) {
  Type target{kind};
  if (semantics::is_string(kind)) {
    target.length = static_cast<uint32_t>(below(random, 12)) + 1;
  } else if (kind == TypeKind::kNumeric && one_in(random, 2)) {
    target.precision = static_cast<uint32_t>(below(random, 20)) + 1;
    target.scale = static_cast<uint32_t>(below(random, target.precision + 1));
  }
  Result<BoundExpression> made = semantics::make_call(
      FunctionId::kCast, {random_expression(random, kKinds[below(random, std::size(kKinds))], depth)}, target);
  return made ? std::optional(*made) : std::nullopt;
}

std::optional<BoundExpression> some_truth(Random& random, uint32_t depth) {
  const auto function = static_cast<FunctionId>(1 + below(random, 18));
  std::vector<BoundExpression> arguments;
  const uint64_t count = 1 + below(random, 4);
  const bool is_of_truths =
      function <= FunctionId::kNot || (function >= FunctionId::kIsTrue && function <= FunctionId::kIsNotFalse);
  const TypeKind kind = is_of_truths ? TypeKind::kBool : kKinds[below(random, std::size(kKinds))];
  for (uint64_t number = 0; number < count; ++number) {
    arguments.push_back(random_expression(random, kind, depth));
  }
  Result<BoundExpression> made = semantics::make_call(function, std::move(arguments));
  return made && made->type.kind == TypeKind::kBool ? std::optional(*made) : std::nullopt;
}

std::optional<BoundExpression> some_choice(Random& random, TypeKind kind, uint32_t depth) {
  constexpr FunctionId kChoices[] = {FunctionId::kCase, FunctionId::kCoalesce, FunctionId::kNullIf,
                                     FunctionId::kGreatest, FunctionId::kLeast};
  const FunctionId function = kChoices[below(random, std::size(kChoices))];
  std::vector<BoundExpression> arguments;
  const uint64_t count = function == FunctionId::kNullIf ? 2 : 1 + below(random, 3);
  for (uint64_t number = 0; number < count; ++number) {
    if (function == FunctionId::kCase) {
      arguments.push_back(random_expression(random, TypeKind::kBool, depth));
    }
    arguments.push_back(random_expression(random, kind, depth));
  }
  if (function == FunctionId::kCase) {
    arguments.push_back(random_expression(random, kind, depth));
  }
  Result<BoundExpression> made = semantics::make_call(function, std::move(arguments));
  return made ? std::optional(*made) : std::nullopt;
}

std::optional<BoundExpression> some_call(Random& random, TypeKind kind, uint32_t depth) {
  const std::vector<const ScalarFunction*> functions = functions_with(kind);
  if (functions.empty()) {
    return std::nullopt;
  }
  Result<BoundExpression> made = random_call(random, *functions[below(random, functions.size())], depth);
  return made ? std::optional(*made) : std::nullopt;
}

}  // namespace

Result<BoundExpression> random_call(Random& random, const ScalarFunction& function, uint32_t depth) {
  std::vector<BoundExpression> arguments;
  for (const TypeKind argument : function.arguments) {
    arguments.push_back(random_expression(random, argument, depth));
  }
  for (uint64_t more = function.takes_any ? 1 + below(random, 3) : 0; more > 0; --more) {
    arguments.push_back(random_expression(random, depth));
  }
  return semantics::make_call(function.id, std::move(arguments));
}

BoundExpression random_expression(Random& random, TypeKind kind, uint32_t depth) {
  if (depth == 0 || one_in(random, 5)) {
    return some_leaf(random, kind);
  }
  std::optional<BoundExpression> made;
  switch (below(random, 6)) {
    case 0:
      made = some_cast(random, kind, depth - 1);
      break;
    case 1:
      made = kind == TypeKind::kBool ? some_truth(random, depth - 1) : some_choice(random, kind, depth - 1);
      break;
    default:
      made = some_call(random, kind, depth - 1);
      break;
  }
  return made ? std::move(*made) : some_leaf(random, kind);
}

BoundExpression random_expression(Random& random, uint32_t depth) {
  return random_expression(random, kKinds[below(random, std::size(kKinds))], depth);
}

}  // namespace daedalus::engine::test
