#include "sort_key.hpp"

#include <gtest/gtest.h>

#include "daedalus/semantics/packed.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

std::string key_of(const Type& type, const Value& value, SortOrder order) {
  std::string key;
  std::string packed;
  if (is_null(value)) {
    EXPECT_TRUE(append_sort_key(type, std::nullopt, order, key));
    return key;
  }
  append_packed(type, value, packed);
  EXPECT_TRUE(
      append_sort_key(type, std::string_view(packed).substr(is_string(type.kind) ? 2 : 0), order, key).has_value());
  return key;
}

int sign(int number) { return (number > 0) - (number < 0); }

int sign(std::strong_ordering ordering) { return ordering < 0 ? -1 : ordering > 0 ? 1 : 0; }

TEST(SortKey, ComparesAsOrderByDoes) {
  Random random(91);
  for (int round = 0; round < 20'000; ++round) {
    const Schema schema = random.schema(1);
    const Type& type = schema.columns[0].type;
    const SortOrder order{random.chance(50), random.chance(50)};
    const Value left = random.row(schema)[0];
    const Value right = random.chance(20) ? left : random.row(schema)[0];
    ASSERT_EQ(sign(key_of(type, left, order).compare(key_of(type, right, order))),
              sign(compare_ordered(left, right, order)))
        << to_string(type);
  }
}

TEST(SortKey, ComparesNumericsWithoutBoundByValueWhateverTheirScale) {
  Random random(92);
  const Type type{TypeKind::kNumeric};
  const auto draw = [&] {
    BigInt unscaled = random.between(-1'000, 1'000);
    for (int64_t digits = random.between(0, 30); digits > 0; --digits) {
      unscaled *= random.chance(80) ? 10 : 7;
    }
    return Value(Decimal{unscaled, static_cast<int32_t>(random.between(0, 30))});
  };
  for (int round = 0; round < 20'000; ++round) {
    const SortOrder order{random.chance(50), false};
    const Value left = draw();
    const Value right = random.chance(20) ? Value(rescale(std::get<Decimal>(left), 40)) : draw();
    ASSERT_EQ(sign(key_of(type, left, order).compare(key_of(type, right, order))),
              sign(compare_ordered(left, right, order)))
        << format_decimal(std::get<Decimal>(left)) << " and " << format_decimal(std::get<Decimal>(right));
  }
}

TEST(SortKey, ComparesIntervalsByTheirLengthWhateverItIsMadeOf) {
  Random random(93);
  const Type type{TypeKind::kInterval};
  for (int round = 0; round < 20'000; ++round) {
    const SortOrder order{random.chance(50), false};
    const Value left = random.value(type);
    const Value right = random.value(type);
    ASSERT_EQ(sign(key_of(type, left, order).compare(key_of(type, right, order))),
              sign(compare_ordered(left, right, order)))
        << format_text(type, left) << " and " << format_text(type, right);
  }
  EXPECT_EQ(key_of(type, Interval{1, 0, 0}, {}), key_of(type, Interval{0, 29, kMicrosPerDay}, {}));
}

TEST(SortKey, NoKeyIsTheBeginningOfAnother) {
  const Type type{TypeKind::kVarchar, 0, 0, 40};
  const std::vector<std::string> texts = {"", "a", "ab", std::string("a\0", 2), std::string("a\0b", 3), "b"};
  for (const std::string& left : texts) {
    for (const std::string& right : texts) {
      const std::string behind_left = key_of(type, left, {}) + key_of(type, "x", {});
      const std::string behind_right = key_of(type, right, {}) + key_of(type, "a", {});
      const int expected = left == right ? 1 : sign(left.compare(right));
      EXPECT_EQ(sign(behind_left.compare(behind_right)), expected) << left << " and " << right;
    }
  }
}

}  // namespace
}  // namespace daedalus::semantics
