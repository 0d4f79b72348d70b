#include "ticket_text.hpp"

#include <fmt/format.h>

#include <fstream>

#include "daedalus/base/check.hpp"

namespace daedalus::engine::bench {

using semantics::TypeKind;

std::string sql_type(const ColumnSpec& column) {
  switch (column.type.kind) {
    case TypeKind::kBool:
      return "BOOLEAN";
    case TypeKind::kSmallint:
      return "SMALLINT";
    case TypeKind::kInt:
    case TypeKind::kDate:
      return "INTEGER";
    case TypeKind::kDouble:
      return "DOUBLE";
    case TypeKind::kNumeric:
      return fmt::format("DECIMAL({},{})", column.type.precision, column.type.scale);
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
    case TypeKind::kUuid:
      return "VARCHAR";
    default:
      return "BIGINT";
  }
}

std::string literal_text(const TicketTable& table, uint32_t column, uint32_t ordinal) {
  if (ordinal == kNullOrdinal) {
    return "";
  }
  const semantics::Value value = table.value(column, ordinal);
  switch (table.columns()[column].type.kind) {
    case TypeKind::kBool:
      return std::get<bool>(value) ? "true" : "false";
    case TypeKind::kDouble:
      return fmt::format("{:.2f}", std::get<double>(value));
    case TypeKind::kNumeric:
      return fmt::format("{}.{:02}", ordinal / 100, ordinal % 100);  // All decimals of this table have scale 2.
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
    case TypeKind::kUuid:
      return std::get<std::string>(value);
    default:
      return std::to_string(std::get<int64_t>(value));
  }
}

std::string quoted_text(const TicketTable& table, uint32_t column, uint32_t ordinal) {
  const char* quote = semantics::is_string(table.columns()[column].type.kind) ? "'" : "";
  return quote + literal_text(table, column, ordinal) + quote;
}

void write_csv(const TicketTable& table, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  std::string lines;
  for (uint32_t column = 0; column < table.column_count(); ++column) {
    lines += (column == 0 ? "" : ",") + table.columns()[column].name;
  }
  lines += '\n';
  for (uint32_t row = 0; row < table.row_count(); ++row) {
    const auto ordinals = table.ordinals(row);
    for (uint32_t column = 0; column < table.column_count(); ++column) {
      if (column > 0) {
        lines += ',';
      }
      lines += literal_text(table, column, ordinals[column]);
    }
    lines += '\n';
    if (lines.size() > 1u << 20) {
      file << lines;
      lines.clear();
    }
  }
  file << lines;
  file.close();
  CHECK(file.good());
}

std::string where_text(const TicketTable& table, const TicketQuery& query) {
  std::string text;
  for (const Between& between : query) {
    const ColumnSpec& column = table.columns()[between.column];
    const auto literal = [&](uint32_t ordinal) { return quoted_text(table, between.column, ordinal); };
    text += text.empty() ? "" : " AND ";
    text += between.is_equality()
                ? fmt::format("{} = {}", column.name, literal(between.low))
                : fmt::format("{0} >= {1} AND {0} <= {2}", column.name, literal(between.low), literal(between.high));
  }
  return text;
}

}  // namespace daedalus::engine::bench
