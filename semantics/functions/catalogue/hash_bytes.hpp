// Bob Jenkins's hash of bytes (lookup3, http://burtleburtle.net/bob/hash/), with the beginning and the end that
// PostgreSQL gives it: for whoever compares with hashes made there.
#pragma once

#include <cstdint>
#include <string_view>

namespace daedalus::semantics::scalar {

[[nodiscard]] uint32_t hash_of(std::string_view bytes);
/// 64 bits; the lower half is hash_of() where the seed is 0.
[[nodiscard]] uint64_t hash_of(std::string_view bytes, uint64_t seed);
/// Hashes four bytes in fewer steps.
[[nodiscard]] uint32_t hash_of(uint32_t word);
[[nodiscard]] uint64_t hash_of(uint32_t word, uint64_t seed);

}  // namespace daedalus::semantics::scalar
