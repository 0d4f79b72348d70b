#include "later_build.hpp"

namespace daedalus::semantics {

void add_functions_of_later_build(scalar::Functions& /*functions*/) {}
std::span<const uint64_t> hashes_of_later_build() { return {}; }

}  // namespace daedalus::semantics
