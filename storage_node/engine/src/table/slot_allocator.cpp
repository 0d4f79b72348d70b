#include "slot_allocator.hpp"

#include <algorithm>

#include "branches.hpp"
#include "daedalus/base/check.hpp"
#include "kernels_bitmap.hpp"
#include "native.hpp"

namespace daedalus::engine {
namespace {

uint64_t generation_of(Timestamp timestamp) { return raw(timestamp) / kGenerationTimestamps; }

}  // namespace

SlotAllocator::SlotAllocator(uint32_t slot_count)
    : free_(bitmap_words(slot_count), ~uint64_t{0}), free_count_(slot_count) {
  CHECK(slot_count % 64 == 0);
  for (Cooling& cooling : cooling_) {
    cooling.slots.resize(free_.size(), 0);
  }
}

bool SlotAllocator::admit(const Demand& demand, std::vector<uint32_t>& slots) {
  const uint64_t generation = generation_of(demand.timestamp);
  if (demand.insert_rows > 0) {
    if (pending_delete_.has_value() && *pending_delete_ + 2 <= generation) {
      mark_branch(Branch::kAdmissionWaits);
      return false;
    }
    for (Cooling& cooling : cooling_) {
      if (cooling.generation + 2 <= generation) {
        ripen(cooling);
      }
    }
    if (free_count_ < demand.insert_rows) {
      if (pending_delete_.has_value()) {
        return false;
      }
      mark_branch(Branch::kCoolingSlotsTaken);
      ripen(cooling_[0]);
      ripen(cooling_[1]);
    }
    take(std::min(free_count_, demand.insert_rows), slots);
  }
  if (demand.deletes && !pending_delete_.has_value()) {
    pending_delete_ = generation;
  }
  return true;
}

void SlotAllocator::release(Timestamp timestamp, uint32_t first_slot, std::span<const uint64_t> rows) {
  CHECK(first_slot % 64 == 0);
  for (size_t word = 0; word < rows.size(); ++word) {
    if (rows[word] != 0) {
      release_word(timestamp, first_slot / 64 + static_cast<uint32_t>(word), rows[word]);
    }
  }
}

void SlotAllocator::release_word(Timestamp timestamp, uint32_t word, uint64_t slots) {
  const uint64_t generation = generation_of(timestamp);
  const auto count = static_cast<uint32_t>(__builtin_popcountll(slots));
  Cooling& cooling = cooling_[generation % 2];
  if (cooling.generation > generation) {
    // Rows are visited chunk by chunk, so an older update may come second. The next insert is at least two generations
    // younger.
    free_[word] |= slots;
    free_count_ += count;
    first_free_word_ = std::min(first_free_word_, word);
    return;
  }
  if (cooling.generation < generation) {
    ripen(cooling);  // Likewise: every insert from now on is at least two generations younger.
    cooling.generation = generation;
  }
  cooling.slots[word] |= slots;
  cooling.count += count;
}

void SlotAllocator::ripen(Cooling& cooling) {
  if (cooling.count == 0) {
    return;
  }
  or_into(free_.data(), cooling.slots.data(), static_cast<uint32_t>(free_.size()));
  std::fill(cooling.slots.begin(), cooling.slots.end(), 0);
  free_count_ += cooling.count;
  cooling.count = 0;
  first_free_word_ = 0;
}

void SlotAllocator::take(uint32_t count, std::vector<uint32_t>& slots) {
  CHECK(count <= free_count_);
  free_count_ -= count;
  while (count > 0) {
    uint64_t& word = free_[first_free_word_];
    if (word == 0) {
      ++first_free_word_;
      continue;
    }
    slots.push_back(first_free_word_ * 64 + static_cast<uint32_t>(__builtin_ctzll(word)));
    word &= word - 1;
    --count;
  }
}

}  // namespace daedalus::engine
