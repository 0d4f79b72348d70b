// Kernels of aggregates and groups against their plain twins, bit by bit: types × lengths × selections, edges among the
// values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels_aggregate.hpp"
#include "kernels_floating_sum.hpp"
#include "kernels_group.hpp"
#include "on_every_instruction_set.hpp"
#include "plane_shapes.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::kShapes;
using test::on_every_instruction_set;
using test::one_in;
using test::Random;
using test::Shape;

constexpr uint32_t kReadBehind = 8;
constexpr uint32_t kWordCounts[] = {0, 1, 2, 3, 7, 8, 9, 64};

/// Full and empty words among random ones.
std::vector<uint64_t> random_selection(Random& random, uint32_t words) {
  std::vector<uint64_t> selection(words);
  std::generate(selection.begin(), selection.end(), [&] {
    return one_in(random, 4) ? 0 : one_in(random, 3) ? ~uint64_t{0} : random();
  });
  return selection;
}

/// Calls check(selection) with none, which selects all, and with random ones.
template <typename Check>
void with_selections(Random& random, uint32_t words, Check&& check) {
  check(nullptr);
  for (int draw = 0; draw < 10; ++draw) {
    const std::vector<uint64_t> selection = random_selection(random, words);
    check(selection.data());
  }
}

template <typename T>
std::vector<T> random_integers(Random& random, uint32_t words) {
  constexpr T kEdges[] = {0, 1, -1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  const bool all_edges = one_in(random, 4);
  std::vector<T> column(size_t{words} * 64);
  std::generate(column.begin(), column.end(),
                [&] { return all_edges || one_in(random, 2) ? kEdges[below(random, 5)] : static_cast<T>(random()); });
  return column;
}

template <typename T>
class IntegerSumKernels : public testing::Test {};
using Integers = testing::Types<int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(IntegerSumKernels, Integers);

TYPED_TEST(IntegerSumKernels, AgreeWithTheirScalarTwin) {
  Random random(test::test_seed());
  on_every_instruction_set([&] {
    for (const uint32_t words : kWordCounts) {
      const std::vector<TypeParam> column = random_integers<TypeParam>(random, words);
      with_selections(random, words, [&](const uint64_t* selection) {
        const Int128 expected = scalar::sum_selected(column.data(), selection, words);
        ASSERT_TRUE(sum_selected(column.data(), selection, words) == expected);
      });
    }
  });
}

TEST(WideSumKernel, AgreesWithItsScalarTwin) {
  Random random(test::test_seed());
  constexpr auto kMost = static_cast<Int128>(~UInt128{0} >> 1);
  on_every_instruction_set([&] {
    for (const uint32_t words : kWordCounts) {
      std::vector<Int128> column(size_t{words} * 64);
      const Int128 edges[] = {0, 1, -1, kMost, -kMost - 1, Int128{1} << 64, -(Int128{1} << 64)};
      const uint64_t edge_count = 1 + below(random, 7);
      std::generate(column.begin(), column.end(), [&]() -> Int128 {
        return one_in(random, 2) ? edges[below(random, edge_count)]
                                 : static_cast<Int128>((UInt128{random()} << 64) | random());
      });
      with_selections(random, words, [&](const uint64_t* selection) {
        ASSERT_TRUE(sum_wide(column.data(), selection, words) == scalar::sum_wide(column.data(), selection, words));
      });
    }
  });
}

TEST(WideSumKernel, KeepsSumsBeyond128Bits) {
  constexpr auto kMost = static_cast<Int128>(~UInt128{0} >> 1);
  const std::vector<Int128> highest(256, kMost);
  const std::vector<Int128> lowest(256, -kMost - 1);
  on_every_instruction_set([&] {
    ExactSum sum = sum_wide(highest.data(), nullptr, 4);
    EXPECT_TRUE(sum == (ExactSum{~UInt128{0} - 255, 127}));  // 256 · (2^127 − 1) = 2^135 − 256
    sum.add(sum_wide(lowest.data(), nullptr, 4));
    EXPECT_TRUE(sum == (ExactSum{~UInt128{0} - 255, -1}));  // −256
  });
}

template <typename T>
class FloatingSumKernels : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatingSumKernels, FloatingTypes);

TYPED_TEST(FloatingSumKernels, AddUpToTheStateOfTheirScalarTwin) {
  using T = TypeParam;
  Random random(test::test_seed());
  using Limits = std::numeric_limits<T>;
  constexpr T kEdges[] = {T{0},          -T{0},         Limits::infinity(),  -Limits::infinity(), Limits::quiet_NaN(),
                          Limits::max(), Limits::min(), Limits::denorm_min()};
  on_every_instruction_set([&] {
    for (const uint32_t words : kWordCounts) {
      // Rare edges leave most blocks to the vectors; zeros alone and edges alone are for what is beside them.
      const uint64_t kind = below(random, 5);
      const uint64_t edge_one_in = kind < 2 ? 1 : kind == 2 ? 1'000 : 10'000'000;
      const uint64_t edges = kind == 0 ? 2 : 8;
      const int span = one_in(random, 2) ? 80 : 4;
      std::vector<T> column(size_t{words} * 64);
      std::generate(column.begin(), column.end(), [&] {
        const double number = std::ldexp(static_cast<double>(random()), static_cast<int>(below(random, span)) - 90);
        return one_in(random, edge_one_in) ? kEdges[below(random, edges)]
                                           : static_cast<T>(one_in(random, 2) ? number : -number);
      });
      with_selections(random, words, [&](const uint64_t* selection) {
        semantics::FloatingSum fast;
        if (one_in(random, 2)) {
          fast.add(one_in(random, 2) ? 0.1 : 0x1p1000);
        }
        semantics::FloatingSum plain = fast;
        for (int chunk = 0; chunk < 2; ++chunk) {
          add_to_sum(column.data(), selection, words, fast);
          scalar::add_to_sum(column.data(), selection, words, plain);
        }
        ASSERT_EQ(fast.head(), plain.head());
        ASSERT_EQ(fast.counters(), plain.counters());
      });
    }
  });
}

TEST(ExtremeKernels, AgreeWithTheirScalarTwin) {
  Random random(test::test_seed());
  on_every_instruction_set([&] {
    for (const Shape shape : kShapes) {
      const CodeRule rule = code_rule(shape.native, shape.width);
      for (const uint32_t words : kWordCounts) {
        std::vector<uint8_t> bytes(size_t{words} * 64 * shape.width + kReadBehind);
        const bool with_edges = one_in(random, 2);
        std::generate(bytes.begin(), bytes.end(), [&] {
          constexpr uint8_t kEdges[] = {0, 1, 0x7f, 0x80, 0xff};
          return with_edges ? kEdges[below(random, 5)] : static_cast<uint8_t>(random());
        });
        const BytesPlane plane = {bytes.data(), shape.width};
        with_selections(random, words, [&](const uint64_t* selection) {
          ASSERT_EQ(lowest_code(plane, rule, selection, words), scalar::lowest_code(plane, rule, selection, words))
              << "width " << shape.width << ", " << words << " words";
          ASSERT_EQ(highest_code(plane, rule, selection, words), scalar::highest_code(plane, rule, selection, words))
              << "width " << shape.width << ", " << words << " words";
        });
      }
    }
  });
}

TEST(GroupKernels, MixWordsLikeTheirScalarTwin) {
  Random random(test::test_seed());
  on_every_instruction_set([&] {
    for (const uint32_t count : {0u, 1u, 3u, 4u, 7u, 8u, 9u, 31u, 64u, 200u}) {
      std::vector<uint64_t> words(count);
      std::generate(words.begin(), words.end(), [&] { return one_in(random, 2) ? below(random, 4) : random(); });
      std::vector<uint64_t> fast(count + 1, kHashSeed);
      std::vector<uint64_t> plain = fast;
      for (int word = 0; word < 2; ++word) {
        mix_words(words.data(), count, fast.data());
        scalar::mix_words(words.data(), count, plain.data());
      }
      ASSERT_EQ(fast, plain);
    }
  });
}

}  // namespace
}  // namespace daedalus::engine
