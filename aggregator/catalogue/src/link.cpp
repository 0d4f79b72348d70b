#include "link.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::catalogue {

namespace {

/// The number of the ReadyForQuery that stands behind the statement itself, among those of a round.
constexpr int kStatementReady = 2;

const std::optional<std::string> kNotYet;

Failure late() { return {rejected("57014", "canceling statement due to statement timeout"), {}}; }

}  // namespace

Link::Link(LinkOwner& owner, rpc::PeerId id, const Login& login, Instant now)
    : owner_(owner), id_(id), deadline_(after(now, kStartupNsMax)) {
  append_startup(login, output_);
}

void Link::run(const Statement& statement, Instant now) {
  phase_ = Phase::kRunning;
  readies_ = 0;
  is_told_ = false;
  answer_ = {};
  failure_.reset();
  deadline_ = after(now, statement.timeout_ns + kGraceNs);
  output_ += round_of(statement);
}

void Link::on_bytes(std::string_view bytes, Instant /*now*/) {
  if (phase_ == Phase::kOver) {
    return;
  }
  input_.feed(bytes);
  while (phase_ != Phase::kOver) {
    const auto message = input_.next();
    if (!message) {
      tell(Failure{message.error(), {}});
      return finish(message.error().message);
    }
    if (!*message) {
      break;
    }
    handle(**message);
  }
  input_.drop_read();
}

void Link::handle(const Message& message) {
  if (message.type == 'E') {
    return fail(read_failure(message.body));
  }
  if (phase_ == Phase::kStartup) {
    return handle_startup(message);
  }
  if (message.type == 'Z') {
    return on_ready();
  }
  if (phase_ == Phase::kRunning && readies_ == kStatementReady - 1) {
    collect(message);
  }
}

void Link::handle_startup(const Message& message) {
  constexpr std::string_view kAllowed("\0\0\0\0", 4);
  if (message.type == 'R' && message.body != kAllowed) {
    finish("the catalogue asks for a password");
  } else if (message.type == 'Z') {
    was_up_ = true;
    phase_ = Phase::kIdle;
    deadline_ = kNever;
    has_become_idle_ = true;
  }
}

void Link::on_ready() {
  ++readies_;
  if (readies_ == kStatementReady) {
    if (failure_) {
      tell(std::move(*failure_));
    } else {
      tell(std::move(answer_));
    }
    answer_ = {};
  }
  if (readies_ == kRoundReadies) {
    phase_ = Phase::kIdle;
    deadline_ = kNever;
    has_become_idle_ = true;
  }
}

void Link::collect(const Message& message) {
  switch (message.type) {
    case 't':
      answer_.parameter_types = read_types(message.body);
      return;
    case 'T':
      answer_.columns = message.body;
      return;
    case 'C':
      answer_.tag = message.body.substr(0, message.body.find('\0'));
      return;
    case 'D':
      break;
    default:
      return;
  }
  if (answer_.rows.size() + message.body.size() > kAnswerBytesMax) {
    tell(Failure{rejected("54000", fmt::format("an answer of the catalogue has more than {} bytes", kAnswerBytesMax),
                          "ask for less, or with LIMIT"),
                 {}});
    return finish("its answer is too large");
  }
  append_row(message.body, answer_.rows);
}

void Link::fail(Failure failure) {
  if (!failure_) {
    failure_ = std::move(failure);
  }
}

void Link::tell(Outcome outcome) {
  if (!std::exchange(is_told_, true)) {
    outcome_ = std::move(outcome);
  }
}

void Link::on_deadline(Instant now) {
  if (phase_ == Phase::kOver || now < deadline_) {
    return;
  }
  tell(late());
  finish("it does not answer");
}

void Link::on_lost(std::string reason) {
  output_.clear();
  if (phase_ == Phase::kOver) {
    return;
  }
  if (failure_ && (phase_ == Phase::kStartup || failure_->error.sqlstate.starts_with("57P"))) {
    reason = failure_->error.message;
  }
  tell(Failure{rejected("57P01", fmt::format("the catalogue's server has gone while it ran the statement: {}", reason),
                        "it is started again; repeat the statement in a moment"),
               {}});
  finish(std::move(reason));
}

void Link::close(std::string reason) {
  if (phase_ == Phase::kOver) {
    return;
  }
  tell(Failure{rejected("57P01", reason), {}});
  append_plain('X', output_);
  finish(std::move(reason));
}

void Link::finish(std::string reason) {
  phase_ = Phase::kOver;
  deadline_ = kNever;
  has_become_idle_ = false;
  answer_ = {};
  if (!ended_) {
    ended_ = std::move(reason);
  }
}

void Link::deliver(const IsEnough& is_enough) {
  if (outcome_) {
    owner_.on_link_outcome(id_, std::move(*std::exchange(outcome_, std::nullopt)));
    if (is_enough("answer")) {
      return;
    }
  }
  if (std::exchange(has_become_idle_, false)) {
    owner_.on_link_idle(id_);
  }
  if (ended_ && !std::exchange(is_over_told_, true)) {
    owner_.on_link_over(id_, *ended_);
  }
}

std::string Link::take_output(Instant /*now*/) {
  taken_bytes_ += output_.size();
  return std::exchange(output_, {});
}

const std::optional<std::string>& Link::ended() const { return has_events() ? kNotYet : ended_; }

}  // namespace daedalus::catalogue
