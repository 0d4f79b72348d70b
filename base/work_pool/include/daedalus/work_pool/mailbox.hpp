// Threads put their results here until one thread takes them, many at a time when it is behind.
//
// Decides when the taker has to be told, and how much it takes in one turn. Refuses to know what it does with that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace daedalus {

/// Any thread may put; one takes. Bounded by the jobs whose results are put: how many may be under way is decided where
/// they are submitted.
template <typename Letter>
class Mailbox {
 public:
  /// A short letter takes the taker some microseconds, and its turn may last five milliseconds.
  static constexpr size_t kTakenMax = 64;
  /// Says whether a letter may take the taker many times as long as most do.
  using IsLong = bool (*)(const Letter& letter);

  explicit Mailbox(IsLong is_long) : is_long_(is_long) {}

  /// Puts a letter. Returns whether the taker has to be told: it has been told already of what else is there.
  [[nodiscard]] bool put(Letter&& letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(letter));
    return letters_.size() == 1;
  }

  /// Appends what came first to `taken`: up to kTakenMax letters, but none behind a long one. Whether there is more,
  /// for which to come again without being told.
  [[nodiscard]] bool take(std::vector<Letter>& taken) {
    const std::lock_guard lock(mutex_);
    const size_t end = std::min(letters_.size(), first_ + kTakenMax);
    while (first_ < end) {
      taken.push_back(std::move(letters_[first_++]));
      if (is_long_(taken.back())) {
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
  const IsLong is_long_;
  std::mutex mutex_;
  std::vector<Letter> letters_;  ///< Empty when all has been taken.
  size_t first_ = 0;             ///< The letters before it have been taken.
};

}  // namespace daedalus
