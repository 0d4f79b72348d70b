#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"
#include "simulation_impl.hpp"

namespace daedalus::rpc {

namespace {

/// One piece in four is this small at most, so that frame headers, too, arrive in parts.
constexpr uint64_t kSmallPieceMax = 32;
constexpr double kSmallPieceProbability = 0.25;
constexpr double kOneSidedProbability = 0.5;

SimulatedSide& side_of(SimulatedConnection& connection, int side) {
  return connection.sides[static_cast<size_t>(side)];
}

}  // namespace

// ---- dialling ----

void SimulatedNetwork::Impl::dial(State& process, uint32_t link) {
  schedule_for(process, now, [this, &process, link] { attempt(process, link); });
}

void SimulatedNetwork::Impl::dial_later(State& process, uint32_t link) {
  State::Link& target = process.links[link];
  const int64_t pause = target.delay_ns;
  target.delay_ns = std::min(target.delay_ns * 2, options.dial_delay_ns_max);
  schedule_for(process, after(now, pause), [this, &process, link] { attempt(process, link); });
}

void SimulatedNetwork::Impl::attempt(State& process, uint32_t link) {
  if (process.links[link].dropped) {
    return;
  }
  const uint32_t target = process.links[link].target;
  const bool swallowed = blackholes.contains({process.index, target}) || blackholes.contains({target, process.index});
  const int64_t round_trip = draw_delay(process.index, target) + draw_delay(process.index, target);
  schedule_for(process, after(now, swallowed ? options.dial_ns_max : round_trip), [this, &process, link, swallowed] {
    if (process.links[link].dropped) {
      return;
    }
    if (swallowed) {
      dial_failed(process, link, fmt::format("no answer within {} ms", options.dial_ns_max / kMillisecond));
    } else {
      connect(process, link);
    }
  });
}

void SimulatedNetwork::Impl::connect(State& process, uint32_t link) {
  State& target = *endpoint_state(process.links[link].target);
  if (!target.running || cuts.contains(pair_of(process.index, target.index))) {
    dial_failed(process, link, target.running ? "network is unreachable" : "connection refused");
    return;
  }
  const auto connection = std::make_shared<SimulatedConnection>();
  connection->id = next_connection_++;
  connections_.emplace(connection->id, connection);
  record(4, connection->id, uint64_t{process.index} << 32 | target.index);
  open_side(connection, 0, process, target.name, LinkId{link});
  open_side(connection, 1, target, fmt::format("{}#{}", process.name, connection->id), std::nullopt);
}

void SimulatedNetwork::Impl::dial_failed(State& process, uint32_t link, const std::string& reason) {
  dial_later(process, link);
  const std::string& target = endpoint_state(process.links[link].target)->name;
  process.handler->on_dial_failed(LinkId{link}, fmt::format("cannot connect to {}: {}", target, reason));
  want_turn_end(process);
}

void SimulatedNetwork::Impl::drop_link(State& process, LinkId link, const std::string& reason) {
  CHECK(raw(link) < process.links.size());
  process.links[raw(link)].dropped = true;
  for (const ConnectionPtr& connection : connections_of(process.index)) {
    SimulatedSide& side = connection->sides[0];
    if (side.process == process.index && side.channel && side.record.link == link) {
      side.channel->close(reason);
      mark_dirty(connection, 0);
    }
  }
}

void SimulatedNetwork::Impl::open_side(const ConnectionPtr& connection, int index, State& process, std::string address,
                                       std::optional<LinkId> link) {
  SimulatedSide& side = side_of(*connection, index);
  side.process = process.index;
  side.record = PeerRecord{PeerId{next_peer_++}, std::move(address), link};
  side.channel = std::make_unique<Channel>(process.hello, options.limits, now);
  side.last_arrival = now;
  peers_.emplace(side.record.id, std::pair{connection, index});
  mark_dirty(connection, index);
}

// ---- sending, and the end of a turn ----

void SimulatedNetwork::Impl::send(State& process, const Outbox& outbox) {
  const auto with = [&](PeerId peer, const auto& use) {
    const auto found = peers_.find(peer);
    if (found == peers_.end()) {
      return;
    }
    const auto& [connection, index] = found->second;
    SimulatedSide& side = side_of(*connection, index);
    CHECK(side.process == process.index);
    if (side.channel) {
      use(*side.channel);
      mark_dirty(connection, index);
    }
  };
  for (const auto& [peer, operation] : outbox.operations) {
    with(peer, [&](Channel& channel) { channel.send(operation); });
  }
  for (const auto& [peer, result] : outbox.results) {
    with(peer, [&](Channel& channel) { channel.send(result); });
  }
  for (const auto& [peer, reason] : outbox.closes) {
    with(peer, [&](Channel& channel) { channel.close(reason); });
  }
}

uint64_t SimulatedNetwork::Impl::output_waiting(PeerId peer) const {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) {
    return 0;
  }
  const auto& [connection, index] = found->second;
  const SimulatedSide& side = side_of(*connection, index);
  return side.channel ? side.channel->output_waiting() : 0;
}

void SimulatedNetwork::Impl::mark_dirty(const ConnectionPtr& connection, int index) {
  SimulatedSide& side = side_of(*connection, index);
  State& process = process_of(side);
  if (!side.dirty) {
    side.dirty = true;
    process.dirty.emplace_back(connection, index);
  }
  want_turn_end(process);
}

void SimulatedNetwork::Impl::want_turn_end(State& process) {
  if (!process.turn_end_scheduled && process.running) {
    process.turn_end_scheduled = true;
    schedule_for(process, now, [this, &process] { end_turn(process); });
  }
}

void SimulatedNetwork::Impl::end_turn(State& process) {
  process.turn_end_scheduled = false;
  if (process.on_turn_end) {
    process.on_turn_end();
  }
  for (const auto& [connection, side] : std::exchange(process.dirty, {})) {
    side_of(*connection, side).dirty = false;
    end_side_turn(connection, side);
  }
}

void SimulatedNetwork::Impl::end_side_turn(const ConnectionPtr& connection, int index) {
  SimulatedSide& side = side_of(*connection, index);
  if (!side.channel) {
    return;
  }
  deliver(connection, index);
  flush(connection, index);
  if (side.channel->state() == Channel::State::kClosed) {
    close_side(connection, index);
  } else {
    set_timer(connection, index);
  }
}

void SimulatedNetwork::Impl::deliver(const ConnectionPtr& connection, int index) {
  SimulatedSide& side = side_of(*connection, index);
  if (!side.channel->has_events()) {
    return;
  }
  State& process = process_of(side);
  const auto reason = dispatch(*side.channel, side.record, *process.handler);
  want_turn_end(process);
  if (!reason) {
    return;
  }
  record(5, side.record.ever_up ? 1 : 0, crc32c(*reason));
  if (side.record.link) {
    const uint32_t link = raw(*side.record.link);
    if (side.record.ever_up) {
      process.links[link].delay_ns = options.dial_delay_ns_min;
    }
    dial_later(process, link);
  }
}

void SimulatedNetwork::Impl::set_timer(const ConnectionPtr& connection, int index) {
  SimulatedSide& side = side_of(*connection, index);
  const Instant deadline = side.channel->next_deadline();
  if (deadline >= side.timer_at) {
    return;
  }
  side.timer_at = deadline;
  schedule_for(process_of(side), deadline, [this, connection, index, deadline] {
    SimulatedSide& due = side_of(*connection, index);
    if (!due.channel || due.timer_at != deadline) {
      return;
    }
    due.timer_at = kNever;
    due.channel->on_deadline(now);
    end_side_turn(connection, index);
  });
}

// ---- bytes on their way ----

void SimulatedNetwork::Impl::flush(const ConnectionPtr& connection, int index) {
  std::string output;
  for (Channel& channel = *side_of(*connection, index).channel; channel.has_output();) {
    output += channel.take_output(now);
  }
  for (size_t begin = 0; begin < output.size();) {
    const bool small = random.chance(kSmallPieceProbability);
    const uint64_t size_max =
        small ? std::min<uint64_t>(kSmallPieceMax, options.piece_size_max) : options.piece_size_max;
    const size_t size = std::min<size_t>(output.size() - begin, 1 + random.below(size_max));
    if (options.reset_probability > 0 && random.chance(options.reset_probability)) {
      ++resets;
      const bool one_sided = random.chance(kOneSidedProbability);
      const bool first = random.chance(0.5);
      lose(connection, !one_sided || first, !one_sided || !first);
    }
    send_piece(connection, index, output.substr(begin, size));
    begin += size;
  }
}

/// An empty piece is the end of the stream.
void SimulatedNetwork::Impl::send_piece(const ConnectionPtr& connection, int from, std::string bytes) {
  SimulatedSide& sender = side_of(*connection, from);
  const SimulatedSide& receiver = side_of(*connection, 1 - from);
  if (sender.severed) {
    return;
  }
  sender.last_arrival = std::max(sender.last_arrival, after(now, draw_delay(sender.process, receiver.process)));
  schedule(sender.last_arrival, [this, connection, from, bytes = std::move(bytes)]() mutable {
    arrive(connection, from, std::move(bytes));
  });
}

void SimulatedNetwork::Impl::arrive(const ConnectionPtr& connection, int from, std::string bytes) {
  SimulatedSide& sender = side_of(*connection, from);
  const SimulatedSide& receiver = side_of(*connection, 1 - from);
  if (sender.severed) {
    return;
  }
  if (!sender.held.empty() || is_frozen(receiver.process) || blackholes.contains({sender.process, receiver.process})) {
    sender.held.push_back(std::move(bytes));
    return;
  }
  take_in(connection, from, bytes);
}

void SimulatedNetwork::Impl::take_in(const ConnectionPtr& connection, int from, const std::string& bytes) {
  SimulatedSide& sender = side_of(*connection, from);
  SimulatedSide& receiver = side_of(*connection, 1 - from);
  if (sender.channel) {
    sender.channel->on_written(bytes.size(), now);
  }
  if (!receiver.channel) {
    return;
  }
  record(6, connection->id << 1 | static_cast<uint64_t>(from), crc32c(bytes));
  if (bytes.empty()) {
    receiver.channel->on_lost("peer closed the connection without goodbye");
  } else {
    receiver.channel->on_bytes(bytes, now);
  }
  const bool outer = std::exchange(in_process, true);
  deliver(connection, 1 - from);
  in_process = outer;
  mark_dirty(connection, 1 - from);
}

/// Sends on what was held; whatever arrives until then queues up behind it.
void SimulatedNetwork::Impl::release(uint32_t from, uint32_t to) {
  for (const ConnectionPtr& connection : connections_of(from)) {
    for (int index = 0; index < 2; ++index) {
      const SimulatedSide& side = side_of(*connection, index);
      if (side.process == from && side_of(*connection, 1 - index).process == to && !side.held.empty()) {
        schedule(after(now, draw_delay(from, to)), [this, connection, index] { take_in_held(connection, index); });
      }
    }
  }
}

/// Delivers what the kernel has taken in for a process that stood still.
void SimulatedNetwork::Impl::take_in_what_froze(uint32_t process) {
  for (const ConnectionPtr& connection : connections_of(process)) {
    for (int index = 0; index < 2; ++index) {
      if (side_of(*connection, 1 - index).process == process && !side_of(*connection, index).held.empty()) {
        take_in_held(connection, index);
      }
    }
  }
}

void SimulatedNetwork::Impl::take_in_held(const ConnectionPtr& connection, int from) {
  SimulatedSide& sender = side_of(*connection, from);
  const uint32_t receiver = side_of(*connection, 1 - from).process;
  if (is_frozen(receiver) || blackholes.contains({sender.process, receiver})) {
    return;
  }
  for (const std::string& bytes : std::exchange(sender.held, {})) {
    take_in(connection, from, bytes);
  }
}

int64_t SimulatedNetwork::Impl::draw_delay(uint32_t a, uint32_t b) {
  const auto special = delays.find(pair_of(a, b));
  return special == delays.end() ? random.between(options.delay_ns_min, options.delay_ns_max)
                                 : random.between(special->second.first, special->second.second);
}

// ---- ends ----

/// This side has said all it had to say; the other sees the end of the stream.
void SimulatedNetwork::Impl::close_side(const ConnectionPtr& connection, int index) {
  SimulatedSide& side = side_of(*connection, index);
  peers_.erase(side.record.id);
  side.channel.reset();
  send_piece(connection, index, {});
  forget_if_over(connection);
}

void SimulatedNetwork::Impl::forget_if_over(const ConnectionPtr& connection) {
  if (!connection->sides[0].channel && !connection->sides[1].channel) {
    connections_.erase(connection->id);
  }
}

void SimulatedNetwork::Impl::lose(const ConnectionPtr& connection, bool first_notices, bool second_notices) {
  record(7, connection->id, (first_notices ? 1u : 0u) | (second_notices ? 2u : 0u));
  for (int index = 0; index < 2; ++index) {
    SimulatedSide& side = side_of(*connection, index);
    side.severed = true;
    side.held.clear();
    if (index == 0 ? first_notices : second_notices) {
      notice_loss(connection, index, after(now, draw_delay(side.process, side_of(*connection, 1 - index).process)));
    }
  }
}

/// The process behind one side is gone. What it had sent may still arrive, or not.
void SimulatedNetwork::Impl::vanish(const ConnectionPtr& connection, int index, bool other_notices) {
  SimulatedSide& side = side_of(*connection, index);
  SimulatedSide& other = side_of(*connection, 1 - index);
  peers_.erase(side.record.id);
  side.channel.reset();
  other.severed = true;
  other.held.clear();
  side.severed = side.severed || random.chance(0.5);
  if (side.severed) {
    side.held.clear();
  }
  if (other_notices) {
    const Instant reset_arrives = after(now, draw_delay(side.process, other.process));
    notice_loss(connection, 1 - index, std::max(side.last_arrival, reset_arrives));
  }
  forget_if_over(connection);
}

void SimulatedNetwork::Impl::notice_loss(const ConnectionPtr& connection, int index, Instant when) {
  SimulatedSide& side = side_of(*connection, index);
  if (!side.channel) {
    return;
  }
  schedule_for(process_of(side), when, [this, connection, index] {
    SimulatedSide& loser = side_of(*connection, index);
    if (loser.channel) {
      loser.channel->on_lost("connection reset by peer");
      end_side_turn(connection, index);
    }
  });
}

std::vector<SimulatedNetwork::Impl::ConnectionPtr> SimulatedNetwork::Impl::connections_of(uint32_t process) const {
  std::vector<ConnectionPtr> found;
  for (const auto& [id, connection] : connections_) {
    if (connection->sides[0].process == process || connection->sides[1].process == process) {
      found.push_back(connection);
    }
  }
  return found;
}

}  // namespace daedalus::rpc
