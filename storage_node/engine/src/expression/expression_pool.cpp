#include <algorithm>
#include <optional>

#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::TypeKind;

constexpr size_t kBuckets = 1024;

uint64_t mixed(uint64_t hash, uint64_t word) {
  constexpr uint64_t kFactor = 0x9fb21c651e98df25u;
  hash = (hash ^ word) * kFactor;
  return hash ^ hash >> 32;
}

uint64_t hash_of_value(const semantics::Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return static_cast<uint64_t>(*integer);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return std::hash<std::string>()(*text);
  }
  const auto* decimal = std::get_if<semantics::Decimal>(&value);
  return decimal == nullptr ? value.index() : static_cast<uint64_t>(decimal->unscaled & UINT64_MAX);
}

uint64_t hash_of(const BoundExpression& expression) {
  uint64_t hash = mixed(static_cast<uint64_t>(expression.kind), static_cast<uint64_t>(expression.function));
  hash = mixed(mixed(hash, expression.input), static_cast<uint64_t>(expression.type.kind));
  if (expression.is_constant()) {
    hash = mixed(hash, hash_of_value(expression.value));
  }
  for (const BoundExpression& argument : expression.arguments) {
    hash = mixed(hash, hash_of(argument));
  }
  return hash;
}

std::optional<int32_t> scale_of(const BoundExpression& expression);

/// The scale that all of them have, from `first` on in steps of `step`.
std::optional<int32_t> common_scale(const std::vector<BoundExpression>& values, size_t first, size_t step) {
  std::optional<int32_t> scale;
  for (size_t number = first; number < values.size(); number += step) {
    const std::optional<int32_t> next = scale_of(values[number]);
    if (!next || (scale && *scale != *next)) {
      return std::nullopt;
    }
    scale = next;
  }
  return scale;
}

std::optional<int32_t> scale_of_extract(const BoundExpression& call) {
  const std::optional<std::string_view> unit = constant_text(call.arguments[0]);
  constexpr std::string_view kWholes[] = {"year", "month", "day", "hour", "minute", "quarter", "dow", "isodow", "doy"};
  if (unit && std::find(std::begin(kWholes), std::end(kWholes), *unit) != std::end(kWholes)) {
    return 0;
  }
  const bool has_micros = unit && (*unit == "epoch" || *unit == "second");
  return has_micros && call.arguments[1].type.kind != TypeKind::kDate ? std::optional<int32_t>(6) : std::nullopt;
}

std::optional<int32_t> scale_of_call(const BoundExpression& call) {
  if (call.function == FunctionId::kCase) {
    const std::optional<int32_t> values = common_scale(call.arguments, 1, 2);
    const std::optional<int32_t> otherwise = scale_of(call.arguments.back());
    return values == otherwise ? values : std::nullopt;
  }
  if (call.function == FunctionId::kCoalesce || call.function == FunctionId::kGreatest ||
      call.function == FunctionId::kLeast) {
    return common_scale(call.arguments, 0, 1);
  }
  if (call.function == FunctionId::kNullIf) {
    return scale_of(call.arguments[0]);
  }
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  if (function == nullptr || call.arguments.empty()) {
    return std::nullopt;
  }
  if (function->name == "extract") {
    return scale_of_extract(call);
  }
  if (function->name == "abs") {
    return scale_of(call.arguments[0]);
  }
  if (!function->is_operator) {
    return scale_of_rounded(call, function->name);
  }
  const std::optional<int32_t> left = scale_of(call.arguments.front());
  const std::optional<int32_t> right = scale_of(call.arguments.back());
  if (!left || !right) {
    return std::nullopt;
  }
  if (call.arguments.size() == 1) {
    return left;
  }
  if (function->name == "*") {
    return *left + *right;
  }
  return function->name == "+" || function->name == "-" ? std::optional(std::max(*left, *right)) : std::nullopt;
}

/// The digits behind the point that every value of a numeric expression has.
std::optional<int32_t> scale_of(const BoundExpression& expression) {
  const semantics::Type& type = expression.type;
  if (type.kind != TypeKind::kNumeric) {
    return std::nullopt;
  }
  std::optional<int32_t> scale;
  if (expression.is_constant()) {
    const auto* value = std::get_if<semantics::Decimal>(&expression.value);
    scale = value != nullptr && type.precision > 0 ? std::optional(value->scale) : std::nullopt;
  } else if (type.precision > 0) {
    scale = static_cast<int32_t>(type.scale);
  } else if (expression.kind == BoundExpression::Kind::kCall) {
    scale = scale_of_call(expression);
  }
  constexpr int32_t kScaleMax = static_cast<int32_t>(semantics::kNumericPrecisionMax);
  return scale && *scale >= 0 && *scale <= kScaleMax ? scale : std::nullopt;
}

}  // namespace

std::optional<std::string_view> constant_text(const BoundExpression& expression) {
  const auto* text = expression.is_constant() ? std::get_if<std::string>(&expression.value) : nullptr;
  return text != nullptr ? std::optional<std::string_view>(*text) : std::nullopt;
}

std::optional<FormOf> form_of(const BoundExpression& expression) {
  switch (expression.type.kind) {
    case TypeKind::kBool:
      return FormOf{Form::kTruth};
    case TypeKind::kSmallint:
    case TypeKind::kInt:
    case TypeKind::kBigint:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return FormOf{Form::kInteger};
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return FormOf{Form::kFloating};
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return FormOf{Form::kText};
    case TypeKind::kNumeric:
      if (const std::optional<int32_t> scale = scale_of(expression)) {
        return FormOf{Form::kInteger, *scale};
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

VectorNodePtr ExpressionPool::node(const TableLayout& layout, const BoundExpression& expression) {
  if (!form_of(expression)) {
    return nullptr;
  }
  const uint64_t hash = hash_of(expression);
  first_of_hash_.resize(kBuckets);
  uint32_t& first = first_of_hash_[hash % kBuckets];
  for (uint32_t at = first; at != 0; at = next_of_hash_[at - 1]) {
    const Entry& entry = entries_[at - 1];
    if (entry.hash == hash && entry.expression == expression) {
      if (VectorNodePtr node = entry.node.lock()) {
        return node;
      }
    }
  }
  VectorNodePtr made;
  if (expression.kind == BoundExpression::Kind::kCall) {
    std::vector<VectorNodePtr> parts;
    const NodeMaker make{layout, *this, parts};
    for (const auto family : {make_form_node, make_cast_node, make_text_cast_node, make_span_node, make_comparison_node,
                              make_number_node, make_whole_node, make_text_node, make_piece_node, make_time_node}) {
      made = made == nullptr ? family(expression, make) : std::move(made);
    }
    if (made == nullptr) {
      parts.clear();
      made = make_plain_node(expression, layout, deadline_check_);
    }
    made->keep_chunks(kept_, std::move(parts));
  } else {
    made = make_leaf_node(expression, layout);
    made->remember(kept_);
  }
  if (entries_.size() >= kEntriesMax) {
    return made;
  }
  entries_.push_back({hash, expression, made});
  uint32_t& bucket = first_of_hash_[hash % kBuckets];  // Parts of it may have come in between.
  next_of_hash_.push_back(bucket);
  bucket = static_cast<uint32_t>(entries_.size());
  return made;
}

void ExpressionPool::clear() {
  entries_.clear();
  next_of_hash_.clear();
  first_of_hash_.assign(first_of_hash_.size(), 0);
  kept_ = std::make_shared<ChunkVectors>();
}

}  // namespace daedalus::engine
