// Operations by hash against a map: equal hashes, hashes asked for twice by one operation, hashes nobody asked for.
#include "operation_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::Random;

void expect_found(Random& random, uint32_t operations, uint32_t keys_max, uint64_t hashes) {
  OperationTable table;
  std::map<uint32_t, std::set<uint32_t>> asked;
  for (uint32_t operation = 0; operation < operations; ++operation) {
    const uint64_t keys = 1 + below(random, keys_max);
    for (uint64_t key = 0; key < keys; ++key) {
      // Equal low bits: places collide.
      const auto hash = static_cast<uint32_t>(below(random, hashes) << 12);
      table.add(hash, operation);
      asked[hash].insert(operation);
    }
  }
  table.build();
  std::set<uint32_t> listed;
  table.for_each_hash([&](uint32_t hash) { EXPECT_TRUE(listed.insert(hash).second); });
  EXPECT_EQ(listed.size(), asked.size());
  for (uint32_t number = 0; number < hashes; ++number) {
    const uint32_t hash = number << 12;
    const std::span<const uint32_t> found = table.find(hash);
    const auto expected = asked.find(hash);
    EXPECT_EQ(listed.contains(hash), expected != asked.end());
    if (expected == asked.end()) {
      EXPECT_TRUE(found.empty());
    } else {
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected->second.begin(), expected->second.end()));
    }
  }
}

TEST(OperationTables, FindEachOperationOnceAndInOrder) {
  Random random(test::test_seed());
  for (const uint32_t operations : {0u, 1u, 30u, 2'000u}) {
    for (const uint32_t keys_max : {1u, 20u}) {
      for (const uint64_t hashes : {1u, 50u, 4'000u}) {
        expect_found(random, operations, keys_max, hashes);
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
