// What the compiler's threads are done with, until the network's thread takes it: many at a time, when it is behind.
//
// Decides when the network's thread has to be told, and how much it takes in one turn. Refuses to know what it does
// with that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "daedalus/aggregator/core.hpp"

namespace daedalus::aggregator {

/// Any thread may put; one takes. Bounded by the statements that may be in the compiler at once.
class CompiledMailbox {
 public:
  struct Letter {
    CompileTicket ticket{};
    Result<Compiled> compiled;
  };
  /// A SELECT takes the network's thread some microseconds, and a turn may last five milliseconds.
  static constexpr size_t kTakenMax = 64;

  /// Whether the taker has to be told: it has been told already of what else is there.
  [[nodiscard]] bool put(CompileTicket ticket, Result<Compiled>&& compiled) {
    const std::lock_guard lock(mutex_);
    letters_.push_back({ticket, std::move(compiled)});
    return letters_.size() == 1;
  }

  /// Appends what came first to `taken`: up to kTakenMax SELECTs, but none behind an update, which may be a long one.
  /// Whether there is more, for which to come again without being told.
  [[nodiscard]] bool take(std::vector<Letter>& taken) {
    const std::lock_guard lock(mutex_);
    const size_t end = std::min(letters_.size(), first_ + kTakenMax);
    while (first_ < end) {
      taken.push_back(std::move(letters_[first_++]));
      if (is_update(taken.back())) {
        break;
      }
    }
    const bool has_more = first_ < letters_.size();
    if (2 * first_ >= letters_.size()) {
      letters_.erase(letters_.begin(), letters_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return has_more;
  }

 private:
  [[nodiscard]] static bool is_update(const Letter& letter) {
    return letter.compiled.has_value() && std::holds_alternative<CompiledUpdate>(*letter.compiled);
  }

  std::mutex mutex_;
  std::vector<Letter> letters_;  ///< Empty when all has been taken.
  size_t first_ = 0;             ///< Those before it have been taken.
};

}  // namespace daedalus::aggregator
