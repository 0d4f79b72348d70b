#include "daedalus/machine/memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace daedalus {
namespace {

constexpr uint64_t kGib = 1u << 30;

/// A machine of 16 GiB, of which 12 are available, that a test puts into control groups.
class MachineMemoryTest : public testing::Test {
 protected:
  MachineMemoryTest() {
    std::string pattern = testing::TempDir() + "daedalus-memory-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:   12582912 kB\n");
  }
  ~MachineMemoryTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& path, const std::string& content) const {
    const std::filesystem::path file = folder_ + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }

  [[nodiscard]] std::optional<MachineMemory> memory() const {
    return machine_memory({.proc = folder_ + "/proc", .control_groups = folder_ + "/groups"});
  }

  std::string folder_;
};

TEST_F(MachineMemoryTest, IsTheMachinesWhereNoGroupBoundsIt) {
  ASSERT_TRUE(memory().has_value());
  EXPECT_EQ(memory()->total_bytes, 16 * kGib);
  EXPECT_EQ(memory()->available_bytes, 12 * kGib);
  write("proc/self/cgroup", "0::/user.slice\n");
  write("groups/user.slice/memory.max", "max\n");
  EXPECT_EQ(memory()->total_bytes, 16 * kGib);
}

TEST_F(MachineMemoryTest, IsThatOfTheTightestGroupOnTheWayUp) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("groups/a/memory.max", "8589934592\n");
  write("groups/a/memory.current", "7516192768\n");
  write("groups/a/memory.stat", "anon 1\ninactive_file 1073741824\nfile 9\n");
  write("groups/a/b/memory.max", "9663676416\n");
  write("groups/a/b/memory.current", "1073741824\n");
  EXPECT_EQ(memory()->total_bytes, 8 * kGib);
  EXPECT_EQ(memory()->available_bytes, 2 * kGib);
}

TEST_F(MachineMemoryTest, InAContainerTheRootIsItsOwnGroup) {
  write("proc/self/cgroup", "0::/system.slice/some/container\n");
  write("groups/memory.max", "2147483648\n");
  write("groups/memory.current", "3221225472\n");  // For a moment there may be more than the bound.
  EXPECT_EQ(memory()->total_bytes, 2 * kGib);
  EXPECT_EQ(memory()->available_bytes, 0u);
}

TEST_F(MachineMemoryTest, TheFirstVersionOfGroupsCounts) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
  write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("groups/memory/job/memory.limit_in_bytes", "4294967296\n");
  write("groups/memory/job/memory.usage_in_bytes", "1073741824\n");
  EXPECT_EQ(memory()->total_bytes, 4 * kGib);
  EXPECT_EQ(memory()->available_bytes, 3 * kGib);
}

TEST_F(MachineMemoryTest, IsNotKnownWhereTheSystemDoesNotSay) {
  std::filesystem::remove_all(folder_ + "/proc");
  EXPECT_FALSE(memory().has_value());
}

TEST(MachineMemoryHereTest, IsKnown) {
  ASSERT_TRUE(machine_memory().has_value());
  EXPECT_GT(machine_memory()->total_bytes, machine_memory()->available_bytes);
}

}  // namespace
}  // namespace daedalus
