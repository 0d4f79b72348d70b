// Bytes and time: what comes in is cut into messages, and what goes out is told when it is due.
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "message_encoding.hpp"

namespace daedalus::postgres {

namespace {

const std::optional<std::string> kNotYet;

}  // namespace

PgSession::PgSession(const Shared& shared, rpc::ConnectionInfo connection, SessionIdentity identity, Instant now)
    : options_(shared.options),
      descriptions_(shared.descriptions),
      kept_(shared.kept),
      connection_(std::move(connection)),
      identity_(std::move(identity)),
      requests_(shared.owner, connection_.id),
      entrance_(shared.options, shared.guard, shared.seats, connection_.address),
      started_(now),
      now_(now),
      last_progress_(now),
      statements_(shared.options),
      answers_(requests_),
      portals_(shared.options.limits, answers_),
      pipeline_(shared.options.limits, answers_),
      submission_(identity_.submission_client) {}

PgSession::~PgSession() = default;

// ---- what happens to the connection ----

void PgSession::on_bytes(std::string_view bytes, Instant now) {
  if (phase_ != Phase::kOver) {
    now_ = now;
    input_.feed(bytes);
    process();
  }
}

bool PgSession::takes_input() const {
  const bool is_stopped =
      wait_ != Wait::kNothing || !pipeline_.empty() || output_.waiting() >= options_.limits.output_pause_size;
  return !is_stopped || phase_ == Phase::kOver || input_.size() < options_.limits.input_size_max;
}

void PgSession::process() {
  while (phase_ != Phase::kOver && wait_ == Wait::kNothing && output_.waiting() < options_.limits.output_pause_size) {
    if (has_write_for_now()) {
      submit(Then::kInBlock);
      continue;
    }
    if (simple_ != nullptr && copy_ == nullptr) {
      step_simple();
      continue;
    }
    const auto frame = input_.next(phase_ == Phase::kReady   ? FrameKind::kMessage
                                   : phase_ == Phase::kLogin ? FrameKind::kLogin
                                                             : FrameKind::kFirst);
    if (!frame) {
      fatal(frame.error());
      return;
    }
    if (!*frame) {
      break;
    }
    if (!pipeline_.empty() && !may_run_ahead(**frame)) {
      input_.put_back(**frame);
      break;
    }
    handle(**frame);
  }
  if (phase_ != Phase::kOver) {
    input_.drop_read();
    count_kept();
  }
}

void PgSession::handle(const Frame& frame) {
  if (phase_ == Phase::kStartup) {
    handle_first(frame.body);
    return;
  }
  is_ready_ = false;
  if (phase_ == Phase::kLogin) {
    on_login(frame);
    return;
  }
  if (frame.type == 'X') {
    finish("the client has said goodbye");
    return;
  }
  if (copy_ != nullptr) {
    return on_copy_frame(frame);
  }
  if (skips_to_sync_ && frame.type != 'S') {
    return;
  }
  if (settings_->encoding() == ClientEncoding::kUtf8) {
    return handle_message(frame);
  }
  const auto body = decoded_body(frame, settings_->encoding());
  if (body) {
    return handle_message({frame.type, *body});
  }
  fail(body.error());
  if (frame.type == 'Q') {
    skips_to_sync_ = false;
    end_ready();
  }
}

void PgSession::handle_message(const Frame& frame) {
  switch (frame.type) {
    case 'Q':
      return on_query(frame.body);
    case 'P':
      return on_parse(frame.body);
    case 'B':
      return on_bind(frame.body);
    case 'D':
      return on_describe(frame.body);
    case 'E':
      return on_execute(frame.body);
    case 'C':
      return on_close(frame.body);
    case 'H':
      return on_flush();
    case 'S':
      return on_sync();
    case 'F':
      fail(rejected("0A000", "function calls of the protocol are not supported", "use SELECT"));
      skips_to_sync_ = false;
      return end_ready();
    case 'd':
    case 'c':
    case 'f':
      return;  // Of a COPY that has failed: its client may have sent on.
    default:
      fatal(rejected("08P01", fmt::format("invalid frontend message type {}", static_cast<unsigned char>(frame.type))));
  }
}

void PgSession::on_written(size_t size, Instant now) {
  output_.on_written(size);
  last_progress_ = now;
  if (phase_ != Phase::kOver) {
    process();
  }
}

void PgSession::on_deadline(Instant now) {
  if (phase_ == Phase::kOver || now < next_deadline()) {
    return;
  }
  if (now >= copy_deadline()) {
    fail_copy(rejected("57014", "canceling statement due to statement timeout"));
    return process();
  }
  if (wait_ == Wait::kVerdict && now >= entrance_.verdict_at()) {
    tell_verdict();
    process();
  } else if (phase_ != Phase::kReady) {
    fatal(rejected("08006", "the client did not log in in time"));
  } else if (is_fetching() && now >= active_.fetch_due) {
    end_late_fetch();
    process();
  } else if (now >= idle_deadline()) {
    fatal(block_.is_open() ? rejected("25P03", "terminating connection due to idle-in-transaction timeout")
                           : rejected("57P05", "terminating connection due to idle-session timeout"));
  } else {
    output_.clear();
    finish("the client does not read");
  }
}

Instant PgSession::next_deadline() const {
  if (phase_ == Phase::kOver) {
    return kNever;
  }
  if (wait_ == Wait::kVerdict) {
    return entrance_.verdict_at();
  }
  if (phase_ != Phase::kReady) {
    return after(started_, options_.limits.startup_ns_max);
  }
  const Instant stalled = output_.taken() > 0 ? after(last_progress_, options_.limits.stall_ns_max) : kNever;
  return std::min({stalled, idle_deadline(), copy_deadline(), is_fetching() ? active_.fetch_due : kNever});
}

Instant PgSession::idle_deadline() const {
  const int64_t timeout =
      block_.is_open() ? settings_->idle_in_block_timeout_ns() : settings_->idle_session_timeout_ns();
  const bool is_idle = is_ready_ && wait_ == Wait::kNothing && pipeline_.empty() && output_.taken() == 0;
  return is_idle && timeout > 0 ? after(std::max(now_, last_progress_), timeout) : kNever;
}

Instant PgSession::copy_deadline() const { return copy_ != nullptr ? copy_->deadline() : kNever; }

void PgSession::on_lost(std::string reason) {
  output_.clear();
  finish(std::move(reason));
}

void PgSession::close(std::string reason) { fatal(rejected("57P01", std::move(reason), "connect again")); }

std::string PgSession::take_output(Instant now) {
  if (output_.taken() == 0) {
    last_progress_ = now;
  }
  auto taken = output_.take();
  if (taken) {
    return std::move(*taken);
  }
  fatal(taken.error());
  return *output_.take();
}

// ---- what its owner did ----

const std::optional<std::string>& PgSession::ended() const {
  return requests_.empty() && ended_ != nullptr ? *ended_ : kNotYet;
}

void PgSession::on_work_done(uint64_t id, WorkDone done, Instant /*now*/) {
  if (phase_ == Phase::kOver || !requests_.is_latest_work(id)) {
    return;
  }
  const Wait waited = std::exchange(wait_, Wait::kNothing);
  if (std::exchange(is_cancelled_, false)) {
    fail(rejected("57014", "canceling statement due to user request"));
  } else if (const auto* home = std::get_if<aggregator::StatementHome>(&done)) {
    on_located(*home);
  } else if (auto* pieces = std::get_if<TextPieces>(&done)) {
    simple_->pieces = std::move(*pieces);
  } else if (auto* description = std::get_if<Result<aggregator::StatementDescription>>(&done)) {
    if (*description) {
      descriptions_.keep(described_.statement.sql, declared_of(described_.statement), **description);
    }
    on_described(std::move(*description));
  } else if (auto* plan = std::get_if<Result<aggregator::Plan>>(&done)) {
    on_explained(std::move(*plan));
  } else if (waited == Wait::kCompile) {
    on_compiled(std::move(std::get<Result<aggregator::Compiled>>(done)));
  } else if (waited == Wait::kConvert) {
    on_converted(std::move(std::get<CopyRows>(done)));
  }
  process();
}

void PgSession::on_result(wire::v1::Result&& result, Instant /*now*/) {
  if (phase_ == Phase::kOver) {
    return;
  }
  statements_.learn_columns(result.rows());
  if (submission_.awaits(result.sequence())) {
    on_submitted(std::move(result));
  } else if (wait_ == Wait::kValues && result.sequence() == values_->sequence) {
    on_values(std::move(result));
  } else if (wait_ == Wait::kTableSize && result.sequence() == explained_->sequence) {
    on_table_size(result);
  } else if (Pipeline::Slot* const slot = pipeline_.find(result.sequence())) {
    on_slot_result(*slot, std::move(result));
    pump_slots();
  } else if (Portal* const portal = portals_.find_running(result.sequence())) {
    take_result(*portal, std::move(result));
    if (portal == active_.portal) {
      pump();
    } else if (portal == awaited()) {
      go_on_fetching();
    }
  }
  process();
}

void PgSession::cancel(Instant /*now*/) {
  if (copy_ != nullptr) {
    fail_copy(rejected("57014", "canceling statement due to user request"));
    return process();
  }
  if (Portal* const running = awaited(); running != nullptr && running->sequence != 0) {
    running->is_cancelled = true;
    requests_.abort(running->sequence);
  } else if (wait_ == Wait::kCatalogue) {
    requests_.abandon_catalogue();
    fail(rejected("57014", "canceling statement due to user request"));
    process();
  } else if (wait_ == Wait::kSplit || wait_ == Wait::kDescribe || wait_ == Wait::kCompile || wait_ == Wait::kValues ||
             wait_ == Wait::kLocate || wait_ == Wait::kExplain || wait_ == Wait::kTableSize) {
    is_cancelled_ = true;
  }
  // What has been submitted cannot be taken back.
}

// ---- ends ----

void PgSession::start_work(Wait wait, decltype(Work::what) what) {
  wait_ = wait;
  requests_.start_work(std::move(what));
}

void PgSession::tell(Severity severity, const Error& error, ErrorTexts texts, std::string& out) const {
  append_encoded_error(settings_->encoding(), {severity, error, texts}, out);
}

void PgSession::warn(std::string sqlstate, std::string message) {
  tell(Severity::kWarning, rejected(std::move(sqlstate), std::move(message)), {}, out());
}

void PgSession::notice(std::string message) {
  tell(Severity::kNotice, rejected("00000", std::move(message)), {}, text_behind());
}

void PgSession::fail(Failure failure) {
  if (simple_ != nullptr && failure.error.position > 0) {
    // Clients count from the start of what they sent.
    const uint32_t begin = simple_->pieces[simple_->next - 1].first;
    failure.error.position += characters_in(std::string_view(*simple_->text).substr(0, begin));
  }
  active_.portal = nullptr;
  copy_.reset();
  portals_.set_executed(nullptr);
  wait_ = Wait::kNothing;
  is_cancelled_ = false;
  if (block_.savepoint_count() == 0 || group_.is_holding()) {
    group_.clear();  // Else it has what waits for COMMIT, and a savepoint knows what stays of it.
  }
  if (block_.is_open()) {
    block_.fail();
    portals_.drop_from(block_.savepoint_count());
  } else {
    portals_.drop_new_cursors();
    settings_.take_back();
  }
  tell(Severity::kError, failure.error, {failure.detail, failure.context}, out());
  if (simple_ != nullptr) {
    answers_.abort(portals_.simple());
    portals_.simple() = {};
    end_simple();
  } else {
    skips_to_sync_ = true;
  }
}

void PgSession::fatal(const Error& error) {
  if (phase_ == Phase::kOver) {
    return;
  }
  tell(Severity::kFatal, error, {}, output_.text());
  finish(error.message);
}

void PgSession::finish(std::string reason) {
  if (phase_ == Phase::kOver) {
    return;
  }
  phase_ = Phase::kOver;
  wait_ = Wait::kNothing;
  active_.portal = nullptr;
  simple_.reset();
  copy_.reset();
  entrance_.give_up();
  input_.clear();
  group_.clear();
  statements_.clear();
  portals_.clear();
  pipeline_.clear();
  answers_.clear();
  values_.reset();
  explained_.reset();
  kept_.release();
  if (was_up_) {
    requests_.tell_down(reason);
  }
  ended_ = std::make_unique<const std::optional<std::string>>(std::move(reason));
}

}  // namespace daedalus::postgres
