#include "session_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedalus::testing {

namespace {

constexpr uint32_t kClients = 3;
constexpr double kLossOfPiece = 0.0005;
constexpr int64_t kLateNsMax = 150 * kMillisecond;

}  // namespace

SessionTraffic::SessionTraffic(World world)
    : world_(std::move(world)),
      maker_(world_.configuration.schema, world_.configuration.map, world_.workload, world_.network.random(),
             [this](std::vector<PlainPart> parts, std::string body) {
               const uint64_t number = world_.submissions.add(std::move(parts), body);
               awaited_.emplace(std::move(body), number);
               return number;
             }) {
  for (uint32_t client = 0; client < kClients; ++client) {
    clients_.push_back(std::make_unique<SessionClient>(
        fmt::format("session-{}", client),
        SessionClient::World{world_.network, [this](const std::string& aggregator) { return connect(aggregator); },
                             [this] { return world_.submissions.confirmed(); },
                             [this](Act&& act) { on_done(std::move(act)); },
                             [this](const std::string& text) { world_.violation(text); }, world_.has_faults}));
  }
}

SessionTraffic::~SessionTraffic() = default;

SessionClient::Connection SessionTraffic::connect(const std::string& aggregator) {
  rpc::Random& random = world_.network.random();
  const auto named = std::find_if(world_.aggregators.begin(), world_.aggregators.end(),
                                  [&](const auto& each) { return each->name() == aggregator; });
  AggregatorProcess& process =
      named == world_.aggregators.end() ? *world_.aggregators[random.below(world_.aggregators.size())] : **named;
  ByteLine::Temper temper;
  if (world_.has_faults) {
    temper.loss_probability = kLossOfPiece;
    temper.delay_ns_max = random.chance(0.1) ? kLateNsMax : temper.delay_ns_max;
  }
  temper.piece_size_max = random.chance(0.3) ? 64 : temper.piece_size_max;
  const rpc::PeerId session = witness_.next_session();
  witness_.on_session(session);
  auto line = std::make_shared<ByteLine>(world_.network, temper);
  process.accept(session, line, witness_);
  return {std::move(line), session, process.name()};
}

// ---- traffic ----

void SessionTraffic::read() {
  const auto& any = world_.aggregators[world_.network.random().below(world_.aggregators.size())];
  maker_.set_wall_clock(any->wall_clock_us());
  enqueue(maker_.draw_read());
}

void SessionTraffic::write() { enqueue(maker_.draw_write()); }

void SessionTraffic::enqueue(Act act) {
  const auto number = world_.network.random().below(clients_.size());
  std::string text;
  for (const ActStatement& statement : act.statements) {
    text += (text.empty() ? "" : "; ") + statement.sql;
  }
  world_.note(fmt::format("session-{}", number),
              act.submission ? fmt::format("writes {}: {}", *act.submission, text) : "asks: " + text);
  clients_[number]->enqueue(std::move(act));
}

void SessionTraffic::on_done(Act&& act) {
  if (act.submission) {
    settle(act);
  }
  done_.push_back(std::move(act));
}

bool SessionTraffic::is_idle() const {
  return std::all_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->is_idle(); });
}

uint64_t SessionTraffic::submission_of(const SubmissionKey& key, const std::string& body) {
  if (const auto known = submissions_.find(key); known != submissions_.end()) {
    return known->second;
  }
  const auto awaited = awaited_.extract(body);
  if (!awaited) {
    world_.violation("a session submitted an update that none of the clients has written");
  }
  const uint64_t number = awaited ? awaited.mapped() : world_.submissions.add({}, body);
  submissions_.emplace(key, number);
  return number;
}

// ---- what befell them ----

namespace {

struct Counter {
  uint32_t SessionCounts::*count;
  const char* name;
};

constexpr Counter kCounters[] = {
    {&SessionCounts::logins, "a client of PostgreSQL's protocol logs in"},
    {&SessionCounts::connections_lost, "it loses its connection"},
    {&SessionCounts::cancel_requests, "it asks for a statement to be stopped"},
    {&SessionCounts::slow_reads, "it reads slowly"},
    {&SessionCounts::simple, "a query by the simple protocol is answered"},
    {&SessionCounts::extended, "a query by the extended protocol is answered"},
    {&SessionCounts::bound, "a query with parameters is answered"},
    {&SessionCounts::pipelined, "a query of a pipeline is answered"},
    {&SessionCounts::suspended, "a query is answered a few rows at a time"},
    {&SessionCounts::failed, "a query fails cleanly"},
    {&SessionCounts::cancelled, "a statement is stopped"},
    {&SessionCounts::abandoned, "a portal is closed before its end"},
    {&SessionCounts::wrong, "a wrong statement is refused"},
    {&SessionCounts::skipped, "a statement behind an error is skipped"},
    {&SessionCounts::changes, "a write on its own is confirmed"},
    {&SessionCounts::groups, "writes up to one Sync are confirmed"},
    {&SessionCounts::mixed, "UPDATEs and DELETEs among them are told by counts of their own"},
    {&SessionCounts::blocks, "a block of INSERTs is committed"},
    {&SessionCounts::refused_rows, "a write is confirmed, but for some rows"},
    {&SessionCounts::returned, "an INSERT gives rows back"},
    {&SessionCounts::rolled_back, "a block of INSERTs is rolled back"},
    {&SessionCounts::denied, "a write has come to nothing"},
    {&SessionCounts::unknown, "the outcome of a write is unknown"},
};

}  // namespace

SessionCounts SessionTraffic::counts() const {
  SessionCounts counts = counts_;
  for (const auto& client : clients_) {
    counts.logins += client->counts().logins;
    counts.connections_lost += client->counts().lost;
    counts.cancel_requests += client->counts().cancel_requests;
    counts.slow_reads += client->counts().slow_reads;
  }
  return counts;
}

void SessionCounts::add(const SessionCounts& other) {
  for (const Counter& counter : kCounters) {
    this->*counter.count += other.*counter.count;
  }
}

std::vector<std::string> SessionCounts::never() const {
  std::vector<std::string> names;
  for (const Counter& counter : kCounters) {
    if (this->*counter.count == 0) {
      names.emplace_back(counter.name);
    }
  }
  return names;
}

std::string SessionCounts::text() const {
  std::string lines;
  for (const Counter& counter : kCounters) {
    lines += fmt::format("{:>8}  {}\n", this->*counter.count, counter.name);
  }
  return lines;
}

}  // namespace daedalus::testing
