// What a session answers itself: settings, functions of the session, the end of what it keeps.
#include <fmt/format.h>

#include <utility>

#include "byte_order.hpp"
#include "row_descriptions.hpp"
#include "session.hpp"

namespace daedalus::postgres {

bool PgSession::run_command(Portal& portal) {
  const Command& command = portal.statement->command;
  if (std::holds_alternative<EmptyCommand>(command)) {
    append_plain('I', out());
  } else if (const auto* set = std::get_if<SetCommand>(&command)) {
    run(*set);
  } else if (const auto* reset = std::get_if<ResetCommand>(&command)) {
    run(*reset);
  } else if (const auto* begin = std::get_if<BeginCommand>(&command)) {
    run(*begin);
  } else if (const auto* modes = std::get_if<SetBlockCommand>(&command)) {
    run(*modes);
  } else if (const auto* end = std::get_if<EndCommand>(&command)) {
    run(*end);
  } else if (const auto* savepoint = std::get_if<SavepointCommand>(&command)) {
    run(*savepoint);
  } else if (const auto* lock = std::get_if<LockCommand>(&command)) {
    run(*lock);
  } else if (const auto* close = std::get_if<CloseCommand>(&command)) {
    run(*close);
  } else if (const auto* prepare = std::get_if<PrepareCommand>(&command)) {
    run(*prepare);
  } else if (const auto* deallocate = std::get_if<DeallocateCommand>(&command)) {
    run(*deallocate);
  } else if (const auto* discard = std::get_if<DiscardCommand>(&command)) {
    run(*discard);
  } else if (const auto* shown = std::get_if<ShowCommand>(&command)) {
    run(*shown, portal);
  } else if (const auto* query = std::get_if<SessionQuery>(&command)) {
    run(*query, portal);
  } else {
    return false;
  }
  return true;
}

// ---- settings ----

void PgSession::run(const SetCommand& command) {
  if (command.is_local && !block_.is_open()) {
    warn("25P01", "SET LOCAL can only be used in transaction blocks");
    return append_command_complete("SET", out());
  }
  const auto modes = block_.modes_of(command);
  auto done = modes ? block_.set_modes(*modes, group_.has_any()) : block_.set(command);
  if (!done) {
    return fail(done.error());
  }
  append_command_complete("SET", out());
}

void PgSession::run(const ResetCommand& command) {
  if (auto done = block_.reset(command.name); !done) {
    return fail(done.error());
  }
  append_command_complete("RESET", out());
}

void PgSession::run(const ShowCommand& command, Portal& portal) {
  if (command.name == "all") {
    return answer(portal, all_settings(block_), "SHOW");
  }
  auto value = block_.show(command.name);
  if (!value) {
    return fail(value.error());
  }
  OwnRow row(1, semantics::Value(std::move(*value)));
  answer(portal, {std::move(row)}, "SHOW");
}

void PgSession::run(const SessionQuery& query, Portal& portal) {
  OwnRow row;
  for (const auto& item : query.items) {
    auto value = value_of(item, {entrance_.database(), entrance_.user(), identity_.key.process_id}, block_);
    if (!value && query.is_of_known_setting && value.error().sqlstate == "42704") {
      return answer(portal, {}, "SELECT 0");
    }
    if (!value) {
      return fail(value.error());
    }
    row.push_back(std::move(*value));
  }
  answer(portal, {std::move(row)}, "SELECT 1");
}

// ---- what is kept ----

void PgSession::run(const DiscardCommand& command) {
  if (command.tag != "DISCARD ALL") {
    return append_command_complete(command.tag, out());  // There is nothing of that kind.
  }
  if (block_.is_open()) {
    return fail(rejected("25001", "DISCARD ALL cannot run inside a transaction block"));
  }
  settings_.change(/*is_in_block=*/false).reset_all();
  statements_.drop_all();
  portals_.drop_all();
  append_command_complete("DISCARD ALL", out());
}

// ---- answers ----

void PgSession::answer(Portal& portal, const std::vector<OwnRow>& rows, std::string_view tag) {
  const auto& columns = portal.statement->columns;
  if (portal.is_simple) {
    if (auto told = append_columns(columns, portal.statement->command, {portal.formats, settings_->encoding()}, out());
        !told) {
      return fail(told.error());
    }
  }
  std::string messages;
  for (const auto& values : rows) {
    const MessageWriter row('D', messages);
    append_big_endian(static_cast<uint16_t>(values.size()), messages);
    for (size_t column = 0; column < values.size(); ++column) {
      const auto value = encoded(columns[column].type, values[column], settings_->encoding());
      if (!value) {
        return fail(value.error());
      }
      append_value(columns[column].type, *value, portal.formats[column], messages, settings_->value_style());
    }
  }
  out() += messages;
  append_command_complete(tag, out());
}

}  // namespace daedalus::postgres
