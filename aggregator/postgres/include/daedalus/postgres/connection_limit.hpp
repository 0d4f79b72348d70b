// How many clients may be logged in, or on their way in, at once.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace daedalus::postgres {

class ConnectionLimit;

/// One of them, while it lives.
class ConnectionPermit {
 public:
  ConnectionPermit(ConnectionPermit&& other) noexcept
      : connection_limit_(std::exchange(other.connection_limit_, nullptr)) {}
  ConnectionPermit& operator=(ConnectionPermit&& other) noexcept {
    std::swap(connection_limit_, other.connection_limit_);
    return *this;
  }
  ~ConnectionPermit();

 private:
  friend class ConnectionLimit;
  explicit ConnectionPermit(ConnectionLimit& connection_limit) : connection_limit_(&connection_limit) {}

  ConnectionLimit* connection_limit_;
};

/// Must outlive its connections.
class ConnectionLimit {
 public:
  explicit ConnectionLimit(size_t max) : max_(max) {}

  /// Nothing, where all are taken.
  [[nodiscard]] std::optional<ConnectionPermit> take() {
    if (taken_ == max_) {
      return std::nullopt;
    }
    ++taken_;
    return ConnectionPermit(*this);
  }
  [[nodiscard]] size_t max() const { return max_; }
  [[nodiscard]] size_t taken() const { return taken_; }

 private:
  friend class ConnectionPermit;

  const size_t max_;
  size_t taken_ = 0;
};

inline ConnectionPermit::~ConnectionPermit() {
  if (connection_limit_ != nullptr) {
    --connection_limit_->taken_;
  }
}

}  // namespace daedalus::postgres
