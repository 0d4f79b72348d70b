// Every kernel against its plain twin: types × operators × lengths × edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels_aggregate.hpp"
#include "kernels_bitmap.hpp"
#include "kernels_text.hpp"
#include "native.hpp"
#include "on_every_instruction_set.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::Random;

constexpr CompareOp kOps[] = {CompareOp::kEqual,       CompareOp::kNotEqual, CompareOp::kLess,
                              CompareOp::kLessOrEqual, CompareOp::kGreater,  CompareOp::kGreaterOrEqual};
constexpr uint32_t kLengths[] = {0, 1, 2, 63, 64, 65, 127, 128, 200};

bool plainly(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessOrEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterOrEqual:
      return order >= 0;
  }
  return false;
}

/// PostgreSQL's order, spelled out.
template <typename T>
int plain_order(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(left)) {
      return std::isnan(right) ? 0 : 1;
    }
    if (std::isnan(right)) {
      return -1;
    }
  }
  return left < right ? -1 : left == right ? 0 : 1;
}

template <typename T>
std::vector<T> edges() {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return {0, 1};
  } else if constexpr (std::is_same_v<T, Int128>) {
    const Int128 big = static_cast<Int128>(1) << 126;
    return {0, 1, -1, big, -big, static_cast<Int128>(INT64_MAX) + 1, static_cast<Int128>(1) << 64};
  } else if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {0,
            T(-0.0),
            1,
            -1,
            Limits::max(),
            Limits::lowest(),
            Limits::min(),
            Limits::infinity(),
            -Limits::infinity(),
            T(0.1),
            Limits::quiet_NaN(),
            -Limits::quiet_NaN()};
  } else {
    using Limits = std::numeric_limits<T>;
    return {0, 1, -1, Limits::min(), Limits::max(), Limits::max() - 1, 7};
  }
}

template <typename T>
class CompareKernels : public testing::Test {};
using Scalars = testing::Types<uint8_t, int16_t, int32_t, int64_t, Int128, float, double>;
TYPED_TEST_SUITE(CompareKernels, Scalars);

template <typename T>
std::vector<T> random_column(Random& random, uint32_t length) {
  const std::vector<T> domain = edges<T>();
  std::vector<T> column(length);
  std::generate(column.begin(), column.end(), [&] { return domain[below(random, domain.size())]; });
  return column;
}

TYPED_TEST(CompareKernels, AgreeWithThePlainOrderForEveryOperatorConstantAndLength) {
  Random random(test::test_seed());
  for (const uint32_t length : kLengths) {
    const std::vector<TypeParam> column = random_column<TypeParam>(random, length);
    for (const CompareOp op : kOps) {
      for (const TypeParam constant : edges<TypeParam>()) {
        std::vector<uint64_t> matches(bitmap_words(length) + 1, ~uint64_t{0});
        compare_column<TypeParam>(column.data(), length, op, constant, matches.data());
        for (uint32_t row = 0; row < bitmap_words(length) * 64; ++row) {
          const bool expected = row < length && plainly(op, plain_order(column[row], constant));
          ASSERT_EQ(test_bit(matches.data(), row), expected) << static_cast<int>(op) << " " << row << "/" << length;
        }
        EXPECT_EQ(matches.back(), ~uint64_t{0});
      }
    }
  }
}

TYPED_TEST(CompareKernels, FindMembersOfShortAndLongLists) {
  Random random(test::test_seed());
  for (const uint32_t length : kLengths) {
    const std::vector<TypeParam> column = random_column<TypeParam>(random, length);
    for (uint32_t size = 0; size <= 2 * edges<TypeParam>().size(); ++size) {
      std::vector<TypeParam> members = random_column<TypeParam>(random, size);
      std::sort(members.begin(), members.end(), [](auto left, auto right) { return plain_order(left, right) < 0; });
      const auto end = std::unique(members.begin(), members.end(),
                                   [](auto left, auto right) { return plain_order(left, right) == 0; });
      members.erase(end, members.end());
      std::vector<uint64_t> matches(bitmap_words(length));
      in_column<TypeParam>(column.data(), length, members.data(), static_cast<uint32_t>(members.size()),
                           matches.data());
      for (uint32_t row = 0; row < length; ++row) {
        const bool expected = std::any_of(members.begin(), members.end(),
                                          [&](TypeParam member) { return plain_order(column[row], member) == 0; });
        ASSERT_EQ(test_bit(matches.data(), row), expected);
      }
    }
  }
}

std::string random_text(Random& random, uint32_t size_max) {
  std::string text(below(random, size_max + 1), 'a');
  std::generate(text.begin(), text.end(), [&] { return "ab \x80\xff"[below(random, 5)]; });
  if (below(random, 2) == 0) {
    // Many agree in all that lies before the tail, and some in all but the last byte.
    text.replace(0, std::min<size_t>(text.size(), 8), std::min<size_t>(text.size(), 8), 'p');
  }
  return text;
}

/// `texts` as a plane.
std::vector<uint8_t> plane_of(const std::vector<std::string>& texts, uint32_t width) {
  std::vector<uint8_t> plane(texts.size() * width, 0);
  for (size_t row = 0; row < texts.size(); ++row) {
    std::copy(texts[row].begin(), texts[row].end(), plane.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  return plane;
}

/// `texts` as a column keeps them.
struct SplitTexts {
  SplitTexts(const std::vector<std::string>& texts, uint32_t width)
      : stride(std::min(width, 8u)), tail(width - stride) {
    const std::vector<uint8_t> whole = plane_of(texts, width);
    for (size_t row = 0; row < texts.size(); ++row) {
      const auto value = whole.begin() + static_cast<std::ptrdiff_t>(row * width);
      first.insert(first.end(), value, value + stride);
      tails.insert(tails.end(), value + stride, value + width);
    }
    first.insert(first.end(), 8, 0xff);  // May be read.
  }
  [[nodiscard]] TextPlanes planes() const { return {{first.data(), stride}, {tails.data(), tail}}; }

  uint32_t stride;
  uint32_t tail;
  std::vector<uint8_t> first;
  std::vector<uint8_t> tails;
};

class StringKernels : public testing::TestWithParam<uint32_t> {
 protected:
  std::vector<std::string> random_texts(uint32_t count) {
    std::vector<std::string> texts(count);
    std::generate(texts.begin(), texts.end(), [&] { return random_text(random_, GetParam()); });
    return texts;
  }

  Random random_{test::test_seed()};
};

TEST_P(StringKernels, CompareAsUnsignedBytes) {
  for (const uint32_t length : kLengths) {
    const std::vector<std::string> texts = random_texts(length);
    const SplitTexts split(texts, GetParam());
    for (const CompareOp op : kOps) {
      const std::string constant =
          length > 0 && below(random_, 2) == 0 ? texts[below(random_, length)] : random_text(random_, GetParam());
      std::vector<uint64_t> matches(bitmap_words(length));
      compare_texts(split.planes(), length, op, plane_of({constant}, GetParam()).data(), matches.data());
      for (uint32_t row = 0; row < length; ++row) {
        ASSERT_EQ(test_bit(matches.data(), row), plainly(op, texts[row].compare(constant)));
      }
    }
  }
}

TEST_P(StringKernels, FindMembers) {
  for (const uint32_t length : kLengths) {
    const std::vector<std::string> texts = random_texts(length);
    std::vector<std::string> members = random_texts(length % 20);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::vector<uint64_t> matches(bitmap_words(length));
    const SplitTexts split(texts, GetParam());
    in_texts(split.planes(), 0, nullptr, 0, matches.data());
    const std::vector<uint8_t> constants = plane_of(members, GetParam());
    in_texts(split.planes(), length, constants.data(), static_cast<uint32_t>(members.size()), matches.data());
    for (uint32_t row = 0; row < length; ++row) {
      ASSERT_EQ(test_bit(matches.data(), row), std::binary_search(members.begin(), members.end(), texts[row]));
    }
  }
}

TEST_P(StringKernels, StartWithAPrefixCountingPaddingAsBlanksWhereAsked) {
  for (const uint32_t length : kLengths) {
    const std::vector<std::string> texts = random_texts(length);
    const SplitTexts split(texts, GetParam());
    const std::string fixed =
        length > 0 && below(random_, 2) == 0 ? texts[0] : random_text(random_, std::min(GetParam(), 3u));
    const auto blanks = static_cast<uint32_t>(below(random_, GetParam() - fixed.size() + 1));
    const Prefix prefix{reinterpret_cast<const uint8_t*>(fixed.data()), static_cast<uint32_t>(fixed.size()), blanks};
    std::vector<uint64_t> matches(bitmap_words(length));
    starts_with_texts(split.planes(), length, prefix, matches.data());
    for (uint32_t row = 0; row < length; ++row) {
      std::string padded = texts[row];
      if (blanks > 0) {
        // A fixed part that ends in a blank would itself be padding; the engine never makes one.
        padded.resize(GetParam(), ' ');
      }
      const bool expected = texts[row].substr(0, fixed.size()) == fixed &&
                            padded.substr(0, fixed.size() + blanks) == fixed + std::string(blanks, ' ');
      ASSERT_EQ(test_bit(matches.data(), row), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, StringKernels, testing::Values(1, 2, 3, 5, 7, 8, 9, 12, 40));

TEST(BitmapKernels, AgreeWithOneBitAtATime) {
  Random random(test::test_seed());
  for (const uint32_t words : {0u, 1u, 2u, 5u, 8u, 64u, 67u}) {
    std::vector<uint64_t> left(words);
    std::vector<uint64_t> right(words);
    std::generate(left.begin(), left.end(), [&] { return random(); });
    std::generate(right.begin(), right.end(), [&] { return random(); });
    std::vector<uint64_t> both = left;
    std::vector<uint64_t> either = left;
    std::vector<uint64_t> only = left;
    std::vector<uint64_t> neither = either;
    and_into(both.data(), right.data(), words);
    or_into(either.data(), right.data(), words);
    and_not_into(only.data(), right.data(), words);
    neither = either;
    invert(neither.data(), words);
    std::vector<uint32_t> expected_rows;
    for (uint32_t row = 0; row < words * 64; ++row) {
      const bool in_left = test_bit(left.data(), row);
      const bool in_right = test_bit(right.data(), row);
      EXPECT_EQ(test_bit(both.data(), row), in_left && in_right);
      EXPECT_EQ(test_bit(either.data(), row), in_left || in_right);
      EXPECT_EQ(test_bit(only.data(), row), in_left && !in_right);
      EXPECT_EQ(test_bit(neither.data(), row), !in_left && !in_right);
      if (in_left) {
        expected_rows.push_back(row);
      }
    }
    std::vector<uint32_t> rows(words * 64);
    rows.resize(list_rows(left.data(), words, rows.data()));
    EXPECT_EQ(rows, expected_rows);
    test::on_every_instruction_set(
        [&] { EXPECT_EQ(count_bits(left.data(), words), scalar::count_bits(left.data(), words)); });
    EXPECT_EQ(count_bits(left.data(), words), expected_rows.size());
  }
}

TEST(ExactSum, HoldsMoreThan128Bits) {
  Random random(test::test_seed());
  const Int128 largest = ~(static_cast<Int128>(1) << 127);
  ExactSum sum;
  semantics::BigInt expected = 0;
  for (int step = 0; step < 1000; ++step) {
    const Int128 value = below(random, 3) == 0 ? -largest - 1 : below(random, 2) == 0 ? largest : -1;
    sum.add(value);
    expected += to_big(value);
    ASSERT_EQ((semantics::BigInt(sum.high) << 128) + (to_big(static_cast<Int128>(sum.low >> 64)) << 64) +
                  static_cast<uint64_t>(sum.low),
              expected);
  }
}

TEST(NativeValues, ConvertThereAndBack) {
  const TableLayout layout(test::test_schema(), test::test_codec());
  Random random(test::test_seed());
  for (uint32_t column = 0; column < layout.columns.size(); ++column) {
    for (int step = 0; step < 200; ++step) {
      const semantics::Value value = test::random_value(random, column);
      NativeBytes bytes;
      ASSERT_EQ(append_native(layout.columns[column], value, bytes), Fit::kInside);
      ASSERT_EQ(bytes.size(), layout.columns[column].width);
      EXPECT_TRUE(semantics::compare(to_value(layout.columns[column], bytes.data()), value) == 0);
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
