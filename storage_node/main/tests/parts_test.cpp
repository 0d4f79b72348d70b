// The epoch file, and what the process knows about its machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "epoch_file.hpp"

namespace daedalus::node {
namespace {

class EpochFileTest : public testing::Test {
 protected:
  EpochFileTest() {
    std::string pattern = testing::TempDir() + "daedalus-epoch-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~EpochFileTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(EpochFileTest, GivesBackWhatWasWrittenLast) {
  const EpochFile file(folder_ + "/deeper/data");
  EXPECT_EQ(file.read().value(), std::nullopt);
  const EpochRecord first{Epoch{7}, "writer \"one\"", "127.0.0.1:7500"};
  const EpochRecord second{Epoch{8}, std::string(256, 'w'), ""};
  ASSERT_TRUE(file.write(first));
  EXPECT_EQ(file.read().value(), first);
  ASSERT_TRUE(file.write(second));
  EXPECT_EQ(EpochFile(folder_ + "/deeper/data").read().value(), second);
  EXPECT_FALSE(std::filesystem::exists(file.path() + ".new"));
}

TEST_F(EpochFileTest, RefusesEveryDamagedFile) {
  const EpochFile file(folder_);
  ASSERT_TRUE(file.write(EpochRecord{Epoch{7}, "w", "h:1"}));
  std::string content;
  {
    std::ifstream in(file.path(), std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    std::ofstream(file.path(), std::ios::binary) << damaged;
    EXPECT_FALSE(file.read()) << "byte " << i;
    std::ofstream(file.path(), std::ios::binary) << content.substr(0, i);
    EXPECT_FALSE(file.read()) << "cut to " << i;
  }
}

TEST_F(EpochFileTest, RefusesAnEpochThatNoWriterCanHaveRaised) {
  const EpochFile file(folder_);
  ASSERT_TRUE(file.write(EpochRecord{Epoch{UINT64_MAX}, "w", "h:1"}));
  const auto read = file.read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().sqlstate, "XX001");
  EXPECT_THAT(read.error().message, testing::HasSubstr(file.path() + ": holds epoch 18446744073709551615"));
  EXPECT_THAT(read.error().hint, testing::HasSubstr("start the cluster afresh"));
}

TEST_F(EpochFileTest, SaysWhyItCannotWrite) {
  std::ofstream(folder_ + "/taken") << "a file";
  const auto written = EpochFile(folder_ + "/taken").write(EpochRecord{Epoch{7}, "w", "h:1"});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, testing::HasSubstr(folder_ + "/taken"));
}

}  // namespace
}  // namespace daedalus::node
