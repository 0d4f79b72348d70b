// One bound on the bytes that many hold together: a process's memory for answers.
//
// Decides who may take more. Small holders have the last eighth to themselves: what is asked often and answered with
// little goes on while large answers are refused. Of the large ones the oldest may take what is left, all others half
// of it together: so one gets to its end where ten that grow side by side would refuse each other. Counts what each
// holds, wherever it holds it: so whoever is refused is told whether it is too large by itself. Refuses to know what
// the bytes are.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace daedalus {

/// Any thread.
class ByteBudget {
 public:
  /// Whoever holds no more than this is small.
  static constexpr uint64_t kSmallHolding = 64u << 10;

  /// Who holds: the number of a query, older ones have lower numbers.
  using Holder = uint64_t;
  /// Takes no part in who is the oldest, and has the oldest one's bound.
  static constexpr Holder kNobody = UINT64_MAX;

  explicit ByteBudget(uint64_t bytes_max) : bytes_max_(bytes_max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  /// Returns true when it took `bytes` more, for a holder that then holds `holding`; otherwise it took nothing.
  [[nodiscard]] bool take(uint64_t bytes, uint64_t holding, Holder holder = kNobody) {
    if (holding <= kSmallHolding) {
      return take_below(bytes, bytes_max_);
    }
    return take_below(bytes, is_oldest(holder) ? largest_holding() : bytes_max_ / 2);
  }
  /// The holder takes no more: another may be the oldest. To be said of everyone who ever took.
  void leave(Holder holder) { oldest_.compare_exchange_strong(holder, kNobody, std::memory_order_relaxed); }
  /// Takes bytes that their holder can do without: half of the budget is left to the others.
  [[nodiscard]] bool take_spare(uint64_t bytes) { return take_below(bytes, bytes_max_ / 2); }
  /// Takes what is there already and cannot be refused; beyond the bound, others are refused until it is given back.
  void take_anyway(uint64_t bytes) { taken_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(uint64_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

  /// Notes that so many more of the bytes that were taken are the holder's; negative: fewer. Lock-free. Where another
  /// one has the place of its number, which is thousands of queries older and has not ended, nothing is counted.
  void note(Holder holder, int64_t bytes) {
    if (holder == kNobody || bytes == 0) {
      return;
    }
    std::atomic<uint64_t>& place = held_[holder % kPlaces];
    uint64_t known = place.load(std::memory_order_relaxed);
    uint64_t noted = 0;
    do {
      if (held_in(known) > 0 && !is_of(known, holder)) {
        return;
      }
      const int64_t held = static_cast<int64_t>(held_in(known)) + bytes;
      noted = tag_of(holder) | static_cast<uint64_t>(std::clamp<int64_t>(held, 0, kHeldMask));
    } while (!place.compare_exchange_weak(known, noted, std::memory_order_relaxed));
  }

  /// Who takes ahead of those who will ask has a number here; several may have the same.
  [[nodiscard]] uint32_t register_taker() { return takers_.fetch_add(1, std::memory_order_relaxed) % kTakers; }
  /// So many bytes more, or fewer, are nobody's: a taker has taken them, and none has asked for them yet.
  void note_idle(uint32_t taker, int64_t bytes) { idle_[taker].bytes.fetch_add(bytes, std::memory_order_relaxed); }

  /// Returns whether the holder, refused `wanted` bytes beside what it has been noted to hold, would be refused them,
  /// too, if no other held anything.
  [[nodiscard]] bool is_too_large_alone(Holder holder, uint64_t wanted) const {
    const uint64_t known = held_[holder % kPlaces].load(std::memory_order_relaxed);
    uint64_t alone = wanted + (holder != kNobody && is_of(known, holder) ? held_in(known) : 0);
    for (const Idle& idle : idle_) {
      alone += static_cast<uint64_t>(idle.bytes.load(std::memory_order_relaxed));
    }
    return alone > (alone <= kSmallHolding ? bytes_max_ : largest_holding());
  }

  [[nodiscard]] uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t bytes_max() const { return bytes_max_; }
  /// Returns the most bytes that one holder may have where no other has any.
  [[nodiscard]] uint64_t largest_holding() const { return bytes_max_ - bytes_max_ / 8; }

 private:
  static constexpr uint32_t kPlaces = 4096;
  static constexpr uint32_t kTakers = 64;
  static constexpr uint32_t kHeldBits = 42;  ///< More than a setting allows.
  static constexpr uint64_t kHeldMask = (uint64_t{1} << kHeldBits) - 1;

  /// Each of a cache line of its own: takers do not disturb each other.
  struct alignas(64) Idle {
    std::atomic<int64_t> bytes{0};
  };

  [[nodiscard]] static uint64_t held_in(uint64_t place) { return place & kHeldMask; }
  [[nodiscard]] static uint64_t tag_of(Holder holder) { return holder / kPlaces << kHeldBits; }
  [[nodiscard]] static bool is_of(uint64_t place, Holder holder) { return (place & ~kHeldMask) == tag_of(holder); }

  [[nodiscard]] bool take_below(uint64_t bytes, uint64_t limit) {
    uint64_t taken = taken_.load(std::memory_order_relaxed);
    do {
      if (taken > limit || bytes > limit - taken) {
        return false;
      }
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
    return true;
  }

  /// Returns whether no other that holds much is older.
  [[nodiscard]] bool is_oldest(Holder holder) {
    Holder oldest = oldest_.load(std::memory_order_relaxed);
    while (holder < oldest) {
      if (oldest_.compare_exchange_weak(oldest, holder, std::memory_order_relaxed)) {
        return true;
      }
    }
    return holder == oldest || holder == kNobody;
  }

  const uint64_t bytes_max_;
  std::atomic<uint64_t> taken_{0};
  std::atomic<Holder> oldest_{kNobody};
  std::array<std::atomic<uint64_t>, kPlaces> held_{};  ///< By the lowest bits of the holder: the next ones, and bytes.
  std::atomic<uint32_t> takers_{0};
  std::array<Idle, kTakers> idle_{};
};

/// Bytes of a budget that one holder has; given back when this object goes. One thread at a time.
class ByteLease {
 public:
  ByteLease() = default;
  explicit ByteLease(std::shared_ptr<ByteBudget> budget, ByteBudget::Holder holder = ByteBudget::kNobody)
      : budget_(std::move(budget)), holder_(holder) {}
  /// Holds what has been taken already, and noted as the holder's.
  [[nodiscard]] static ByteLease of_taken(std::shared_ptr<ByteBudget> budget, uint64_t taken,
                                          ByteBudget::Holder holder) {
    ByteLease lease(std::move(budget), holder);
    lease.bytes_ = taken;
    return lease;
  }
  ByteLease(ByteLease&& other) noexcept
      : budget_(std::move(other.budget_)), holder_(other.holder_), bytes_(std::exchange(other.bytes_, 0)) {}
  ByteLease& operator=(ByteLease&& other) noexcept {
    if (this != &other) {
      release();
      budget_ = std::move(other.budget_);
      holder_ = other.holder_;
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~ByteLease() { release(); }

  [[nodiscard]] uint64_t bytes() const { return bytes_; }

  /// Holds so many from now on; false, and as before, when the budget has no more. Precondition: it has a budget.
  [[nodiscard]] bool resize(uint64_t bytes) {
    if (bytes > bytes_ && !budget_->take(bytes - bytes_, bytes, holder_)) {
      return false;
    }
    if (bytes < bytes_) {
      budget_->give_back(bytes_ - bytes);
    }
    hold(bytes);
    return true;
  }
  /// Resizes to bytes that are there already and cannot be refused.
  void resize_anyway(uint64_t bytes) {
    bytes > bytes_ ? budget_->take_anyway(bytes - bytes_) : budget_->give_back(bytes_ - bytes);
    hold(bytes);
  }
  /// Takes over what another holds of the same budget, or of none.
  void absorb(ByteLease other) {
    if (other.budget_ == budget_) {
      const uint64_t taken = other.bytes_;
      other.hold(0);
      hold(bytes_ + taken);
    }
  }
  void release() {
    if (budget_ != nullptr) {
      budget_->give_back(bytes_);
      hold(0);
    }
  }

 private:
  /// Notes that it holds so many from now on.
  void hold(uint64_t bytes) {
    if (holder_ != ByteBudget::kNobody && bytes != bytes_) {
      budget_->note(holder_, static_cast<int64_t>(bytes - bytes_));
    }
    bytes_ = bytes;
  }

  std::shared_ptr<ByteBudget> budget_;
  ByteBudget::Holder holder_ = ByteBudget::kNobody;
  uint64_t bytes_ = 0;
};

}  // namespace daedalus
