#include "daedalus/logging/log_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace daedalus {
namespace {

class LogFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "log_file_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }

  void TearDown() override {
    ::close(descriptor_);
    std::filesystem::remove_all(folder_);
  }

  void open(int flags) {
    descriptor_ = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | flags, 0644);
    ASSERT_GE(descriptor_, 0);
  }

  void write(const LogFile& file, const std::string& line) const {
    file.make_room(line.size());
    ASSERT_EQ(::write(descriptor_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }

  [[nodiscard]] std::string content(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  int descriptor_ = -1;
};

TEST_F(LogFileTest, KeepsWhatCameLastAndOneFileBefore) {
  open(O_APPEND);
  const LogFile file(descriptor_, 10);
  for (const char* line : {"first\n", "2nd\n", "third\n", "4th\n", "fifth\n"}) {
    write(file, line);
  }
  EXPECT_EQ(content("log"), "fifth\n");
  EXPECT_EQ(content("log.1"), "third\n4th\n");
}

TEST_F(LogFileTest, TakesALineThatIsLongerThanTheBound) {
  open(O_APPEND);
  const LogFile file(descriptor_, 10);
  write(file, "longer than the bound\n");
  write(file, "next\n");
  EXPECT_EQ(content("log"), "next\n");
  EXPECT_EQ(content("log.1"), "longer than the bound\n");
}

TEST_F(LogFileTest, EmptiesAFileThatCannotBeRenamed) {
  open(O_APPEND);
  const LogFile file(descriptor_, 10);
  write(file, "12345678\n");
  std::filesystem::remove(folder_ / "log");
  write(file, "next\n");
  EXPECT_EQ(::lseek(descriptor_, 0, SEEK_END), 5);
}

TEST_F(LogFileTest, LeavesAloneWhatWasNotOpenedToAppend) {
  open(0);
  const LogFile file(descriptor_, 10);
  write(file, "12345678\n");
  write(file, "next\n");
  EXPECT_EQ(content("log"), "12345678\nnext\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "log.1"));
}

}  // namespace
}  // namespace daedalus
