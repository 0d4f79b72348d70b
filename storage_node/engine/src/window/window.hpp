// The window of a segment: what its last updates overwrote, so that it can answer as of a moment that is past.
//
// Rows are changed where they lie. Before an update changes a row, the window records what was there: old values of the
// columns that change, that a row was there or that none was, and the whole row that was deleted from a slot which is
// taken again. The version of a row at a moment is the row as it is now with all records above that moment undone, the
// newest first (Neumann, Mühlbauer, Kemper: Fast Serializable Multi-Version Concurrency Control for Main-Memory
// Database Systems, SIGMOD 2015, section 2).
//
// Decides what is recorded, what is dropped, and which moments can be answered: all from oldest() on. What is at or
// below it is neither recorded nor kept. When records take more than they may, the oldest go and oldest() rises: the
// sweep never waits for room. Slots are handed out without a look at the window. Refuses to know operations and
// queries. All of it belongs to the thread that sweeps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunk_log.hpp"
#include "chunk_store.hpp"
#include "old_values.hpp"
#include "record_index.hpp"
#include "slab_pool.hpp"

namespace daedalus::engine {

/// A slot holds this from one moment on.
struct RowVersion {
  bool is_there = false;  ///< It holds a row.
  Timestamp end{};        ///< The lowest moment at which that may be another; the highest there is where it is still.
};

class Window {
 public:
  /// layout and store outlive this object. bytes_max: what records may take; 0: nothing is recorded, and no moment of
  /// the past can be answered.
  Window(const TableLayout& layout, const ChunkStore& store, uint64_t bytes_max);

  /// The lowest moment that can be answered. The highest there is where nothing is recorded.
  [[nodiscard]] Timestamp oldest() const { return oldest_; }

  /// Nobody will ask for a moment below `keep_from`: oldest() is at least that from now on. A slab goes once nothing in
  /// it is above. Cost: a look at each chunk, where anything is recorded.
  void trim(Timestamp keep_from);

  /// Counts the bytes that records take.
  [[nodiscard]] uint64_t bytes() const { return pool_.taken_bytes(); }

  // Queries ask these, once the sweep of the updates of a cycle has passed the chunk. Precondition of all: the moment
  // is not below oldest().

  /// Returns whether a row of the chunk may have changed after that moment. Cost: one comparison.
  [[nodiscard]] bool has_recent(uint32_t chunk, Timestamp after) const { return logs_[chunk].last() > after; }

  /// Sets the bits of the rows that changed after that moment; `rows` has a word for each 64 rows of the chunk. A row
  /// that an update left as it was may be among them. Cost: a few ns for each record above the moment.
  void mark_recent(uint32_t chunk, Timestamp after, std::span<uint64_t> rows) const;

  /// Finds the version of a slot at a moment: appends what it had in columns that changed since, the newest values
  /// first, which stay where they are until an update or trim() comes. Where no row was there, nothing is appended.
  /// Cost: of each record above the moment; for another chunk than that of the last call, or for a lower moment, a pass
  /// over the chunk's records above the moment comes first, so ask chunk by chunk, the lowest moment first.
  [[nodiscard]] RowVersion find_version(uint32_t slot, Timestamp at, std::vector<OldValues>& old_values);

  /// Returns whether anything is recorded of an update.
  [[nodiscard]] bool records(Timestamp timestamp) const { return timestamp > oldest_; }

  // Updates say these, each before it changes the chunk, in the order in which they change each row.

  /// A row is about to be put into an empty slot.
  void on_insert(uint32_t chunk, uint32_t row, Timestamp timestamp);
  /// These columns of a row are about to change.
  void on_modify(uint32_t chunk, uint32_t row, Timestamp timestamp, std::span<const uint32_t> columns);
  /// A row is about to be deleted. What is in its slot stays there until the slot is taken again.
  void on_delete(uint32_t chunk, uint32_t row, Timestamp timestamp);
  /// All rows of a bitmap are about to be changed together by one update.
  void on_modify_all(uint32_t chunk, std::span<const uint64_t> rows, Timestamp timestamp,
                     std::span<const uint32_t> columns);
  void on_delete_all(uint32_t chunk, std::span<const uint64_t> rows, Timestamp timestamp);

 private:
  static constexpr uint32_t kNoChunk = UINT32_MAX;

  /// The slab for the next record of a chunk, with so many bytes of room. Null: it need not be recorded, or had no
  /// room.
  [[nodiscard]] Slab* slab_for(uint32_t chunk, Timestamp timestamp, size_t record_bytes);
  [[nodiscard]] Slab* add_slab(ChunkLog& log, Timestamp timestamp);
  void drop_oldest(Timestamp timestamp);
  void drop(uint32_t chunk);
  void find_gone_rows(uint32_t chunk);
  /// Makes the index of a chunk's records above a moment, or has it already.
  void index_above(uint32_t chunk, Timestamp at);
  void keep_values(uint32_t chunk, uint32_t row, Timestamp timestamp, std::span<const uint32_t> columns);
  void keep_values_of_rows(uint32_t chunk, std::span<const uint64_t> rows, Timestamp timestamp, uint32_t column);
  [[nodiscard]] uint64_t* gone_rows(uint32_t chunk) {
    return gone_rows_.data() + size_t{chunk} * bitmap_words(store_->chunk_rows());
  }

  const TableLayout* layout_;
  const ChunkStore* store_;
  Timestamp oldest_;
  SlabPool pool_;
  std::vector<ChunkLog> logs_;
  std::vector<uint32_t> all_columns_;
  /// By slot: a delete that may still be recorded was the last that happened to it, so its row may still be wanted.
  std::vector<uint64_t> gone_rows_;
  RecordIndex index_;
  uint32_t indexed_chunk_ = kNoChunk;  ///< Whose records the index has,
  Timestamp indexed_above_{};          ///< from this moment on.
};

}  // namespace daedalus::engine
