#include "daedalus/machine/machine.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace daedalus
