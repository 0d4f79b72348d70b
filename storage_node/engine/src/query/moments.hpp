// The moments at which the queries of one cycle are answered, and rows as they were at these.
//
// A query is answered from the prefix that the cycle brings the segment into, or at a moment before it. Rows that
// changed after the earliest of these moments are *recent*: they are hidden from all queries where they lie, and laid
// out in recent chunks of the store, in each version that some moment sees, once for all moments that see the same one.
// So the chunks of the table look alike to all queries, whatever their moments, and only of the rows of a recent chunk
// is it asked who sees them.
//
// Decides which rows are recent and in how many recent chunks they come. Refuses to know how queries find rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunk_store.hpp"
#include "query_run.hpp"
#include "recent_rows.hpp"
#include "sketches.hpp"
#include "window.hpp"

namespace daedalus::engine {

class Moments {
 public:
  /// All outlive this object.
  Moments(const TableLayout& layout, ChunkStore& store, Sketches& sketches, Window& window);

  /// A query that is to be answered at this moment rides the next cycle.
  void admit(Timestamp at) { moments_.push_back(at); }

  /// For one cycle, which brings the segment into `prefix`: tells every query which moment it sees. They stay where
  /// they are until the sweep has ended. Cost: nothing where none names a moment.
  void begin(std::vector<QueryRun>& queries, Timestamp prefix);

  /// Ends queries whose moment is not to be had (72000), which updates of the cycle may bring about, too: they want the
  /// room. To be called after a chunk was updated and before queries look at it.
  void drop_lost();

  /// Some query sees a moment before the prefix.
  [[nodiscard]] bool have_past() const { return have_past_; }

  void end() { moments_.clear(); }

  /// Returns the chunk without its recent rows, until the next call. Cost: of a chunk without any, a comparison.
  [[nodiscard]] ChunkView visible(uint32_t chunk);
  /// Counts the rows that it lacks.
  [[nodiscard]] uint32_t hidden_count() const { return hidden_count_; }

  /// Returns where to mark the rows of recent_chunk() that are needed to the end of the cycle. Nothing is marked yet.
  [[nodiscard]] std::span<uint64_t> begin_held();
  /// There are more recent rows, and every row of the last recent chunk is held.
  [[nodiscard]] bool lacks_room();
  /// Once all chunks were swept: lays out recent rows, as many as fit, in a recent chunk, beside those that are held.
  /// False: there are no more. Precondition: not lacks_room().
  [[nodiscard]] bool lay_out_next();
  /// Returns the chunk that was laid out,
  [[nodiscard]] uint32_t recent_chunk() const { return recent_chunk_; }
  /// and what is in it.
  [[nodiscard]] RecentRows& recent_rows() { return rows_; }

 private:
  [[nodiscard]] bool is_last_chunk() const { return recent_chunk_ + 1 == store_->chunk_count() + kRecentChunksMax; }
  [[nodiscard]] bool find_slot();
  void choose_chunk();
  void lay_out_slot();

  ChunkStore* store_;
  Sketches* sketches_;
  Window* window_;
  std::vector<QueryRun>* queries_ = nullptr;
  std::vector<Timestamp> moments_;  ///< Ascending, each once, when the sweep has begun.
  bool have_past_ = false;
  Timestamp prefix_{};
  Timestamp oldest_{};             ///< The oldest that the window had when it was looked at last.
  std::vector<uint64_t> visible_;  ///< Marks the rows of the chunk at hand that are live and not hidden.
  std::vector<uint32_t> chunks_;   ///< Holds the chunks that have hidden rows.
  std::vector<uint64_t> hidden_;   ///< Marks these rows, chunk by chunk; once all were swept, those yet to be laid out.
  uint32_t hidden_count_ = 0;

  size_t next_word_ = 0;      ///< Words of hidden_ before it mark nothing.
  uint32_t next_moment_ = 0;  ///< The first moment whose version of the first hidden row is missing.
  uint32_t recent_chunk_;
  std::vector<uint64_t> held_;  ///< Marks its rows that are held.
  RecentRows rows_;
};

}  // namespace daedalus::engine
