// Hashes of group keys, by whole batches.
//
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <cstdint>

namespace daedalus::engine {

/// The hash of a key begins here, before its first word is mixed in.
constexpr uint64_t kHashSeed = 0x8a5cd789635d2dffu;

/// Mixes one word of each key into its hash: hashes[p] becomes a function of its old value and words[p] whose every bit
/// depends on all bits of both. Equal keys, word for word, have equal hashes.
///
/// words, hashes  `count` of them. 0 is legal.
/// Cost           one pass; some four operations a key.
void mix_words(const uint64_t* words, uint32_t count, uint64_t* hashes) noexcept;

namespace scalar {
void mix_words(const uint64_t* words, uint32_t count, uint64_t* hashes) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine
