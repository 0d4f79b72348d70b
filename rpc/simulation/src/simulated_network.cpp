#include "daedalus/rpc/simulated_network.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "daedalus/base/check.hpp"
#include "simulation_impl.hpp"

namespace daedalus::rpc {

// ---- one process's view ----

SimulatedEndpoint::SimulatedEndpoint(SimulatedNetwork& network, std::unique_ptr<State> state)
    : network_(network), state_(std::move(state)) {}
SimulatedEndpoint::~SimulatedEndpoint() = default;

LinkId SimulatedEndpoint::dial(const std::string& endpoint) {
  const auto link = static_cast<uint32_t>(state_->links.size());
  if (!state_->running) {
    return LinkId{link};
  }
  SimulatedNetwork::Impl& impl = *network_.impl_;
  state_->links.push_back({impl.index_of(endpoint), impl.options.dial_delay_ns_min, false});
  impl.dial(*state_, link);
  return LinkId{link};
}

void SimulatedEndpoint::drop_link(LinkId link, const std::string& reason) {
  if (state_->running) {
    network_.impl_->drop_link(*state_, link, reason);
  }
}

void SimulatedEndpoint::send(Outbox&& outbox) {
  if (state_->running) {
    network_.impl_->send(*state_, outbox);
  }
  outbox.clear();
}

uint64_t SimulatedEndpoint::output_waiting(PeerId peer) const { return network_.impl_->output_waiting(peer); }

void SimulatedEndpoint::post(std::function<void()> task) { post_at(network_.impl_->now, std::move(task)); }

void SimulatedEndpoint::post_at(Instant when, std::function<void()> task) {
  network_.impl_->schedule_for(*state_, when, [this, task = std::move(task)] {
    task();
    network_.impl_->want_turn_end(*state_);
  });
}

void SimulatedEndpoint::arm(Instant when, std::function<void()> task) {
  const uint64_t round = ++state_->armed_round;
  state_->armed_task = std::move(task);
  state_->armed_at = when;
  if (when == kNever || !state_->armed_task) {
    return;
  }
  network_.impl_->schedule_for(*state_, Instant{when.ns - state_->ahead_ns}, [this, round] {
    if (round == state_->armed_round) {
      const auto armed = std::exchange(state_->armed_task, {});
      armed();
      network_.impl_->want_turn_end(*state_);
    }
  });
}

void SimulatedEndpoint::set_on_turn_end(std::function<void()> hook) { state_->on_turn_end = std::move(hook); }
void SimulatedEndpoint::set_hello(wire::v1::Hello hello) { state_->hello = std::move(hello); }
Instant SimulatedEndpoint::now() const { return after(network_.impl_->now, state_->ahead_ns); }
const std::string& SimulatedEndpoint::name() const { return state_->name; }

// ---- processes ----

uint32_t SimulatedNetwork::Impl::index_of(const std::string& name) {
  const auto [found, is_new] = indexes_.try_emplace(name, static_cast<uint32_t>(endpoints_.size()));
  if (is_new) {
    auto state = std::make_unique<State>();
    state->name = name;
    state->index = found->second;
    endpoints_.push_back(std::make_unique<SimulatedEndpoint>(network_, std::move(state)));
  }
  return found->second;
}

SimulatedEndpoint& SimulatedNetwork::Impl::start(const std::string& name, wire::v1::Hello hello, PeerHandler& handler) {
  const uint32_t index = index_of(name);
  State& process = *endpoint_state(index);
  CHECK(!process.running);
  process.running = true;
  process.handler = &handler;
  process.hello = std::move(hello);
  record(1, index, process.incarnation);
  return endpoint(index);
}

void SimulatedNetwork::Impl::crash(const std::string& name, Notice notice) {
  CHECK(!in_process);
  const uint32_t index = index_of(name);
  State& process = *endpoint_state(index);
  if (!process.running) {
    return;
  }
  record(2, index, process.incarnation);
  for (const ConnectionPtr& connection : connections_of(index)) {
    for (int side = 0; side < 2; ++side) {
      if (connection->sides[static_cast<size_t>(side)].process == index) {
        vanish(connection, side, notice != Notice::kNobody);
      }
    }
  }
  State fresh;
  fresh.name = process.name;
  fresh.index = process.index;
  fresh.incarnation = process.incarnation + 1;
  fresh.armed_round = process.armed_round;
  process = std::move(fresh);
}

SimulatedEndpoint::State* SimulatedNetwork::Impl::endpoint_state(uint32_t index) {
  return endpoints_[index]->state_.get();
}

// ---- time ----

void SimulatedNetwork::Impl::schedule(Instant when, std::function<void()> task) {
  events_.push_back(Event{std::max(when, now), next_order_++, std::move(task)});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void SimulatedNetwork::Impl::schedule_for(State& process, Instant when, std::function<void()> task) {
  if (!process.running) {
    return;
  }
  schedule(when, [this, &process, incarnation = process.incarnation, task = std::move(task)] {
    run_in(process, incarnation, task);
  });
}

void SimulatedNetwork::Impl::run_in(State& process, uint64_t incarnation, std::function<void()> task) {
  if (!process.running || process.incarnation != incarnation) {
    return;
  }
  if (is_frozen(process.index)) {
    schedule(process.frozen_until,
             [this, &process, incarnation, task = std::move(task)] { run_in(process, incarnation, task); });
    return;
  }
  const bool outer = std::exchange(in_process, true);
  task();
  in_process = outer;
}

void SimulatedNetwork::Impl::freeze(State& process, int64_t duration_ns) {
  process.frozen_until = std::max(process.frozen_until, after(now, duration_ns));
  schedule_for(process, process.frozen_until, [this, &process] { take_in_what_froze(process.index); });
}

bool SimulatedNetwork::Impl::step(Instant limit) {
  if (events_.empty() || events_.front().when > limit) {
    return false;
  }
  std::pop_heap(events_.begin(), events_.end(), std::greater<>());
  const Event event = std::move(events_.back());
  events_.pop_back();
  now = event.when;
  ++event_count;
  record(3, static_cast<uint64_t>(event.when.ns), event.order);
  event.task();
  return true;
}

void SimulatedNetwork::Impl::record(uint64_t what, uint64_t a, uint64_t b) {
  for (const uint64_t word : {what, a, b}) {
    hash = Random(hash ^ word).next();
  }
}

// ---- the public face ----

SimulatedNetwork::SimulatedNetwork(SimulationOptions options) : impl_(std::make_unique<Impl>(*this, options)) {}
SimulatedNetwork::~SimulatedNetwork() = default;

SimulatedEndpoint& SimulatedNetwork::start(const std::string& name, wire::v1::Hello hello, PeerHandler& handler) {
  return impl_->start(name, std::move(hello), handler);
}

void SimulatedNetwork::crash(const std::string& name, Notice notice) { impl_->crash(name, notice); }

SimulatedEndpoint& SimulatedNetwork::restart(const std::string& name, wire::v1::Hello hello, PeerHandler& handler) {
  return impl_->start(name, std::move(hello), handler);
}

bool SimulatedNetwork::running(const std::string& name) const {
  return impl_->endpoint(impl_->index_of(name)).state_->running;
}

void SimulatedNetwork::leap(const std::string& name, int64_t ahead_ns) {
  CHECK(ahead_ns >= 0);
  SimulatedEndpoint& endpoint = impl_->endpoint(impl_->index_of(name));
  endpoint.state_->ahead_ns += ahead_ns;
  if (endpoint.state_->armed_task) {
    endpoint.arm(endpoint.state_->armed_at, std::move(endpoint.state_->armed_task));
  }
}

void SimulatedNetwork::freeze(const std::string& name, int64_t duration_ns) {
  impl_->freeze(*impl_->endpoint(impl_->index_of(name)).state_, duration_ns);
}

bool SimulatedNetwork::frozen(const std::string& name) const { return impl_->is_frozen(impl_->index_of(name)); }

void SimulatedNetwork::reset(const std::string& a, const std::string& b, Notice notice) {
  const uint32_t first = impl_->index_of(a);
  const uint32_t second = impl_->index_of(b);
  for (const auto& connection : impl_->connections_of(first)) {
    const bool forward = connection->sides[0].process == first;
    if (connection->sides[forward ? 1 : 0].process == second) {
      const bool first_notices = notice != Notice::kNobody;
      const bool second_notices = notice == Notice::kBoth;
      impl_->lose(connection, forward ? first_notices : second_notices, forward ? second_notices : first_notices);
    }
  }
}

void SimulatedNetwork::cut(const std::string& a, const std::string& b, Notice notice) {
  impl_->cuts.insert(Impl::pair_of(impl_->index_of(a), impl_->index_of(b)));
  reset(a, b, notice);
}

void SimulatedNetwork::blackhole(const std::string& from, const std::string& to) {
  impl_->blackholes.emplace(impl_->index_of(from), impl_->index_of(to));
}

void SimulatedNetwork::heal(const std::string& a, const std::string& b) {
  const uint32_t first = impl_->index_of(a);
  const uint32_t second = impl_->index_of(b);
  impl_->cuts.erase(Impl::pair_of(first, second));
  for (const auto& direction : {std::pair{first, second}, std::pair{second, first}}) {
    if (impl_->blackholes.erase(direction) > 0) {
      impl_->release(direction.first, direction.second);
    }
  }
}

void SimulatedNetwork::heal_all() {
  impl_->cuts.clear();
  for (const auto& [from, to] : std::exchange(impl_->blackholes, {})) {
    impl_->release(from, to);
  }
}

void SimulatedNetwork::set_delay(const std::string& a, const std::string& b, int64_t ns_min, int64_t ns_max) {
  CHECK(ns_min >= 0 && ns_min <= ns_max);
  impl_->delays[Impl::pair_of(impl_->index_of(a), impl_->index_of(b))] = {ns_min, ns_max};
}

void SimulatedNetwork::set_reset_probability(double probability) { impl_->options.reset_probability = probability; }

Instant SimulatedNetwork::now() const { return impl_->now; }

void SimulatedNetwork::at(Instant when, std::function<void()> task) { impl_->schedule(when, std::move(task)); }

void SimulatedNetwork::run_until(Instant when) {
  while (impl_->step(when)) {
  }
  impl_->now = std::max(impl_->now, when);
}

void SimulatedNetwork::run_for(int64_t duration_ns) { run_until(after(now(), duration_ns)); }

bool SimulatedNetwork::run_until(const std::function<bool()>& condition, int64_t duration_ns) {
  const Instant limit = after(now(), duration_ns);
  while (!condition()) {
    if (!impl_->step(limit)) {
      impl_->now = std::max(impl_->now, limit);
      return condition();
    }
  }
  return true;
}

uint64_t SimulatedNetwork::event_hash() const { return impl_->hash; }
uint64_t SimulatedNetwork::event_count() const { return impl_->event_count; }
uint64_t SimulatedNetwork::resets() const { return impl_->resets; }
Random& SimulatedNetwork::random() { return impl_->random; }

}  // namespace daedalus::rpc
