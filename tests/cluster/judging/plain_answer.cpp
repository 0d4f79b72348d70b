#include "plain_answer.hpp"

#include <algorithm>
#include <map>

#include "daedalus/semantics/packed.hpp"
#include "workload.hpp"

namespace daedalus::testing {

namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;
using Rows = std::vector<std::shared_ptr<const Row>>;

int64_t integer(const Row& row, uint32_t column) { return std::get<int64_t>(row[column]); }

/// amount DESC (NULLs first, as PostgreSQL has it), id.
bool comes_before(const Row& left, const Row& right) {
  const bool left_is_null = semantics::is_null(left[kAmount]);
  const bool right_is_null = semantics::is_null(right[kAmount]);
  if (left_is_null != right_is_null) {
    return left_is_null;
  }
  if (!left_is_null && integer(left, kAmount) != integer(right, kAmount)) {
    return integer(left, kAmount) > integer(right, kAmount);
  }
  return integer(left, kId) < integer(right, kId);
}

void cut(const Question& question, Rows& rows) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(question.offset, rows.size()));
  rows.erase(rows.begin(), begin);
  rows.resize(std::min<uint64_t>(question.limit, rows.size()));
}

struct Group {
  int64_t count = 0;
  Value sum;  ///< NULL until there was a value.
  Value least;
  int64_t id_max = 0;
};

std::vector<std::string> grouped(const Rows& rows) {
  std::map<int64_t, Group> groups;
  for (const auto& row : rows) {
    Group& group = groups[integer(*row, kPlace)];
    ++group.count;
    group.id_max = std::max(group.id_max, integer(*row, kId));
    if (semantics::is_null((*row)[kAmount])) {
      continue;
    }
    const int64_t amount = integer(*row, kAmount);
    group.sum = semantics::is_null(group.sum) ? amount : std::get<int64_t>(group.sum) + amount;
    group.least = semantics::is_null(group.least) ? amount : std::min(std::get<int64_t>(group.least), amount);
  }
  const Type types[] = {{.kind = TypeKind::kInt},
                        {.kind = TypeKind::kBigint},
                        {.kind = TypeKind::kBigint},
                        {.kind = TypeKind::kInt},
                        {.kind = TypeKind::kBigint}};
  std::vector<std::string> packed;
  for (const auto& [place, group] : groups) {
    const Value values[] = {Value{place}, Value{group.count}, group.sum, group.least, Value{group.id_max}};
    semantics::append_packed_row(types, values, packed.emplace_back());
  }
  return packed;
}

}  // namespace

std::vector<std::string> answer_columns(const semantics::Schema& schema, const Question& question) {
  if (question.kind == Question::Kind::kGrouped) {
    return {"place", "count", "sum", "min", "max"};
  }
  std::vector<std::string> names;
  for (const semantics::Column& column : schema.columns) {
    names.push_back(column.name);
  }
  return names;
}

std::vector<std::string> answer_rows(const semantics::Schema& schema, const Question& question, Rows selected) {
  std::vector<std::string> packed;
  if (question.kind == Question::Kind::kGrouped) {
    packed = grouped(selected);
  } else {
    if (question.kind == Question::Kind::kOrdered) {
      std::sort(selected.begin(), selected.end(),
                [](const auto& left, const auto& right) { return comes_before(*left, *right); });
      cut(question, selected);
    }
    const auto types = semantics::column_types(schema);
    for (const auto& row : selected) {
      semantics::append_packed_row(types, *row, packed.emplace_back());
    }
  }
  if (question.kind != Question::Kind::kOrdered) {
    std::sort(packed.begin(), packed.end());
  }
  return packed;
}

std::optional<std::vector<std::string>> given_rows(const Question& question, const std::string& rows) {
  std::vector<std::string> given;
  semantics::PackedRows packed(rows);
  while (true) {
    const auto row = packed.next();
    if (!row) {
      return std::nullopt;
    }
    if (!row->has_value()) {
      break;
    }
    given.emplace_back((*row)->data() - sizeof(uint32_t), (*row)->size() + sizeof(uint32_t));
  }
  if (question.kind != Question::Kind::kOrdered) {
    std::sort(given.begin(), given.end());
  }
  return given;
}

}  // namespace daedalus::testing
