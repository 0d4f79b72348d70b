// The plain twin of a window: a copy of the whole table after each update.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cycle_memory.hpp"
#include "test_table.hpp"
#include "update_sweep.hpp"

namespace daedalus::engine::test {

/// A row by column, each value as its bytes; nothing: NULL. None: no row is in the slot.
using Cells = std::vector<std::optional<std::string>>;
using SlotVersion = std::optional<Cells>;
/// By slot.
using TableVersion = std::vector<SlotVersion>;

[[nodiscard]] inline Cells cells_of(const TableLayout& layout, const ChunkView& chunk, uint32_t row) {
  Cells cells;
  for (uint32_t column = 0; column < layout.columns.size(); ++column) {
    if (test_bit(chunk.nulls[column], row)) {
      cells.emplace_back();
      continue;
    }
    std::string bytes(layout.columns[column].width, '\0');
    copy_value(layout.columns[column], value_at(layout.columns[column], chunk, column, row),
               reinterpret_cast<uint8_t*>(bytes.data()));
    cells.emplace_back(std::move(bytes));
  }
  return cells;
}

/// Everything that applies updates, without a segment around it.
struct SweptTable {
  SweptTable(const TableLayout& layout, ChunkShape shape, uint64_t window_bytes,
             AccessPaths paths = AccessPaths::kByCost)
      : store(layout, shape),
        sketches(layout, store, 1024),
        updates(layout, store, sketches, memory, paths, window_bytes) {}

  /// Applies as many of the updates, from `next` on, as come into one cycle with at most `count_max`. Returns what they
  /// did; `next` is then the first that did not.
  std::vector<UpdateOutput> cycle(const std::vector<Update>& all, size_t& next, uint64_t count_max) {
    for (; count_max > 0 && next < all.size(); --count_max) {
      Update update = all[next];
      if (!updates.admit(update)) {
        break;
      }
      ++next;
    }
    sketches.begin_cycle();
    updates.begin();
    for (uint32_t chunk = updates.next_chunk(0); chunk < store.chunk_count(); chunk = updates.next_chunk(chunk + 1)) {
      updates.sweep(chunk);
    }
    std::vector<UpdateOutput> outputs = updates.outputs();
    updates.end();
    memory.reset();
    return outputs;
  }

  ChunkStore store;
  Sketches sketches;
  CycleMemory memory;
  UpdateSweep updates;
};

/// Applies each update in a cycle of its own, without a window, and keeps a copy of the table after each.
class TableVersions {
 public:
  TableVersions(const TableLayout& layout, ChunkShape shape) : layout_(&layout), table_(layout, shape, 0) {
    versions_[Timestamp{0}].resize(table_.store.slot_count());
  }

  /// Returns what the update does.
  const UpdateOutput& apply(const Update& update) {
    size_t next = 0;
    outputs_.push_back(table_.cycle({update}, next, 1).at(0));
    TableVersion& version = versions_[update.timestamp];
    for (uint32_t slot = 0; slot < table_.store.slot_count(); ++slot) {
      const ChunkView view = table_.store.view(slot / table_.store.chunk_rows());
      const uint32_t row = slot % table_.store.chunk_rows();
      version.push_back(test_bit(view.live, row) ? SlotVersion(cells_of(*layout_, view, row)) : SlotVersion());
    }
    return outputs_.back();
  }

  /// The table after all updates up to a moment.
  [[nodiscard]] const TableVersion& at(Timestamp moment) const {
    return std::prev(versions_.upper_bound(moment))->second;
  }
  /// The last update up to a moment; 0: none.
  [[nodiscard]] Timestamp last(Timestamp moment) const { return std::prev(versions_.upper_bound(moment))->first; }
  [[nodiscard]] const std::vector<UpdateOutput>& outputs() const { return outputs_; }
  [[nodiscard]] AllocatorImage allocator() const { return table_.updates.allocator_image(versions_.rbegin()->first); }

 private:
  const TableLayout* layout_;
  SweptTable table_;
  std::map<Timestamp, TableVersion> versions_;
  std::vector<UpdateOutput> outputs_;
};

}  // namespace daedalus::engine::test
