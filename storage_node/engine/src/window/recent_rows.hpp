// The rows of the recent chunk that is being swept: which of them a query sees, by the moment that it is answered at,
// and in which slots of the table they belong.
//
// Decides nothing: a bitmap a moment. Refuses to know what the rows hold: whoever asks which rows it sees takes them,
// and RecentColumns lays them out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recent_columns.hpp"

namespace daedalus::engine {

/// Slots from the first one up to `end`, which does not belong to them.
struct SlotRange {
  uint64_t first = 0;
  uint64_t end = UINT64_MAX;
};

/// Moments of a cycle by their numbers, from the first one up to `end`.
struct MomentRange {
  uint32_t first = 0;
  uint32_t end = 0;
};

class RecentRows {
 public:
  /// Both outlive this object.
  RecentRows(const TableLayout& layout, ChunkStore& store);

  /// Forgets all rows, which are in this recent chunk from now on. Queries see so many moments, and these rows of the
  /// chunk are not to be written.
  void begin(uint32_t chunk, uint32_t moment_count, std::span<const uint64_t> held);
  [[nodiscard]] bool is_full() const { return next_ == listed_.size() || columns_.is_full(); }
  /// Returns the row to be written next. Precondition: not is_full().
  [[nodiscard]] uint32_t next() const { return next_; }
  /// That row is added to columns(): it belongs in this slot, and these moments see it.
  void add(uint32_t slot, MomentRange moments);

  /// Lays out what is read of all rows that were added, and fills the chunk with them. Returns the values that they do
  /// not have in the table any more, until more is laid out.
  std::span<const OtherValue> lay_out();
  /// Returns the values of the rows.
  [[nodiscard]] RecentColumns& columns() { return columns_; }

  /// Returns the slot of the table in which a written row belongs. Slots ascend with the rows.
  [[nodiscard]] uint32_t slot_of(uint32_t row) const { return columns_.slot(row); }

  /// Returns those of ascending rows that a moment sees and that belong in these slots, until the next call. All that
  /// is read of them is laid out.
  [[nodiscard]] std::span<const uint32_t> seen(uint32_t moment, SlotRange slots, std::span<const uint32_t> rows);
  /// Does the same with the rows of a bitmap, which has so many words.
  [[nodiscard]] const uint64_t* seen(uint32_t moment, SlotRange slots, const uint64_t* rows, uint32_t word_count);

 private:
  [[nodiscard]] bool is_within(SlotRange slots, uint32_t row) const {
    return slots.first <= columns_.slot(row) && columns_.slot(row) < slots.end;
  }
  void find_next();
  void lay_out_taken(std::span<const uint32_t> rows);

  ChunkStore* store_;
  RecentColumns columns_;
  size_t words_;
  uint32_t chunk_ = 0;
  uint32_t next_ = 0;
  std::vector<uint64_t> held_;
  std::vector<uint64_t> written_;
  std::vector<uint64_t> seen_;  ///< By moment: the rows that it sees.
  std::vector<uint32_t> listed_;
  std::vector<uint64_t> marked_;
};

}  // namespace daedalus::engine
