#include "test_table.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/uuid.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::BigInt;
using semantics::Literal;
using semantics::Operator;
using semantics::TypeKind;

template <typename T>
T pick(Random& random, const std::vector<T>& values) {
  return values[below(random, values.size())];
}

BigInt power_of_ten(uint32_t exponent) {
  BigInt power = 1;
  for (uint32_t digit = 0; digit < exponent; ++digit) {
    power *= 10;
  }
  return power;
}

Value random_string(Random& random, const semantics::Type& type) {
  static const std::vector<std::string> kAtoms = {"", "a", "ab", "b", " ", "\x7f", "\xc3\xa9", "zz"};
  std::string text;
  while (!one_in(random, 3)) {
    text += pick(random, kAtoms);
  }
  if (one_in(random, 16)) {
    text.assign(type.length, 'x');
  }
  while (text.size() > type.length) {
    text.pop_back();
  }
  while (!text.empty() &&
         (static_cast<uint8_t>(text.back()) == 0xc3 || (type.kind == TypeKind::kChar && text.back() == ' '))) {
    text.pop_back();
  }
  return text;
}

double random_floating(Random& random) {
  static const std::vector<double> kValues = {0.0,
                                              -0.0,
                                              0.5,
                                              -1.25,
                                              1.0,
                                              3.0,
                                              1e6,
                                              std::numeric_limits<double>::infinity(),
                                              -std::numeric_limits<double>::infinity(),
                                              std::numeric_limits<double>::quiet_NaN()};
  return pick(random, kValues);
}

int64_t edge(Random& random, int64_t low, int64_t high) {
  switch (below(random, 12)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return high - 1;
    default:
      return static_cast<int64_t>(below(random, 7)) - 3;
  }
}

semantics::Schema usual_table() {
  return {.table_name = "t",
          .fingerprint = std::string(64, '0'),
          .columns = {{"id", {.kind = TypeKind::kBigint}, false, {}},
                      {"key", {.kind = TypeKind::kInt}, false, {}},
                      {"bool", {.kind = TypeKind::kBool}, true, {}},
                      {"small", {.kind = TypeKind::kSmallint}, true, {}},
                      {"int", {.kind = TypeKind::kInt}, true, {}},
                      {"big", {.kind = TypeKind::kBigint}, true, {}},
                      {"real", {.kind = TypeKind::kReal}, true, {}},
                      {"double", {.kind = TypeKind::kDouble}, true, {}},
                      {"numeric", {.kind = TypeKind::kNumeric, .precision = 9, .scale = 2}, true, {}},
                      {"wide", {.kind = TypeKind::kNumeric, .precision = 38, .scale = 4}, true, {}},
                      {"day", {.kind = TypeKind::kDate}, true, {}},
                      {"time", {.kind = TypeKind::kTimestamp}, true, {}},
                      {"char", {.kind = TypeKind::kChar, .length = 5}, true, {}},
                      {"text", {.kind = TypeKind::kVarchar, .length = 12}, true, {}},
                      {"flag", {.kind = TypeKind::kChar, .length = 1}, true, {}},
                      {"code", {.kind = TypeKind::kChar, .length = 8}, true, {}},
                      {"name", {.kind = TypeKind::kVarchar, .length = 21}, true, {}},
                      {"moment", {.kind = TypeKind::kTimestampTz}, true, {}},
                      {"clock", {.kind = TypeKind::kTime}, true, {}},
                      {"tag", {.kind = TypeKind::kUuid}, true, {}}},
          .primary_key = {kId}};
}

semantics::Schema with_long_strings() {
  semantics::Schema schema = usual_table();
  for (const TypeKind kind : {TypeKind::kVarchar, TypeKind::kChar, TypeKind::kVarchar, TypeKind::kVarchar}) {
    schema.columns.push_back({"long_" + std::to_string(schema.columns.size()),
                              {.kind = kind, .length = semantics::kStringLengthMax},
                              true,
                              {}});
  }
  return schema;
}

semantics::Schema with_many_columns() {
  constexpr size_t kColumns = 400;
  semantics::Schema schema = usual_table();
  const size_t usual = schema.columns.size();
  while (schema.columns.size() < kColumns) {
    const size_t like = kBool + schema.columns.size() % (usual - kBool);
    schema.columns.push_back({"more_" + std::to_string(schema.columns.size()),
                              schema.columns[like].type,
                              schema.columns.size() % 4 != 0,
                              {}});
  }
  return schema;
}

struct Described {
  explicit Described(semantics::Schema of_table) : schema(std::move(of_table)), codec(schema) {}

  const semantics::Schema schema;
  const semantics::GenericRowCodec codec;
};

const Described& described(TestTable table) {
  static const Described kUsual(usual_table());
  static const Described kLongStrings(with_long_strings());
  static const Described kManyColumns(with_many_columns());
  switch (table) {
    case TestTable::kLongStrings:
      return kLongStrings;
    case TestTable::kManyColumns:
      return kManyColumns;
    case TestTable::kUsual:
      break;
  }
  return kUsual;
}

TestTable current_table = TestTable::kUsual;

}  // namespace

const semantics::Schema& test_schema() { return described(current_table).schema; }

semantics::RowCodec test_codec() { return described(current_table).codec.codec(); }

TestTableScope::TestTableScope(TestTable table) : before_(std::exchange(current_table, table)) {}

TestTableScope::~TestTableScope() { current_table = before_; }

uint64_t from_environment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

uint64_t test_seed() {
  const uint64_t seed = from_environment("DAEDALUS_SEED", std::random_device{}());
  std::cout << "DAEDALUS_SEED=" << seed << std::endl;
  return seed;
}

uint64_t Random::operator()() {
  if (!is_fed_) {
    return generator_();
  }
  uint64_t value = 0;
  for (uint32_t byte = 0; byte < 2 && !bytes_.empty(); ++byte) {
    value = value << 8 | static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
  }
  return value;
}

uint64_t below(Random& random, uint64_t bound) { return random() % bound; }
bool one_in(Random& random, uint64_t chances) { return below(random, chances) == 0; }

Value random_value(Random& random, uint32_t column) {
  const semantics::Type& type = test_schema().columns[column].type;
  if (column == kId) {
    return static_cast<int64_t>(below(random, 64));
  }
  if (column == kKey) {
    return static_cast<int64_t>(below(random, 48));
  }
  switch (type.kind) {
    case TypeKind::kBool:
      return one_in(random, 2);
    case TypeKind::kSmallint:
      return edge(random, INT16_MIN, INT16_MAX);
    case TypeKind::kInt:
      return edge(random, INT32_MIN, INT32_MAX);
    case TypeKind::kBigint:
      return edge(random, INT64_MIN, INT64_MAX);
    case TypeKind::kDate:
      return one_in(random, 20) ? semantics::infinity_of(type.kind, one_in(random, 2))
                                : edge(random, semantics::kDateDaysMin, semantics::kDateDaysMax);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return one_in(random, 20) ? semantics::infinity_of(type.kind, one_in(random, 2))
                                : edge(random, semantics::kTimestampMicrosMin, semantics::kTimestampMicrosMax);
    case TypeKind::kUuid:
      return semantics::uuid_bytes(__int128{edge(random, INT64_MIN, INT64_MAX)} << (one_in(random, 2) ? 64 : 0));
    case TypeKind::kTime:
      return std::abs(edge(random, 0, semantics::kTimeMicrosMax));
    case TypeKind::kReal:
      return one_in(random, 10) ? static_cast<double>(FLT_MAX) : random_floating(random);
    case TypeKind::kDouble:
      return random_floating(random);
    case TypeKind::kNumeric: {
      BigInt unscaled = static_cast<int64_t>(below(random, 7)) - 3;
      if (one_in(random, 6)) {
        unscaled = power_of_ten(type.precision) - 1;
        unscaled *= one_in(random, 2) ? 1 : -1;
      }
      return semantics::Decimal{unscaled, static_cast<int32_t>(type.scale)};
    }
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
      return random_string(random, type);
  }
  return {};
}

Row random_row(Random& random, int64_t id) {
  Row row;
  for (uint32_t column = 0; column < test_schema().columns.size(); ++column) {
    const bool null = test_schema().columns[column].nullable && one_in(random, 4);
    row.push_back(null ? Value{} : random_value(random, column));
  }
  row[kId] = id;
  return row;
}

std::vector<Row> rows_of(int64_t count) {
  std::vector<Row> rows;
  for (int64_t id = 0; id < count; ++id) {
    Row row(test_schema().columns.size());
    row[kId] = id;
    row[kKey] = id;
    row[kInt] = int64_t{0};
    rows.push_back(std::move(row));
  }
  return rows;
}

semantics::Literal compare_literal(uint32_t column, Operator op, Value value) {
  return {.column = column, .kind = Literal::Kind::kCompare, .op = op, .values = {std::move(value)}};
}

semantics::Predicate where(uint32_t column, Operator op, Value value) {
  return {{{compare_literal(column, op, std::move(value))}}};
}

semantics::SelectItem aggregate_of(semantics::AggregateFunction function, uint32_t column) {
  return {.name = "a", .function = function, .column = column};
}

semantics::Selection selection_of(std::vector<semantics::SelectItem> items, const std::vector<uint32_t>& group_by,
                                  semantics::Predicate predicate) {
  semantics::Selection selection = *semantics::bind_items(test_schema(), std::move(items), group_by);
  selection.predicate = std::move(predicate);
  return selection;
}

semantics::Selection select(const std::vector<uint32_t>& columns, semantics::Predicate predicate) {
  std::vector<semantics::SelectItem> items;
  for (const uint32_t column : columns) {
    items.push_back({.name = test_schema().columns[column].name, .column = column});
  }
  return selection_of(std::move(items), {}, std::move(predicate));
}

semantics::Decimal decimal(int64_t unscaled, int32_t scale) { return {BigInt{unscaled}, scale}; }

InsertRows insert_rows(const semantics::Schema& schema, const std::vector<Row>& rows) {
  const std::vector<semantics::Type> types = semantics::column_types(schema);
  auto bytes = std::make_shared<std::string>();
  for (const Row& row : rows) {
    semantics::append_packed_row(types, row, *bytes);
  }
  InsertRows part{.owner = bytes};
  semantics::PackedRows packed(*bytes);
  for (size_t row = 0; row < rows.size(); ++row) {
    const std::string_view view = *packed.next().value();
    CHECK(semantics::check_packed_row(schema, view));
    part.rows.push_back(view);
  }
  return part;
}

std::shared_ptr<const semantics::ModifyPart> modify(std::vector<semantics::Assignment> assignments,
                                                    semantics::Predicate predicate) {
  return std::make_shared<semantics::ModifyPart>(semantics::ModifyPart{std::move(assignments), std::move(predicate)});
}

std::shared_ptr<const semantics::DeletePart> remove(semantics::Predicate predicate) {
  return std::make_shared<semantics::DeletePart>(semantics::DeletePart{std::move(predicate)});
}

std::vector<Row> decode(const std::vector<semantics::Type>& types, std::string_view rows) {
  std::vector<Row> decoded;
  semantics::PackedRows packed(rows);
  while (true) {
    Result<std::optional<std::string_view>> next = packed.next();
    CHECK(next);
    if (!next->has_value()) {
      return decoded;
    }
    Result<Row> row = semantics::read_packed_row(types, **next);
    CHECK(row);
    decoded.push_back(std::move(*row));
  }
}

}  // namespace daedalus::engine::test
