#include "expression_mix.hpp"

#include <utility>
#include <vector>

#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;

BoundExpression column(TestColumn number) { return semantics::column_of(test_schema(), static_cast<uint32_t>(number)); }

BoundExpression call(FunctionId function, std::vector<BoundExpression> arguments, const Type& target = {}) {
  return *semantics::make_call(function, std::move(arguments), target);
}

BoundExpression cast(BoundExpression argument, TypeKind kind) {
  return call(FunctionId::kCast, {std::move(argument)}, Type{kind});
}

/// By name, of arguments that need no cast.
BoundExpression named(std::string_view name, bool is_operator, std::vector<BoundExpression> arguments) {
  std::vector<semantics::ArgumentKind> kinds;
  for (const BoundExpression& argument : arguments) {
    kinds.push_back({argument.type.kind, false});
  }
  return call((*semantics::resolve_function(name, is_operator, kinds))->id, std::move(arguments));
}

BoundExpression text_of(TestColumn number) { return cast(column(number), TypeKind::kText); }

BoundExpression constant(int64_t value) { return semantics::make_constant(Type{TypeKind::kInt}, value); }

/// Over one column of few values, by what has no kernel.
BoundExpression truth_of_digest(TestColumn number) {
  return named(
      "<", true,
      {named("md5", false, {text_of(number)}), semantics::make_constant(Type{TypeKind::kText}, std::string("9"))});
}

BoundExpression some_truth(Random& random) {
  switch (below(random, 7)) {
    case 4:
      return truth_of_digest(TestColumn::kSmall);
    case 5:
      return truth_of_digest(TestColumn::kFlag);
    case 0:
      return named("<", true, {cast(column(TestColumn::kSmall), TypeKind::kInt), column(TestColumn::kInt)});
    case 1:
      return call(FunctionId::kIsDistinct, {column(TestColumn::kFlag), column(TestColumn::kCode)});
    case 2:
      return call(FunctionId::kIsNotFalse, {column(TestColumn::kBool)});
    case 3:
      return named(">=", true, {text_of(TestColumn::kText), text_of(TestColumn::kName)});
    default:
      return call(FunctionId::kOr, {named("=", true, {column(TestColumn::kReal), column(TestColumn::kDouble)}),
                                    call(FunctionId::kIsNull, {column(TestColumn::kWide)})});
  }
}

/// Equal ones are made of the same days and microseconds: others become one group only where groups are merged.
/// Infinity has none: NULL.
BoundExpression some_interval() {
  BoundExpression difference =
      named("-", true,
            {column(TestColumn::kTime), semantics::make_constant(Type{TypeKind::kTimestamp}, int64_t{86'399'999})});
  return call(FunctionId::kCase, {named("isfinite", false, {column(TestColumn::kTime)}), std::move(difference),
                                  semantics::make_constant(Type{TypeKind::kInterval}, Value())});
}

/// Some of a type without a bound.
BoundExpression some_key(Random& random) {
  switch (below(random, 7)) {
    case 4:
      return named("/", true, {column(TestColumn::kNumeric), cast(constant(7), TypeKind::kNumeric)});
    case 5:
      return some_interval();
    case 0:
      return some_truth(random);
    case 1:
      return named("+", true, {cast(column(TestColumn::kSmall), TypeKind::kInt), constant(7)});
    case 2:
      return named("upper", false, {text_of(TestColumn::kText)});
    case 3:
      return call(FunctionId::kCase, {some_truth(random), column(TestColumn::kDouble), column(TestColumn::kDouble)});
    default:
      return call(FunctionId::kCoalesce, {column(TestColumn::kDay), column(TestColumn::kDay)});
  }
}

BoundExpression some_number(Random& random) {
  switch (below(random, 6)) {
    case 0:
      return named("*", true, {column(TestColumn::kNumeric), column(TestColumn::kNumeric)});
    case 4:  // Often too long for 128 bits.
      return named("*", true, {column(TestColumn::kWide), column(TestColumn::kWide)});
    case 5:
      return named(
          "-", true,
          {named("*", true, {column(TestColumn::kNumeric), column(TestColumn::kWide)}), column(TestColumn::kNumeric)});
    case 1:
      return named("/", true, {column(TestColumn::kWide), cast(constant(3), TypeKind::kNumeric)});
    case 2:
      return call(FunctionId::kCase, {some_truth(random), cast(column(TestColumn::kSmall), TypeKind::kBigint),
                                      cast(column(TestColumn::kInt), TypeKind::kBigint)});
    default:
      return cast(column(TestColumn::kReal), TypeKind::kDouble);
  }
}

BoundExpression some_value(Random& random) {
  switch (below(random, 3)) {
    case 0:
      return some_key(random);
    case 1:
      return named("||", true, {text_of(TestColumn::kName), text_of(TestColumn::kCode)});
    default:
      return some_number(random);
  }
}

void add_to_groups(Random& random, semantics::Grouping& grouping) {
  for (semantics::BoundAggregate& aggregate : grouping.aggregates) {
    if (!aggregate.argument || !one_in(random, 2)) {
      continue;
    }
    BoundExpression computed = one_in(random, 6) ? some_interval() : some_number(random);
    if (const auto type = semantics::aggregate_type(aggregate.function, computed.type)) {
      aggregate.argument = std::move(computed);
      aggregate.type = *type;
    }
  }
  for (BoundExpression& key : grouping.keys) {
    if (one_in(random, 2)) {
      key = some_key(random);
    }
  }
}

BoundExpression quotient(TestColumn divisor) {
  return named("/", true, {constant(100), cast(column(divisor), TypeKind::kInt)});
}

/// Fails where the row has a zero, or too large a number, in some column.
BoundExpression failing_number(Random& random) {
  switch (below(random, 4)) {
    case 0:
      return quotient(TestColumn::kSmall);
    case 1:
      return named("*", true, {column(TestColumn::kInt), constant(1'000'000)});
    case 2:
      return named("+", true, {cast(column(TestColumn::kSmall), TypeKind::kInt), column(TestColumn::kInt)});
    default:
      return named("/", true, {column(TestColumn::kNumeric), column(TestColumn::kWide)});
  }
}

BoundExpression some_text(Random& random) {
  switch (below(random, 3)) {
    case 0:
      return named("||", true, {text_of(TestColumn::kName), text_of(TestColumn::kCode)});
    case 1:
      return named("upper", false, {text_of(TestColumn::kText)});
    default:
      return column(TestColumn::kCode);
  }
}

BoundExpression computed_for(Random& random, TypeKind kind) {
  if (semantics::is_string(kind)) {
    return one_in(random, 4) ? some_number(random) : some_text(random);
  }
  switch (kind) {
    case TypeKind::kBool:
      return some_truth(random);
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return column(one_in(random, 2) ? TestColumn::kDay : TestColumn::kTime);
    case TypeKind::kUuid:
      return column(TestColumn::kTag);
    case TypeKind::kTime:
      return column(one_in(random, 2) ? TestColumn::kClock : TestColumn::kTime);
    default:
      return one_in(random, 2) ? some_number(random) : failing_number(random);
  }
}

}  // namespace

semantics::Assignment computed_assignment(Random& random, uint32_t column) {
  const TypeKind kind = test_schema().columns[column].type.kind;
  return {column, semantics::Assignment::Kind::kCompute, Value(),
          std::make_shared<const BoundExpression>(computed_for(random, kind))};
}

semantics::Residuals computed_condition(Random& random) {
  std::vector<BoundExpression> residuals;
  for (uint64_t more = below(random, 2); more > 0; --more) {
    residuals.push_back(some_truth(random));
  }
  residuals.push_back(one_in(random, 2) ? some_truth(random)
                                        : named(">", true, {quotient(TestColumn::kSmall), constant(-50)}));
  return std::make_shared<const std::vector<BoundExpression>>(std::move(residuals));
}

void add_expressions(Random& random, semantics::Selection& selection) {
  for (uint64_t residuals = below(random, 3); residuals > 0; --residuals) {
    selection.residuals.push_back(some_truth(random));
  }
  if (selection.grouping) {
    add_to_groups(random, *selection.grouping);
    return;
  }
  for (semantics::OutputColumn& output : selection.outputs) {
    if (one_in(random, 2)) {
      output.expression = some_value(random);
    }
  }
}

void add_sets(Random& random, semantics::Selection& selection) {
  semantics::Grouping& grouping = *selection.grouping;
  for (uint64_t sets = below(random, 4); sets > 0; --sets) {
    std::vector<uint32_t>& set = grouping.sets.emplace_back();
    for (uint32_t key = 0; key < grouping.keys.size(); ++key) {
      if (one_in(random, 2)) {
        set.push_back(key);
      }
    }
  }
  for (semantics::BoundAggregate& aggregate : grouping.aggregates) {
    const bool has_bound = aggregate.argument && (aggregate.argument->type.kind != TypeKind::kNumeric ||
                                                  aggregate.argument->type.precision != 0);
    if (has_bound && one_in(random, 3)) {
      aggregate.is_distinct = true;
      aggregate.values = static_cast<uint32_t>(grouping.lists.size());
      grouping.lists.push_back({{static_cast<uint32_t>(grouping.list_values.size())}, {}, true});
      grouping.list_values.push_back(*aggregate.argument);
    }
  }
}

}  // namespace daedalus::engine::test
