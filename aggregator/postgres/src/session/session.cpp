// Bytes and time: the session cuts what comes in into messages, and says when something is due.
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_machine.hpp"
#include "copy_machine.hpp"
#include "cursor_machine.hpp"
#include "describe_machine.hpp"
#include "execute_machine.hpp"
#include "explain_machine.hpp"
#include "extended_machine.hpp"
#include "login_machine.hpp"
#include "message_encoding.hpp"
#include "moment_machine.hpp"
#include "pipeline_machine.hpp"
#include "query_machine.hpp"
#include "simple_machine.hpp"
#include "write_machine.hpp"

namespace daedalus::postgres {

namespace {

const std::optional<std::string> kNotYet;

}  // namespace

PgSession::PgSession(const Shared& shared, rpc::ConnectionInfo connection, SessionIdentity identity, Instant now)
    : core_(shared, std::move(connection), std::move(identity), now) {}

void PgSession::on_bytes(std::string_view bytes, Instant now) {
  if (!core_.is_over()) {
    core_.now = now;
    core_.input.feed(bytes);
    process();
  }
}

bool PgSession::takes_input() const {
  const bool is_stopped = !wanted_frame(core_.awaited) || !core_.pipeline.empty() ||
                          core_.output.waiting() >= core_.options.limits.output_pause_size;
  return !is_stopped || core_.is_over() || core_.input.size() < core_.options.limits.input_size_max;
}

void PgSession::process() {
  while (const auto kind = core_.output.waiting() < core_.options.limits.output_pause_size ? wanted_frame(core_.awaited)
                                                                                           : std::nullopt) {
    const bool is_free = core_.is_awaited<awaited::Message>();
    if (is_free && WriteMachine(core_).has_write_for_now()) {
      WriteMachine(core_).submit(Ends::kWriteInBlock);
      continue;
    }
    if (is_free && core_.simple != nullptr) {
      SimpleMachine(core_).step_simple();
      continue;
    }
    const auto frame = core_.input.next(*kind);
    if (!frame) {
      core_.fatal(frame.error());
      return;
    }
    if (!*frame) {
      break;
    }
    if (!core_.pipeline.empty() && !PipelineMachine(core_).may_run_ahead(**frame)) {
      core_.input.put_back(**frame);
      break;
    }
    handle(**frame);
  }
  if (!core_.is_over()) {
    MomentMachine(core_).tell();
    core_.input.drop_read();
    core_.count_kept();
  }
}

void PgSession::handle(const Frame& frame) {
  if (core_.is_awaited<awaited::FirstMessage>()) {
    LoginMachine(core_).handle_first(frame.body);
    return;
  }
  core_.is_ready = false;
  if (core_.is_awaited<awaited::LoginMessage>()) {
    LoginMachine(core_).on_login(frame);
    return;
  }
  if (frame.type == 'X') {
    core_.finish("the client has said goodbye");
    return;
  }
  if (CopyIn* const copy = core_.copy_in()) {
    return CopyMachine(core_).on_copy_frame(*copy, frame);
  }
  if (core_.skips_to_sync && frame.type != 'S') {
    return;
  }
  if (core_.settings->encoding() == ClientEncoding::kUtf8) {
    return handle_message(frame);
  }
  const auto body = decoded_body(frame, core_.settings->encoding());
  if (body) {
    return handle_message({frame.type, *body});
  }
  core_.fail(body.error());
  if (frame.type == 'Q') {
    core_.skips_to_sync = false;
    core_.end_ready();
  }
}

void PgSession::handle_message(const Frame& frame) {
  switch (frame.type) {
    case 'Q':
      return SimpleMachine(core_).on_query(frame.body);
    case 'P':
      return ExtendedMachine(core_).on_parse(frame.body);
    case 'B':
      return ExtendedMachine(core_).on_bind(frame.body);
    case 'D':
      return ExtendedMachine(core_).on_describe(frame.body);
    case 'E':
      return ExtendedMachine(core_).on_execute(frame.body);
    case 'C':
      return ExtendedMachine(core_).on_close(frame.body);
    case 'H':
      return ExtendedMachine(core_).on_flush();
    case 'S':
      return ExtendedMachine(core_).on_sync();
    case 'F':
      core_.fail(rejected("0A000", "function calls of the protocol are not supported", "use SELECT"));
      core_.skips_to_sync = false;
      return core_.end_ready();
    case 'd':
    case 'c':
    case 'f':
      return;  // The client may have sent on after its COPY had failed.
    default:
      core_.fatal(
          rejected("08P01", fmt::format("invalid frontend message type {}", static_cast<unsigned char>(frame.type))));
  }
}

void PgSession::on_written(size_t size, Instant now) {
  core_.output.on_written(size);
  core_.last_progress = now;
  if (!core_.is_over()) {
    process();
  }
}

void PgSession::on_deadline(Instant now) {
  if (core_.is_over() || now < next_deadline()) {
    return;
  }
  if (now >= copy_deadline()) {
    CopyMachine(core_).fail_copy(*core_.copy_in(), rejected("57014", "canceling statement due to statement timeout"));
    return process();
  }
  if (core_.is_awaited<awaited::Verdict>() && now >= core_.entrance.verdict_at()) {
    LoginMachine(core_).tell_verdict();
    process();
  } else if (is_of_login(core_.awaited)) {
    core_.fatal(rejected("08006", "the client did not log in in time"));
  } else if (now >= fetch_deadline()) {
    CursorMachine(core_).end_late_fetch();
    process();
  } else if (now >= idle_deadline()) {
    core_.fatal(core_.block.is_open() ? rejected("25P03", "terminating connection due to idle-in-transaction timeout")
                                      : rejected("57P05", "terminating connection due to idle-session timeout"));
  } else {
    core_.output.clear();
    core_.finish("the client does not read");
  }
}

Instant PgSession::next_deadline() const {
  if (core_.is_over()) {
    return kNever;
  }
  if (core_.is_awaited<awaited::Verdict>()) {
    return core_.entrance.verdict_at();
  }
  if (is_of_login(core_.awaited)) {
    return after(core_.started, core_.options.limits.startup_ns_max);
  }
  const Instant stalled =
      core_.output.taken() > 0 ? after(core_.last_progress, core_.options.limits.stall_ns_max) : kNever;
  return std::min({stalled, idle_deadline(), copy_deadline(), fetch_deadline()});
}

Instant PgSession::idle_deadline() const {
  const int64_t timeout =
      core_.block.is_open() ? core_.settings->idle_in_block_timeout_ns() : core_.settings->idle_session_timeout_ns();
  const bool is_idle =
      core_.is_ready && core_.is_awaited<awaited::Message>() && core_.pipeline.empty() && core_.output.taken() == 0;
  return is_idle && timeout > 0 ? after(std::max(core_.now, core_.last_progress), timeout) : kNever;
}

Instant PgSession::copy_deadline() const {
  const auto* const copy = std::get_if<awaited::Copy>(&core_.awaited);
  return copy != nullptr ? copy->copy->deadline() : kNever;
}

Instant PgSession::fetch_deadline() const {
  const auto* const rows = std::get_if<awaited::Rows>(&core_.awaited);
  return rows != nullptr && rows->execution.is_fetching() ? rows->execution.fetch_due : kNever;
}

void PgSession::on_lost(std::string reason) {
  core_.output.clear();
  core_.finish(std::move(reason));
}

void PgSession::close(std::string reason) { core_.fatal(rejected("57P01", std::move(reason), "connect again")); }

std::string PgSession::take_output(Instant now) {
  if (core_.output.taken() == 0) {
    core_.last_progress = now;
  }
  auto taken = core_.output.take();
  if (taken) {
    return std::move(*taken);
  }
  core_.fatal(taken.error());
  return *core_.output.take();
}

const std::optional<std::string>& PgSession::ended() const {
  const auto* const over = std::get_if<awaited::Over>(&core_.awaited);
  return core_.requests.empty() && over != nullptr ? over->reason : kNotYet;
}

void PgSession::on_work_done(uint64_t id, WorkDone done, Instant /*now*/) {
  if (core_.is_over() || !core_.requests.is_latest_work(id)) {
    return;
  }
  if (CopyIn* const copy = core_.copy_in()) {
    CopyMachine(core_).on_converted(*copy, std::get<CopyRows>(std::move(done)));
  } else {
    take_work(std::exchange(core_.awaited, awaited::Message{}), std::move(done));
  }
  process();
}

void PgSession::take_work(Awaited awaited, WorkDone done) {
  if (auto* const pieces = std::get_if<awaited::Pieces>(&awaited)) {
    core_.simple = std::move(pieces->run);
  }
  if (is_cancelled(awaited)) {
    core_.fail(cancelled_by_user());
  } else if (std::holds_alternative<awaited::Pieces>(awaited)) {
    core_.simple->pieces = std::get<TextPieces>(std::move(done));
  } else if (auto* const described = std::get_if<awaited::Description>(&awaited)) {
    auto description = std::get<Result<aggregator::StatementDescription>>(std::move(done));
    const Prepared& statement = described->run->statement;
    if (description && has_usual_order(statement)) {
      core_.descriptions.keep(statement.sql, declared_of(statement), *description);
    }
    DescribeMachine(core_).on_described(std::move(described->run), std::move(description));
  } else if (auto* const home = std::get_if<awaited::Home>(&awaited)) {
    ExecuteMachine(core_).on_located(std::move(*home), std::get<aggregator::StatementHome>(done));
  } else if (const auto* const compilation = std::get_if<awaited::Compilation>(&awaited)) {
    WriteMachine(core_).on_compiled(compilation->execution, std::get<Result<aggregator::Compiled>>(std::move(done)));
  } else if (const auto* const plan = std::get_if<awaited::Plan>(&awaited)) {
    ExplainMachine(core_).on_explained(*plan->portal, std::get<Result<aggregator::Plan>>(std::move(done)));
  }
}

void PgSession::on_result(wire::v1::Result&& result, Instant /*now*/) {
  if (core_.is_over()) {
    return;
  }
  core_.statements.learn_columns(result.rows());
  core_.moments.learn(result);
  auto* const values = std::get_if<awaited::Values>(&core_.awaited);
  const auto* const table = std::get_if<awaited::TableSize>(&core_.awaited);
  if (core_.submission.awaits(result.sequence())) {
    auto end = WriteMachine(core_).take_submitted(result);
    CopyIn* const copy = core_.copy_in();
    if (end && copy != nullptr) {
      CopyMachine(core_).on_copy_submitted(*copy, std::move(*end));
    } else if (end) {
      WriteMachine(core_).end_submission(std::move(*end));
    }
  } else if (core_.held_moments.awaits(result.sequence())) {
    if (const auto next = MomentMachine(core_).take(result); next.portal != nullptr) {
      ExecuteMachine(core_).execute(*next.portal, next.rows_max);
    }
  } else if (values != nullptr && result.sequence() == values->run->sequence) {
    ExecuteMachine(core_).on_values(*values, std::move(result));
  } else if (table != nullptr && result.sequence() == table->sequence) {
    ExplainMachine(core_).on_table_size(result);
  } else if (Pipeline::Entry* const entry = core_.pipeline.find(result.sequence())) {
    PipelineMachine(core_).on_entry_result(*entry, std::move(result));
    PipelineMachine(core_).pump_entries();
  } else if (Portal* const portal = core_.portals.find_running(result.sequence())) {
    QueryMachine(core_).take_result(*portal, std::move(result));
    auto* const rows = std::get_if<awaited::Rows>(&core_.awaited);
    if (rows != nullptr && portal == rows->execution.portal) {
      QueryMachine(core_).pump(rows->execution);
    } else if (rows != nullptr && portal == core_.awaited_portal()) {
      CursorMachine(core_).go_on_fetching(rows->execution);
    }
  }
  process();
}

void PgSession::on_catalogue(uint64_t id, catalogue::Outcome outcome, Instant /*now*/) {
  if (!is_of_catalogue(core_.awaited) || !core_.requests.is_latest_catalogue(id)) {
    return;
  }
  Awaited awaited = std::exchange(core_.awaited, awaited::Message{});
  auto* const answer = std::get_if<catalogue::Answer>(&outcome);
  if (auto* failure = std::get_if<catalogue::Failure>(&outcome)) {
    core_.fail(Failure{std::move(failure->error), std::move(failure->detail)});
  } else if (const auto* const described = std::get_if<awaited::CatalogueDescription>(&awaited)) {
    DescribeMachine(core_).keep_catalogue_description(*described->run, std::move(*answer));
  } else if (const auto* const cursor = std::get_if<awaited::CatalogueCursor>(&awaited)) {
    CursorMachine(core_).open_catalogue_cursor(*cursor->portal, std::move(*answer));
  } else {
    CatalogueMachine(core_).begin_catalogue_rows(std::get<awaited::CatalogueRows>(awaited).execution,
                                                 std::move(*answer));
  }
  process();
}

void PgSession::cancel(Instant /*now*/) {
  if (CopyIn* const copy = core_.copy_in()) {
    CopyMachine(core_).fail_copy(*copy, cancelled_by_user());
    return process();
  }
  if (Portal* const running = core_.awaited_portal(); running != nullptr && running->sequence != 0) {
    running->is_cancelled = true;
    core_.requests.abort(running->sequence);
  } else if (core_.is_awaited<awaited::Moment>()) {
    core_.held_moments.give_up(core_.requests);
    core_.fail(cancelled_by_user());
    process();
  } else if (is_of_catalogue(core_.awaited)) {
    core_.requests.abandon_catalogue();
    core_.fail(cancelled_by_user());
    process();
  } else {
    postgres::cancel(core_.awaited);
  }
  // A submission cannot be taken back.
}

std::optional<uint64_t> PgSession::awaited_answer() const {
  const Portal* const portal = core_.awaited_portal();
  const bool is_wanted = portal != nullptr && portal->sequence != 0;
  return is_wanted && core_.output.waiting() < core_.options.limits.output_pause_size ? std::optional(portal->sequence)
                                                                                      : std::nullopt;
}

}  // namespace daedalus::postgres
