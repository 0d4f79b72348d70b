// An index over changes against all of them asked one by one: rows are found by sketches or by values, whatever changes
// them meanwhile.
#include "change_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::one_in;
using test::Random;

constexpr uint32_t kChunks = 2;

/// Rows whose two key columns hold random values, some of them NULL in the second.
struct KeyedRows {
  KeyedRows(Random& random, uint64_t first_values, uint64_t second_values)
      : layout(test::test_schema(), test::test_codec()),
        store(layout, 4'224, kChunks * ChunkStore(layout, 4'224, 1).memory_bytes()),
        sketches(layout, store, 1024),
        values{first_values, second_values} {
    for (uint32_t slot = 0; slot < store.slot_count(); ++slot) {
      const uint32_t chunk = slot / store.chunk_rows();
      const uint32_t row = slot % store.chunk_rows();
      write(random, chunk, row, 0);
      write(random, chunk, row, 1);
      if (one_in(random, 10)) {
        set_bit(store.nulls(chunk)[columns[1]], row);
      }
      if (!one_in(random, 10)) {
        store.mark_live(chunk, row);
        sketches.on_insert(chunk, row);
      }
    }
  }

  void make_sketches() {
    for (uint32_t cycle = 0; cycle < 10; ++cycle) {
      sketches.begin_cycle();
    }
    ASSERT_TRUE(sketches.bytes(kChunks - 1, columns).exist());
  }

  [[nodiscard]] uint8_t* at(uint32_t chunk, uint32_t row, uint32_t place) const {
    return store.planes(chunk)[columns[place]] + size_t{row} * layout.columns[columns[place]].stride;
  }

  void write(Random& random, uint32_t chunk, uint32_t row, uint32_t place) {
    const uint64_t value = below(random, values[place]);
    std::memcpy(at(chunk, row, place), &value, layout.columns[columns[place]].stride);
    sketches.on_write(chunk, row, columns[place]);
  }

  [[nodiscard]] CodedValue member(uint64_t value, uint32_t place) const {
    return {value, code_of_raw(layout.columns[columns[place]].code, value)};
  }

  TableLayout layout;
  ChunkStore store;
  Sketches sketches;
  uint64_t values[2];  ///< How many different ones, by column of the key.
  std::vector<uint32_t> columns = {test::kKey, test::kBig};
};

using Asked = std::multimap<std::pair<uint64_t, uint64_t>, uint32_t>;

/// Expects that what the index finds in a chunk holds every row that some change asks for, and none that find() denies.
void expect_found(const KeyedRows& rows, const ChangeIndex& index, const Asked& asked, uint32_t chunk) {
  static IndexScratch scratch(rows.store.chunk_rows());
  const ChunkView view = rows.store.view(chunk);
  std::set<std::pair<uint32_t, uint32_t>> found;
  index.probe(view, chunk, rows.sketches, scratch, [&](uint32_t row, uint32_t change) {
    EXPECT_TRUE(found.empty() || found.rbegin()->first <= row);
    EXPECT_TRUE(test_bit(view.live, row));
    EXPECT_TRUE(found.emplace(row, change).second);
    const std::span<const uint32_t> asking = index.find(view, row);
    EXPECT_TRUE(std::binary_search(asking.begin(), asking.end(), change));
  });
  const bool has_second = index.columns().size() > 1;
  uint32_t wanted = 0;
  for (uint32_t row = 0; row < view.row_count; ++row) {
    if (!test_bit(view.live, row) || (has_second && test_bit(view.nulls[rows.columns[1]], row))) {
      continue;
    }
    const uint64_t second = has_second ? load<uint64_t>(rows.at(chunk, row, 1)) : 0;
    const auto [first, last] = asked.equal_range({load<uint32_t>(rows.at(chunk, row, 0)), second});
    for (auto change = first; change != last; ++change) {
      ASSERT_TRUE(found.contains({row, change->second})) << "row " << row;
      ++wanted;
    }
  }
  EXPECT_GT(wanted, 0u);
}

void expect_every_row_found(Random& random, KeyedRows& rows, uint32_t change_count, uint32_t column_count) {
  const Key key{{rows.columns.begin(), rows.columns.begin() + column_count}, KeyForm::kSketches};
  ChangeIndex index(rows.layout, rows.sketches, key);
  Asked asked;
  for (uint32_t change = 0; change < change_count; ++change) {
    const auto chunk = static_cast<uint32_t>(below(random, kChunks));
    const auto row = static_cast<uint32_t>(below(random, rows.store.chunk_rows()));
    const uint64_t first = one_in(random, 4) ? below(random, rows.values[0]) : load<uint32_t>(rows.at(chunk, row, 0));
    const uint64_t second = load<uint64_t>(rows.at(chunk, row, 1));
    asked.emplace(std::pair(first, column_count > 1 ? second : 0), change);
    const CodedValue members[] = {rows.member(first, 0), rows.member(second, 1)};
    index.add(std::span(members, column_count), rows.sketches, change);
  }
  index.build();
  for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    expect_found(rows, index, asked, chunk);
  }
  for (uint32_t change = 0; change < 200; ++change) {
    rows.write(random, 0, static_cast<uint32_t>(below(random, rows.store.chunk_rows())), change % 2);
  }
  expect_found(rows, index, asked, 0);
}

TEST(ChangeIndexes, FindEveryRowThatSomeChangeAsksFor) {
  Random random(test::test_seed());
  for (const uint64_t first_values : {40u, 3'000u}) {
    KeyedRows rows(random, first_values, 5'000);
    rows.make_sketches();
    for (const uint32_t change_count : {100u, 2'000u}) {
      expect_every_row_found(random, rows, change_count, 1);
      expect_every_row_found(random, rows, change_count, 2);
    }
    expect_every_row_found(random, rows, 60'000, 2);  // Too many pairs for sketches.
  }
}

TEST(ChangeIndexes, FindRowsByValuesWhereThereAreNoSketches) {
  Random random(test::test_seed());
  KeyedRows rows(random, 40, 5'000);
  ASSERT_FALSE(rows.sketches.bytes(0, rows.columns).exist());
  expect_every_row_found(random, rows, 2'000, 2);
}

}  // namespace
}  // namespace daedalus::engine
