// A table with a column of every type, and random values, predicates and operations on it.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::engine::test {

using semantics::Value;
using Row = std::vector<Value>;

/// Every random test takes its choices from here: a seed or, under a fuzzer, bytes; once those are used up, zeros.
class Random {
 public:
  using result_type = uint64_t;

  explicit Random(uint64_t seed) : generator_(seed) {}
  explicit Random(std::string_view bytes) : bytes_(bytes), is_fed_(true) {}

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()();

  /// Fed with bytes, and none are left.
  [[nodiscard]] bool is_exhausted() const { return is_fed_ && bytes_.empty(); }

 private:
  std::mt19937_64 generator_;
  std::string_view bytes_;
  bool is_fed_ = false;
};

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
  kText,
  kFlag,
  kCode,
  kName,
  kClock,
  kTag
};

/// All have the columns of TestColumn; what follows them makes rows so wide that chunks are small.
enum class TestTable : uint8_t {
  kUsual,
  kLongStrings,  ///< Some more, of the longest strings there are.
  kManyColumns,  ///< Hundreds more, of all types.
};

/// id and key are NOT NULL; all others nullable. Strings are shorter than eight bytes, as long, and longer.
[[nodiscard]] const semantics::Schema& test_schema();
[[nodiscard]] semantics::RowCodec test_codec();

/// As long as there is one, test_schema() and test_codec() are of its table; before and after, of the usual one. One at
/// a time, or one within the other; in one thread.
class TestTableScope {
 public:
  explicit TestTableScope(TestTable table);
  ~TestTableScope();
  TestTableScope(const TestTableScope&) = delete;
  TestTableScope& operator=(const TestTableScope&) = delete;

 private:
  TestTable before_;
};

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
/// Rows with ids and keys from 0 up to count, 0 in kInt, and NULL everywhere else.
[[nodiscard]] std::vector<Row> rows_of(int64_t count);

/// One literal `column op value`.
[[nodiscard]] semantics::Literal compare_literal(uint32_t column, semantics::Operator op, Value value);
/// A predicate of one such literal.
[[nodiscard]] semantics::Predicate where(uint32_t column, semantics::Operator op, Value value);
/// SELECT columns WHERE predicate.
[[nodiscard]] semantics::SelectItem aggregate_of(semantics::AggregateFunction function, uint32_t column);
/// bind_items() of the test table.
[[nodiscard]] semantics::Selection selection_of(std::vector<semantics::SelectItem> items,
                                                const std::vector<uint32_t>& group_by = {},
                                                semantics::Predicate predicate = {});
[[nodiscard]] semantics::Selection select(const std::vector<uint32_t>& columns, semantics::Predicate predicate = {});

[[nodiscard]] semantics::Decimal decimal(int64_t unscaled, int32_t scale);

/// An insert part of rows.
[[nodiscard]] InsertRows insert_rows(const semantics::Schema& schema, const std::vector<Row>& rows);
[[nodiscard]] std::shared_ptr<const semantics::ModifyPart> modify(std::vector<semantics::Assignment> assignments,
                                                                  semantics::Predicate predicate);
[[nodiscard]] std::shared_ptr<const semantics::DeletePart> remove(semantics::Predicate predicate);

/// Decodes concatenated packed rows. Precondition: they are well-formed.
[[nodiscard]] std::vector<Row> decode(const std::vector<semantics::Type>& types, std::string_view rows);

}  // namespace daedalus::engine::test
