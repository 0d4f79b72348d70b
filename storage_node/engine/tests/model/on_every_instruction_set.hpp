// Runs a kernel test with each instruction set that the build carries and the machine has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace daedalus::engine::test {

/// Runs the same with each instruction set in turn.
template <typename Run>
void on_every_instruction_set(Run&& run) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    run();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace daedalus::engine::test
