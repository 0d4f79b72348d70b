#include "slot_allocator.hpp"

#include <algorithm>

#include "branches.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"
#include "kernels_bitmap.hpp"
#include "native.hpp"

namespace daedalus::engine {
namespace {

uint64_t generation_of(Timestamp timestamp) { return raw(timestamp) / kGenerationTimestamps; }

Error corrupt(std::string what) {
  return {ErrorCategory::kFatal, "XX001", std::move(what), "Restore from another checkpoint.", 0};
}

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
        release_cooled(cooling);
      }
    }
    if (free_count_ < demand.insert_rows) {
      if (pending_delete_.has_value()) {
        return false;
      }
      mark_branch(Branch::kCoolingSlotsTaken);
      end_cooling();
    }
    take(std::min(free_count_, demand.insert_rows), slots);
  }
  if (demand.deletes && !pending_delete_.has_value()) {
    pending_delete_ = generation;
  }
  return true;
}

void SlotAllocator::end_cooling() {
  release_cooled(cooling_[0]);
  release_cooled(cooling_[1]);
}

void SlotAllocator::release(Timestamp timestamp, uint32_t first_slot, std::span<const uint64_t> rows) {
  CHECK(first_slot % 64 == 0);
  for (size_t word = 0; word < rows.size(); ++word) {
    if (rows[word] != 0) {
      release_word(timestamp, first_slot / 64 + static_cast<uint32_t>(word), rows[word]);
    }
  }
}

AllocatorImage SlotAllocator::image(Timestamp prefix) const {
  return {.prefix = std::max(prefix, known_through_),
          .slot_count = static_cast<uint32_t>(free_.size()) * 64,
          .free = free_,
          .cooling = {{{cooling_[0].generation, cooling_[0].slots}, {cooling_[1].generation, cooling_[1].slots}}}};
}

Result<void> SlotAllocator::load(const AllocatorImage& image) {
  if (image.slot_count != free_.size() * 64 || image.free.size() != free_.size() ||
      image.cooling[0].slots.size() != free_.size() || image.cooling[1].slots.size() != free_.size()) {
    return corrupt("the checkpoint's list of free slots is of " + std::to_string(image.slot_count) +
                   " slots, the segment has " + std::to_string(free_.size() * 64));
  }
  for (size_t word = 0; word < free_.size(); ++word) {
    const uint64_t first = image.cooling[0].slots[word];
    const uint64_t second = image.cooling[1].slots[word];
    if (((image.free[word] & (first | second)) | (first & second)) != 0) {
      return corrupt("the checkpoint's list of free slots names a slot between " + std::to_string(word * 64) + " and " +
                     std::to_string(word * 64 + 63) + " twice");
    }
  }
  for (size_t which = 0; which < cooling_.size(); ++which) {
    const AllocatorImage::Cooling& cooling = image.cooling[which];
    if (cooling.generation % 2 != which &&
        std::any_of(cooling.slots.begin(), cooling.slots.end(), [](uint64_t word) { return word != 0; })) {
      return corrupt("the checkpoint's list of free slots has those of generation " +
                     std::to_string(cooling.generation) + " in place " + std::to_string(which));
    }
  }
  const auto words = static_cast<uint32_t>(free_.size());
  std::copy(image.free.begin(), image.free.end(), free_.begin());
  if (is_planted(Fault::kCoolingSlotTwice)) {
    or_into(free_.data(), image.cooling[0].slots.data(), words);
    or_into(free_.data(), image.cooling[1].slots.data(), words);
  }
  free_count_ = count_bits(free_.data(), words);
  first_free_word_ = 0;
  for (size_t which = 0; which < cooling_.size(); ++which) {
    cooling_[which].generation = image.cooling[which].generation;
    std::copy(image.cooling[which].slots.begin(), image.cooling[which].slots.end(), cooling_[which].slots.begin());
    cooling_[which].count = count_bits(cooling_[which].slots.data(), words);
  }
  known_through_ = image.prefix;
  return {};
}

void SlotAllocator::release_word(Timestamp timestamp, uint32_t word, uint64_t slots) {
  if (timestamp <= known_through_) {
    return;
  }
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
    release_cooled(cooling);  // Likewise: every insert from now on is at least two generations younger.
    cooling.generation = generation;
  }
  cooling.slots[word] |= slots;
  cooling.count += count;
}

void SlotAllocator::release_cooled(Cooling& cooling) {
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
