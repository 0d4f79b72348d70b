#include "session_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_refusals.hpp"
#include "message_encoding.hpp"

namespace daedalus::postgres {

SessionCore::SessionCore(const SessionShared& shared, rpc::ConnectionInfo connection_info, SessionIdentity drawn,
                         Instant start)
    : options(shared.options),
      descriptions(shared.descriptions),
      kept(shared.kept),
      connection(std::move(connection_info)),
      identity(std::move(drawn)),
      requests(shared.owner, connection.id),
      entrance(shared.options, shared.guard, shared.connection_limit, connection.address),
      started(start),
      now(start),
      last_progress(start),
      statements(shared.options),
      answers(requests),
      portals(shared.options.limits, answers),
      pipeline(shared.options.limits, answers),
      submission(identity.submission_client) {}

void SessionCore::fail(Failure failure) {
  if (simple != nullptr && failure.error.position > 0) {
    // Clients count from the start of what they sent.
    const uint32_t begin = simple->pieces[simple->next - 1].first;
    failure.error.position += characters_in(std::string_view(*simple->text).substr(0, begin));
  }
  awaited = awaited::Message{};
  portals.set_executed(nullptr);
  if (block.savepoint_count() == 0 || group.is_holding()) {
    group.clear();  // Else it has what waits for COMMIT, and a savepoint knows what stays of it.
  }
  if (block.is_open()) {
    block.fail();
    portals.drop_from(block.savepoint_count());
  } else {
    portals.drop_new_cursors();
    settings.take_back();
  }
  tell(Severity::kError, failure.error, {failure.detail, failure.context}, out());
  if (simple != nullptr) {
    answers.abort(portals.simple());
    portals.simple() = {};
    end_simple();
  } else {
    skips_to_sync = true;
  }
}

void SessionCore::tell(Severity severity, const Error& error, ErrorTexts texts, std::string& text) const {
  append_encoded_error(settings->encoding(), {severity, error, texts}, text);
}

void SessionCore::warn(std::string sqlstate, std::string message) {
  tell(Severity::kWarning, rejected(std::move(sqlstate), std::move(message)), {}, out());
}

void SessionCore::notice(std::string message) {
  tell(Severity::kNotice, rejected("00000", std::move(message)), {}, text_behind());
}

void SessionCore::fatal(const Error& error) {
  if (is_over()) {
    return;
  }
  tell(Severity::kFatal, error, {}, output.text());
  finish(error.message);
}

void SessionCore::finish(std::string reason) {
  if (is_over()) {
    return;
  }
  awaited = awaited::Over{reason};
  simple.reset();
  entrance.give_up();
  input.clear();
  group.clear();
  statements.clear();
  portals.clear();
  pipeline.clear();
  answers.clear();
  kept.release();
  if (was_up) {
    requests.tell_down(std::move(reason));
  }
}

void SessionCore::start_work(Awaited what_comes, decltype(Work::what) what) {
  awaited = std::move(what_comes);
  requests.start_work(std::move(what));
}

void SessionCore::locate(awaited::Home::Statement statement, std::string sql, Failure refusal) {
  start_work(awaited::Home{std::move(statement), std::make_unique<Failure>(std::move(refusal))},
             Work::Locate{std::move(sql), entrance.has_table()});
}

/// The compiler knows what was bound: that has been described.
void SessionCore::fail_or_locate(Portal& portal, Failure failure) {
  const bool is_text = portal.is_simple && portal.statement->parameters.empty() && !portal.fetch;
  return (is_text || portal.copy_out != nullptr) && !group.is_holding() && may_be_of_catalogue(failure.error)
             ? locate(&portal, compiled_text(portal.statement->command, portal.sql()), std::move(failure))
             : fail(std::move(failure));
}

void SessionCore::end_simple() {
  simple.reset();
  portals.simple() = {};
  if (!block.is_open()) {
    portals.set_executed(nullptr);
    portals.end_transaction(/*is_commit=*/true);
  }
  end_ready();
}

void SessionCore::end_sync() {
  if (!block.is_open()) {
    portals.set_executed(nullptr);
    portals.end_transaction(/*is_commit=*/true);
  }
  if (!pipeline.empty()) {
    pipeline.add_sync();
  }
  end_ready();
}

void SessionCore::end_ready() {
  settings.tell(text_behind());
  append_ready(block.state(), text_behind());
  is_ready = true;
}

void SessionCore::end_block(bool is_commit) {
  block.end(is_commit);
  group.clear();
  portals.end_transaction(is_commit);
}

const Portal* SessionCore::awaited_portal() const {
  if (!pipeline.empty()) {
    return pipeline.first().portal.get();
  }
  const auto* const rows = std::get_if<awaited::Rows>(&awaited);
  if (rows == nullptr) {
    return nullptr;
  }
  const Portal* const portal = rows->execution.portal;
  const auto* const fetch = std::get_if<FetchCommand>(&portal->statement->command);
  return fetch == nullptr ? portal : portals.find_cursor(fetch->cursor);
}

const Prepared& SessionCore::shown_by(const Prepared& prepared) const {
  if (const auto* fetch = std::get_if<FetchCommand>(&prepared.command); fetch != nullptr && !fetch->is_move) {
    if (const Portal* const cursor = portals.find_cursor(fetch->cursor)) {
      return *cursor->statement;
    }
  } else if (const auto* execute = std::get_if<ExecuteCommand>(&prepared.command)) {
    if (const auto statement = statements.find(execute->name)) {
      return *statement;
    }
  }
  return prepared;
}

wire::v1::StatementBody SessionCore::statement_body() const {
  wire::v1::StatementBody body;
  if (settings->zone() != nullptr) {
    body.set_time_zone(settings->zone()->name());
  }
  if (settings->interval_style() != semantics::IntervalStyle::kPostgres) {
    body.set_interval_style(*settings->show("intervalstyle"));
  }
  if (settings->date_order() != semantics::DateOrder::kMonthDayYear) {
    body.set_date_order(std::string(semantics::name_of(settings->date_order())));
  }
  return body;
}

uint64_t SessionCore::send_statement(const wire::v1::StatementBody& body, uint32_t handle, int64_t remaining_ns) {
  wire::v1::Operation operation;
  auto& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_STATEMENT);
  header.set_shape_handle(handle);
  header.set_remaining_ns(static_cast<uint64_t>(remaining_ns));
  header.set_compute_ms(settings->compute_ms());
  header.set_principal(entrance.user());
  add_moment(header);
  body.SerializeToString(operation.mutable_body());
  return requests.ask(std::move(operation));
}

void SessionCore::add_moment(wire::v1::OperationHeader& header) const {
  if (block.moment() != nullptr || settings->read_at() != 0) {
    header.set_at(block.moment() != nullptr ? *block.moment() : settings->read_at());
    header.set_is_firm(true);
    return;
  }
  header.set_prefix_min(moments.demand());
  header.set_freshness_ns(static_cast<uint64_t>(settings->freshness_ns()));
}

wire::v1::StatementBody SessionCore::body_of(const Portal& portal, uint32_t handle) const {
  wire::v1::StatementBody body = statement_body();
  if (handle == 0) {
    body.set_sql(portal.sql());
  }
  body.mutable_parameters()->Add(portal.parameters.begin(),
                                 portal.parameters.end() - portal.statement->parameters_unused);
  return body;
}

int64_t SessionCore::time_left(bool is_cursor) const {
  const int64_t timeout = settings->statement_timeout_ns();
  return timeout > 0 && !is_cursor ? timeout : options.limits.operation_ns_max;
}

uint64_t SessionCore::kept_bytes() const {
  const CopyIn* const copy = copy_in();
  const uint64_t copied = copy == nullptr ? 0 : copy->kept_bytes();
  return input.size() + statements.bytes() + portals.parameter_bytes() + group.bytes() + block.savepoint_bytes() +
         copied;
}

Result<void> SessionCore::reserve(uint64_t bytes) {
  if (kept.resize(kept_bytes() + bytes)) {
    return {};
  }
  return rejected("53200",
                  fmt::format("out of memory: all clients together may keep {} bytes of prepared statements, "
                              "parameters, and writes that have not been submitted",
                              options.kept_bytes_max),
                  "end transactions, and close statements and portals that are not needed any longer");
}

Result<uint32_t> SessionCore::keep_write(aggregator::CompiledUpdate update) {
  if (auto fits = reserve(update.body.ByteSizeLong()); !fits) {
    return fits.error();
  }
  return group.add(std::move(update));
}

void SessionCore::count_kept() {
  if (const uint64_t bytes = kept_bytes(); bytes != kept.bytes()) {
    const bool is_message = wanted_frame(awaited) && input.size() > options.limits.input_size_max;
    if (auto fits = reserve(0); !fits && is_message) {
      return fatal(fits.error());
    } else if (!fits) {
      kept.resize_anyway(bytes);
    }
  }
}

}  // namespace daedalus::postgres
