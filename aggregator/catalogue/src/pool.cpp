#include "daedalus/catalogue/pool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "link.hpp"

namespace daedalus::catalogue {

std::string_view name_of(ServerState::Kind kind) {
  switch (kind) {
    case ServerState::Kind::kOff:
      return "off";
    case ServerState::Kind::kMissing:
      return "missing";
    case ServerState::Kind::kWaiting:
      return "waiting";
    case ServerState::Kind::kStarting:
      return "starting";
    case ServerState::Kind::kRunning:
      return "running";
    case ServerState::Kind::kFailed:
      return "failed";
  }
  return "off";
}

namespace {

/// Returns whether statements may wait for the server.
bool is_to_come(const ServerState& state) {
  return state.kind == ServerState::Kind::kRunning || state.kind == ServerState::Kind::kStarting ||
         state.kind == ServerState::Kind::kWaiting;
}

}  // namespace

/// Receives what the pool's connections report.
class Pool::Links final : public LinkOwner {
 public:
  explicit Links(Pool& pool) : pool_(pool) {}

  void on_link_outcome(rpc::PeerId link, Outcome&& outcome) override {
    const auto found = pool_.links_.find(link);
    if (found != pool_.links_.end() && found->second.id != 0) {
      pool_.tell(found->second.client, std::exchange(found->second.id, 0), std::move(outcome));
    }
  }
  void on_link_idle(rpc::PeerId /*link*/) override { pool_.assign(pool_.now_); }
  void on_link_over(rpc::PeerId link, const std::string& /*reason*/) override {
    const auto found = pool_.links_.find(link);
    if (found == pool_.links_.end()) {
      return;
    }
    if (!found->second.link->was_up()) {
      pool_.connect_at_ = after(pool_.now_, pool_.options_.connect_delay_ns);
    }
    pool_.links_.erase(found);
    pool_.assign(pool_.now_);
  }

 private:
  Pool& pool_;
};

Pool::Pool(PoolOptions options) : options_(std::move(options)), owner_(std::make_unique<Links>(*this)) {}
Pool::~Pool() = default;

void Pool::set_state(const ServerState& state, Instant now) {
  now_ = now;
  state_ = state;
  connect_at_ = {};
  if (state.kind != ServerState::Kind::kRunning) {
    lose_links(state.reason);
  }
  if (!is_to_come(state)) {
    refuse_waiting();
  }
}

/// Whatever of the server is left sees by it that nobody waits any longer.
void Pool::lose_links(const std::string& reason) {
  for (auto& [id, entry] : links_) {
    entry.link->on_lost(reason);
    wakes_.push_back(id);
  }
}

void Pool::refuse_waiting() {
  for (const Waiting& each : std::exchange(waiting_, {})) {
    tell(each.client, each.id, absence());
  }
}

Failure Pool::absence() const {
  switch (state_.kind) {
    case ServerState::Kind::kWaiting:
    case ServerState::Kind::kStarting:
    case ServerState::Kind::kRunning:
      return {rejected("57P03",
                       state_.reason.empty() ? std::string("the catalogue is being started")
                                             : fmt::format("the catalogue is being started: {}", state_.reason),
                       "repeat the statement in a moment"),
              {}};
    case ServerState::Kind::kFailed:
      return {rejected("58000", fmt::format("the catalogue cannot be started: {}", state_.reason),
                       "`daedalus status` and the aggregator's log say more; the table itself is served"),
              {}};
    case ServerState::Kind::kMissing:
      return {rejected("0A000",
                       fmt::format("a statement over the catalogue (pg_catalog, information_schema) is not supported "
                                   "by this aggregator: {}",
                                   state_.reason),
                       "install postgresql-15 beside it; the database has one table, of the database's name"),
              {}};
    case ServerState::Kind::kOff:
      break;
  }
  return {rejected("0A000",
                   "a statement over the catalogue (pg_catalog, information_schema) is not supported by this "
                   "aggregator: its catalogue is off",
                   "set postgres_catalogue = \"on\"; the database has one table, of the database's name"),
          {}};
}

void Pool::submit(rpc::PeerId client, uint64_t id, Statement statement, Instant now) {
  now_ = now;
  if (!is_to_come(state_)) {
    return tell(client, id, absence());
  }
  if (waiting_.size() >= options_.waiting_max) {
    return tell(client, id,
                Failure{rejected("53000", fmt::format("{} statements wait for the catalogue", waiting_.size()),
                                 "repeat the statement in a moment"),
                        {}});
  }
  const Instant deadline = after(now, statement.timeout_ns);
  waiting_.push_back({client, id, std::move(statement), deadline, after(now, options_.start_ns_max)});
  assign(now);
}

void Pool::abandon(rpc::PeerId client, Instant now) {
  now_ = now;
  std::erase_if(waiting_, [&](const Waiting& each) { return each.client == client; });
  std::erase_if(links_, [&](const auto& each) {
    const Entry& entry = each.second;
    const bool is_meant = entry.id != 0 && entry.client == client;
    if (is_meant) {
      entry.link->close("its statement has been cancelled");
      wakes_.push_back(each.first);
    }
    return is_meant;
  });
  assign(now);
}

void Pool::assign(Instant now) {
  for (auto& [id, entry] : links_) {
    if (entry.link->is_idle()) {
      const auto turn = next_in_turn();
      if (turn == waiting_.end()) {
        return;
      }
      Waiting next = std::move(*turn);
      waiting_.erase(turn);
      next.statement.timeout_ns = next.deadline.ns - now.ns;
      entry.client = next.client;
      entry.id = next.id;
      entry.user = next.statement.user;
      entry.link->run(next.statement, now);
      wakes_.push_back(id);
    }
  }
}

size_t Pool::running_count(const std::string& user) const {
  return static_cast<size_t>(std::count_if(
      links_.begin(), links_.end(), [&](const auto& each) { return each.second.id != 0 && each.second.user == user; }));
}

std::deque<Pool::Waiting>::iterator Pool::next_in_turn() {
  size_t fewest = std::max<size_t>(options_.links_max, 2) - 1;
  auto next = waiting_.end();
  for (auto each = waiting_.begin(); each != waiting_.end() && fewest > 0; ++each) {
    if (const size_t count = running_count(each->statement.user); count < fewest) {
      fewest = count;
      next = each;
    }
  }
  return next;
}

Instant Pool::next_deadline() const {
  Instant next = kNever;
  for (const Waiting& each : waiting_) {
    next = std::min({next, each.deadline, links_.empty() ? each.start_until : kNever});
  }
  const bool has_to_connect = !waiting_.empty() && state_.kind == ServerState::Kind::kRunning && connect_at_ > now_;
  return has_to_connect ? std::min(next, connect_at_) : next;
}

void Pool::on_deadline(Instant now) {
  now_ = now;
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (now >= each.deadline) {
      tell(each.client, each.id, Failure{rejected("57014", "canceling statement due to statement timeout"), {}});
    } else if (now >= each.start_until && links_.empty()) {
      tell(each.client, each.id, absence());
    } else {
      return false;
    }
    return true;
  });
}

size_t Pool::take_connects(Instant now) {
  now_ = now;
  if (state_.kind != ServerState::Kind::kRunning || now < connect_at_) {
    return 0;
  }
  const size_t idle = static_cast<size_t>(
      std::count_if(links_.begin(), links_.end(), [](const auto& each) { return each.second.id == 0; }));
  const size_t room = options_.links_max - std::min(options_.links_max, links_.size() + connecting_);
  const size_t wanted = waiting_.size() - std::min(waiting_.size(), idle + connecting_);
  const size_t count = std::min(room, wanted);
  connecting_ += count;
  return count;
}

std::shared_ptr<rpc::ByteSession> Pool::make_session(const rpc::ConnectionInfo& connection, Instant now) {
  now_ = now;
  connecting_ -= connecting_ > 0 ? 1 : 0;
  auto link = std::make_shared<Link>(*owner_, connection.id, Login{options_.user, options_.database}, now);
  links_.emplace(connection.id, Entry{link, {}, 0});
  return link;
}

void Pool::on_connect_failed(Instant now) {
  now_ = now;
  connecting_ -= connecting_ > 0 ? 1 : 0;
  connect_at_ = after(now, options_.connect_delay_ns);
}

}  // namespace daedalus::catalogue
