// Spans of time that are compared, and SQL timestamps that are moved by them, as the integers that they are.
//
// Decides which of them have the kernels of integers: differences of SQL timestamps and constants, which compare by
// their microseconds and have them for their epoch, and SQL timestamps moved by a constant without months, whose days
// all have 24 hours. Any other interval is three numbers, and evaluated a row at a time.
#include <limits>

#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::Interval;
using semantics::ScalarFunction;
using semantics::Type;
using semantics::TypeKind;

constexpr int64_t kDaysPerMonth = 30;

/// The overload of an operator for two bigints.
semantics::FunctionId integer_operator(std::string_view sign) {
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    if (function.is_operator && function.name == sign &&
        function.arguments == std::vector<TypeKind>(2, TypeKind::kBigint)) {
      return function.id;
    }
  }
  return {};
}

/// An operator on parts that are integers in vectors, whatever types they have. For kernels alone.
BoundExpression of_integers(std::string_view sign, const Type& type, BoundExpression left, BoundExpression right) {
  BoundExpression made;
  made.kind = BoundExpression::Kind::kCall;
  made.function = integer_operator(sign);
  made.type = type;
  made.nullable = left.nullable || right.nullable;
  made.arguments = {std::move(left), std::move(right)};
  return made;
}

const Interval* constant_span(const BoundExpression& expression) {
  return expression.is_constant() ? std::get_if<Interval>(&expression.value) : nullptr;
}

/// Its microseconds, by which spans compare.
std::optional<BoundExpression> length_of(const Interval& span) {
  const Int128 days = Int128{span.months} * kDaysPerMonth + span.days;
  const Int128 micros = days * semantics::kMicrosPerDay + span.micros;
  const auto length = static_cast<int64_t>(micros);
  return length == micros ? std::optional(semantics::make_constant(Type{TypeKind::kBigint}, length)) : std::nullopt;
}

std::optional<BoundExpression> length_of(const BoundExpression& span) {
  if (const Interval* constant = constant_span(span)) {
    return length_of(*constant);
  }
  const ScalarFunction* function =
      span.kind == BoundExpression::Kind::kCall ? semantics::find_function(span.function) : nullptr;
  if (function == nullptr || function->name != "-" || span.arguments.size() != 2) {
    return std::nullopt;
  }
  const TypeKind of = function->arguments[0];
  const bool is_difference = function->arguments[1] == of && (semantics::is_timestamp(of) || of == TypeKind::kTime);
  return is_difference ? std::optional(of_integers("-", Type{TypeKind::kBigint}, span.arguments[0], span.arguments[1]))
                       : std::nullopt;
}

VectorNodePtr make_comparison_of_spans(const ScalarFunction& function, const BoundExpression& call,
                                       const NodeMaker& make) {
  std::optional<BoundExpression> left = length_of(call.arguments[0]);
  std::optional<BoundExpression> right = length_of(call.arguments[1]);
  if (!left || !right) {
    return nullptr;
  }
  return make_comparison_node(of_integers(function.name, call.type, std::move(*left), std::move(*right)), make);
}

/// The seconds of a span without months, from its microseconds.
class EpochNode final : public VectorNode {
 public:
  EpochNode(FormOf form, VectorNodePtr length) : VectorNode(form.form, form.scale), length_(std::move(length)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    ValueVector made = length_->values(batch);
    if (form() == Form::kInteger) {
      return made;  // A numeric with six digits behind the point.
    }
    const Operand<int64_t> micros = made.as_integers();
    double* const seconds = VectorBuffer::room(seconds_);
    for (uint32_t position = 0; position < batch.count; ++position) {
      seconds[position] = seconds_of(micros.at(position));
    }
    made.integers = nullptr;
    made.floatings = seconds;
    made.is_constant = false;
    return made;
  }

  /// As PostgreSQL adds them: days behind the rest.
  static double seconds_of(int64_t micros) {
    const int64_t days = micros / semantics::kMicrosPerDay;
    return static_cast<double>(micros % semantics::kMicrosPerDay) / 1'000'000.0 + 86'400.0 * static_cast<double>(days);
  }

  VectorNodePtr length_;
  std::vector<double> seconds_;
};

VectorNodePtr make_epoch(const BoundExpression& call, const NodeMaker& make) {
  const std::optional<BoundExpression> length = length_of(call.arguments[1]);
  const std::optional<FormOf> form = form_of(call);
  VectorNodePtr from = length && form ? make_number_node(*length, make) : nullptr;
  return from != nullptr ? std::make_shared<EpochNode>(*form, std::move(from)) : nullptr;
}

/// Returns whether all days of a span are equally long, none of its parts leads back from behind the last SQL
/// timestamp, and it has an opposite.
bool is_of_days(const Interval& span) {
  const bool is_one_way = span.days == 0 || span.micros == 0 || (span.days > 0) == (span.micros > 0);
  return is_one_way && span.months == 0 && span.days != std::numeric_limits<int32_t>::min() &&
         span.micros != std::numeric_limits<int64_t>::min();
}

VectorNodePtr make_moved_timestamp(const ScalarFunction& function, const BoundExpression& call, const NodeMaker& make) {
  const bool is_turned = function.arguments[0] == TypeKind::kInterval;
  const Interval* span = constant_span(call.arguments[is_turned ? 0 : 1]);
  std::optional<BoundExpression> way = span != nullptr && is_of_days(*span) ? length_of(*span) : std::nullopt;
  if (!way) {
    return nullptr;
  }
  BoundExpression sql_timestamp = call.arguments[is_turned ? 1 : 0];
  if (sql_timestamp.type.kind == TypeKind::kDate) {
    Result<BoundExpression> midnight =
        semantics::make_call(semantics::FunctionId::kCast, {std::move(sql_timestamp)}, Type{TypeKind::kTimestamp});
    if (!midnight) {
      return nullptr;
    }
    sql_timestamp = std::move(*midnight);
  }
  return make_number_node(of_integers(function.name, call.type, std::move(sql_timestamp), std::move(*way)), make);
}

}  // namespace

VectorNodePtr make_span_node(const BoundExpression& call, const NodeMaker& make) {
  const ScalarFunction* function = semantics::find_function(call.function);
  if (function == nullptr || call.arguments.size() != 2) {
    return nullptr;
  }
  if (!function->is_operator) {
    const bool is_epoch = (function->name == "extract" || function->name == "date_part") &&
                          function->arguments[1] == TypeKind::kInterval && constant_text(call.arguments[0]) == "epoch";
    return is_epoch ? make_epoch(call, make) : nullptr;
  }
  const bool is_left = function->arguments[0] == TypeKind::kInterval;
  const bool is_right = function->arguments[1] == TypeKind::kInterval;
  if (is_left && is_right && call.type.kind == TypeKind::kBool) {
    return make_comparison_of_spans(*function, call, make);
  }
  return is_left != is_right && semantics::is_timestamp(call.type.kind) ? make_moved_timestamp(*function, call, make)
                                                                        : nullptr;
}

}  // namespace daedalus::engine
