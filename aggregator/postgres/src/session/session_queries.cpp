// Statements that run: what is asked of the core, and its rows on their way to the client.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "row_descriptions.hpp"
#include "session.hpp"

namespace daedalus::postgres {

Result<void> PgSession::check_query() const {
  if (auto may = entrance_.check_role(Role::kReader, "SELECT"); !may) {
    return may;
  }
  if (group_.has_any()) {
    return rejected("0A000", "a query after a write that has not been submitted yet is not supported",
                    block_.is_open() ? "use autocommit, or COMMIT first" : "send it behind a Sync of its own");
  }
  if (block_.is_repeatable() && block_.has_queried()) {
    return rejected("0A000", "a second query in a block of REPEATABLE READ or SERIALIZABLE is not supported",
                    "use READ COMMITTED, where each query sees all that was confirmed before it");
  }
  return {};
}

void PgSession::execute(Portal& portal, uint32_t rows_max) {
  portals_.set_executed(&portal);
  const Command& command = portal.statement->command;
  if (auto may = block_.check(command); !may) {
    return fail(may.error());
  }
  if (std::holds_alternative<DeclareCommand>(command)) {
    return declare(portal);
  }
  if (std::holds_alternative<FetchCommand>(command)) {
    return fetch(portal, rows_max);
  }
  if (std::holds_alternative<ExecuteCommand>(command)) {
    return execute_prepared(portal, rows_max);
  }
  if (const auto* explained = std::get_if<ExplainCommand>(&command)) {
    if (explained->mistake) {
      return fail(*explained->mistake);
    }
    if (portal.statement->catalogue == nullptr) {
      return explain(portal, *explained);
    }
  }
  if (run_command(portal)) {
    return;
  }
  const bool is_of_catalogue = portal.statement->catalogue != nullptr;
  const bool is_statement =
      std::holds_alternative<QueryCommand>(command) || std::holds_alternative<WriteCommand>(command);
  if (!entrance_.has_table() && is_statement && !is_of_catalogue) {
    return locate(&portal, portal.sql(), {});  // Its own answer would be the table's.
  }
  if (const auto* write = std::get_if<WriteCommand>(&command);
      write != nullptr && !portal.inserted && !is_of_catalogue) {
    if (auto may = check_write(*write); !may) {
      return fail(may.error());
    }
    if (std::exchange(portal.has_started, true)) {
      return fail(rejected("55000", "a write runs once for each Bind", "send Bind before each Execute"));
    }
    return start_write(portal, rows_max);
  }
  if (std::holds_alternative<CopyCommand>(command)) {
    return start_copy(portal);
  }
  start_rows(portal, rows_max);
}

void PgSession::start_rows(Portal& portal, uint32_t rows_max) {
  if (!portal.has_started) {
    if (portal.statement->catalogue != nullptr) {
      return start_catalogue(portal, rows_max);
    }
    if (auto may = check_query(); !may) {
      return fail_or_locate(portal, {may.error(), {}});  // What reads the catalogue sees nothing of a block.
    }
    portal.is_first_query = block_.note_query();
  }
  if (!portal.has_started && !portal.is_simple && portal.copy_out == nullptr && rows_max == 0) {
    return start_slot(portal);
  }
  if (portal.catalogue != nullptr) {
    return pump_catalogue({portal, rows_max});
  }
  if (!portal.has_started) {
    start_query(portal);
  }
  pump(await_rows(portal, rows_max));
}

Execution& PgSession::await_rows(Portal& portal, uint32_t rows_max) {
  return awaited_.emplace<awaited::Rows>(Execution(portal, rows_max)).execution;
}

void PgSession::start_query(Portal& portal) {
  portal.has_started = true;
  const bool may_go_by_slot = portal.copy_out == nullptr && portal.cursor == nullptr && !portal.is_simple;
  const uint32_t slot = may_go_by_slot ? statements_.slot_of(*portal.statement, requests_) : 0;
  portal.sequence = send_statement(body_of(portal, slot), slot, time_left(portal.cursor != nullptr));
}

wire::v1::StatementBody PgSession::statement_body() const {
  wire::v1::StatementBody body;
  if (settings_->zone() != nullptr) {
    body.set_time_zone(settings_->zone()->name());
  }
  if (settings_->interval_style() != semantics::IntervalStyle::kPostgres) {
    body.set_interval_style(*settings_->show("intervalstyle"));
  }
  return body;
}

uint64_t PgSession::send_statement(const wire::v1::StatementBody& body, uint32_t slot, int64_t remaining_ns) {
  wire::v1::Operation operation;
  auto& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_STATEMENT);
  header.set_shape_slot(slot);
  header.set_remaining_ns(static_cast<uint64_t>(remaining_ns));
  header.set_compute_ms(settings_->compute_ms());
  header.set_principal(entrance_.user());
  body.SerializeToString(operation.mutable_body());
  return requests_.ask(std::move(operation));
}

wire::v1::StatementBody PgSession::body_of(const Portal& portal, uint32_t slot) const {
  wire::v1::StatementBody body = statement_body();
  if (slot == 0) {
    body.set_sql(portal.sql());
  }
  body.mutable_parameters()->Add(portal.parameters.begin(),
                                 portal.parameters.end() - portal.statement->parameters_unused);
  return body;
}

int64_t PgSession::time_left(bool is_cursor) const {
  const int64_t timeout = settings_->statement_timeout_ns();
  return timeout > 0 && !is_cursor ? timeout : options_.limits.operation_ns_max;
}

void PgSession::take_result(Portal& portal, wire::v1::Result&& result) {
  if (result.has_rows()) {
    return on_rows(portal, *result.mutable_rows());
  }
  portal.has_ended = true;
  portal.sequence = 0;
  if (portal.cursor != nullptr && result.has_end()) {
    portal.cursor->rows.end();
  }
  if (result.has_error()) {
    portal.failure = portal.is_cancelled && result.error().sqlstate() == "57014"
                         ? Failure{cancelled_by_user(), {}}
                         : failure_of(result.error(), has_timeout());
    if (portal.copy_out != nullptr) {
      portal.copy_out->place(portal.failure->error);
    }
  } else if (!result.has_end()) {
    portal.failure = Failure{rejected("XX000", "a query was answered with something else"), {}};
  }
  if (portal.cursor != nullptr && portal.failure) {
    portal.failure->error.position = 0;  // In the text of its DECLARE.
  }
}

void PgSession::on_rows(Portal& portal, wire::v1::QueryRows& rows) {
  if (portal.encoder == nullptr) {
    if (auto begun = begin_answer(portal, rows); !begun) {
      answers_.abort(portal);
      portal.has_ended = true;
      portal.failure = Failure{begun.error(), {}};
      return;
    }
  }
  if (portal.cursor != nullptr || rows.row_count() > 0) {
    answers_.add(portal, {std::move(*rows.mutable_rows()), rows.row_count()});
  }
}

Result<void> PgSession::begin_answer(Portal& portal, const wire::v1::QueryRows& first) {
  if (first.shape_sequence() != 0) {
    return begin_slotted(portal, first.shape_sequence());
  }
  std::vector<semantics::Column> columns = answer_columns(first);
  auto begun = begin_rows(portal, columns);
  if (begun && portal.cursor != nullptr) {
    portal.cursor->columns = std::move(columns);
  }
  return begun;
}

Result<void> PgSession::begin_slotted(Portal& portal, uint64_t sequence) {
  const auto slotted = statements_.find_slotted(*portal.statement, sequence);
  if (slotted == nullptr || !slotted->columns) {
    return rejected("XX000", "an answer has come without its columns");
  }
  if (slotted->encoder != nullptr && slotted->formats == portal.formats &&
      slotted->encoder->style() == settings_->value_style()) {
    portal.encoder = slotted->encoder;
    return {};
  }
  auto begun = begin_rows(portal, *slotted->columns);
  slotted->encoder = portal.encoder;
  slotted->formats = portal.formats;
  return begun;
}

Result<void> PgSession::begin_rows(Portal& portal, const std::vector<semantics::Column>& columns) {
  if (portal.copy_out != nullptr) {
    auto encoder = portal.copy_out->begin(columns, *options_.schema, settings_->value_style(), output_.text());
    if (!encoder) {
      return encoder.error();
    }
    portal.encoder = std::move(*encoder);
    return {};
  }
  if (portal.is_simple) {
    portal.formats.assign(columns.size(), kTextFormat);
    if (auto told = append_columns(columns, portal.statement->command, {portal.formats, settings_->encoding()}, out());
        !told) {
      return told;
    }
  } else if (!std::equal(columns.begin(), columns.end(), portal.statement->columns.begin(),
                         portal.statement->columns.end(),
                         [](const auto& a, const auto& b) { return a.type.kind == b.type.kind; })) {
    return rejected("0A000", "the values change the types of the answer that was described",
                    "declare the parameters' types, or cast them in the statement");
  }
  portal.encoder = std::make_shared<const RowEncoder>(columns, portal.formats, settings_->value_style());
  return {};
}

Result<void> PgSession::send_rows(const Portal& portal, std::string rows) {
  if (portal.copy_out != nullptr) {
    return portal.copy_out->send(std::move(rows), output_);
  }
  if (!group_.is_holding()) {
    return output_.add_rows(portal.encoder, std::move(rows));
  }
  std::string_view rest = rows;
  while (!rest.empty()) {
    if (auto encoded = portal.encoder->encode(rest, WriteGroup::kHeldBytesMax, group_.held()); !encoded) {
      return encoded.error();
    }
    if (group_.held().size() >= WriteGroup::kHeldBytesMax) {
      return rejected(
          "54000", fmt::format("RETURNING gives more than {} bytes before they can be sent", WriteGroup::kHeldBytesMax),
          "send a Sync after fewer INSERTs");
    }
  }
  return {};
}

void PgSession::pump(Execution& execution) {
  Portal& portal = *execution.portal;
  while (!portal.rows.empty() && execution.wants_rows()) {
    auto taken = answers_.take(portal, execution.rows_max());
    if (!taken) {
      return fail(taken.error());
    }
    execution.on_sent(taken->count);
    if (auto sent = send_rows(portal, std::move(taken->bytes)); !sent) {
      return fail(sent.error());
    }
  }
  if (!execution.wants_rows()) {
    append_plain('s', out());
  } else if (!portal.has_ended) {
    return;
  } else if (portal.failure) {
    return fail_or_locate(portal, std::move(*portal.failure));
  } else if (portal.copy_out != nullptr) {
    portal.copy_out->end(output_.text());
    append_command_complete(execution.tag(), output_.text());
  } else {
    append_command_complete(execution.tag(), out());
  }
  awaited_ = awaited::Message{};
}

}  // namespace daedalus::postgres
