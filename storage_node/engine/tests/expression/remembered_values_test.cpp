// Tests what expressions remember: found again, bounded in number and in size, and dropped where rows do not repeat it.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "plain_rows.hpp"

namespace daedalus::engine {
namespace {

using semantics::Value;

/// Asks so many times for values that come again, and adds what is not known. Whether the last was known.
bool ask(RememberedValues& remembered, uint32_t rows, uint32_t distinct, const Value& value) {
  bool is_known = false;
  for (uint32_t row = 0; row < rows; ++row) {
    const uint64_t raw = row % distinct;
    is_known = remembered.find(raw) != nullptr;
    if (!is_known) {
      remembered.add(raw, value);
    }
  }
  return is_known;
}

TEST(RememberedValuesTest, FindsRepeatedValues) {
  RememberedValues remembered;
  EXPECT_TRUE(ask(remembered, 1'000, 10, Value(std::string("2026-11"))));
  EXPECT_EQ(*remembered.find(3), Value(std::string("2026-11")));
  EXPECT_EQ(remembered.find(77), nullptr);
}

TEST(RememberedValuesTest, LongTextsAreNot) {
  RememberedValues remembered;
  EXPECT_FALSE(ask(remembered, 1'000, 10, Value(std::string(65, 'x'))));
}

TEST(RememberedValuesTest, KeepsNothingWhenRowsDoNotRepeat) {
  RememberedValues remembered;
  EXPECT_FALSE(ask(remembered, 20'000, 20'000, Value(int64_t{1})));
  EXPECT_FALSE(ask(remembered, 1'000, 10, Value(int64_t{1})));
}

TEST(RememberedValuesTest, OnlySoManyHavePlacesAtATime) {
  std::deque<RememberedValues> many(RememberedValues::kTablesMax);
  for (RememberedValues& each : many) {
    EXPECT_TRUE(ask(each, 1'000, 10, Value(int64_t{1})));
  }
  RememberedValues beyond;
  EXPECT_FALSE(ask(beyond, 1'000, 10, Value(int64_t{1})));
  many.clear();
  RememberedValues after;
  EXPECT_TRUE(ask(after, 1'000, 10, Value(int64_t{1})));
}

}  // namespace
}  // namespace daedalus::engine
