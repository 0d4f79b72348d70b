// A build for tests that came later than the others has a function and a version of the language more; it adds them
// here. Programs link functions/evaluation/later_build.cpp, which has nothing; theirs has
// semantics/tests/later_build.cpp instead.
#pragma once

#include <cstdint>
#include <span>

#include "families.hpp"

namespace daedalus::semantics {

void add_functions_of_later_build(scalar::Functions& functions);
/// Behind those of this build.
[[nodiscard]] std::span<const uint64_t> hashes_of_later_build();

}  // namespace daedalus::semantics
