// The epoch file on a real file system.
#include "daedalus/durability/epoch_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "daedalus/durability/posix_disk.hpp"

namespace daedalus::durability {
namespace {

using node::EpochRecord;

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
  PosixDisk disk(folder_ + "/deeper/data");
  EXPECT_EQ(read_epoch(disk).value(), std::nullopt);
  const EpochRecord first{Epoch{7}, "writer \"one\"", "127.0.0.1:7500"};
  const EpochRecord second{Epoch{8}, std::string(256, 'w'), "", Timestamp{77}};
  ASSERT_TRUE(write_epoch(disk, first));
  EXPECT_EQ(read_epoch(disk).value(), first);
  ASSERT_TRUE(write_epoch(disk, second));
  PosixDisk again(folder_ + "/deeper/data");
  EXPECT_EQ(read_epoch(again).value(), second);
  EXPECT_FALSE(std::filesystem::exists(again.path_of("epoch.new")));
}

TEST_F(EpochFileTest, RefusesEveryDamagedFile) {
  PosixDisk disk(folder_);
  ASSERT_TRUE(write_epoch(disk, EpochRecord{Epoch{7}, "w", "h:1"}));
  const std::string path = disk.path_of(kEpochFile);
  std::string content;
  {
    std::ifstream in(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_FALSE(read_epoch(disk)) << "byte " << i;
    std::ofstream(path, std::ios::binary) << content.substr(0, i);
    EXPECT_FALSE(read_epoch(disk)) << "cut to " << i;
  }
}

TEST_F(EpochFileTest, RefusesAnEpochThatNoWriterCanHaveRaised) {
  PosixDisk disk(folder_);
  ASSERT_TRUE(write_epoch(disk, EpochRecord{Epoch{UINT64_MAX}, "w", "h:1"}));
  const auto read = read_epoch(disk);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().sqlstate, "XX001");
  EXPECT_THAT(read.error().message,
              testing::HasSubstr(disk.path_of(kEpochFile) + ": holds epoch 18446744073709551615"));
  EXPECT_THAT(read.error().hint, testing::HasSubstr("start the cluster afresh"));
}

TEST_F(EpochFileTest, SaysWhyItCannotWrite) {
  std::ofstream(folder_ + "/taken") << "a file";
  PosixDisk disk(folder_ + "/taken");
  const auto written = write_epoch(disk, EpochRecord{Epoch{7}, "w", "h:1"});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, testing::HasSubstr(folder_ + "/taken"));
}

}  // namespace
}  // namespace daedalus::durability
