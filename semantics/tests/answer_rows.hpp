// Rows of values as packed bytes and back, and small tables, for tests of answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::semantics {

using Rows = std::vector<std::vector<Value>>;

inline std::string encode(const std::vector<Type>& types, const Rows& rows) {
  std::string bytes;
  for (const std::vector<Value>& row : rows) {
    append_packed_row(types, row, bytes);
  }
  return bytes;
}

inline Schema two_columns() {
  Schema schema;
  schema.table_name = "t";
  schema.columns = {{"k", {TypeKind::kDouble}, true, {}}, {"v", {TypeKind::kInt}, false, {}}};
  return schema;
}

inline SelectItem plain(uint32_t column) { return {.name = "x", .column = column}; }
inline SelectItem aggregate(AggregateFunction function, uint32_t column) { return {"x", function, column}; }

/// bind_items() of what can be bound.
inline Selection selection_of(const Schema& schema, std::vector<SelectItem> items,
                              const std::vector<uint32_t>& group_by = {}) {
  return *bind_items(schema, std::move(items), group_by);
}

/// One row.
inline MergedRows rows_of(std::string rows) { return {std::move(rows), 1}; }

}  // namespace daedalus::semantics
