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
  if (!is_over()) {
    now_ = now;
    input_.feed(bytes);
    process();
  }
}

bool PgSession::takes_input() const {
  const bool is_stopped =
      !wanted_frame(awaited_) || !pipeline_.empty() || output_.waiting() >= options_.limits.output_pause_size;
  return !is_stopped || is_over() || input_.size() < options_.limits.input_size_max;
}

void PgSession::process() {
  while (const auto kind =
             output_.waiting() < options_.limits.output_pause_size ? wanted_frame(awaited_) : std::nullopt) {
    const bool is_free = is_awaited<awaited::Message>();
    if (is_free && has_write_for_now()) {
      submit(Ends::kWriteInBlock);
      continue;
    }
    if (is_free && simple_ != nullptr) {
      step_simple();
      continue;
    }
    const auto frame = input_.next(*kind);
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
  if (!is_over()) {
    input_.drop_read();
    count_kept();
  }
}

void PgSession::handle(const Frame& frame) {
  if (is_awaited<awaited::FirstMessage>()) {
    handle_first(frame.body);
    return;
  }
  is_ready_ = false;
  if (is_awaited<awaited::LoginMessage>()) {
    on_login(frame);
    return;
  }
  if (frame.type == 'X') {
    finish("the client has said goodbye");
    return;
  }
  if (CopyIn* const copy = copy_in()) {
    return on_copy_frame(*copy, frame);
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
  if (!is_over()) {
    process();
  }
}

void PgSession::on_deadline(Instant now) {
  if (is_over() || now < next_deadline()) {
    return;
  }
  if (now >= copy_deadline()) {
    fail_copy(*copy_in(), rejected("57014", "canceling statement due to statement timeout"));
    return process();
  }
  if (is_awaited<awaited::Verdict>() && now >= entrance_.verdict_at()) {
    tell_verdict();
    process();
  } else if (is_of_login(awaited_)) {
    fatal(rejected("08006", "the client did not log in in time"));
  } else if (now >= fetch_deadline()) {
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
  if (is_over()) {
    return kNever;
  }
  if (is_awaited<awaited::Verdict>()) {
    return entrance_.verdict_at();
  }
  if (is_of_login(awaited_)) {
    return after(started_, options_.limits.startup_ns_max);
  }
  const Instant stalled = output_.taken() > 0 ? after(last_progress_, options_.limits.stall_ns_max) : kNever;
  return std::min({stalled, idle_deadline(), copy_deadline(), fetch_deadline()});
}

Instant PgSession::idle_deadline() const {
  const int64_t timeout =
      block_.is_open() ? settings_->idle_in_block_timeout_ns() : settings_->idle_session_timeout_ns();
  const bool is_idle = is_ready_ && is_awaited<awaited::Message>() && pipeline_.empty() && output_.taken() == 0;
  return is_idle && timeout > 0 ? after(std::max(now_, last_progress_), timeout) : kNever;
}

Instant PgSession::copy_deadline() const {
  const auto* const copy = std::get_if<awaited::Copy>(&awaited_);
  return copy != nullptr ? copy->copy->deadline() : kNever;
}

Instant PgSession::fetch_deadline() const {
  const auto* const rows = std::get_if<awaited::Rows>(&awaited_);
  return rows != nullptr && rows->execution.is_fetching() ? rows->execution.fetch_due : kNever;
}

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
  const auto* const over = std::get_if<awaited::Over>(&awaited_);
  return requests_.empty() && over != nullptr ? over->reason : kNotYet;
}

void PgSession::on_work_done(uint64_t id, WorkDone done, Instant /*now*/) {
  if (is_over() || !requests_.is_latest_work(id)) {
    return;
  }
  if (CopyIn* const copy = copy_in()) {
    on_converted(*copy, std::get<CopyRows>(std::move(done)));
  } else {
    take_work(std::exchange(awaited_, awaited::Message{}), std::move(done));
  }
  process();
}

void PgSession::take_work(Awaited awaited, WorkDone done) {
  if (auto* const pieces = std::get_if<awaited::Pieces>(&awaited)) {
    simple_ = std::move(pieces->run);
  }
  if (is_cancelled(awaited)) {
    fail(cancelled_by_user());
  } else if (std::holds_alternative<awaited::Pieces>(awaited)) {
    simple_->pieces = std::get<TextPieces>(std::move(done));
  } else if (auto* const described = std::get_if<awaited::Description>(&awaited)) {
    auto description = std::get<Result<aggregator::StatementDescription>>(std::move(done));
    const Prepared& statement = described->run->statement;
    if (description) {
      descriptions_.keep(statement.sql, declared_of(statement), *description);
    }
    on_described(std::move(described->run), std::move(description));
  } else if (auto* const home = std::get_if<awaited::Home>(&awaited)) {
    on_located(std::move(*home), std::get<aggregator::StatementHome>(done));
  } else if (const auto* const compilation = std::get_if<awaited::Compilation>(&awaited)) {
    on_compiled(compilation->execution, std::get<Result<aggregator::Compiled>>(std::move(done)));
  } else if (const auto* const plan = std::get_if<awaited::Plan>(&awaited)) {
    on_explained(*plan->portal, std::get<Result<aggregator::Plan>>(std::move(done)));
  }
}

void PgSession::on_result(wire::v1::Result&& result, Instant /*now*/) {
  if (is_over()) {
    return;
  }
  statements_.learn_columns(result.rows());
  auto* const values = std::get_if<awaited::Values>(&awaited_);
  const auto* const table = std::get_if<awaited::TableSize>(&awaited_);
  if (submission_.awaits(result.sequence())) {
    on_submitted(std::move(result));
  } else if (values != nullptr && result.sequence() == values->run->sequence) {
    on_values(*values, std::move(result));
  } else if (table != nullptr && result.sequence() == table->sequence) {
    on_table_size(result);
  } else if (Pipeline::Slot* const slot = pipeline_.find(result.sequence())) {
    on_slot_result(*slot, std::move(result));
    pump_slots();
  } else if (Portal* const portal = portals_.find_running(result.sequence())) {
    take_result(*portal, std::move(result));
    auto* const rows = std::get_if<awaited::Rows>(&awaited_);
    if (rows != nullptr && portal == rows->execution.portal) {
      pump(rows->execution);
    } else if (rows != nullptr && portal == awaited()) {
      go_on_fetching(rows->execution);
    }
  }
  process();
}

void PgSession::cancel(Instant /*now*/) {
  if (CopyIn* const copy = copy_in()) {
    fail_copy(*copy, cancelled_by_user());
    return process();
  }
  if (Portal* const running = awaited(); running != nullptr && running->sequence != 0) {
    running->is_cancelled = true;
    requests_.abort(running->sequence);
  } else if (is_of_catalogue(awaited_)) {
    requests_.abandon_catalogue();
    fail(cancelled_by_user());
    process();
  } else {
    postgres::cancel(awaited_);
  }
  // What has been submitted cannot be taken back.
}

// ---- ends ----

void PgSession::start_work(Awaited awaited, decltype(Work::what) what) {
  awaited_ = std::move(awaited);
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
  awaited_ = awaited::Message{};
  portals_.set_executed(nullptr);
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
  if (is_over()) {
    return;
  }
  tell(Severity::kFatal, error, {}, output_.text());
  finish(error.message);
}

void PgSession::finish(std::string reason) {
  if (is_over()) {
    return;
  }
  awaited_ = awaited::Over{reason};
  simple_.reset();
  entrance_.give_up();
  input_.clear();
  group_.clear();
  statements_.clear();
  portals_.clear();
  pipeline_.clear();
  answers_.clear();
  kept_.release();
  if (was_up_) {
    requests_.tell_down(std::move(reason));
  }
}

}  // namespace daedalus::postgres
