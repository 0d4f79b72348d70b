// A session writes its output in order: messages, and rows that become messages when their turn to leave has come.
//
// Decides how much leaves at once. Rows wait in their packed form, so that a large answer is encoded a piece at a time,
// as fast as its client reads, and never all in one turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daedalus/base/fifo.hpp"
#include "daedalus/base/result.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

class Output {
 public:
  /// The next message is to be appended there.
  [[nodiscard]] std::string& text() { return tail_; }
  /// Rows behind everything so far.
  [[nodiscard]] Result<void> add_rows(std::shared_ptr<const RowEncoder> encoder, std::string rows);

  [[nodiscard]] bool has_any() const { return !pieces_.empty() || !tail_.empty(); }
  /// The next piece; of rows, some kPieceSize. Errors: 08P01 rows that are none; what followed them is gone.
  [[nodiscard]] Result<std::string> take();
  void on_written(size_t size) { taken_bytes_ -= size; }
  /// Bytes that have not left, those that were taken included.
  [[nodiscard]] uint64_t waiting() const { return piece_bytes_ + tail_.size() + taken_bytes_; }
  [[nodiscard]] uint64_t taken() const { return taken_bytes_; }
  /// Forgets what has not been taken.
  void clear();

  static constexpr size_t kPieceSize = 64u << 10;

 private:
  struct Piece {
    std::shared_ptr<const RowEncoder> encoder;  ///< Null: messages.
    std::string bytes;
    size_t begin = 0;  ///< Everything before it has been taken.
  };
  void close_tail();

  Fifo<Piece> pieces_;
  uint64_t piece_bytes_ = 0;
  std::string tail_;  ///< Behind all pieces.
  uint64_t taken_bytes_ = 0;
};

}  // namespace daedalus::postgres
