// Values for columns and for what is compared with them.
#pragma once

#include "test_table.hpp"

namespace daedalus::engine::test {

/// A value out of about `spread` that lie close together; strings share their first bytes, often all eight of a code.
[[nodiscard]] Value spread_value(Random& random, uint32_t column, uint32_t spread);

/// `number` as a value of the column's type: 3, 3.0, 3.00, the third day, '3'. Small numbers only.
[[nodiscard]] Value number_value(uint32_t column, int64_t number);

/// A value right beside one of the column's; the same where its type ends.
[[nodiscard]] Value neighbour(Random& random, uint32_t column, const Value& value);

/// A constant that no value of the column's plane reaches, above or below all of them; any value where there is none.
[[nodiscard]] Value beyond_value(Random& random, uint32_t column);

/// As constants come: no −0.0.
[[nodiscard]] Value as_constant(Value value);

}  // namespace daedalus::engine::test
