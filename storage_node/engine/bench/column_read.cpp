#include "column_read.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "column_read.cpp"
#include <hwy/foreach_target.h>
// The same file once for each instruction set; it needs highway.h after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

uint64_t sum_words(const uint8_t* bytes, size_t size) {
  const hn::ScalableTag<uint64_t> tag;
  const size_t lanes = hn::Lanes(tag);
  const auto* all = reinterpret_cast<const uint64_t*>(bytes);
  // Four sums, so that additions never wait for each other.
  auto sum_0 = hn::Zero(tag);
  auto sum_1 = hn::Zero(tag);
  auto sum_2 = hn::Zero(tag);
  auto sum_3 = hn::Zero(tag);
  const size_t words = size / 8;
  size_t at = 0;
  for (; at + 4 * lanes <= words; at += 4 * lanes) {
    sum_0 = hn::Add(sum_0, hn::LoadU(tag, all + at));
    sum_1 = hn::Add(sum_1, hn::LoadU(tag, all + at + lanes));
    sum_2 = hn::Add(sum_2, hn::LoadU(tag, all + at + 2 * lanes));
    sum_3 = hn::Add(sum_3, hn::LoadU(tag, all + at + 3 * lanes));
  }
  uint64_t sum = hn::GetLane(hn::SumOfLanes(tag, hn::Add(hn::Add(sum_0, sum_1), hn::Add(sum_2, sum_3))));
  for (; at < words; ++at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at * 8, sizeof word);
    sum += word;
  }
  return sum;
}

}  // namespace daedalus::engine::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine::bench {

HWY_EXPORT(sum_words);

uint64_t read_bytes(std::span<const uint8_t> bytes) {
  return HWY_DYNAMIC_DISPATCH(sum_words)(bytes.data(), bytes.size());
}

}  // namespace daedalus::engine::bench
#endif
