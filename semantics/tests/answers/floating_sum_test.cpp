// Sums and moments of floating values against exact ones, made of integers of any size, and against themselves in any
// order and put together in any way.
#include "daedalus/semantics/floating_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/floating_moments.hpp"
#include "plain_types.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;
using Limits = std::numeric_limits<double>;
using Function = AggregateFunction;

/// A finite double in units of 2^-1074, the least there is.
BigInt units_of(double value) {
  constexpr int kBits = 53;
  constexpr int kLowest = -1074;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const int shift = exponent - kBits - kLowest;
  const BigInt mantissa(static_cast<int64_t>(std::ldexp(fraction, kBits)));
  return shift >= 0 ? BigInt(mantissa << static_cast<unsigned>(shift))
                    : BigInt(mantissa / (BigInt(1) << static_cast<unsigned>(-shift)));
}

BigInt sum_of(const std::vector<double>& values) {
  BigInt sum;
  for (const double value : values) {
    sum += units_of(value);
  }
  return sum;
}

bool is_even(double number) { return std::bit_cast<uint64_t>(number) % 2 == 0; }

/// Says whether no double is nearer to numerator / denominator units than `number`, and of two the even one was taken.
bool is_nearest(const BigInt& numerator, const BigInt& denominator, double number) {
  const auto distance = [&](double other) -> BigInt { return abs(numerator - units_of(other) * denominator); };
  for (const double towards : {Limits::infinity(), -Limits::infinity()}) {
    const double other = std::nextafter(number, towards);
    if (std::isinf(other)) {
      continue;
    }
    const int order = distance(number).compare(distance(other));
    if (order > 0 || (order == 0 && !is_even(number))) {
      return false;
    }
  }
  return true;
}

double random_bits(Random& random) {
  double value = Limits::infinity();
  while (!std::isfinite(value)) {
    const auto high = static_cast<uint64_t>(random.between(0, UINT32_MAX));
    value = std::bit_cast<double>(high << 32 | static_cast<uint64_t>(random.between(0, UINT32_MAX)));
  }
  return value;
}

/// A full fraction between 1 and 2, with a sign.
double random_fraction(Random& random) {
  const double fraction = 1 + std::ldexp(static_cast<double>(random.between(0, (int64_t{1} << 52) - 1)), -52);
  return random.chance(50) ? fraction : -fraction;
}

constexpr double kEdges[] = {0.0,
                             -0.0,
                             Limits::denorm_min(),
                             -Limits::denorm_min(),
                             Limits::min(),
                             Limits::max(),
                             -Limits::max(),
                             0x1p979,
                             -0x1.0000000000001p979,
                             0x1p-1049,
                             1.0,
                             -1.0,
                             0x1.fffffffffffffp25};

/// Values of one of several kinds, drawn once for all of them.
std::vector<double> random_column(Random& random, bool has_wide = true) {
  std::vector<double> values(static_cast<size_t>(random.between(0, 40)));
  const int64_t kind = random.between(0, has_wide ? 5 : 2);
  const auto place = static_cast<int>(random.between(-1000, 900));
  std::generate(values.begin(), values.end(), [&] {
    switch (kind) {
      case 0:
        return 1e9 + static_cast<double>(random.between(-1000, 1000)) * 0x1p-20;
      case 1:
        return static_cast<double>(random.between(-100'000, 100'000)) / 100;
      case 2:
        return std::ldexp(random_fraction(random), place + static_cast<int>(random.between(0, 24)));
      case 3:
        return std::ldexp(random_fraction(random), static_cast<int>(random.between(-90, 90)));
      case 4:
        return kEdges[random.between(0, std::ssize(kEdges) - 1)];
      default:
        return random_bits(random);
    }
  });
  return values;
}

template <typename State>
State state_of(const std::vector<double>& values) {
  State state;
  for (const double value : values) {
    state.add(value);
  }
  return state;
}

/// Parts of the values, put together two at a time in any order.
template <typename State>
State tree_of(Random& random, std::vector<double> values) {
  for (size_t place = values.size(); place > 1; --place) {
    std::swap(values[place - 1], values[static_cast<size_t>(random.between(0, static_cast<int64_t>(place) - 1))]);
  }
  std::vector<State> parts(1);
  for (const double value : values) {
    if (random.chance(40)) {
      parts.emplace_back();
    }
    parts.back().add(value);
  }
  while (parts.size() > 1) {
    const auto pick = static_cast<size_t>(random.between(0, std::ssize(parts) - 2));
    parts[pick].add(parts.back());
    parts.pop_back();
  }
  return parts[0];
}

TEST(FloatingSum, IsTheSameStateInAnyOrderAndPutTogetherInAnyWay) {
  Random random(51);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<double> values = random_column(random);
    if (random.chance(10)) {
      values.push_back(random.chance(50) ? Limits::infinity() : Limits::quiet_NaN());
    }
    const auto flat = state_of<FloatingSum>(values);
    const auto tree = tree_of<FloatingSum>(random, values);
    ASSERT_EQ(tree.head(), flat.head());
    ASSERT_EQ(tree.counters(), flat.counters());
    const FloatingSum sent(flat.head(), flat.counters());
    ASSERT_TRUE(flat.is_empty() || sent.head() == flat.head());
    ASSERT_EQ(sent.counters(), flat.counters());
  }
}

TEST(FloatingSum, IsTheExactSumRoundedOnceWhereNothingIsLeftOut) {
  Random random(52);
  for (int round = 0; round < 5'000; ++round) {
    const std::vector<double> values = random_column(random, /*has_wide=*/false);
    if (values.empty()) {
      continue;
    }
    const auto sum = state_of<FloatingSum>(values);
    const BigInt exact = sum_of(values);
    ASSERT_TRUE(is_nearest(exact, 1, *sum.total()));
    const auto count = static_cast<int64_t>(values.size());
    ASSERT_TRUE(is_nearest(exact, count, *sum.average(count)));
  }
}

TEST(FloatingSum, LosesOfEachValueLessThanItSays) {
  Random random(53);
  for (int round = 0; round < 5'000; ++round) {
    const std::vector<double> values = random_column(random);
    const auto total = state_of<FloatingSum>(values).total();
    if (!total || values.empty()) {
      continue;
    }
    const double largest = std::abs(*std::max_element(
        values.begin(), values.end(), [](double left, double right) { return std::abs(left) < std::abs(right); }));
    // In units of 2^(-1074 - 78): what is left out, and half of the last place of the total.
    const double last = std::nextafter(std::abs(*total), Limits::infinity());
    const BigInt spacing = std::isinf(last) ? units_of(0x1p971) : BigInt(units_of(last) - units_of(std::abs(*total)));
    const BigInt bound = units_of(largest) * BigInt(values.size()) + (spacing << 77);
    ASSERT_LE(BigInt(abs(sum_of(values) - units_of(*total)) << 78), bound);
  }
}

TEST(FloatingSum, RoundsTheSumOfRealsOnceToAReal) {
  FloatingSum sum;
  sum.add(0x1p24);
  sum.add(1.0);
  EXPECT_EQ(*sum.total_real(), 0x1p24);  // A tie, to even.
  sum.add(0x1p-40);                      // Rounded to a double first, it would be a tie again.
  EXPECT_EQ(*sum.total_real(), 0x1.000002p24);
  FloatingSum low;
  low.add(0x1p-149);
  EXPECT_EQ(*low.total_real(), 0x1p-149);
  FloatingSum high;
  high.add(0x1.fffffep127);
  EXPECT_EQ(*high.total_real(), 0x1.fffffep127);
  high.add(0x1p103);
  EXPECT_EQ(high.total_real(), std::nullopt);
  EXPECT_EQ(*high.total(), 0x1.ffffffp127);
}

TEST(FloatingSum, ValuesThatCancelOutLeaveWhatTheyDoNot) {
  EXPECT_EQ(*state_of<FloatingSum>({1e16, 1.0, -1e16}).total(), 1.0);
  EXPECT_EQ(*state_of<FloatingSum>({0x1p979, 0x1p1000, 0x1.8p1023, -0x1p1000, -0x1.8p1023}).total(), 0x1p979);
  EXPECT_EQ(*state_of<FloatingSum>({Limits::max(), Limits::max(), -Limits::max()}).total(), Limits::max());
  EXPECT_EQ(*state_of<FloatingSum>({Limits::denorm_min(), Limits::min(), -Limits::min()}).total(),
            Limits::denorm_min());
  EXPECT_EQ(*state_of<FloatingSum>({1e300, 1.0, -1e300}).total(), 0.0);  // So far below that it is left out.
}

TEST(FloatingSum, OnlyTheWholeSumDecidesAboutItsRange) {
  EXPECT_EQ(state_of<FloatingSum>({Limits::max(), Limits::max()}).total(), std::nullopt);
  EXPECT_EQ(state_of<FloatingSum>({Limits::max(), Limits::max()}).average(2), std::nullopt);
  // Half of the last place, to even: beyond. A little less: not.
  EXPECT_EQ(state_of<FloatingSum>({Limits::max(), 0x1p970}).total(), std::nullopt);
  EXPECT_EQ(*state_of<FloatingSum>({Limits::max(), 0x1.ffp969}).total(), Limits::max());
  EXPECT_EQ(*state_of<FloatingSum>({Limits::max(), Limits::max(), -Limits::infinity()}).total(), -Limits::infinity());
  EXPECT_TRUE(std::isnan(*state_of<FloatingSum>({Limits::infinity(), 1.0, -Limits::infinity()}).total()));
}

TEST(FloatingSum, KeepsTheSignOfZeros) {
  EXPECT_TRUE(std::signbit(*state_of<FloatingSum>({-0.0, -0.0}).total()));
  EXPECT_FALSE(std::signbit(*state_of<FloatingSum>({-0.0, 0.0}).total()));
  EXPECT_FALSE(std::signbit(*state_of<FloatingSum>({1.0, -1.0, -0.0}).total()));
  EXPECT_FALSE(std::signbit(*state_of<FloatingSum>({-0.0}).average(1)));
}

/// Count · Σx² − (Σx)², in units of 2^-2148.
BigInt scatter_of(const std::vector<double>& values) {
  BigInt squares;
  for (const double value : values) {
    squares += units_of(value) * units_of(value);
  }
  const BigInt sum = sum_of(values);
  return squares * BigInt(values.size()) - sum * sum;
}

std::optional<double> variance_of(const std::vector<double>& values, Function function = Function::kVarPop) {
  AggregateState state(function, kDouble);
  for (const double value : values) {
    state.add(value);
  }
  const Result<Value> made = state.finish();
  return made ? std::optional(std::get<double>(*made)) : std::nullopt;
}

TEST(FloatingMoments, AreTheSameStateInAnyOrderAndPutTogetherInAnyWay) {
  Random random(54);
  for (int round = 0; round < 5'000; ++round) {
    const std::vector<double> values = random_column(random);
    const auto flat = state_of<FloatingMoments>(values);
    const auto tree = tree_of<FloatingMoments>(random, values);
    ASSERT_EQ(tree.count, flat.count);
    ASSERT_EQ(tree.head(), flat.head());
    ASSERT_EQ(tree.sum.counters(), flat.sum.counters());
    ASSERT_EQ(tree.squares.counters(), flat.squares.counters());
  }
}

TEST(FloatingMoments, MakeTheExactVarianceRoundedOnceWhereValuesAreAlike) {
  Random random(55);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<double> values(static_cast<size_t>(random.between(1, 30)));
    const auto place = static_cast<int>(random.between(-400, 400));
    const double base = random.chance(50) ? 0x1p10 : 0.0;
    std::generate(values.begin(), values.end(), [&] {
      return std::ldexp(base + random_fraction(random),
                        place + static_cast<int>(base == 0.0 ? random.between(0, 10) : 0));
    });
    const auto count = static_cast<int64_t>(values.size());
    // Both in units of 2^-1074.
    ASSERT_TRUE(is_nearest(scatter_of(values), BigInt(count) * count << 1074, *variance_of(values)));
  }
}

TEST(FloatingMoments, LoseNextToNothingWhereverValuesLie) {
  Random random(56);
  for (int round = 0; round < 3'000; ++round) {
    const std::vector<double> values = random_column(random);
    if (values.empty()) {
      continue;
    }
    const std::optional<double> variance = variance_of(values);
    const BigInt scatter = scatter_of(values);
    const BigInt divisor = BigInt(values.size()) * values.size() << 1074;
    if (variance && *variance >= Limits::min()) {
      ASSERT_LE(BigInt(abs(scatter - units_of(*variance) * divisor) << 36), scatter);
    } else if (variance) {
      ASSERT_LE(scatter, BigInt(2 * units_of(Limits::min()) * divisor));
    } else if (state_of<FloatingSum>(values).total()) {
      ASSERT_GE(BigInt(2 * scatter), BigInt(units_of(Limits::max()) * divisor / values.size()));
    }
  }
}

TEST(FloatingMoments, SeeDifferencesOfOneInTheLastPlace) {
  EXPECT_EQ(*variance_of({1e9, std::nextafter(1e9, 2e9)}), 0x1p-48);  // (2^-23 / 2)²
  EXPECT_EQ(*variance_of({1.0, std::nextafter(1.0, 0.0)}), 0x1p-108);
  EXPECT_EQ(*variance_of({1e9, 1e9, 1e9}), 0.0);
  EXPECT_EQ(*variance_of({1e-170, -1e-170}), 0.0);  // 1e-340
}

TEST(FloatingMoments, OnlyTheWholeDecidesAboutTheRange) {
  EXPECT_EQ(variance_of({1e200, -1e200}), std::nullopt);
  EXPECT_EQ(*variance_of({1e200, 1e200}), 0.0);
  EXPECT_EQ(variance_of({Limits::max(), Limits::max()}), std::nullopt);  // As in PostgreSQL, for the sum's sake.
  EXPECT_EQ(variance_of({1e308, 1e308, 1.0}), std::nullopt);
  EXPECT_TRUE(std::isnan(*variance_of({1e200, -1e200, Limits::infinity()})));
}

TEST(FloatingSum, ReadsAnyBytesOfAPeerAsAState) {
  Random random(57);
  for (int round = 0; round < 2'000; ++round) {
    const Function function = random.chance(50) ? Function::kStddevSamp : Function::kAvg;
    const Type& type = random.chance(50) ? kReal : kDouble;
    std::vector<Value> partial(partial_types(function, type).size());
    std::generate(partial.begin(), partial.end(), [&] {
      return random.chance(20) ? Value() : Value(random.between(INT64_MIN, INT64_MAX) >> random.between(0, 63));
    });
    AggregateState state(function, type);
    state.merge(partial);
    state.merge(partial);
    EXPECT_EQ(state.partial().size(), partial.size());
    static_cast<void>(state.finish());
  }
}

}  // namespace
}  // namespace daedalus::semantics
