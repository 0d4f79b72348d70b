// Reading plain memory as fast as one core can: what every scan is measured against.
#pragma once

#include <cstdint>
#include <span>

#include "measure.hpp"
#include "ticket_table.hpp"

namespace daedalus::engine::bench {

/// The sum of all whole 8-byte words, with the widest vectors of this machine. Cost: one pass at memory bandwidth.
[[nodiscard]] uint64_t read_bytes(std::span<const uint8_t> bytes);

/// The two columns that the engine's key of a booking query touches, in their native widths: 2 and 4 bytes a row.
class KeyColumns {
 public:
  explicit KeyColumns(const TicketTable& table) : flights_(table.row_count()), days_(table.row_count()) {}

  [[nodiscard]] uint64_t read() const { return read_bytes(flights_.bytes()) + read_bytes(days_.bytes()); }

 private:
  HugeArray<int16_t> flights_;
  HugeArray<int32_t> days_;
};

}  // namespace daedalus::engine::bench
