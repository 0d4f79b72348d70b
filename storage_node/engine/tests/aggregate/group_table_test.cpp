// Lookups of group keys by batches against a plain map.
#include "group_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::Random;
using Found = GroupTable::Found;

struct KeyShape {
  uint32_t words;
  uint32_t domain_bits;  ///< 0: hashed.
  uint64_t values;       ///< Different ones, of each word.
};

constexpr KeyShape kKeyShapes[] = {{1, 0, 1},        {1, 0, 50}, {1, 0, 100'000}, {1, 1, 2}, {1, 9, 300},
                                   {1, 17, 131'072}, {2, 0, 40}, {2, 0, 1'000},   {5, 0, 3}};

TEST(GroupTableTest, AgreesWithAMapWhateverTheBatches) {
  AnswerMemory memory(1u << 30);
  BatchScratch scratch;
  Random random(test::test_seed());
  for (const KeyShape& shape : kKeyShapes) {
    GroupTable table(shape.words, shape.domain_bits, memory);
    std::map<std::vector<uint64_t>, uint32_t> plain;
    // Words that differ in few bits, high or low ones.
    const uint32_t shift = shape.domain_bits > 0 ? 0 : static_cast<uint32_t>(below(random, 40));
    for (int batch = 0; batch < 60; ++batch) {
      const auto count = static_cast<uint32_t>(below(random, 1'025));
      std::vector<uint64_t> words(size_t{count} * shape.words);
      std::generate(words.begin(), words.end(), [&] { return below(random, shape.values) << shift; });
      std::vector<uint32_t> groups(count);
      ASSERT_EQ(table.find_or_add({words.data(), count, count}, 1u << 20, groups.data(), scratch), Found::kAll);
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

std::vector<uint64_t> ascending_keys(uint32_t count) {
  std::vector<uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

TEST(GroupTableTest, RefusesOneGroupTooMany) {
  AnswerMemory memory(1u << 20);
  BatchScratch scratch;
  const std::vector<uint64_t> words = ascending_keys(1'001);
  std::vector<uint32_t> groups(words.size());
  for (const uint32_t domain_bits : {0u, 12u}) {
    GroupTable table(1, domain_bits, memory);
    EXPECT_EQ(table.find_or_add({words.data(), 1'000, 1'000}, 1'000, groups.data(), scratch), Found::kAll);
    EXPECT_EQ(table.find_or_add({words.data(), 1'000, 1'000}, 1'000, groups.data(), scratch), Found::kAll);
    EXPECT_EQ(table.size(), 1'000u);
    EXPECT_EQ(table.find_or_add({words.data() + 1'000, 1, 1}, 1'000, groups.data(), scratch), Found::kTooMany);
  }
}

TEST(GroupTableTest, AsksBeforeItGrowsAndGivesBack) {
  constexpr uint64_t kBytes = 64u << 10;
  BatchScratch scratch;
  const std::vector<uint64_t> words = ascending_keys(20'000);
  std::vector<uint32_t> groups(words.size());
  const auto count = static_cast<uint32_t>(words.size());
  for (const uint32_t domain_bits : {0u, 12u, 17u}) {
    AnswerMemory memory(kBytes);
    {
      GroupTable table(1, domain_bits, memory);
      EXPECT_EQ(memory.reserved(), 0u) << "a query whose rows are still to come holds nothing";
      ASSERT_EQ(table.find_or_add({words.data(), 500, 500}, count, groups.data(), scratch), Found::kAll);
      EXPECT_GE(memory.reserved(), 500 * sizeof(uint64_t));
      if (domain_bits != 12) {
        EXPECT_EQ(table.find_or_add({words.data(), count, count}, count, groups.data(), scratch), Found::kNoMemory);
      }
      EXPECT_LE(memory.reserved(), kBytes);
    }
    EXPECT_EQ(memory.reserved(), 0u);
  }
}

TEST(GroupTableTest, APlaceForEveryKeyIsTakenFromWhatCanBeSpared) {
  constexpr uint64_t kPlacesBytes = sizeof(uint32_t) << 17;
  AnswerMemory memory(3 * kPlacesBytes);
  BatchScratch scratch;
  const std::vector<uint64_t> keys(20'000, 100'000);
  const auto count = static_cast<uint32_t>(keys.size());
  std::vector<uint32_t> groups(count, 1);
  std::vector<std::unique_ptr<GroupTable>> tables;
  for (int table = 0; table < 100; ++table) {
    tables.push_back(std::make_unique<GroupTable>(1, 17, memory));
    ASSERT_EQ(tables.back()->find_or_add({keys.data(), count, count}, 10, groups.data(), scratch), Found::kAll);
    EXPECT_EQ(groups, std::vector<uint32_t>(count, 0));
  }
  EXPECT_GE(memory.reserved(), kPlacesBytes);
  EXPECT_LE(memory.reserved(), 2 * kPlacesBytes);
}

/// A thousand queries in a cycle that find a row each take no more than such rows need.
TEST(GroupTableTest, ATableOfOneRowIsSmallWhateverKeysThereMayBe) {
  constexpr uint64_t kBytesMax = 4u << 10;
  BatchScratch scratch;
  const uint64_t key = 100;
  uint32_t group = 1;
  for (const uint32_t domain_bits : {0u, 8u, 12u, 17u, 40u}) {
    AnswerMemory memory(1u << 30);
    GroupTable table(1, domain_bits, memory);
    ASSERT_EQ(table.find_or_add({&key, 1, 1}, 10, &group, scratch), Found::kAll);
    EXPECT_LE(memory.reserved(), kBytesMax) << domain_bits;
  }
}

/// Room for keys and states grows in small steps once copies would be large; the table has up to six places for a key.
TEST(GroupTableTest, ManyKeysTakeLittleMoreThanTheyAreLongAndTheirPlaces) {
  constexpr uint32_t kBatch = 1'024;
  BatchScratch scratch;
  std::vector<uint32_t> groups(kBatch);
  for (const uint32_t key_words : {1u, 6u}) {
    for (const uint32_t count : {200'000u, 900'000u}) {
      AnswerMemory memory(1u << 30);
      GroupTable table(key_words, key_words == 1 ? 33 : 0, memory);
      for (uint32_t first = 0; first < count; first += kBatch) {
        const uint32_t rows = std::min(kBatch, count - first);
        std::vector<uint64_t> words(size_t{rows} * key_words);
        std::iota(words.begin(), words.begin() + rows, first);
        ASSERT_EQ(table.find_or_add({words.data(), rows, rows}, count, groups.data(), scratch), Found::kAll);
      }
      ASSERT_EQ(table.size(), count);
      const uint64_t key_bytes = key_words * sizeof(uint64_t);
      const uint64_t each = memory.reserved() / count;
      RecordProperty(std::to_string(key_words) + " words, " + std::to_string(count), static_cast<int>(each));
      EXPECT_LE(each, key_bytes + key_bytes / 4 + 6 * sizeof(uint64_t)) << key_words << " words, " << count << " keys";
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
