#include "kernels_group.hpp"

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_group.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#ifndef DAEDALUS_KERNELS_GROUP_ONCE
#define DAEDALUS_KERNELS_GROUP_ONCE
namespace daedalus::engine {
// Odd numbers without pattern. A multiplication moves what differs upwards, a shift brings it down again.
constexpr uint64_t kFirstFactor = 0x9fb21c651e98df25u;
constexpr uint64_t kSecondFactor = 0xd6e8feb86659fd93u;
}  // namespace daedalus::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Returns the keys done.
HWY_ATTR uint32_t mix_vectors(const uint64_t* words, uint32_t count, uint64_t* hashes) {
  const hn::ScalableTag<uint64_t> d;
  const auto lanes = static_cast<uint32_t>(hn::Lanes(d));
  const auto first_factor = hn::Set(d, kFirstFactor);
  const auto second_factor = hn::Set(d, kSecondFactor);
  uint32_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    auto hash = hn::Xor(hn::LoadU(d, hashes + at), hn::LoadU(d, words + at));
    hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<32>(hash)), first_factor);
    hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<29>(hash)), second_factor);
    hn::StoreU(hn::Xor(hash, hn::ShiftRight<32>(hash)), d, hashes + at);
  }
  return at;
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(mix_vectors);

void mix_words(const uint64_t* words, uint32_t count, uint64_t* hashes) noexcept {
  const uint32_t done = HWY_DYNAMIC_DISPATCH(mix_vectors)(words, count, hashes);
  scalar::mix_words(words + done, count - done, hashes + done);
}

namespace scalar {

void mix_words(const uint64_t* words, uint32_t count, uint64_t* hashes) noexcept {
  for (uint32_t at = 0; at < count; ++at) {
    uint64_t hash = hashes[at] ^ words[at];
    hash = (hash ^ (hash >> 32)) * kFirstFactor;
    hash = (hash ^ (hash >> 29)) * kSecondFactor;
    hashes[at] = hash ^ (hash >> 32);
  }
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE
