// The query and update mixes that engines are measured with, in a form that every engine can be asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "ticket_table.hpp"

namespace daedalus::engine::bench {

/// column between the values of two ordinals, both included.
struct Between {
  uint32_t column = 0;
  uint32_t low = 0;
  uint32_t high = 0;

  [[nodiscard]] bool is_equality() const { return low == high; }
};

/// A conjunction. All queries fetch fetched_columns().
using TicketQuery = std::vector<Between>;

enum class Mix : uint8_t { kBooking, kAny, kHard };

/// 27 of the 47 columns, the id first.
[[nodiscard]] const std::vector<uint32_t>& fetched_columns();

/// Queries whose constants surround a row that exists. zipf: skew of the choice of attributes, for kAny and kHard.
[[nodiscard]] std::vector<TicketQuery> make_queries(const TicketTable& table, Mix mix, double zipf, uint32_t count,
                                                    Random& random);

[[nodiscard]] std::shared_ptr<const semantics::Selection> to_selection(const TicketTable& table,
                                                                       const TicketQuery& query);

/// Sets the seat of the rows with the booking reference and arrival time of some row.
[[nodiscard]] UpdatePart make_update(const TicketTable& table, Random& random);

}  // namespace daedalus::engine::bench
