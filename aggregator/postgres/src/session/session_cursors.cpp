// Cursors of SQL: DECLARE asks, FETCH and MOVE take of the answer what they want, CLOSE ends it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_cursor.hpp"
#include "catalogue_refusals.hpp"
#include "message_encoding.hpp"
#include "row_descriptions.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

bool are_equal(const std::vector<wire::v1::Constant>& some, const std::vector<wire::v1::Constant>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(), [](const auto& one, const auto& other) {
    return one.SerializeAsString() == other.SerializeAsString();
  });
}

/// Whether a cursor that is closed is kept, as the one query of a block of REPEATABLE READ.
bool may_reopen(const Portal& portal, const Block& block) {
  return portal.statement->catalogue == nullptr && block.is_repeatable() && block.is_open() &&
         !portal.cursor->is_held && portal.cursor->may_go_back && portal.cursor->rows.first_kept() <= 1 &&
         !portal.failure;
}

Error no_such_cursor(const std::string& name) {
  return rejected("34000", fmt::format("cursor \"{}\" does not exist", name));
}

}  // namespace

// ---- DECLARE ----

void PgSession::declare(Portal& portal) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (!portal.statement->cursor_columns.empty()) {  // The protocol's Parse has described it.
    if (portal.statement->mistake) {
      return fail(*portal.statement->mistake);
    }
    return open_cursor(portal, portal.statement->sql, portal.statement->cursor_columns);
  }
  if (portal.statement->is_catalogue_cursor) {
    return ask_for_cursor(portal, portal.statement->sql);
  }
  auto run = std::make_unique<DescriptionRun>();
  run->statement.sql = query_of(portal.statement->sql, command.query_at);
  run->declares = &portal;
  describe(std::move(run), {});
}

Result<void> PgSession::check_cursor(const DeclareCommand& command) const {
  if (command.cursor.empty()) {
    return rejected("34000", "invalid cursor name: must not be empty");
  }
  const bool is_among_others = simple_ != nullptr && simple_->pieces.size() > 1;  // Together they are a transaction.
  if (!command.is_holdable && !block_.is_open() && !is_among_others) {
    return rejected("25P01", "DECLARE CURSOR can only be used in transaction blocks");
  }
  return portals_.check_cursor_room(command.cursor);
}

void PgSession::open_cursor(Portal& portal, std::string sql, const std::vector<semantics::Column>& columns) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (auto may = check_cursor(command); !may) {
    return fail(may.error());
  }
  if (reopen_closed(portal, sql, command)) {
    return append_command_complete("DECLARE CURSOR", out());
  }
  if (auto may = check_query(); !may) {
    return fail(may.error());
  }
  block_.note_query();
  Prepared query;
  query.sql = std::move(sql);
  query.command = QueryCommand{};
  query.columns = columns;
  query.parameters_unused = portal.statement->parameters_unused;
  Portal made;
  made.statement = std::make_shared<const Prepared>(std::move(query));
  made.parameters = portal.parameters;
  made.parameter_bytes = portal.parameter_bytes;
  made.formats.assign(columns.size(), command.is_binary ? kBinaryFormat : kTextFormat);
  made.level = block_.savepoint_count();
  made.cursor =
      std::make_unique<Cursor>(Cursor{command.may_go_back,
                                      command.is_binary,
                                      command.is_holdable,
                                      false,
                                      {},
                                      CursorRows(command.may_go_back ? options_.limits.cursor_passed_bytes : 0)});
  start_query(portals_.add(command.cursor, std::move(made)));
  append_command_complete("DECLARE CURSOR", out());
}

void PgSession::ask_for_cursor(Portal& portal, std::string sql) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (auto may = check_cursor(command); !may) {
    return fail(may.error());
  }
  if (auto may = check_catalogue(); !may) {
    return fail(may.error());
  }
  catalogue::Statement statement;
  statement.sql = std::move(sql);
  statement.result_formats = {command.is_binary ? kBinaryFormat : kTextFormat};
  ask_catalogue(awaited::CatalogueCursor{&portal}, std::move(statement));
}

void PgSession::open_catalogue_cursor(const Portal& portal, catalogue::Answer answer) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (auto encoded = encode_rows(answer, settings_->encoding()); !encoded) {
    return fail(encoded.error());
  }
  CursorRows rows(command.may_go_back ? options_.limits.cursor_passed_bytes : 0);
  if (auto kept = keep_catalogue_rows(answer, rows); !kept) {
    return fail(kept.error());
  }
  answer.rows.clear();
  Prepared query;
  query.command = QueryCommand{};
  Portal made;
  made.formats.assign(catalogue::column_count(answer.columns), command.is_binary ? kBinaryFormat : kTextFormat);
  query.catalogue = std::make_shared<const catalogue::Answer>(std::move(answer));
  made.statement = std::make_shared<const Prepared>(std::move(query));
  made.has_started = true;
  made.has_ended = true;
  made.level = block_.savepoint_count();
  made.cursor = std::make_unique<Cursor>(
      Cursor{command.may_go_back, command.is_binary, command.is_holdable, false, {}, std::move(rows)});
  answers_.add_cursor(portals_.add(command.cursor, std::move(made)));
  append_command_complete("DECLARE CURSOR", out());
}

bool PgSession::reopen_closed(const Portal& portal, const std::string& sql, const DeclareCommand& command) {
  Portal* const closed = portals_.find_set_aside();
  if (closed == nullptr || group_.has_any()) {
    return false;
  }
  Portal& kept = *closed;
  if (kept.cursor->rows.first_kept() > 1 || kept.cursor->is_binary != command.is_binary || kept.statement->sql != sql ||
      !are_equal(kept.parameters, portal.parameters)) {
    return false;
  }
  kept.cursor->rows.move_to(0);
  kept.cursor->may_go_back = command.may_go_back;
  kept.cursor->is_holdable = command.is_holdable;
  kept.level = block_.savepoint_count();
  portals_.reopen(command.cursor);
  return true;
}

// ---- FETCH and MOVE ----

void PgSession::fetch(Portal& portal, uint32_t rows_max) {
  const auto& command = std::get<FetchCommand>(portal.statement->command);
  if (auto begun = portal.fetch ? Result<void>() : begin_fetch(portal, command); !begun) {
    return fail(begun.error());
  }
  Execution& execution = await_rows(portal, rows_max);
  const int64_t timeout = settings_->statement_timeout_ns();
  execution.fetch_due = timeout > 0 ? after(now_, timeout) : kNever;
  go_on_fetching(execution);
}

Result<void> PgSession::begin_fetch(Portal& portal, const FetchCommand& command) {
  const Portal* const cursor = portals_.find_cursor(command.cursor);
  if (cursor == nullptr) {
    return portals_.find(command.cursor) != nullptr
               ? rejected("0A000", "FETCH from a portal of the protocol is not supported", "Execute it")
               : no_such_cursor(command.cursor);
  }
  auto run = FetchRun::begin(command, cursor->cursor->may_go_back, cursor->cursor->rows);
  if (!run) {
    return run.error();
  }
  portal.fetch = *run;
  if (command.is_move) {
    return {};
  }
  const Prepared& query = *cursor->statement;
  if (portal.is_simple) {
    portal.formats.assign(column_count(query), cursor->cursor->is_binary ? kBinaryFormat : kTextFormat);
    const DescribedFor client{portal.formats, settings_->encoding()};
    auto told = query.catalogue != nullptr ? append_catalogue_columns(*query.catalogue, client, out())
                                           : append_columns(query.columns, portal.statement->command, client, out());
    if (!told) {
      return told;
    }
  } else if (portal.formats.size() != column_count(query)) {
    return rejected("0A000", "cached plan must not change result type");
  } else if (query.catalogue != nullptr && portal.formats != cursor->formats) {
    return catalogue_refusal("FETCH in another format than the one that was declared, from a cursor");
  }
  return {};
}

void PgSession::go_on_fetching(Execution& execution) {
  Portal& portal = *execution.portal;
  const auto& command = std::get<FetchCommand>(portal.statement->command);
  Portal* const from = portals_.find_cursor(command.cursor);
  if (from == nullptr && !portal.has_ended) {
    return fail(no_such_cursor(command.cursor));  // It has been closed behind a part of this FETCH.
  }
  if (!portal.has_ended) {
    const auto done = answers_.fetch(portal, *from);
    if (!done) {
      return fail(done.error());
    }
    if (portal.encoder == nullptr && !portal.rows.empty()) {
      portal.encoder =
          from->statement->catalogue != nullptr
              ? catalogue_row_encoder()
              : std::make_shared<const RowEncoder>(from->cursor->columns, portal.formats, settings_->value_style());
    }
    portal.has_ended = *done || from->failure.has_value();
    portal.failure = *done ? std::nullopt : from->failure;
  }
  pump(execution);
}

// ---- CLOSE ----

void PgSession::run(const CloseCommand& command) {
  if (command.cursor.empty()) {
    portals_.drop_all();
    return append_command_complete("CLOSE CURSOR ALL", out());
  }
  Portal* const portal = portals_.find(command.cursor);
  if (portal == nullptr) {
    return fail(no_such_cursor(command.cursor));
  }
  if (portal == portals_.executed()) {
    return fail(rejected("24000", fmt::format("cannot drop active portal \"{}\"", command.cursor)));
  }
  if (portal->cursor != nullptr && may_reopen(*portal, block_)) {
    portal->cursor->is_holdable = false;
    portals_.set_aside(command.cursor);
  } else {
    portals_.drop(command.cursor);
  }
  append_command_complete("CLOSE CURSOR", out());
}

// ---- what is waited for ----

const Portal* PgSession::awaited() const {
  if (!pipeline_.empty()) {
    return pipeline_.first().portal.get();
  }
  const auto* const rows = std::get_if<awaited::Rows>(&awaited_);
  if (rows == nullptr) {
    return nullptr;
  }
  const Portal* const portal = rows->execution.portal;
  const auto* const fetch = std::get_if<FetchCommand>(&portal->statement->command);
  return fetch == nullptr ? portal : portals_.find_cursor(fetch->cursor);
}

Portal* PgSession::awaited() { return const_cast<Portal*>(std::as_const(*this).awaited()); }

std::optional<uint64_t> PgSession::awaited_answer() const {
  const Portal* const portal = awaited();
  const bool is_wanted = portal != nullptr && portal->sequence != 0;
  return is_wanted && output_.waiting() < options_.limits.output_pause_size ? std::optional(portal->sequence)
                                                                            : std::nullopt;
}

void PgSession::end_late_fetch() {
  Failure failure{rejected("57014", "canceling statement due to statement timeout"), {}};
  if (Portal* const cursor = awaited()) {
    answers_.abort(*cursor);
    cursor->has_ended = true;
    cursor->failure = failure;
  }
  fail(std::move(failure));
}

}  // namespace daedalus::postgres
