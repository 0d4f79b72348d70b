// The rows of a cursor's answer, as far as they have come, and where the cursor stands among them.
//
// Decides what is kept: what lies ahead of the cursor, its own row, and, where it may go back, a bounded part of what
// it has passed. Refuses to know the protocol, and who makes the rows wait before too many lie ahead.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

class CursorRows {
 public:
  /// Takes packed rows, and how many they are.
  using Put = std::function<void(std::string rows, uint32_t count)>;

  /// Keeps at least so many bytes of the rows that it has passed, where there are so many; 0: none.
  explicit CursorRows(uint64_t passed_bytes_kept) : passed_bytes_kept_(passed_bytes_kept) {}

  void append(std::string rows, uint32_t count);
  /// All rows have come.
  void end() { has_ended_ = true; }
  /// Forgets all of them; stands on the last that had come.
  void clear();

  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// How many have come.
  [[nodiscard]] uint64_t count() const { return count_; }
  /// The row it stands on, from 1. 0: before the first; count() + 1: behind the last, of which there are no more.
  [[nodiscard]] uint64_t position() const { return position_; }
  [[nodiscard]] bool is_on_row() const { return position_ >= 1 && position_ <= count_; }
  /// The first row that is still there; count() + 1: none is.
  [[nodiscard]] uint64_t first_kept() const { return chunks_.empty() ? count_ + 1 : chunks_.front().first; }
  /// The bytes that all of them take.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

  /// Precondition: at most count(), or count() + 1 where has_ended(); first_kept() or above, or 0 where row 1 is kept
  /// or there is none.
  void move_to(uint64_t position);
  /// Hands over rows `low` to `high`, up or downwards. Precondition: first_kept() <= low, high <= count(). Errors:
  /// 08P01 they are no rows.
  [[nodiscard]] Result<void> put_up(uint64_t low, uint64_t high, const Put& put);
  [[nodiscard]] Result<void> put_down(uint64_t high, uint64_t low, const Put& put);

 private:
  struct Chunk {
    uint64_t first = 0;  ///< The number of its first row.
    uint32_t count = 0;
    std::string rows;
    std::vector<uint32_t> ends;  ///< Each row's end in bytes, as far as somebody has looked.

    [[nodiscard]] uint64_t last() const { return first + count - 1; }
    [[nodiscard]] uint32_t begin_of(uint64_t row) const { return row == first ? 0 : ends[row - first - 1]; }
    [[nodiscard]] uint32_t end_of(uint64_t row) const { return ends[row - first]; }
    [[nodiscard]] uint64_t bytes() const;
    [[nodiscard]] Result<void> look_at_all();
  };
  [[nodiscard]] std::deque<Chunk>::iterator chunk_of(uint64_t row);
  /// Forgets what has been passed and is not to be kept.
  void trim();

  uint64_t passed_bytes_kept_;
  std::deque<Chunk> chunks_;
  uint64_t bytes_ = 0;
  uint64_t count_ = 0;
  uint64_t position_ = 0;
  bool has_ended_ = false;
};

}  // namespace daedalus::postgres
