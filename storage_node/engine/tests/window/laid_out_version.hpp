// One version of a row of a table, laid out in a recent chunk.
#pragma once

#include <array>

#include "recent_columns.hpp"
#include "window.hpp"

namespace daedalus::engine::test {

class LaidOutVersion {
 public:
  /// Both outlive this object. The last columns are laid out when the row is taken, the others before.
  LaidOutVersion(const TableLayout& layout, ChunkStore& store)
      : columns_(layout, store), chunk_(store.chunk_count()), chunk_rows_(store.chunk_rows()) {
    ColumnsRead read;
    const auto count = static_cast<uint32_t>(layout.columns.size());
    for (uint32_t column = 0; column < count; ++column) {
      (column < count / 2 ? read.of_all : read.of_taken).push_back(column);
    }
    columns_.read(std::move(read));
    store.make_recent(chunk_);
  }

  /// False: no row was there.
  [[nodiscard]] bool lay_out(Window& window, uint32_t slot, Timestamp at) {
    columns_.begin(chunk_);
    if (!window.find_version(slot, at, columns_.old_values()).is_there) {
      return false;
    }
    columns_.add(kRow, slot);
    columns_.lay_out();
    return columns_.lay_out_taken(std::array{kRow});
  }
  /// Returns the slot of the recent chunk that it is in.
  [[nodiscard]] uint32_t slot() const { return chunk_ * chunk_rows_ + kRow; }

 private:
  static constexpr uint32_t kRow = 5;

  RecentColumns columns_;
  uint32_t chunk_;
  uint32_t chunk_rows_;
};

}  // namespace daedalus::engine::test
