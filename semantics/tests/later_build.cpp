// A build that came later: twice(integer) is new in it. Programs for tests are linked with this instead of
// functions/evaluation/later_build.cpp, and run beside those without it.
#include "later_build.hpp"

#include "adder.hpp"
#include "daedalus/semantics/language.hpp"

namespace daedalus::semantics {
namespace {

constexpr uint16_t kTwice = 65'000;
constexpr uint64_t kHashes[] = {0x1a7e12b0'11d00002};

Result<Value> twice(Arguments arguments, const BoundExpression& /*call*/) {
  return scalar::fit_integer(TypeKind::kInt, __int128{2} * scalar::integer(arguments[0]));
}

}  // namespace

void add_functions_of_later_build(scalar::Functions& functions) {
  scalar::Adder adder(functions);
  adder.add(kTwice, "twice", {TypeKind::kInt}, TypeKind::kInt, twice);
  adder.since(3);
}

std::span<const uint64_t> hashes_of_later_build() { return kHashes; }

}  // namespace daedalus::semantics
