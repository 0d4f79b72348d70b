// Which records of one chunk are about which of its rows.
//
// Decides in which order they are undone: the newest first. Made when somebody asks for versions of a chunk's rows, so
// that an update pays nothing for it, and made anew for the next chunk. Refuses to know what a record means.
#pragma once

#include <cstdint>
#include <vector>

#include "chunk_log.hpp"
#include "native.hpp"

namespace daedalus::engine {

class RecordIndex {
 public:
  explicit RecordIndex(uint32_t chunk_rows);

  /// Finds from now on all records of this log above `moment`, until the log changes. Cost: a pass over them.
  void make(const ChunkLog& log, Timestamp moment);

  /// Calls undo(record, its bytes) with each record above `moment` that may be about the row, the newest first: those
  /// of many rows whose bitmaps have its word. Precondition: `moment` is not below that of make().
  template <typename Undo>
  void for_each_above(Timestamp moment, uint32_t row, Undo&& undo) const {
    uint32_t of_row = newest_[row];
    uint32_t of_word = newest_[place_of_word(row / 64)];
    while ((of_row | of_word) != 0) {
      // Links are numbered in the order of the records.
      uint32_t& newer = of_row > of_word ? of_row : of_word;
      const Link& link = links_[newer - 1];
      // An older record of this row, or of many rows of the chunk, has no higher timestamp.
      if (link.record->timestamp <= moment) {
        return;
      }
      undo(*link.record, link.bytes);
      newer = link.before;
    }
  }

 private:
  struct Link {
    const Record* record = nullptr;
    const uint8_t* bytes = nullptr;
    uint32_t place = 0;   ///< In newest_.
    uint32_t before = 0;  ///< The one before it of the same place.
  };

  [[nodiscard]] uint32_t place_of_word(uint32_t word) const { return chunk_rows_ + word; }
  void clear();
  void add(const Record& record, const uint8_t* bytes);

  uint32_t chunk_rows_;
  std::vector<Link> links_;
  /// By row, then by the word of a bitmap: one more than the number of the newest link; 0: none.
  std::vector<uint32_t> newest_;
  std::vector<const Slab*> slabs_;
};

}  // namespace daedalus::engine
