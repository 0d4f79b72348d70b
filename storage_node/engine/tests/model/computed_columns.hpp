// Makes expressions: computed columns over the test table.
#pragma once

#include "column_vector.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

/// key % 8, NULL where key is a multiple of five: what an expression would be.
class KeyModuloEight final : public ComputedColumn {
 public:
  explicit KeyModuloEight(const TableLayout& table) : key_(table, test::kKey), layout_(table.columns[test::kInt]) {}
  [[nodiscard]] const ColumnLayout& layout() const override { return layout_; }
  [[nodiscard]] Result<ColumnVector> compute(const RowBatch& batch, VectorRoom& room) const override {
    VectorRoom key_room;
    const ColumnVector keys = key_.read_plane(batch, key_room);
    auto* values = reinterpret_cast<int32_t*>(room.make_values(uint64_t{batch.count} * sizeof(int32_t)));
    uint64_t* nulls = room.make_nulls(batch.count);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const auto key = load<int32_t>(keys.values + position * sizeof(int32_t));
      values[position] = key % 8;
      if (key % 5 == 0) {
        set_bit(nulls, position);  // And a value beneath it that nobody may see.
      }
    }
    return ColumnVector{room.make_values(0), nulls};
  }

 private:
  ColumnSource key_;
  ColumnLayout layout_;
};

/// key % 1000 in decimal digits, as text: of several lengths, the empty one too, which is key % 1000 = 0.
class KeyDigits final : public ComputedColumn {
 public:
  explicit KeyDigits(const TableLayout& table) : key_(table, kKey), layout_(table.columns[kText]) {}
  [[nodiscard]] const ColumnLayout& layout() const override { return layout_; }
  [[nodiscard]] static std::string text_of(int64_t key) { return key % 1000 == 0 ? "" : std::to_string(key % 1000); }
  [[nodiscard]] Result<ColumnVector> compute(const RowBatch& batch, VectorRoom& room) const override {
    VectorRoom key_room;
    const ColumnVector keys = key_.read_plane(batch, key_room);
    const size_t bytes = size_t{batch.count} * layout_.stride;
    uint8_t* values = room.make_values(bytes);
    std::memset(values, 0, bytes);
    const size_t tail_bytes = size_t{batch.count} * layout_.tail_width();
    uint8_t* tails = room.make_tails(tail_bytes);
    std::memset(tails, 0, tail_bytes);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const std::string text = text_of(load<int32_t>(keys.values + position * sizeof(int32_t)));
      const size_t first = std::min<size_t>(text.size(), layout_.stride);
      std::memcpy(values + size_t{position} * layout_.stride, text.data(), first);
      std::memcpy(tails + size_t{position} * layout_.tail_width(), text.data() + first, text.size() - first);
    }
    return ColumnVector{.values = values, .tails = tails};
  }

 private:
  ColumnSource key_;
  ColumnLayout layout_;
};

}  // namespace daedalus::engine::test
