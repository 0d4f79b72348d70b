#include "front_door.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/postgres/session_work.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kWorkNsMax = 2 * kMillisecond;
constexpr int64_t kWindowMin = 512;
constexpr int64_t kWindowMax = 128 << 10;
/// How often a turn ends before all events of a session have been handed over.
constexpr double kTurnEnds = 0.1;

}  // namespace

FrontDoor::FrontDoor(Host host, postgres::SessionOptions options, DoorWitness& witness)
    : host_(std::move(host)),
      table_(options.schema->table_name),
      witness_(witness),
      registry_(std::move(options), *this, [&random = host_.network.random()] { return random.next(); }) {}

FrontDoor::~FrontDoor() = default;

ByteLine::Schedule FrontDoor::schedule() const {
  return [&endpoint = host_.endpoint](Instant when, std::function<void()> task) {
    endpoint.post_at(when, std::move(task));
  };
}

void FrontDoor::accept(rpc::PeerId session, std::shared_ptr<ByteLine> line) {
  Served& served = served_[session];
  const rpc::ConnectionInfo connection{session, "127.0.0.1:1", std::nullopt};
  served.session = registry_.make_session(connection, host_.endpoint.now());
  served.line = std::move(line);
  served.window = static_cast<uint64_t>(host_.network.random().between(kWindowMin, kWindowMax));
  ByteLine::Listener listener;
  listener.on_bytes = [this, session](std::string_view bytes) { on_bytes(session, bytes); };
  listener.on_end = [this, session] { on_end(session); };
  listener.on_written = [this, session](size_t size) { on_written(session, size); };
  served.line->attach(ByteLine::Side::kServer, std::move(listener), schedule());
  wake(session);
}

void FrontDoor::vanish() {
  for (const auto& [session, served] : served_) {
    served.line->vanish(ByteLine::Side::kServer);
  }
}

// ---- what lines report ----

void FrontDoor::on_bytes(rpc::PeerId session, std::string_view bytes) {
  served_.at(session).session->on_bytes(bytes, host_.endpoint.now());
  wake(session);
}

void FrontDoor::on_end(rpc::PeerId session) {
  Served& served = served_.at(session);
  served.session->on_lost("peer closed the connection without goodbye");
  served.is_lost = true;
  wake(session);
}

void FrontDoor::on_written(rpc::PeerId session, size_t size) {
  if (const auto found = served_.find(session); found != served_.end()) {
    found->second.session->on_written(size, host_.endpoint.now());
    wake(session);
  }
}

void FrontDoor::on_timer(rpc::PeerId session, Instant due) {
  const auto found = served_.find(session);
  if (found == served_.end() || found->second.timer_at != due) {
    return;
  }
  found->second.timer_at = kNever;
  found->second.session->on_deadline(host_.endpoint.now());
  wake(session);
}

// ---- turns ----

void FrontDoor::wake(rpc::PeerId session) {
  served_.at(session).is_woken = true;
  if (!std::exchange(is_turn_posted_, true)) {
    host_.endpoint.post([this] { turn(); });
  }
}

void FrontDoor::turn() {
  is_turn_posted_ = false;
  for (auto entry = served_.begin(); entry != served_.end();) {
    auto& [session, served] = *entry;
    if (std::exchange(served.is_woken, false)) {
      look_at(session, served);
    }
    if (is_done(served)) {
      served.line->close(ByteLine::Side::kServer);
      served.line->detach(ByteLine::Side::kServer);
      entry = served_.erase(entry);
    } else {
      ++entry;
    }
  }
  host_.carry_out(std::exchange(effects_, {}));
}

void FrontDoor::look_at(rpc::PeerId session, Served& served) {
  served.session->deliver([&](const char* /*event*/) { return host_.network.random().chance(kTurnEnds); });
  if (served.session->has_events()) {
    wake(session);
  }
  write(served);
  set_timer(session, served);
  served.line->set_reading(ByteLine::Side::kServer, served.session->takes_input());
}

bool FrontDoor::is_done(const Served& served) {
  const rpc::ByteSession& session = *served.session;
  return session.ended().has_value() && (served.is_lost || !session.has_output());
}

void FrontDoor::write(Served& served) {
  while (served.session->has_output() && served.line->unread(ByteLine::Side::kServer) < served.window) {
    served.line->write(ByteLine::Side::kServer, served.session->take_output(host_.endpoint.now()));
  }
}

void FrontDoor::set_timer(rpc::PeerId session, Served& served) {
  const Instant deadline = served.session->next_deadline();
  if (deadline == kNever) {
    return;
  }
  const int64_t left_ns = std::max<int64_t>(deadline.ns - host_.endpoint.now().ns, 0);
  const Instant due = after(host_.network.now(), left_ns);
  if (due < served.timer_at) {
    served.timer_at = due;
    host_.endpoint.post_at(due, [this, session, due] { on_timer(session, due); });
  }
}

// ---- what comes back for sessions ----

uint64_t FrontDoor::output_waiting(rpc::PeerId session) const { return served_.at(session).session->output_waiting(); }

void FrontDoor::give_to_sessions(aggregator::Effects& effects) {
  for (auto& [peer, result] : effects.results) {
    if (!has(peer)) {
      continue;
    }
    witness_.on_result(peer, result);
    if (registry_.on_result(peer, std::move(result), host_.endpoint.now())) {
      wake(peer);
    }
  }
  for (const auto& [peer, reason] : effects.closes) {
    if (has(peer)) {
      served_.at(peer).session->close(reason);
      wake(peer);
    }
  }
  std::erase_if(effects.results, [this](const auto& each) { return has(each.first); });
  std::erase_if(effects.closes, [this](const auto& each) { return has(each.first); });
}

// ---- what sessions want ----

void FrontDoor::on_session_up(rpc::PeerId session, const rpc::PeerInfo& info) {
  host_.core.on_up(session, info, host_.endpoint.now(), effects_);
}

void FrontDoor::on_session_down(rpc::PeerId session, const std::string& reason) {
  host_.core.on_down(session, reason, host_.endpoint.now(), effects_);
}

void FrontDoor::on_session_operation(rpc::PeerId session, wire::v1::Operation&& operation) {
  witness_.on_operation(session, operation);
  host_.core.on_operation(session, std::move(operation), host_.endpoint.now(), effects_);
}

/// In place of worker threads: done at once, and told later.
void FrontDoor::on_session_work(rpc::PeerId session, postgres::Work&& work) {
  auto done =
      std::make_shared<postgres::WorkDone>(postgres::do_work(work, host_.compiler, table_, host_.read_wall_clock));
  const int64_t pause_ns = host_.network.random().between(0, kWorkNsMax);
  host_.endpoint.post_at(after(host_.network.now(), pause_ns), [this, session, id = work.id, done] {
    if (has(session) && registry_.on_work_done(session, id, std::move(*done), host_.endpoint.now())) {
      wake(session);
    }
  });
}

/// No simulated process has a catalogue's server beside it.
void FrontDoor::on_session_catalogue(rpc::PeerId session, postgres::CatalogueWork&& work) {
  host_.endpoint.post([this, session, id = work.id] {
    catalogue::Failure failure{rejected("57P03", "the catalogue has no server"), {}};
    if (has(session) && registry_.on_catalogue(session, id, std::move(failure), host_.endpoint.now())) {
      wake(session);
    }
  });
}

void FrontDoor::on_cancel_request(const postgres::CancelKey& key) {
  if (const auto session = registry_.cancel(key, host_.endpoint.now())) {
    wake(*session);
  }
}

}  // namespace daedalus::testing
