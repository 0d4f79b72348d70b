#include "plain_answer.hpp"

#include <algorithm>
#include <map>

#include "bodies.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::testing {

namespace {

using semantics::AggregateFunction;
using semantics::Decimal;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;
using Rows = std::vector<std::shared_ptr<const Row>>;

/// NULLs first, then by value: any order does that tells values apart.
struct RowLess {
  bool operator()(const Row& left, const Row& right) const {
    return std::lexicographical_compare(
        left.begin(), left.end(), right.begin(), right.end(),
        [](const Value& a, const Value& b) { return semantics::compare_ordered(a, b, {.nulls_first = true}) < 0; });
  }
};

std::vector<Value> values_of(const Rows& rows, uint32_t column) {
  std::vector<Value> values;
  for (const auto& row : rows) {
    if (!semantics::is_null((*row)[column])) {
      values.push_back((*row)[column]);
    }
  }
  return values;
}

Value aggregate(const semantics::Schema& schema, const PlainOutput& output, const Rows& rows) {
  if (*output.function == AggregateFunction::kCountRows) {
    return Value{static_cast<int64_t>(rows.size())};
  }
  const std::vector<Value> values = values_of(rows, output.column);
  const auto count = static_cast<int64_t>(values.size());
  if (*output.function == AggregateFunction::kCount) {
    return Value{count};
  }
  if (values.empty()) {
    return Value{};
  }
  const auto less = [](const Value& left, const Value& right) { return semantics::compare(left, right) < 0; };
  if (*output.function == AggregateFunction::kMin) {
    return *std::min_element(values.begin(), values.end(), less);
  }
  if (*output.function == AggregateFunction::kMax) {
    return *std::max_element(values.begin(), values.end(), less);
  }
  int64_t sum = 0;  // Of a few thousand values far below 2^50.
  for (const Value& value : values) {
    sum += std::get<int64_t>(value);
  }
  if (*output.function == AggregateFunction::kAvg) {
    return Value{semantics::average(Decimal{sum, 0}, count)};
  }
  const bool is_wide = schema.columns[output.column].type.kind == TypeKind::kBigint;
  return is_wide ? Value{Decimal{sum, 0}} : Value{sum};
}

Row output_row(const semantics::Schema& schema, const Question& question, const Rows& group) {
  Row row;
  for (const PlainOutput& output : question.outputs) {
    row.push_back(output.function ? aggregate(schema, output, group) : (*group.front())[output.column]);
  }
  return row;
}

/// All outputs, hidden ones included.
std::vector<Row> output_rows(const semantics::Schema& schema, const Question& question, const Rows& selected) {
  std::vector<Row> rows;
  if (!question.is_aggregated()) {
    for (const auto& row : selected) {
      rows.push_back(output_row(schema, question, {row}));
    }
    return rows;
  }
  std::map<Row, Rows, RowLess> groups;
  if (question.group_by.empty()) {
    groups[{}];  // One row, whatever there is.
  }
  for (const auto& row : selected) {
    Row key;
    for (const uint32_t column : question.group_by) {
      key.push_back((*row)[column]);
    }
    groups[key].push_back(row);
  }
  for (const auto& [key, group] : groups) {
    rows.push_back(output_row(schema, question, group));
  }
  return rows;
}

void sort(const Question& question, std::vector<Row>& rows) {
  const auto comes_before = [&](const Row& left, const Row& right) {
    for (const PlainOrder& order : question.order_by) {
      const auto ordering = semantics::compare_ordered(
          left[order.output], right[order.output], {.descending = order.descending, .nulls_first = order.nulls_first});
      if (ordering != 0) {
        return ordering < 0;
      }
    }
    return false;
  };
  std::sort(rows.begin(), rows.end(), comes_before);
}

std::vector<Type> visible_types(const semantics::Schema& schema, const Question& question) {
  std::vector<Type> types;
  for (uint32_t index = 0; index < question.visible_outputs; ++index) {
    const PlainOutput& output = question.outputs[index];
    const Type& type = schema.columns[output.column].type;
    if (!output.function) {
      types.push_back(type);
      continue;
    }
    const auto aggregated = semantics::aggregate_type(*output.function, type);
    CHECK(aggregated.has_value());
    types.push_back(*aggregated);
  }
  return types;
}

std::optional<std::vector<std::string>> split(const std::string& rows) {
  std::vector<std::string> given;
  semantics::PackedRows packed(rows);
  while (true) {
    const auto row = packed.next();
    if (!row) {
      return std::nullopt;
    }
    if (!row->has_value()) {
      return given;
    }
    given.emplace_back((*row)->data() - sizeof(uint32_t), (*row)->size() + sizeof(uint32_t));
  }
}

}  // namespace

std::vector<std::string> answer_columns(const semantics::Schema& schema, const Question& question) {
  std::vector<std::string> names;
  for (uint32_t output = 0; output < question.visible_outputs; ++output) {
    names.push_back(output_name(schema, question.outputs[output]));
  }
  return names;
}

PlainAnswer answer_to(const semantics::Schema& schema, const Question& question, const Rows& selected) {
  std::vector<Row> rows = output_rows(schema, question, selected);
  const uint64_t skipped = std::min<uint64_t>(question.offset, rows.size());
  PlainAnswer answer{.rows = {}, .row_count = std::min(question.limit.value_or(UINT64_MAX), rows.size() - skipped)};
  if (!question.order_by.empty()) {
    sort(question, rows);
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skipped));
    rows.resize(answer.row_count);
  }
  const std::vector<Type> types = visible_types(schema, question);
  for (Row& row : rows) {
    row.resize(types.size());
    semantics::append_packed_row(types, row, answer.rows.emplace_back());
  }
  if (question.order_by.empty()) {
    std::sort(answer.rows.begin(), answer.rows.end());
  }
  return answer;
}

bool is_answer(const Question& question, const PlainAnswer& answer, const std::string& given) {
  auto rows = split(given);
  if (!rows || rows->size() != answer.row_count) {
    return false;
  }
  if (!question.order_by.empty()) {
    return *rows == answer.rows;
  }
  std::sort(rows->begin(), rows->end());
  return std::includes(answer.rows.begin(), answer.rows.end(), rows->begin(), rows->end());
}

}  // namespace daedalus::testing
