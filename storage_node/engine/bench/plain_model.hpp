// The truth: a table of ordinals, filtered column by column, that engines' answers are compared with byte by byte.
//
// Knows nothing of encodings, keys and sweeps: a row matches when its ordinals lie in the query's ranges.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "measure.hpp"
#include "ticket_mixes.hpp"

namespace daedalus::engine::bench {

/// Holds what rows hold, whatever their order: the sum of their hashes.
struct Content {
  uint64_t rows = 0;
  uint64_t hash_sum = 0;

  friend bool operator==(const Content&, const Content&) = default;
};

/// Takes rows in the packed layout, each after its u32 size.
[[nodiscard]] Content content_of(std::string_view packed_rows);

class PlainModel {
 public:
  explicit PlainModel(const TicketTable& table);

  /// The numbers of the rows that an update changes.
  [[nodiscard]] std::vector<uint32_t> rows_of(const TicketUpdate& update) const;
  void set_seat(uint32_t row, uint32_t seat) { columns_[kSeat][row] = seat; }

  /// The numbers of the rows that match, ascending. Cost: one pass over one column, then over what is left.
  [[nodiscard]] std::vector<uint32_t> matching(const TicketQuery& query) const;

  /// The numbers of the rows whose ordinals in these columns are one of the members, ascending; no member has a NULL.
  /// Cost: one pass over the first column.
  [[nodiscard]] std::vector<uint32_t> holding(const std::vector<uint32_t>& columns,
                                              std::vector<std::vector<uint32_t>> members) const;

  [[nodiscard]] uint32_t ordinal(uint32_t row, uint32_t column) const { return columns_[column][row]; }

  /// Returns what these rows hold in these columns.
  [[nodiscard]] Content content(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& columns) const;

  /// Returns what each query must be answered. Cost: matching() each, on two threads.
  [[nodiscard]] std::vector<Content> contents(const std::vector<TicketQuery>& queries) const;

 private:
  const TicketTable* table_;
  std::vector<HugeArray<uint32_t>> columns_;
  std::vector<std::pair<uint64_t, uint32_t>> rows_by_booking_;  ///< Sorted: reference and arrival, row.
};

}  // namespace daedalus::engine::bench
