#include "plain_answer.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>

#include "bodies.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/packed.hpp"
#include "plain_aggregates.hpp"

namespace daedalus::testing {

namespace {

using semantics::AggregateFunction;
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

/// Keys of one set of groups: places in group_by.
using KeySet = std::vector<uint32_t>;

bool has_key(const Question& question, const KeySet& set, uint32_t column) {
  return std::any_of(set.begin(), set.end(), [&](uint32_t key) { return question.group_by[key] == column; });
}

/// A bit for each key that the set has not, the first key's being the highest.
Value grouping_of(const Question& question, const KeySet& set) {
  int64_t bits = 0;
  for (const uint32_t column : question.group_by) {
    bits = bits << 1 | (has_key(question, set, column) ? 0 : 1);
  }
  return Value{bits};
}

Row group_row(const semantics::Schema& schema, const Question& question, const KeySet& set, const Rows& group) {
  Row row;
  for (const PlainOutput& output : question.outputs) {
    if (output.function == AggregateFunction::kGrouping) {
      row.push_back(grouping_of(question, set));
    } else if (output.function) {
      row.push_back(plain_aggregate(schema, output, group));
    } else {
      row.push_back(has_key(question, set, output.column) ? (*group.front())[output.column] : Value{});
    }
  }
  return row;
}

void add_groups(const semantics::Schema& schema, const Question& question, const KeySet& set, const Rows& selected,
                std::vector<Row>& rows) {
  std::map<Row, Rows, RowLess> groups;
  if (set.empty()) {
    groups[{}];  // One row, whatever there is.
  }
  for (const auto& row : selected) {
    Row key;
    for (const uint32_t place : set) {
      key.push_back((*row)[question.group_by[place]]);
    }
    groups[key].push_back(row);
  }
  for (const auto& [key, group] : groups) {
    if (static_cast<int64_t>(group.size()) > question.having_more_than.value_or(-1)) {
      rows.push_back(group_row(schema, question, set, group));
    }
  }
}

std::vector<KeySet> key_sets(const Question& question) {
  if (!question.grouping_sets.empty()) {
    return question.grouping_sets;
  }
  KeySet all(question.group_by.size());
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

Rows wanted(const Question& question, Rows rows) {
  if (question.remainder) {
    const auto is_other = [&](const auto& row) {
      return std::get<int64_t>((*row)[kId]) % PlainRemainder::kDivisor != question.remainder->remainder;
    };
    rows.erase(std::remove_if(rows.begin(), rows.end(), is_other), rows.end());
  }
  std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) {
    return std::get<int64_t>((*left)[kId]) < std::get<int64_t>((*right)[kId]);
  });
  return rows;
}

/// All outputs, hidden ones included.
std::vector<Row> output_rows(const semantics::Schema& schema, const Question& question, const Rows& selected) {
  std::vector<Row> rows;
  if (question.is_aggregated()) {
    for (const KeySet& set : key_sets(question)) {
      add_groups(schema, question, set, selected, rows);
    }
    return rows;
  }
  for (const auto& selected_row : selected) {
    Row& row = rows.emplace_back();
    for (const PlainOutput& output : question.outputs) {
      row.push_back((*selected_row)[output.column]);
    }
  }
  return rows;
}

/// By so many first keys of the order.
std::weak_ordering compare_rows(const Question& question, size_t keys, const Row& left, const Row& right) {
  for (size_t key = 0; key < keys; ++key) {
    const PlainOrder& order = question.order_by[key];
    const auto ordering = semantics::compare_ordered(
        left[order.output], right[order.output], {.descending = order.descending, .nulls_first = order.nulls_first});
    if (ordering != 0) {
      return ordering;
    }
  }
  return std::weak_ordering::equivalent;
}

/// Sorts, and takes away what DISTINCT ON does, the offset and what is behind the limit.
void put_in_order(const Question& question, std::vector<Row>& rows) {
  const size_t keys = question.order_by.size();
  std::sort(rows.begin(), rows.end(),
            [&](const Row& left, const Row& right) { return compare_rows(question, keys, left, right) < 0; });
  if (question.distinct_on > 0) {
    const auto are_equal = [&](const Row& left, const Row& right) {
      return compare_rows(question, question.distinct_on, left, right) == 0;
    };
    rows.erase(std::unique(rows.begin(), rows.end(), are_equal), rows.end());
  }
  const size_t first = std::min<uint64_t>(question.offset, rows.size());
  size_t last = first + std::min<uint64_t>(question.limit.value_or(UINT64_MAX), rows.size() - first);
  while (question.has_ties && last > first && last < rows.size() &&
         compare_rows(question, keys, rows[last - 1], rows[last]) == 0) {
    ++last;
  }
  rows.resize(last);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(first));
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

/// Each class of rows that may come in any order by their bytes. No ends: all are one.
void sort_classes(const std::vector<size_t>& ends, std::vector<std::string>& rows) {
  size_t first = 0;
  for (const size_t end : ends.empty() ? std::vector<size_t>{rows.size()} : ends) {
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
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

std::vector<Type> answer_types(const semantics::Schema& schema, const Question& question) {
  std::vector<Type> types;
  for (uint32_t index = 0; index < question.visible_outputs; ++index) {
    const PlainOutput& output = question.outputs[index];
    const Type& type = schema.columns[output.column].type;
    if (!output.function) {
      types.push_back(type);
      continue;
    }
    const bool is_of_text = output.function == AggregateFunction::kStringAgg;
    const auto aggregated = semantics::aggregate_type(
        *output.function, is_of_text ? Type{.kind = TypeKind::kText, .length = kNoteLength} : type);
    CHECK(aggregated.has_value());
    types.push_back(*aggregated);
  }
  return types;
}

PlainAnswer answer_to(const semantics::Schema& schema, const Question& question, const Rows& selected) {
  std::vector<Row> rows = output_rows(schema, question, wanted(question, selected));
  PlainAnswer answer;
  if (!question.order_by.empty()) {
    put_in_order(question, rows);
    answer.row_count = rows.size();
    for (size_t row = 1; row <= rows.size(); ++row) {
      if (row == rows.size() || compare_rows(question, question.order_by.size(), rows[row - 1], rows[row]) != 0) {
        answer.class_ends.push_back(row);
      }
    }
  } else {
    const uint64_t skipped = std::min<uint64_t>(question.offset, rows.size());
    answer.row_count = std::min<uint64_t>(question.limit.value_or(UINT64_MAX), rows.size() - skipped);
  }
  const std::vector<Type> types = answer_types(schema, question);
  for (Row& row : rows) {
    row.resize(types.size());
    semantics::append_packed_row(types, row, answer.rows.emplace_back());
  }
  sort_classes(answer.class_ends, answer.rows);
  return answer;
}

bool is_answer(const PlainAnswer& answer, const std::string& given) {
  auto rows = split(given);
  if (!rows || rows->size() != answer.row_count) {
    return false;
  }
  sort_classes(answer.class_ends, *rows);
  return answer.row_count == answer.rows.size()
             ? *rows == answer.rows
             : std::includes(answer.rows.begin(), answer.rows.end(), rows->begin(), rows->end());
}

}  // namespace daedalus::testing
