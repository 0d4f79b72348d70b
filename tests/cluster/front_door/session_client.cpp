#include "session_client.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace daedalus::testing {

namespace {

/// Much longer than a statement may take, with all that may befall its aggregator.
constexpr int64_t kPatienceNs = 20 * kSecond;
constexpr int64_t kStatementTimeoutMs = 5'000;
constexpr int64_t kPauseNsMin = 10 * kMillisecond;
constexpr int64_t kPauseNsMax = 400 * kMillisecond;

}  // namespace

SessionClient::SessionClient(std::string name, World world) : name_(std::move(name)), world_(std::move(world)) {}

SessionClient::~SessionClient() = default;

ByteLine::Schedule SessionClient::schedule() const {
  return [&network = world_.network](Instant when, std::function<void()> task) { network.at(when, std::move(task)); };
}

void SessionClient::after_pause(int64_t ns_min, int64_t ns_max, std::function<void()> task) {
  world_.network.at(after(world_.network.now(), world_.network.random().between(ns_min, ns_max)), std::move(task));
}

void SessionClient::enqueue(Act act) {
  acts_.push_back(std::move(act));
  if (acts_.size() > 1) {
    return;
  }
  if (phase_ == Phase::kReady) {
    begin();
  } else if (phase_ == Phase::kAway && !std::exchange(is_coming_, true)) {
    connect();
  }
}

// ---- connections ----

void SessionClient::connect() {
  is_coming_ = false;
  phase_ = Phase::kStarting;
  const uint64_t number = ++connection_number_;
  connection_ = world_.connect({});
  cancels_open_ = 0;
  input_ = {};
  player_ = std::make_unique<ActPlayer>([this](const std::string& text) {
    world_.fault(fmt::format("{}, {}: {}", name_, connection_->aggregator, text));
  });
  const auto if_current = [this, number](auto task) {
    return [this, number, task](auto&&... arguments) {
      if (number == connection_number_) {
        task(arguments...);
      }
    };
  };
  connection_->line->attach(ByteLine::Side::kClient,
                            {.on_bytes = if_current([this](std::string_view bytes) { on_bytes(bytes); }),
                             .on_end = if_current([this] { on_end(); }),
                             .on_written = {}},
                            schedule());
  heard_at_ = world_.network.now();
  watch();
  connection_->line->write(ByteLine::Side::kClient, startup());
}

std::string SessionClient::startup() {
  rpc::Random& random = world_.network.random();
  const bool is_short = world_.has_faults && random.chance(0.1);
  const std::string timeout = fmt::to_string(is_short ? random.between(1, 40) : kStatementTimeoutMs);
  std::vector<std::pair<std::string, std::string>> parameters{{"user", name_}, {"database", "small"}};
  if (random.chance(0.5)) {
    parameters.emplace_back("statement_timeout", timeout);
  } else {
    parameters.emplace_back("options", "-c statement_timeout=" + timeout);
  }
  return startup_message(parameters);
}

void SessionClient::on_bytes(std::string_view bytes) {
  heard_at_ = world_.network.now();
  input_.feed(bytes);
  const uint64_t number = connection_number_;
  while (number == connection_number_ && connection_) {
    const auto message = input_.next();
    if (!message) {
      return;
    }
    on_message(*message);
  }
}

void SessionClient::on_message(const ServerMessage& message) {
  if (message.type == 'E') {
    const auto error = read_error(message.body);
    if (error && error->severity == "FATAL") {
      leave();
      return;
    }
  }
  if (phase_ == Phase::kStarting) {
    on_startup_message(message);
    return;
  }
  player_->hear(message, world_.network.now());
  if (player_->is_done()) {
    finish(/*is_lost=*/false);
  } else {
    speak();
  }
}

void SessionClient::on_startup_message(const ServerMessage& message) {
  switch (message.type) {
    case 'R':
      if (message.body != std::string(4, '\0')) {
        world_.fault("a password is asked for although the door trusts");
      }
      return;
    case 'S':
      return;
    case 'K':
      if (const auto key = read_key(message.body)) {
        std::tie(process_id_, secret_) = *key;
        return;
      }
      break;
    case 'Z':
      if (message.body == "I") {
        ++counts_.logins;
        phase_ = Phase::kReady;
        begin();
        return;
      }
      break;
    default:
      break;
  }
  world_.fault(fmt::format("'{}' came during the login", message.type));
}

void SessionClient::on_end() {
  ++counts_.lost;
  leave();
}

/// Whatever was under way is lost; there is another connection when there is something to do.
void SessionClient::leave() {
  ++connection_number_;
  const auto line = std::exchange(connection_, std::nullopt)->line;
  line->lose();
  phase_ = Phase::kAway;
  if (player_->is_playing()) {
    finish(/*is_lost=*/true);
  }
  if (!acts_.empty() && !std::exchange(is_coming_, true)) {
    after_pause(kPauseNsMin, kPauseNsMax, [this] { connect(); });
  }
}

// ---- acts ----

void SessionClient::begin() {
  if (acts_.empty()) {
    return;
  }
  ++act_number_;
  Act& act = acts_.front();
  act.session = connection_->session;
  act.aggregator = connection_->aggregator;
  act.may_be_cancelled = cancels_open_ > 0;
  heard_at_ = world_.network.now();
  player_->begin(act);
  trouble();
  speak();
}

void SessionClient::speak() {
  while (player_->may_speak()) {
    const std::string& bytes = player_->speak(world_.confirmed(), world_.network.now());
    connection_->line->write(ByteLine::Side::kClient, bytes);
  }
}

void SessionClient::finish(bool is_lost) {
  player_->end();
  Act act = std::move(acts_.front());
  acts_.pop_front();
  act.is_lost = is_lost;
  world_.on_done(std::move(act));
  if (phase_ == Phase::kReady && !acts_.empty()) {
    after_pause(0, kPauseNsMin, [this, number = connection_number_] {
      if (number == connection_number_ && !player_->is_playing()) {
        begin();
      }
    });
  }
}

// ---- what befalls an act ----

void SessionClient::trouble() {
  rpc::Random& random = world_.network.random();
  const auto while_it_is_done = [this](auto task) {
    return [this, connection = connection_number_, act = act_number_, task] {
      if (connection == connection_number_ && act == act_number_ && player_->is_playing()) {
        task();
      }
    };
  };
  if (random.chance(0.15)) {
    after_pause(0, 6 * kMillisecond, while_it_is_done([this] { request_cancel(); }));
  }
  if (random.chance(0.15)) {
    after_pause(0, 4 * kMillisecond, while_it_is_done([this] { read_slowly(); }));
  }
  if (world_.has_faults && random.chance(0.06)) {
    after_pause(0, 10 * kMillisecond, while_it_is_done([this] { connection_->line->lose(); }));
  }
}

/// On a connection of its own, as clients do: it may stop something later than it is meant to.
void SessionClient::request_cancel() {
  ++counts_.cancel_requests;
  ++cancels_open_;
  acts_.front().may_be_cancelled = true;
  const auto line = world_.connect(connection_->aggregator).line;
  const auto is_over = [this, weak = std::weak_ptr(line), number = connection_number_] {
    on_cancel_over(number, !weak.lock()->is_lost());
  };
  line->attach(ByteLine::Side::kClient, {.on_bytes = {}, .on_end = is_over, .on_written = {}}, schedule());
  line->write(ByteLine::Side::kClient, cancel_message(process_id_, secret_));
}

void SessionClient::on_cancel_over(uint64_t connection, bool was_taken) {
  if (connection == connection_number_ && was_taken) {
    --cancels_open_;
  }
}

void SessionClient::read_slowly() {
  ++counts_.slow_reads;
  const auto line = connection_->line;
  line->set_reading(ByteLine::Side::kClient, false);
  after_pause(kMillisecond, kSecond, [line] { line->set_reading(ByteLine::Side::kClient, true); });
}

/// A client would wait for ever.
void SessionClient::watch() {
  const Instant due = after(heard_at_, kPatienceNs);
  world_.network.at(due, [this, number = connection_number_] {
    if (number != connection_number_) {
      return;
    }
    if (phase_ == Phase::kReady && acts_.empty()) {
      heard_at_ = world_.network.now();
    } else if (world_.network.now() >= after(heard_at_, kPatienceNs)) {
      world_.fault(fmt::format("{}, {}: nothing came for {} s", name_, connection_->aggregator, kPatienceNs / kSecond));
      leave();
      return;
    }
    watch();
  });
}

}  // namespace daedalus::testing
