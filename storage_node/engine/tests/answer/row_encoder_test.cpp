// Rows of any columns, of the table and computed, against rows put together value by value.
#include "row_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "computed_columns.hpp"
#include "filled_store.hpp"
#include "sketches.hpp"

namespace daedalus::engine {
namespace {

using semantics::Value;
using test::below;
using test::FilledStore;
using test::one_in;
using test::Random;

/// Outputs of a query and what they are of a row.
struct Outputs {
  std::vector<ColumnSource> sources;
  std::vector<semantics::Type> types;
  std::vector<uint32_t> numbers;  ///< Columns of the table; behind those the computed ones.

  Outputs(Random& random, const FilledStore& filled) {
    const auto columns = static_cast<uint32_t>(filled.layout.columns.size());
    // More than sixty-four of them now and then: NULL bits then take more than one word.
    for (uint64_t count = below(random, one_in(random, 4) ? 150 : 30); count > 0; --count) {
      numbers.push_back(static_cast<uint32_t>(below(random, columns + 2)));
      if (numbers.back() == columns) {
        sources.emplace_back(std::make_shared<test::KeyModuloEight>(filled.layout));
      } else if (numbers.back() > columns) {
        sources.emplace_back(std::make_shared<test::KeyDigits>(filled.layout));
      } else {
        sources.emplace_back(filled.layout, numbers.back());
      }
      types.push_back(sources.back().layout().type);
    }
  }

  [[nodiscard]] std::string packed(const test::Row& row) const {
    const int64_t key = std::get<int64_t>(row[test::kKey]);
    std::vector<Value> values;
    for (const uint32_t number : numbers) {
      if (number < row.size()) {
        values.push_back(row[number]);
      } else if (number == row.size()) {
        values.push_back(key % 5 == 0 ? Value() : Value(key % 8));
      } else {
        values.emplace_back(test::KeyDigits::text_of(key));
      }
    }
    std::string out;
    semantics::append_packed_row(types, values, out);
    return out;
  }
};

RowOutputs shape_of(const Outputs& outputs, const FilledStore& filled) {
  return {filled.layout, outputs.sources, *std::pmr::get_default_resource()};
}

TEST(RowEncoderTest, AgreesWithValuesPackedOneByOneWithSketchesAndWithout) {
  Random random(test::test_seed());
  AnswerFlow flow(SegmentOptions{});
  FilledStore filled(random, 2'112, 1, 100);
  Sketches sketches(filled.layout, filled.store, 1'000);
  sketches.on_change();
  for (int cycle = 0; cycle < 20; ++cycle) {
    sketches.begin_cycle();
  }
  ASSERT_NE(sketches.rows(0), nullptr);
  const ChunkView view = filled.store.view(0);
  for (int draw = 0; draw < 100; ++draw) {
    const Outputs outputs(random, filled);
    const RowOutputs shape = shape_of(outputs, filled);
    RowEncoder encoder(filled.layout, shape, flow);
    std::vector<uint32_t> rows(view.row_count);
    std::iota(rows.begin(), rows.end(), 0);
    const uint64_t chances = 1 + below(random, 20);
    std::erase_if(rows, [&](uint32_t) { return !one_in(random, chances); });
    const RowSketches known =
        one_in(random, 2) ? RowSketches{} : RowSketches{sketches.rows(0), filled.store.row_sketch_bytes()};
    std::string expected;
    for (size_t first = 0; first < rows.size();) {
      const size_t count = std::min(rows.size() - first, 1 + below(random, one_in(random, 2) ? 2'000 : 3));
      ASSERT_EQ(
          *encoder.append({.chunk = &view, .rows = rows.data() + first, .count = static_cast<uint32_t>(count)}, known),
          RowEncoder::Appended::kFine);
      first += count;
    }
    for (const uint32_t row : rows) {
      expected += outputs.packed(filled.rows[row]);
    }
    EXPECT_EQ(encoder.row_count(), rows.size());
    const AnswerRows taken = encoder.take();
    ASSERT_EQ(taken.count, rows.size());
    ASSERT_TRUE(taken.bytes == expected);
    ASSERT_EQ(flow.memory.reserved(), 0u);
  }
}

TEST(RowEncoderTest, TakesBackRowsBetweenTwoPlacesThoughOthersHaveLeft) {
  Random random(test::test_seed());
  AnswerFlow flow(SegmentOptions{});
  const FilledStore filled(random, 64, 1, 100);
  const Outputs outputs(random, filled);
  const RowOutputs shape = shape_of(outputs, filled);
  RowEncoder encoder(filled.layout, shape, flow);
  const ChunkView view = filled.store.view(0);
  std::vector<uint32_t> rows(40);
  std::iota(rows.begin(), rows.end(), 0);
  const auto append = [&](uint32_t first) {
    EXPECT_EQ(*encoder.append({.chunk = &view, .rows = rows.data() + first, .count = 10}, {}),
              RowEncoder::Appended::kFine);
    return encoder.position();
  };
  append(0);
  const AnswerRows left = encoder.take();
  const RowEncoder::Position first = append(10);
  const RowEncoder::Position end = append(20);
  append(30);
  encoder.drop(first, end);
  std::string expected;
  for (const uint32_t row : rows) {
    expected += row / 10 == 1 || row / 10 == 3 ? outputs.packed(filled.rows[row]) : "";
  }
  EXPECT_EQ(encoder.row_count(), 30u);
  EXPECT_EQ(encoder.total_bytes(), left.bytes.size() + expected.size());
  const AnswerRows taken = encoder.take();
  EXPECT_EQ(taken.count, 20u);
  EXPECT_TRUE(taken.bytes == expected);
}

TEST(RowEncoderTest, StopsAtTheFirstRowThatDoesNotFit) {
  Random random(test::test_seed());
  AnswerFlow flow({.answer_bytes_max = 100'000, .answers_waiting_bytes_max = 1'000'000});
  const FilledStore filled(random, 64, 1, 100);
  Outputs outputs(random, filled);
  while (outputs.sources.empty()) {
    outputs = Outputs(random, filled);
  }
  const ChunkView view = filled.store.view(0);
  const RowOutputs shape = shape_of(outputs, filled);
  RowEncoder encoder(filled.layout, shape, flow);
  RowEncoder::Appended appended = RowEncoder::Appended::kFine;
  while (appended == RowEncoder::Appended::kFine) {
    appended = *encoder.append(whole_chunk(view), {});
  }
  EXPECT_EQ(appended, RowEncoder::Appended::kTooLarge);
  EXPECT_LE(encoder.waiting_bytes(), flow.answer_bytes_max);
  while (flow.memory.reserve(1'000, 1'000, ByteBudget::kNobody)) {
  }
  RowEncoder another(filled.layout, shape, flow);
  EXPECT_EQ(*another.append(whole_chunk(view), {}), RowEncoder::Appended::kNoMemory);
}

}  // namespace
}  // namespace daedalus::engine
