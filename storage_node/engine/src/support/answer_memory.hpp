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
  using Holder = ByteBudget::Holder;

  /// owner: whose setting the bound is, for the error.
  explicit AnswerMemory(std::shared_ptr<ByteBudget> budget, std::string owner = "this process")
      : budget_(std::move(budget)), taker_(budget_->register_taker()), owner_(std::move(owner)) {}
  /// With a budget of its own.
  explicit AnswerMemory(uint64_t bytes_max, std::string owner = "this process")
      : AnswerMemory(std::make_shared<ByteBudget>(bytes_max), std::move(owner)) {
    is_own_ = true;
  }
  ~AnswerMemory() {
    budget_->note_idle(taker_, -static_cast<int64_t>(granted_ - reserved_));
    budget_->give_back(granted_);
  }
  AnswerMemory(const AnswerMemory&) = delete;
  AnswerMemory& operator=(const AnswerMemory&) = delete;

  /// Learns that memory asked for from now on is asked for this query. Constant time.
  void work_for(Holder holder) { holder_ = holder; }
  [[nodiscard]] Holder holder() const { return holder_; }
  /// Nothing more is asked for this query here. Where others share the budget it goes on: in another segment, in a
  /// merge. Then who knows its end tells the budget.
  void end_of(Holder holder) {
    if (is_own_) {
      budget_->leave(holder);
    }
  }

  /// False when the bound would be exceeded; then nothing is reserved. holding: what the part of a query that asks then
  /// has. holder: whose it is.
  [[nodiscard]] bool reserve(uint64_t bytes, uint64_t holding, Holder holder) {
    uint64_t granted = 0;
    if (bytes > granted_ - reserved_) {
      const uint64_t missing = bytes - (granted_ - reserved_);
      if (missing < kPiece && budget_->take(kPiece, UINT64_MAX, holder_)) {
        granted = kPiece;
      } else if (budget_->take(missing, holding, holder_)) {
        granted = missing;
      } else {
        refused_ = missing;
        return false;
      }
    }
    add(granted, bytes, holder);
    return true;
  }
  /// Reserves memory for what makes a query faster and which it can do without: half of the memory stays for the
  /// others.
  [[nodiscard]] bool reserve_spare(uint64_t bytes, Holder holder) {
    if (!budget_->take_spare(bytes)) {
      return false;
    }
    add(bytes, bytes, holder);
    return true;
  }
  void release(uint64_t bytes, Holder holder) {
    DCHECK(bytes <= reserved_);
    if (bytes == 0) {
      return;
    }
    const uint64_t idle = granted_ - reserved_;
    reserved_ -= bytes;
    const uint64_t kept = reserved_ == 0 ? 0 : reserved_ + kPiece;
    if (granted_ > kept + (reserved_ == 0 ? 0 : kPiece)) {
      budget_->give_back(granted_ - kept);
      granted_ = kept;
    }
    budget_->note(holder, -static_cast<int64_t>(bytes));
    budget_->note_idle(taker_, static_cast<int64_t>(granted_ - reserved_ - idle));
  }
  /// Returns what was reserved here and is kept elsewhere from now on.
  [[nodiscard]] ByteLease hand_over(uint64_t bytes, Holder holder) {
    DCHECK(bytes <= reserved_);
    reserved_ -= bytes;
    granted_ -= bytes;
    return ByteLease::of_taken(budget_, bytes, holder);
  }

  [[nodiscard]] uint64_t reserved() const { return reserved_; }

  /// Returns what was asked for in vain the last time, beyond what was there.
  [[nodiscard]] uint64_t refused() const { return refused_; }

  /// Returns what the query that asks ends with, which was refused: 54000 where what it holds in this process and
  /// `wanted` are too much for one query, however little the others hold; else 53200.
  [[nodiscard]] Error refusal(uint64_t wanted) const;
  [[nodiscard]] Error refusal() const { return refusal(refused_); }

 private:
  static constexpr uint64_t kPiece = 256u << 10;

  void add(uint64_t granted, uint64_t reserved, Holder holder) {
    granted_ += granted;
    reserved_ += reserved;
    budget_->note(holder, static_cast<int64_t>(reserved));
    budget_->note_idle(taker_, static_cast<int64_t>(granted - reserved));
  }

  std::shared_ptr<ByteBudget> budget_;
  uint32_t taker_;
  std::string owner_;
  bool is_own_ = false;
  Holder holder_ = ByteBudget::kNobody;
  uint64_t refused_ = 0;
  uint64_t granted_ = 0;   ///< Counts what the budget has granted.
  uint64_t reserved_ = 0;  ///< Counts what is reserved of that.
};

/// Holds what one part of one query holds of it; given back when this object goes. It is the query's that asked first.
class MemoryShare {
 public:
  explicit MemoryShare(AnswerMemory& memory) : memory_(&memory) {}
  /// Makes a share for what queries share and could do without: it is no demand of any.
  [[nodiscard]] static MemoryShare of_nobody(AnswerMemory& memory) {
    MemoryShare share(memory);
    share.is_nobodys_ = true;
    return share;
  }
  MemoryShare(MemoryShare&& other) noexcept
      : memory_(other.memory_),
        is_nobodys_(other.is_nobodys_),
        holder_(other.holder_),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&&) = delete;
  ~MemoryShare() { release(); }

  /// Asks for so many bytes more; false when there are none.
  [[nodiscard]] bool add(uint64_t bytes) { return count(memory_->reserve(bytes, bytes_ + bytes, holder()), bytes); }
  /// See AnswerMemory::reserve_spare.
  [[nodiscard]] bool add_spare(uint64_t bytes) { return count(memory_->reserve_spare(bytes, holder()), bytes); }
  /// Gives a part of it back.
  void remove(uint64_t bytes) {
    DCHECK(bytes <= bytes_);
    bytes_ -= bytes;
    memory_->release(bytes, holder_);
  }
  void release() { memory_->release(std::exchange(bytes_, 0), holder_); }
  /// All of it goes with what it was reserved for.
  [[nodiscard]] ByteLease hand_over() { return memory_->hand_over(std::exchange(bytes_, 0), holder_); }

  /// Returns what the query that asks now uses here and another one is counted for.
  [[nodiscard]] uint64_t counted_for_others() const { return holder_ == memory_->holder() ? 0 : bytes_; }

 private:
  [[nodiscard]] AnswerMemory::Holder holder() {
    if (bytes_ == 0 && !is_nobodys_) {
      holder_ = memory_->holder();
    }
    return holder_;
  }
  [[nodiscard]] bool count(bool is_granted, uint64_t bytes) {
    bytes_ += is_granted ? bytes : 0;
    return is_granted;
  }

  AnswerMemory* memory_;
  bool is_nobodys_ = false;
  AnswerMemory::Holder holder_ = ByteBudget::kNobody;
  uint64_t bytes_ = 0;
};

/// Packed rows and the memory they take.
struct AnswerRows {
  std::string bytes;
  uint64_t count = 0;
  ByteLease lease;
};

}  // namespace daedalus::engine
