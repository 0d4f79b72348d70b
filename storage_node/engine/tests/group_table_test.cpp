// Lookups of group keys by batches against a plain map.
#include "group_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::Random;

struct Shape {
  uint32_t words;
  uint32_t domain_bits;  ///< 0: hashed.
  uint64_t values;       ///< Different ones, of each word.
};

constexpr Shape kShapes[] = {{1, 0, 1},        {1, 0, 50}, {1, 0, 100'000}, {1, 1, 2}, {1, 9, 300},
                             {1, 17, 131'072}, {2, 0, 40}, {2, 0, 1'000},   {5, 0, 3}};

TEST(GroupTableTest, AgreesWithAMapWhateverTheBatches) {
  Random random(test::test_seed());
  for (const Shape shape : kShapes) {
    GroupTable table(shape.words, shape.domain_bits);
    std::map<std::vector<uint64_t>, uint32_t> plain;
    // Words that differ in few bits, high or low ones.
    const uint32_t shift = shape.domain_bits > 0 ? 0 : static_cast<uint32_t>(below(random, 40));
    for (int batch = 0; batch < 60; ++batch) {
      const auto count = static_cast<uint32_t>(below(random, 1'025));
      std::vector<uint64_t> words(size_t{count} * shape.words);
      std::generate(words.begin(), words.end(), [&] { return below(random, shape.values) << shift; });
      std::vector<uint32_t> groups(count);
      ASSERT_TRUE(table.find_or_add({words.data(), count, count}, 1u << 20, groups.data()));
      for (uint32_t position = 0; position < count; ++position) {
        std::vector<uint64_t> key;
        for (uint32_t word = 0; word < shape.words; ++word) {
          key.push_back(words[size_t{word} * count + position]);
        }
        const auto [known, is_new] = plain.emplace(key, static_cast<uint32_t>(plain.size()));
        ASSERT_EQ(groups[position], known->second);
        ASSERT_TRUE(std::equal(key.begin(), key.end(), table.key(groups[position])));
      }
      ASSERT_EQ(table.size(), plain.size());
    }
  }
}

TEST(GroupTableTest, RefusesOneGroupTooMany) {
  for (const uint32_t domain_bits : {0u, 12u}) {
    GroupTable table(1, domain_bits);
    std::vector<uint64_t> words(1'001);
    for (uint32_t key = 0; key < words.size(); ++key) {
      words[key] = key;
    }
    std::vector<uint32_t> groups(words.size());
    EXPECT_TRUE(table.find_or_add({words.data(), 1'000, 1'000}, 1'000, groups.data()));
    EXPECT_TRUE(table.find_or_add({words.data(), 1'000, 1'000}, 1'000, groups.data()));
    EXPECT_EQ(table.size(), 1'000u);
    EXPECT_FALSE(table.find_or_add({words.data() + 1'000, 1, 1}, 1'000, groups.data()));
  }
}

}  // namespace
}  // namespace daedalus::engine
