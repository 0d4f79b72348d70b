#include "deadline_timer.hpp"

#include <utility>

namespace daedalus::rpc {

DeadlineTimer::DeadlineTimer(boost::asio::io_context& io, std::function<void()> on_expiry)
    : state_(std::make_shared<State>(io, std::move(on_expiry))) {}

void DeadlineTimer::set(Instant when) {
  state_->wanted = when;
  if (when < state_->pending) {
    wait(state_);
  }
}

void DeadlineTimer::wait(const std::shared_ptr<State>& state) {
  state->pending = state->wanted;
  const uint64_t round = ++state->round;
  state->timer.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(state->wanted.ns)));
  state->timer.async_wait([weak = std::weak_ptr<State>(state), round](const boost::system::error_code&) {
    const auto self = weak.lock();
    if (!self || round != self->round) {
      return;
    }
    self->pending = kNever;
    if (self->wanted == kNever) {
      return;
    }
    if (steady_now() < self->wanted) {
      wait(self);  // It was moved later while the timer ran.
      return;
    }
    self->wanted = kNever;
    self->on_expiry();
  });
}

}  // namespace daedalus::rpc
