#include "daedalus/machine/machine.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

namespace daedalus {
namespace {

TEST(MachineTest, NamesItsInstructionSetAndNumaNodes) {
  EXPECT_FALSE(instruction_set().empty());
  EXPECT_FALSE(numa_map().empty());
}

TEST(MachineTest, UsableCpusAscendAndAreAtLeastOne) {
  const auto cpus = usable_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(MachineTest, AsManyFilesAsMayBeOpenedAre) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit fewer{std::min<rlim_t>(before.rlim_max / 2, 1'024), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &fewer), 0);
  const rlim_t wanted = std::min<rlim_t>(before.rlim_max, 65'536);
  EXPECT_EQ(raise_descriptor_limit(), wanted);
  rlimit after{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, wanted);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace daedalus
