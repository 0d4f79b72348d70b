// A table with a column of every type, and random values, predicates and operations on it.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::engine::test {

using semantics::Value;
using Row = std::vector<Value>;
using Random = std::mt19937_64;

/// Positions in the table of every type.
enum TestColumn : uint32_t {
  kId,
  kKey,
  kBool,
  kSmall,
  kInt,
  kBig,
  kReal,
  kDouble,
  kNumeric,
  kWide,
  kDay,
  kTime,
  kChar,
  kText
};

/// id and key are NOT NULL; all others nullable.
[[nodiscard]] const semantics::Schema& test_schema();
[[nodiscard]] semantics::RowCodec test_codec();

/// From DAEDALUS_SEED, else fresh; printed.
[[nodiscard]] uint64_t test_seed();
/// An unsigned number from the environment.
[[nodiscard]] uint64_t from_environment(const char* name, uint64_t fallback);

/// In [0, bound).
[[nodiscard]] uint64_t below(Random& random, uint64_t bound);
[[nodiscard]] bool one_in(Random& random, uint64_t chances);

/// A value from a small domain full of edges; never NULL.
[[nodiscard]] Value random_value(Random& random, uint32_t column);
[[nodiscard]] Row random_row(Random& random, int64_t id);
[[nodiscard]] semantics::Predicate random_predicate(Random& random);
[[nodiscard]] semantics::Selection random_selection(Random& random);
[[nodiscard]] std::vector<semantics::Assignment> random_assignments(Random& random);

/// One literal `column op value`.
[[nodiscard]] semantics::Literal compare_literal(uint32_t column, semantics::Operator op, Value value);
/// A predicate of one such literal.
[[nodiscard]] semantics::Predicate where(uint32_t column, semantics::Operator op, Value value);
/// SELECT columns WHERE predicate.
[[nodiscard]] semantics::Selection select(const std::vector<uint32_t>& columns, semantics::Predicate predicate = {});

[[nodiscard]] semantics::Decimal decimal(int64_t unscaled, int32_t scale);

/// An insert part of rows.
[[nodiscard]] InsertRows insert_rows(const semantics::Schema& schema, const std::vector<Row>& rows);
[[nodiscard]] std::shared_ptr<const semantics::ModifyPart> modify(std::vector<semantics::Assignment> assignments,
                                                                  semantics::Predicate predicate);
[[nodiscard]] std::shared_ptr<const semantics::DeletePart> remove(semantics::Predicate predicate);

/// Decodes concatenated packed rows; fails the test when they are malformed.
[[nodiscard]] std::vector<Row> decode(const std::vector<semantics::Type>& types, std::string_view rows);

}  // namespace daedalus::engine::test
