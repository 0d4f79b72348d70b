#include "cursor_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_cursor.hpp"
#include "catalogue_machine.hpp"
#include "catalogue_refusals.hpp"
#include "message_encoding.hpp"
#include "query_machine.hpp"
#include "row_descriptions.hpp"

namespace daedalus::postgres {

namespace {

bool are_equal(const std::vector<wire::v1::Constant>& some, const std::vector<wire::v1::Constant>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(), [](const auto& one, const auto& other) {
    return one.SerializeAsString() == other.SerializeAsString();
  });
}

/// Returns whether a cursor that is closed is kept, as the one query of a block of REPEATABLE READ.
bool may_reopen(const Portal& portal, const Block& block) {
  return portal.statement->catalogue == nullptr && block.is_repeatable() && block.is_open() &&
         !portal.cursor->is_held && portal.cursor->may_go_back && portal.cursor->rows.first_kept() <= 1 &&
         !portal.failure;
}

Error no_such_cursor(const std::string& name) {
  return rejected("34000", fmt::format("cursor \"{}\" does not exist", name));
}

}  // namespace

Result<void> CursorMachine::check_cursor(const DeclareCommand& command) const {
  if (command.cursor.empty()) {
    return rejected("34000", "invalid cursor name: must not be empty");
  }
  const bool is_among_others =
      core_.simple != nullptr && core_.simple->pieces.size() > 1;  // Together they are a transaction.
  if (!command.is_holdable && !core_.block.is_open() && !is_among_others) {
    return rejected("25P01", "DECLARE CURSOR can only be used in transaction blocks");
  }
  return core_.portals.check_cursor_room(command.cursor);
}

void CursorMachine::open_cursor(Portal& portal, std::string sql, const std::vector<semantics::Column>& columns) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (auto may = check_cursor(command); !may) {
    return core_.fail(may.error());
  }
  if (reopen_closed(portal, sql, command)) {
    return append_command_complete("DECLARE CURSOR", core_.out());
  }
  if (auto may = QueryMachine(core_).check_query(); !may) {
    return core_.fail(may.error());
  }
  core_.block.note_query();
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
  made.level = core_.block.savepoint_count();
  made.cursor =
      std::make_unique<Cursor>(Cursor{command.may_go_back,
                                      command.is_binary,
                                      command.is_holdable,
                                      false,
                                      core_.block.moment(),
                                      {},
                                      CursorRows(command.may_go_back ? core_.options.limits.cursor_passed_bytes : 0)});
  QueryMachine(core_).start_query(core_.portals.add(command.cursor, std::move(made)));
  append_command_complete("DECLARE CURSOR", core_.out());
}

void CursorMachine::ask_for_cursor(Portal& portal, std::string sql) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (auto may = check_cursor(command); !may) {
    return core_.fail(may.error());
  }
  if (auto may = CatalogueMachine(core_).check_catalogue(); !may) {
    return core_.fail(may.error());
  }
  catalogue::Statement statement;
  statement.sql = std::move(sql);
  statement.result_formats = {command.is_binary ? kBinaryFormat : kTextFormat};
  CatalogueMachine(core_).ask_catalogue(awaited::CatalogueCursor{&portal}, std::move(statement));
}

void CursorMachine::open_catalogue_cursor(const Portal& portal, catalogue::Answer answer) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (auto encoded = encode_rows(answer, core_.settings->encoding()); !encoded) {
    return core_.fail(encoded.error());
  }
  CursorRows rows(command.may_go_back ? core_.options.limits.cursor_passed_bytes : 0);
  if (auto kept = keep_catalogue_rows(answer, rows); !kept) {
    return core_.fail(kept.error());
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
  made.level = core_.block.savepoint_count();
  made.cursor = std::make_unique<Cursor>(
      Cursor{command.may_go_back, command.is_binary, command.is_holdable, false, {}, {}, std::move(rows)});
  core_.answers.add_cursor(core_.portals.add(command.cursor, std::move(made)));
  append_command_complete("DECLARE CURSOR", core_.out());
}

bool CursorMachine::reopen_closed(const Portal& portal, const std::string& sql, const DeclareCommand& command) {
  Portal* const closed = core_.portals.find_set_aside();
  if (closed == nullptr || core_.group.has_any()) {
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
  kept.level = core_.block.savepoint_count();
  core_.portals.reopen(command.cursor);
  return true;
}

void CursorMachine::fetch(Portal& portal, uint32_t rows_max) {
  const auto& command = std::get<FetchCommand>(portal.statement->command);
  if (auto begun = portal.fetch ? Result<void>() : begin_fetch(portal, command); !begun) {
    return core_.fail(begun.error());
  }
  Execution& execution = QueryMachine(core_).await_rows(portal, rows_max);
  const int64_t timeout = core_.settings->statement_timeout_ns();
  execution.fetch_due = timeout > 0 ? after(core_.now, timeout) : kNever;
  go_on_fetching(execution);
}

Result<void> CursorMachine::begin_fetch(Portal& portal, const FetchCommand& command) {
  const Portal* const cursor = core_.portals.find_cursor(command.cursor);
  if (cursor == nullptr) {
    return core_.portals.find(command.cursor) != nullptr
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
    const DescribedFor client{portal.formats, core_.settings->encoding()};
    auto told = query.catalogue != nullptr
                    ? append_catalogue_columns(*query.catalogue, client, core_.out())
                    : append_columns(query.columns, portal.statement->command, client, core_.out());
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

void CursorMachine::go_on_fetching(Execution& execution) {
  Portal& portal = *execution.portal;
  const auto& command = std::get<FetchCommand>(portal.statement->command);
  Portal* const from = core_.portals.find_cursor(command.cursor);
  if (from == nullptr && !portal.has_ended) {
    return core_.fail(no_such_cursor(command.cursor));  // It has been closed behind a part of this FETCH.
  }
  if (!portal.has_ended) {
    const auto done = core_.answers.fetch(portal, *from);
    if (!done) {
      return core_.fail(done.error());
    }
    if (portal.encoder == nullptr && !portal.rows.empty()) {
      portal.encoder = from->statement->catalogue != nullptr
                           ? catalogue_row_encoder()
                           : std::make_shared<const RowEncoder>(from->cursor->columns, portal.formats,
                                                                core_.settings->value_style());
    }
    portal.has_ended = *done || from->failure.has_value();
    portal.failure = *done ? std::nullopt : from->failure;
  }
  QueryMachine(core_).pump(execution);
}

void CursorMachine::close_cursor(const CloseCommand& command) {
  if (command.cursor.empty()) {
    core_.portals.drop_all();
    return append_command_complete("CLOSE CURSOR ALL", core_.out());
  }
  Portal* const portal = core_.portals.find(command.cursor);
  if (portal == nullptr) {
    return core_.fail(no_such_cursor(command.cursor));
  }
  if (portal == core_.portals.executed()) {
    return core_.fail(rejected("24000", fmt::format("cannot drop active portal \"{}\"", command.cursor)));
  }
  if (portal->cursor != nullptr && may_reopen(*portal, core_.block)) {
    portal->cursor->is_holdable = false;
    core_.portals.set_aside(command.cursor);
  } else {
    core_.portals.drop(command.cursor);
  }
  append_command_complete("CLOSE CURSOR", core_.out());
}

void CursorMachine::end_late_fetch() {
  Failure failure{rejected("57014", "canceling statement due to statement timeout"), {}};
  if (Portal* const cursor = core_.awaited_portal()) {
    core_.answers.abort(*cursor);
    cursor->has_ended = true;
    cursor->failure = failure;
  }
  core_.fail(std::move(failure));
}

}  // namespace daedalus::postgres
