// The memory that answers of one segment take while they come about, under one bound.
//
// Decides who may take more: whoever asks before the bound is reached. So thousands of queries that group, order and
// collect rows in one cycle take together what was declared, whatever each of them could take alone. Refuses to know
// what is kept in it. What a query takes whatever its rows are (its plan, the inside of its objects) is not counted,
// and neither are the two copies that there are for a moment while a vector grows.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::engine {

/// The scanner's alone, but for the figure it is given.
class AnswerMemory {
 public:
  /// handed_over: bytes that answers take beside those reserved here, because they wait for their consumer; may be
  /// null, and is changed by any thread.
  explicit AnswerMemory(uint64_t bytes_max, const std::atomic<uint64_t>* handed_over = nullptr)
      : bytes_max_(bytes_max), handed_over_(handed_over) {}
  AnswerMemory(const AnswerMemory&) = delete;
  AnswerMemory& operator=(const AnswerMemory&) = delete;

  /// False when the bound would be exceeded; then nothing is reserved.
  [[nodiscard]] bool reserve(uint64_t bytes) { return reserve_below(bytes, bytes_max_); }
  /// The same for what makes a query faster and which it can do without: half of the memory stays for the others.
  [[nodiscard]] bool reserve_spare(uint64_t bytes) { return reserve_below(bytes, bytes_max_ / 2); }
  void release(uint64_t bytes) {
    DCHECK(bytes <= reserved_);
    reserved_ -= bytes;
  }

  [[nodiscard]] uint64_t reserved() const { return reserved_; }

  /// What a query that was refused ends with: 53200.
  [[nodiscard]] Error refusal() const;

 private:
  [[nodiscard]] bool reserve_below(uint64_t bytes, uint64_t limit) {
    const uint64_t handed_over = handed_over_ == nullptr ? 0 : handed_over_->load(std::memory_order_relaxed);
    const uint64_t taken = reserved_ + handed_over;
    if (taken > limit || bytes > limit - taken) {
      return false;
    }
    reserved_ += bytes;
    return true;
  }

  uint64_t bytes_max_;
  const std::atomic<uint64_t>* handed_over_;
  uint64_t reserved_ = 0;
};

/// What one part of one query holds of it; given back when this object goes.
class MemoryShare {
 public:
  explicit MemoryShare(AnswerMemory& memory) : memory_(&memory) {}
  MemoryShare(MemoryShare&& other) noexcept : memory_(other.memory_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&&) = delete;
  ~MemoryShare() { release(); }

  /// Asks for so many bytes more; false when there are none.
  [[nodiscard]] bool add(uint64_t bytes) {
    if (!memory_->reserve(bytes)) {
      return false;
    }
    bytes_ += bytes;
    return true;
  }
  /// See AnswerMemory::reserve_spare.
  [[nodiscard]] bool add_spare(uint64_t bytes) {
    if (!memory_->reserve_spare(bytes)) {
      return false;
    }
    bytes_ += bytes;
    return true;
  }
  void release() { memory_->release(std::exchange(bytes_, 0)); }

 private:
  AnswerMemory* memory_;
  uint64_t bytes_ = 0;
};

}  // namespace daedalus::engine
