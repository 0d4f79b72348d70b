// The memory that answers of one segment take while they come about, under one bound that segments share.
//
// So thousands of queries that group, order and collect rows in one cycle take together what was declared, whatever
// each of them could take alone; what leaves a segment stays counted until whoever took it lets go. Refuses to know
// what is kept in it. What a query takes whatever its rows are (its plan, the inside of its objects) is not counted,
// and neither are the two copies that there are for a moment while a vector grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::engine {

/// The scanner's alone. Takes from the budget in pieces large enough that threads which share it rarely meet there.
class AnswerMemory {
 public:
  explicit AnswerMemory(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
  /// With a budget of its own.
  explicit AnswerMemory(uint64_t bytes_max) : AnswerMemory(std::make_shared<ByteBudget>(bytes_max)) { is_own_ = true; }
  ~AnswerMemory() { budget_->give_back(granted_); }
  AnswerMemory(const AnswerMemory&) = delete;
  AnswerMemory& operator=(const AnswerMemory&) = delete;

  /// What is asked for from now on is asked for this query. Constant time.
  void work_for(ByteBudget::Holder holder) { holder_ = holder; }
  /// Nothing more is asked for this query here. Where others share the budget it goes on: in another segment, in a
  /// merge. Then who knows its end tells the budget.
  void end_of(ByteBudget::Holder holder) {
    if (is_own_) {
      budget_->leave(holder);
    }
  }

  /// False when the bound would be exceeded; then nothing is reserved. holding: what the holder then has in all.
  [[nodiscard]] bool reserve(uint64_t bytes, uint64_t holding) {
    if (bytes > granted_ - reserved_) {
      const uint64_t missing = bytes - (granted_ - reserved_);
      if (missing < kPiece && budget_->take(kPiece, UINT64_MAX, holder_)) {
        granted_ += kPiece;
      } else if (budget_->take(missing, holding, holder_)) {
        granted_ += missing;
      } else {
        return false;
      }
    }
    reserved_ += bytes;
    return true;
  }
  /// The same for what makes a query faster and which it can do without: half of the memory stays for the others.
  [[nodiscard]] bool reserve_spare(uint64_t bytes) {
    if (!budget_->take_spare(bytes)) {
      return false;
    }
    granted_ += bytes;
    reserved_ += bytes;
    return true;
  }
  void release(uint64_t bytes) {
    DCHECK(bytes <= reserved_);
    reserved_ -= bytes;
    const uint64_t kept = reserved_ == 0 ? 0 : reserved_ + kPiece;
    if (granted_ > kept + (reserved_ == 0 ? 0 : kPiece)) {
      budget_->give_back(granted_ - kept);
      granted_ = kept;
    }
  }
  /// What was reserved here and belongs to somebody else from now on.
  [[nodiscard]] ByteLease hand_over(uint64_t bytes) {
    DCHECK(bytes <= reserved_);
    reserved_ -= bytes;
    granted_ -= bytes;
    return ByteLease::of_taken(budget_, bytes);
  }

  [[nodiscard]] uint64_t reserved() const { return reserved_; }

  /// What a query that was refused ends with: 53200.
  [[nodiscard]] Error refusal() const;

 private:
  static constexpr uint64_t kPiece = 256u << 10;

  std::shared_ptr<ByteBudget> budget_;
  bool is_own_ = false;
  ByteBudget::Holder holder_ = ByteBudget::kNobody;
  uint64_t granted_ = 0;   ///< Of the budget.
  uint64_t reserved_ = 0;  ///< Of that.
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
    if (!memory_->reserve(bytes, bytes_ + bytes)) {
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
  /// Gives a part of it back.
  void remove(uint64_t bytes) {
    DCHECK(bytes <= bytes_);
    bytes_ -= bytes;
    memory_->release(bytes);
  }
  void release() { memory_->release(std::exchange(bytes_, 0)); }
  /// All of it goes with what it was reserved for.
  [[nodiscard]] ByteLease hand_over() { return memory_->hand_over(std::exchange(bytes_, 0)); }

 private:
  AnswerMemory* memory_;
  uint64_t bytes_ = 0;
};

/// Packed rows and the memory they take.
struct AnswerRows {
  std::string bytes;
  uint64_t count = 0;
  ByteLease lease;
};

}  // namespace daedalus::engine
