#include "daedalus/durability/data_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/durability/simulated_disk.hpp"
#include "sealed_file.hpp"

namespace daedalus::durability {
namespace {

using semantics::Language;
using testing::HasSubstr;

Language language(std::vector<uint64_t> hashes) { return Language(std::move(hashes), {}); }

class DataDirectoryTest : public ::testing::Test {
 protected:
  DataDirectoryTest() { EXPECT_TRUE(initialise(disk, configured)); }

  uint64_t language_there() { return (*read_identity(disk))->language; }

  SimulatedDisk disk{[](uint64_t) { return 0; }};
  DataIdentity configured{.cluster_id = "flights",
                          .node = NodeId{2},
                          .schema_fingerprint = "fp",
                          .map = "m",
                          .segments = 4,
                          .chunk_rows = 16,
                          .chunk_count = 3,
                          .language = 1};
};

TEST_F(DataDirectoryTest, ANewerBuildTakesADirectoryAndMakesItItsOwn) {
  ASSERT_TRUE(claim_language(disk, language({1, 2})));
  EXPECT_EQ(language_there(), 2);
  EXPECT_TRUE(check_directory(disk, configured)) << "nothing else of it has changed";
  const uint64_t changes = disk.changes();
  ASSERT_TRUE(claim_language(disk, language({1, 2})));
  EXPECT_EQ(disk.changes(), changes);
}

TEST_F(DataDirectoryTest, AnOlderBuildAndOneOfAnotherHistoryRefuseADirectoryInWords) {
  ASSERT_TRUE(claim_language(disk, language({1, 2})));
  for (const Language& other : {language({1}), language({1, 3})}) {
    for (const auto& refused : {claim_language(disk, other), check_language(disk, other)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().sqlstate, "55000");
      EXPECT_THAT(refused.error().message, HasSubstr("language 0000000000000002, which this build does not have"));
    }
  }
  EXPECT_EQ(language_there(), 2);
}

TEST_F(DataDirectoryTest, ADirectoryThatSaysNothingIsOfTheFirstVersion) {
  std::string lines = **read_sealed(disk, "identity");
  lines.erase(lines.find("language "));
  ASSERT_TRUE(write_sealed(disk, "identity", lines));
  EXPECT_EQ(language_there(), 0);
  EXPECT_TRUE(check_language(disk, language({7})));
  ASSERT_TRUE(claim_language(disk, language({7, 8})));
  EXPECT_EQ(language_there(), 8);
}

TEST_F(DataDirectoryTest, ALanguageThatIsNoNumberIsDamage) {
  std::string lines = **read_sealed(disk, "identity");
  lines.replace(lines.find("language ") + 9, 1, "x");
  ASSERT_TRUE(write_sealed(disk, "identity", lines));
  EXPECT_EQ(claim_language(disk, language({1})).error().sqlstate, "XX001");
}

}  // namespace
}  // namespace daedalus::durability
