// One deadline that moves often and passes rarely: moving it later costs no system call.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "daedalus/base/units.hpp"

namespace daedalus::rpc {

inline Instant steady_now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return Instant{std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()};
}

/// Calls `on_expiry` once each time the deadline that was set last has passed. Destroying it ends all calls.
class DeadlineTimer {
 public:
  DeadlineTimer(boost::asio::io_context& io, std::function<void()> on_expiry);
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;
  /// kNever: no deadline.
  void set(Instant when);

 private:
  struct State {
    State(boost::asio::io_context& io, std::function<void()> expiry) : timer(io), on_expiry(std::move(expiry)) {}
    boost::asio::steady_timer timer;
    std::function<void()> on_expiry;
    Instant wanted = kNever;   ///< The deadline.
    Instant pending = kNever;  ///< When the timer will ring: at or before the deadline.
    uint64_t round = 0;        ///< The number of the wait that counts; earlier ones are void.
  };
  static void wait(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace daedalus::rpc
