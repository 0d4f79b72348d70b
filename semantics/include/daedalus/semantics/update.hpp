// What an update does to rows it finds, checked against schema and map.
#pragma once

#include <cstdint>
#include <vector>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::semantics {

/// What one assignment does to one column: set it, or add to it.
struct Assignment {
  enum class Kind : uint8_t { kSet, kAdd };

  uint32_t column = 0;
  Kind kind = Kind::kSet;
  Value value;  ///< In the column's domain; NULL allowed for kSet. kAdd: a subtraction is negated already; for date
                ///< columns days, for numeric ones the column's scale; for real a double that is not rounded to float:
                ///< add in double precision, then round. Never for bool, timestamp, strings.
};

struct ModifyPart {
  std::vector<Assignment> assignments;  ///< Distinct columns.
  Predicate predicate;
};

struct DeletePart {
  Predicate predicate;
};

}  // namespace daedalus::semantics
