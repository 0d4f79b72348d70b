// Modifications of many rows at once do what they do to one row after the other.
#include "row_changes.hpp"

#include <gtest/gtest.h>

#include "chunk_store.hpp"
#include "operation_mix.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::one_in;
using test::Random;

std::vector<uint8_t> bytes_of(const TableLayout& layout, const ChunkStore& store) {
  std::vector<uint8_t> bytes;
  const ChunkView view = store.view(0);
  for (size_t column = 0; column < layout.columns.size(); ++column) {
    const auto add = [&](const uint8_t* plane, uint32_t width) {
      bytes.insert(bytes.end(), plane, plane + size_t{view.row_count} * width);
    };
    add(view.planes[column], layout.columns[column].stride);
    add(view.tails[column], layout.columns[column].tail_width());
    const auto* nulls = reinterpret_cast<const uint8_t*>(view.nulls[column]);
    bytes.insert(bytes.end(), nulls, nulls + view.row_count / 8);
  }
  return bytes;
}

class ModificationsTest : public testing::TestWithParam<test::TestTable> {};

TEST_P(ModificationsTest, ChangesManyRowsLikeOneAfterTheOther) {
  const test::TestTableScope scope(GetParam());
  Random random(test::test_seed());
  const TableLayout layout(test::test_schema(), test::test_codec());
  test::OperationMix mix(random);
  for (int round = 0; round < 200; ++round) {
    ChunkStore store(layout, 128, 1);
    ChunkStore twin(layout, 128, 1);
    Modifications modifications(layout);
    for (int step = 0; step < 4; ++step) {
      std::vector<semantics::Assignment> assignments = mix.assignments();
      std::erase_if(assignments, [](const semantics::Assignment& assignment) {
        return assignment.kind != semantics::Assignment::Kind::kSet;
      });
      const Modifications::Part part = modifications.compile(assignments);
      const uint64_t rows[2] = {random(), one_in(random, 2) ? 0 : random()};
      EXPECT_FALSE(modifications.depends_on_row(part));
      modifications.apply_all(part, store.planes(0), store.nulls(0), rows);
      for_each_bit(rows, 2, [&](uint32_t row) {
        EXPECT_FALSE(modifications.prepare(part, twin.planes(0), twin.nulls(0), row));
        modifications.write(part, twin.planes(0), twin.nulls(0), row);
      });
      ASSERT_EQ(bytes_of(layout, store), bytes_of(layout, twin)) << "round " << round;
    }
    modifications.clear();
  }
}

INSTANTIATE_TEST_SUITE_P(OnEveryTable, ModificationsTest,
                         testing::Values(test::TestTable::kUsual, test::TestTable::kLongStrings));

TEST(ModificationsMemoryTest, AShortStringTakesLittleHoweverLongItsColumnIs) {
  const test::TestTableScope scope(test::TestTable::kLongStrings);
  const TableLayout layout(test::test_schema(), test::test_codec());
  const auto longest = static_cast<uint32_t>(layout.columns.size() - 1);
  ASSERT_EQ(layout.columns[longest].width, semantics::kStringLengthMax);
  Modifications modifications(layout);
  for (const std::string& text : {std::string("short"), std::string("beyond eight bytes"), std::string()}) {
    static_cast<void>(modifications.compile({{longest, {}, text}}));
  }
  EXPECT_LT(modifications.kept_bytes(), 200u);
  static_cast<void>(modifications.compile({{longest, {}, std::string(semantics::kStringLengthMax, 'x')}}));
  EXPECT_GT(modifications.kept_bytes(), semantics::kStringLengthMax - 8);
}

}  // namespace
}  // namespace daedalus::engine
