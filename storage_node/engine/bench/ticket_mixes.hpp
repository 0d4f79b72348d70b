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

/// The query's equality on a column; null when it has none.
[[nodiscard]] const Between* equality_on(const TicketQuery& query, uint32_t column);

enum class Mix : uint8_t { kBooking, kAny, kHard };

struct MixSpec {
  Mix mix = Mix::kBooking;
  double zipf = 0;  ///< Skew of the choice of attributes, for kAny and kHard.
};

/// A range that holds `ordinal` and about `percent` of the column's values.
[[nodiscard]] Between around(const TicketTable& table, uint32_t column, uint32_t ordinal, uint32_t percent,
                             Random& random);

/// Returns whether it is the name of a mix.
[[nodiscard]] bool is_mix(const std::string& name);

/// "booking", "any-S", "hard-S" with the skew S; anything else is CHECKed.
[[nodiscard]] MixSpec parse_mix(const std::string& name);

/// Sets the seat of the rows with this booking reference and arrival time. All are ordinals.
struct TicketUpdate {
  uint32_t rloc = 0;
  uint32_t arrival = 0;
  uint32_t seat = 0;
};

/// 27 of the 47 columns, the id first.
[[nodiscard]] const std::vector<uint32_t>& fetched_columns();

/// Queries whose constants surround a row that exists.
[[nodiscard]] std::vector<TicketQuery> make_queries(const TicketTable& table, MixSpec mix, uint32_t count,
                                                    Random& random);

[[nodiscard]] std::shared_ptr<const semantics::Selection> to_selection(const TicketTable& table,
                                                                       const TicketQuery& query);

/// Updates of rows that exist, at least by what they held at first.
[[nodiscard]] std::vector<TicketUpdate> make_updates(const TicketTable& table, uint32_t count, Random& random);

[[nodiscard]] UpdatePart to_part(const TicketTable& table, const TicketUpdate& update);
/// One update that gives all tickets of a third of the days the same seat.
[[nodiscard]] UpdatePart third_part(const TicketTable& table, Random& random);

}  // namespace daedalus::engine::bench
