// How many clients may be logged in, or on their way in, at once.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace daedalus::postgres {

class Seats;

/// One of them, while it lives.
class Seat {
 public:
  Seat(Seat&& other) noexcept : seats_(std::exchange(other.seats_, nullptr)) {}
  Seat& operator=(Seat&& other) noexcept {
    std::swap(seats_, other.seats_);
    return *this;
  }
  ~Seat();

 private:
  friend class Seats;
  explicit Seat(Seats& seats) : seats_(&seats) {}

  Seats* seats_;
};

/// Must outlive its seats.
class Seats {
 public:
  explicit Seats(size_t max) : max_(max) {}

  /// Nothing, where all are taken.
  [[nodiscard]] std::optional<Seat> take() {
    if (taken_ == max_) {
      return std::nullopt;
    }
    ++taken_;
    return Seat(*this);
  }
  [[nodiscard]] size_t max() const { return max_; }
  [[nodiscard]] size_t taken() const { return taken_; }

 private:
  friend class Seat;

  const size_t max_;
  size_t taken_ = 0;
};

inline Seat::~Seat() {
  if (seats_ != nullptr) {
    --seats_->taken_;
  }
}

}  // namespace daedalus::postgres
