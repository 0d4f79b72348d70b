// A table of more columns than a row's sketches have places for: the columns on both sides of that end, asked together,
// against the plain table, on every access path.
#include <gtest/gtest.h>

#include "kernels_window.hpp"
#include "test_table.hpp"
#include "twin_segment.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Literal;
using semantics::Operator;
using semantics::TypeKind;

constexpr uint32_t kColumns = kRowSketchColumnsMax + 6;
constexpr uint32_t kWideRows = 128;  // A chunk.
constexpr uint64_t kValues = 12;     // So few that sketches decide alone where they are asked.

const semantics::Schema& wide_schema() {
  static const semantics::Schema kSchema = [] {
    semantics::Schema schema{
        .table_name = "wide", .fingerprint = std::string(64, '0'), .columns = {}, .primary_key = {}};
    for (uint32_t column = 0; column < kColumns; ++column) {
      schema.columns.push_back({"c" + std::to_string(column), {.kind = TypeKind::kInt}, column % 3 != 0, {}});
    }
    return schema;
  }();
  return kSchema;
}

semantics::RowCodec wide_codec() {
  static const semantics::GenericRowCodec kCodec(wide_schema());
  return kCodec.codec();
}

Value some_value(Random& random) { return static_cast<int64_t>(below(random, kValues)); }

/// Mostly one of the last with a place, or of those without.
uint32_t some_column(Random& random) {
  return one_in(random, 4) ? static_cast<uint32_t>(below(random, kColumns))
                           : kRowSketchColumnsMax - 4 + static_cast<uint32_t>(below(random, 10));
}

std::vector<Row> some_rows(Random& random) {
  std::vector<Row> rows(kWideRows);
  for (Row& row : rows) {
    for (uint32_t column = 0; column < kColumns; ++column) {
      row.push_back(wide_schema().columns[column].nullable && one_in(random, 8) ? Value{} : some_value(random));
    }
  }
  return rows;
}

Literal some_literal(Random& random) {
  const uint32_t column = some_column(random);
  switch (below(random, 8)) {
    case 0:
      return {.column = column, .kind = Literal::Kind::kIsNull};
    case 1:
      return {.column = column, .kind = Literal::Kind::kIn, .values = {some_value(random), some_value(random)}};
    case 2:
      return compare_literal(column, Operator::kLess, some_value(random));
    case 3:
      return compare_literal(column, Operator::kGreaterOrEqual, some_value(random));
    default:
      return compare_literal(column, Operator::kEqual, some_value(random));
  }
}

semantics::Predicate some_predicate(Random& random) {
  semantics::Predicate predicate;
  for (uint64_t clauses = below(random, 4); clauses > 0; --clauses) {
    predicate.clauses.push_back({some_literal(random)});
    if (one_in(random, 4)) {
      predicate.clauses.back().push_back(some_literal(random));
    }
  }
  return predicate;
}

/// Some columns, at times all.
semantics::Selection some_selection(Random& random) {
  semantics::Predicate predicate = some_predicate(random);
  std::vector<semantics::SelectItem> items;
  const bool takes_all = one_in(random, 3);
  for (uint64_t output = 0, count = takes_all ? kColumns : 1 + below(random, 3); output < count; ++output) {
    const uint32_t column = takes_all ? static_cast<uint32_t>(output) : some_column(random);
    items.push_back({.name = wide_schema().columns[column].name, .column = column});
  }
  semantics::Selection selection = *semantics::bind_items(wide_schema(), std::move(items));
  selection.predicate = std::move(predicate);
  return selection;
}

class WideTable : public testing::TestWithParam<AccessPaths> {};

TEST_P(WideTable, AnswersAsThePlainTableWhereverItsColumnsStand) {
  Random random(test_seed());
  TwinSegment twin(wide_schema(), wide_codec(),
                   {.memory_bytes = 1, .chunk_rows = kWideRows, .access_paths = GetParam()}, kWideRows);
  twin.update({insert_rows(wide_schema(), some_rows(random))});
  for (uint32_t round = 0; round < 40; ++round) {
    std::vector<semantics::Selection> selections;
    for (uint64_t queries = 1 + below(random, 40); queries > 0; --queries) {
      selections.push_back(some_selection(random));
    }
    twin.ask_together(selections);
    twin.ask_together(selections);  // Sketches are there from the second quiet cycle on.
    twin.update({modify({{some_column(random), {}, some_value(random)}}, some_predicate(random))});
  }
}

INSTANTIATE_TEST_SUITE_P(OnEveryPath, WideTable,
                         testing::Values(AccessPaths::kByCost, AccessPaths::kKeys, AccessPaths::kSketches,
                                         AccessPaths::kPasses));

}  // namespace
}  // namespace daedalus::engine::test
