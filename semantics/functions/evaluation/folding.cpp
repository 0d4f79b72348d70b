// Folding computes what depends on no row once, before any row is looked at: what, and in which order, is PostgreSQL's.
//
// Results of functions that PostgreSQL calls stable are known here, too, but to its planner they are none: one decides
// nothing, and a mistake that follows from it is met only where a row is computed.
#include "daedalus/semantics/folding.hpp"

#include <algorithm>

#include "families.hpp"

namespace daedalus::semantics {
namespace {

Result<Folded> with(Result<BoundExpression> made, bool is_stable) {
  return made ? Result<Folded>(Folded{std::move(*made), is_stable}) : made.error();
}

Folded constant(const Type& type, Value value, bool is_stable = false) {
  return {make_constant(type, std::move(value)), is_stable};
}

bool is_datetime_or_time(TypeKind kind) { return is_datetime(kind) || kind == TypeKind::kTime; }

/// Says whether it adds an SQL timestamp to what stands before it: a number of days, an interval, or a time to a date.
bool adds_sql_timestamp_behind(const ScalarFunction& function) {
  if (!function.is_operator || function.name != "+" || function.arguments.size() < 2) {
    return false;
  }
  const TypeKind before = function.arguments[0];
  const TypeKind behind = function.arguments[1];
  return is_datetime_or_time(behind) && !is_datetime(before) && before != behind;
}

/// For such a sum PostgreSQL has a function in SQL, `$2 + $1`, which its planner writes instead: on each row the SQL
/// timestamp is computed first.
BoundExpression with_sql_timestamp_first(BoundExpression call) {
  const ScalarFunction* function = find_function(call.function);
  if (function == nullptr || !adds_sql_timestamp_behind(*function)) {
    return call;
  }
  std::vector<TypeKind> kinds = function->arguments;
  std::swap(kinds[0], kinds[1]);
  const auto functions = scalar_functions();
  const auto turned = std::find_if(functions.begin(), functions.end(), [&](const ScalarFunction& other) {
    return other.is_operator && other.name == function->name && other.arguments == kinds;
  });
  if (turned != functions.end()) {
    call.function = turned->id;
    std::swap(call.arguments[0], call.arguments[1]);
  }
  return call;
}

/// The call of folded arguments, computed where all are constant. What a stable function has a part in may fail, and is
/// then left as it is.
Result<Folded> computed(BoundExpression call, bool is_stable) {
  const bool is_constant = std::all_of(call.arguments.begin(), call.arguments.end(),
                                       [](const BoundExpression& argument) { return argument.is_constant(); });
  if (is_constant) {
    Result<Value> value = evaluate(call, {});
    if (value) {
      return constant(call.type, std::move(*value), is_stable);
    }
    if (!is_stable) {
      return value.error();
    }
  }
  call = with_sql_timestamp_first(std::move(call));
  return with(make_call(call.function, std::move(call.arguments), call.type), is_stable);
}

/// Folds arguments in order, up to one that decides.
Result<Folded> fold_joint(BoundExpression call) {
  const Type bool_type{TypeKind::kBool};
  const bool decides = call.function == FunctionId::kOr;
  bool is_stable = false;
  std::vector<BoundExpression> kept;
  for (BoundExpression& argument : call.arguments) {
    Result<Folded> part = folded(std::move(argument));
    if (!part) {
      return part;
    }
    if (part->is_known() && part->is_truth(decides)) {
      return part;
    }
    is_stable = is_stable || part->is_stable;
    if (!part->is_truth(!decides)) {
      kept.push_back(std::move(part->expression));
    }
  }
  if (kept.empty()) {
    return constant(bool_type, Value(!decides), is_stable);
  }
  if (kept.size() == 1) {
    return Folded{std::move(kept[0]), is_stable};
  }
  call.arguments = std::move(kept);
  return computed(std::move(call), is_stable);
}

Result<Folded> fold_case(BoundExpression call) {
  std::vector<BoundExpression> kept;
  bool is_stable = false;
  bool is_decided = false;  // By what PostgreSQL's planner does not know: it looks at what is behind, too.
  const auto keep = [&](Result<Folded>& part) {
    is_stable = is_stable || part->is_stable;
    kept.push_back(std::move(part->expression));
  };
  for (size_t number = 0; number + 1 < call.arguments.size(); number += 2) {
    Result<Folded> condition = folded(std::move(call.arguments[number]));
    if (!condition) {
      return condition;
    }
    const bool is_never = condition->expression.is_constant() && !condition->is_truth(true);
    if (is_never && condition->is_known()) {
      continue;
    }
    Result<Folded> value = folded(std::move(call.arguments[number + 1]));
    if (!value) {
      return value;
    }
    is_stable = is_stable || condition->is_stable;
    if (is_never || is_decided) {
      continue;
    }
    if (!condition->is_truth(true)) {
      keep(condition);
      keep(value);
      continue;
    }
    is_decided = true;
    keep(value);
    if (condition->is_known()) {
      return kept.size() == 1 ? Result<Folded>(Folded{std::move(kept[0]), is_stable})
                              : with(make_call(call.function, std::move(kept)), is_stable);
    }
  }
  Result<Folded> otherwise = folded(std::move(call.arguments.back()));
  if (!otherwise) {
    return otherwise;
  }
  if (!is_decided) {
    keep(otherwise);
  }
  return kept.size() == 1 ? Result<Folded>(Folded{std::move(kept[0]), is_stable})
                          : with(make_call(call.function, std::move(kept)), is_stable);
}

Result<Folded> fold_coalesce(BoundExpression call) {
  std::vector<BoundExpression> kept;
  bool is_stable = false;
  bool is_decided = false;
  for (BoundExpression& argument : call.arguments) {
    Result<Folded> part = folded(std::move(argument));
    if (!part) {
      return part;
    }
    is_stable = is_stable || part->is_stable;
    if (is_decided || part->is_null_constant()) {
      continue;
    }
    const bool is_last = part->is_known();
    is_decided = part->expression.is_constant();
    kept.push_back(std::move(part->expression));
    if (is_last) {
      break;
    }
  }
  if (kept.empty()) {
    return constant(call.type, Value(), is_stable);
  }
  return kept.size() == 1 && kept[0].is_constant() ? Result<Folded>(Folded{std::move(kept[0]), is_stable})
                                                   : with(make_call(call.function, std::move(kept)), is_stable);
}

bool is_of_calendar(TypeKind kind) { return is_datetime(kind) || kind == TypeKind::kInterval; }

/// Says whether a setting of the session would change the call in PostgreSQL: how dates are written, and read, and
/// which zone an SQL timestamp without one is in.
bool depends_on_session(const BoundExpression& call) {
  if (call.function == FunctionId::kCast) {
    const TypeKind from = call.arguments[0].type.kind;
    // A time is written in one way only, but may be read as `now`.
    const bool is_by_zone = (from == TypeKind::kTimestampTz) != (call.type.kind == TypeKind::kTimestampTz);
    return is_by_zone || (is_of_calendar(from) && is_string(call.type.kind)) ||
           (is_string(from) && (is_of_calendar(call.type.kind) || call.type.kind == TypeKind::kTime));
  }
  const ScalarFunction* function = find_function(call.function);
  return function != nullptr && function->is_stable;
}

/// Says whether it is of a number of digits below 0, as which PostgreSQL's planner takes none, beside an SQL timestamp
/// that it does not know: timestamp(at, -5).
bool has_no_precision(const BoundExpression& call, const ScalarFunction* function) {
  const bool takes_precision = function != nullptr && function->arguments.size() == 2 &&
                               function->arguments[1] == TypeKind::kInt &&
                               (function->name == "timestamp" || function->name == "timestamptz");
  return takes_precision && call.arguments[1].is_constant() && std::get<int64_t>(call.arguments[1].value) < 0;
}

Result<Folded> fold_call(BoundExpression call) {
  bool is_stable = depends_on_session(call);
  bool is_first_stable = false;
  bool has_null = false;
  bool has_known_null = false;
  bool others_fail = false;  // Beside the NULL, on some row.
  for (BoundExpression& argument : call.arguments) {
    Result<Folded> part = folded(std::move(argument));
    if (!part) {
      return part;
    }
    is_stable = is_stable || part->is_stable;
    has_null = has_null || part->is_null_constant();
    has_known_null = has_known_null || (part->is_null_constant() && part->is_known());
    others_fail = others_fail || can_fail(part->expression);
    is_first_stable = &argument == call.arguments.data() ? part->is_stable : is_first_stable;
    argument = std::move(part->expression);
  }
  if (call.function == FunctionId::kNullIf && has_known_null) {
    return Folded{std::move(call.arguments[0]), is_first_stable};  // NULL equals nothing.
  }
  const ScalarFunction* function = find_function(call.function);
  const bool is_strict = function != nullptr ? !function->takes_nulls : call.function == FunctionId::kCast;
  if (is_strict && (has_known_null || (has_null && !others_fail))) {
    return constant(call.type, Value(), is_stable && !has_known_null);
  }
  const bool is_first_known = !call.arguments.empty() && call.arguments[0].is_constant() && !is_first_stable;
  if (!is_first_known && has_no_precision(call, function)) {
    return Folded{std::move(call.arguments[0]), is_stable};
  }
  return computed(std::move(call), is_stable);
}

Result<Folded> fold_aggregate(BoundExpression aggregate) {
  if (aggregate.aggregate == AggregateFunction::kGrouping) {
    return Folded{std::move(aggregate), false};  // It asks about keys as they are written, and computes none.
  }
  for (BoundExpression& argument : aggregate.arguments) {
    Result<Folded> part = folded(std::move(argument));
    if (!part) {
      return part;
    }
    argument = std::move(part->expression);
  }
  return with(make_aggregate(aggregate.aggregate, std::move(aggregate.arguments),
                             {aggregate.is_distinct, std::move(aggregate.order)}),
              false);
}

}  // namespace

Result<Folded> folded(BoundExpression expression) {
  if (expression.kind == BoundExpression::Kind::kAggregate) {
    return fold_aggregate(std::move(expression));
  }
  if (expression.kind != BoundExpression::Kind::kCall) {
    return Folded{std::move(expression), false};
  }
  switch (expression.function) {
    case FunctionId::kAnd:
    case FunctionId::kOr:
      return fold_joint(std::move(expression));
    case FunctionId::kCase:
      return fold_case(std::move(expression));
    case FunctionId::kCoalesce:
      return fold_coalesce(std::move(expression));
    default:
      return fold_call(std::move(expression));
  }
}

Result<BoundExpression> fold(BoundExpression expression) {
  Result<Folded> made = folded(std::move(expression));
  return made ? Result<BoundExpression>(std::move(made->expression)) : made.error();
}

bool has_stable(const BoundExpression& expression) {
  return (expression.kind == BoundExpression::Kind::kCall && depends_on_session(expression)) ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(), has_stable);
}

}  // namespace daedalus::semantics
