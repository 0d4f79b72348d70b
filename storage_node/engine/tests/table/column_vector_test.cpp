// Columns as consumers read them: the same values whether rows follow each other or are listed.
#include "column_vector.hpp"

#include <gtest/gtest.h>

#include "filled_store.hpp"
#include "group_keys.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::FilledStore;
using test::one_in;
using test::Random;

/// Consecutive rows from a multiple of 64 on, or a list.
RowBatch random_batch(Random& random, const ChunkView& view, std::vector<uint32_t>& rows) {
  if (one_in(random, 2)) {
    const auto first = static_cast<uint32_t>(below(random, view.word_count())) * 64;
    return {.chunk = &view, .first = first, .count = static_cast<uint32_t>(below(random, view.row_count - first + 1))};
  }
  rows.clear();
  for (uint32_t row = 0; row < view.row_count; ++row) {
    if (one_in(random, 3)) {
      rows.push_back(row);
    }
  }
  return {.chunk = &view, .rows = rows.data(), .count = static_cast<uint32_t>(rows.size())};
}

TEST(ColumnSourceTest, ReadsEveryTypeOfAnyBatch) {
  Random random(test::test_seed());
  const FilledStore filled(random, 256, 1, 100);
  const ChunkView view = filled.store.view(0);
  VectorRoom room;
  std::vector<uint32_t> rows;
  for (int draw = 0; draw < 400; ++draw) {
    const auto column = static_cast<uint32_t>(below(random, filled.layout.columns.size()));
    const ColumnSource source(filled.layout, column);
    const RowBatch batch = random_batch(random, view, rows);
    const ColumnVector vector = source.read_plane(batch, room);
    bool any_null = false;
    for (uint32_t position = 0; position < batch.count; ++position) {
      const semantics::Value& expected = filled.rows[batch.row(position)][column];
      const bool is_null = vector.nulls != nullptr && test_bit(vector.nulls, position);
      any_null = any_null || is_null;
      ASSERT_EQ(is_null, semantics::is_null(expected));
      if (!is_null) {
        std::vector<uint8_t> value(source.layout().width);
        copy_value(source.layout(), vector.at(source.layout(), position), value.data());
        ASSERT_TRUE(semantics::compare_ordered(to_value(source.layout(), value.data()), expected, {}) == 0);
      }
    }
    ASSERT_EQ(vector.nulls != nullptr, any_null) << "no bitmap where nothing is NULL";
    if (any_null && batch.count % 64 != 0) {
      ASSERT_EQ(vector.nulls[batch.count / 64] >> (batch.count % 64), 0u);
    }
  }
}

/// Returns what a column of a key is, by way of a packed row of it alone.
semantics::Value value_in(const GroupKeys& keys, const std::vector<uint64_t>& key, uint32_t column) {
  std::vector<uint8_t> bytes(semantics::packed_head_size(1) + keys.append_bytes_max(column) + semantics::kPackedSlack);
  semantics::PackedRowWriter row(bytes.data(), 1);
  keys.append(key.data(), column, false, row);
  const uint32_t size = row.finish();
  EXPECT_LE(size + semantics::kPackedSlack, bytes.size());
  return test::decode({keys.columns()[column].layout().type},
                      {reinterpret_cast<const char*>(bytes.data()), size})[0][0];
}

TEST(GroupKeysTest, AreEqualExactlyWhereTheColumnsAreAndGiveThemBack) {
  Random random(test::test_seed());
  const FilledStore filled(random, 256, 1, 100);
  const ChunkView view = filled.store.view(0);
  BatchScratch scratch;
  AnswerMemory memory(1u << 20);
  std::vector<uint32_t> rows;
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<uint32_t> columns;
    std::vector<ColumnSource> sources;
    for (uint64_t count = 1 + below(random, 4); count > 0; --count) {
      columns.push_back(static_cast<uint32_t>(1 + below(random, filled.layout.columns.size() - 1)));
      sources.emplace_back(filled.layout, columns.back());
    }
    GroupKeys keys(sources, memory);
    const RowBatch batch = random_batch(random, view, rows);
    const KeyWords packed = *keys.pack(batch, scratch);
    const auto key_of = [&](uint32_t position) {
      std::vector<uint64_t> key;
      for (uint32_t word = 0; word < keys.word_count(); ++word) {
        key.push_back(packed.words[size_t{word} * packed.stride + position]);
      }
      return key;
    };
    for (uint32_t position = 0; position < batch.count; ++position) {
      const std::vector<uint64_t> key = key_of(position);
      ASSERT_TRUE(keys.domain_bits() == 0 || keys.domain_bits() == 64 || key[0] >> keys.domain_bits() == 0);
      const auto other = static_cast<uint32_t>(below(random, batch.count));
      bool equal = true;
      for (uint32_t number = 0; number < columns.size(); ++number) {
        const semantics::Value& value = filled.rows[batch.row(position)][columns[number]];
        ASSERT_TRUE(semantics::compare_ordered(value_in(keys, key, number), value, {}) == 0);
        equal = equal && semantics::compare_ordered(value, filled.rows[batch.row(other)][columns[number]], {}) == 0;
      }
      ASSERT_EQ(key == key_of(other), equal);
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
