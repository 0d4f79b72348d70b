// What the simulated application asks and writes, in the words it asked in. The judge goes by these: whatever became of
// them on their way through bodies, normal forms and routes is what is being judged.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "daedalus/semantics/expression.hpp"

namespace daedalus::testing {

/// All columns of one row.
using Row = std::vector<semantics::Value>;

/// No value: every row.
using Filter = std::optional<semantics::Expression>;

struct Question {
  enum class Kind : uint8_t {
    kRows,     ///< All columns.
    kOrdered,  ///< All columns ORDER BY amount DESC, id LIMIT limit OFFSET offset.
    kGrouped,  ///< place, count(*), sum(amount), min(amount), max(id) GROUP BY place.
    kTooWide,  ///< The first of the wide columns, so often that a row could not be answered: to be refused.
  };

  Kind kind = Kind::kRows;
  Filter filter;
  uint64_t limit = 0;
  uint64_t offset = 0;
};

struct PlainInsert {
  std::vector<Row> rows;
};

/// column = value, or column = column + value.
struct PlainModify {
  uint32_t column = 0;
  bool is_sum = false;
  semantics::Value value;
  semantics::Expression filter;
};

struct PlainDelete {
  semantics::Expression filter;
};

using PlainPart = std::variant<PlainInsert, PlainModify, PlainDelete>;

}  // namespace daedalus::testing
