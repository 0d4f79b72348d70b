// Blocks and their savepoints: what each keeps, and what goes when it ends.
#include <fmt/format.h>

#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

namespace {

std::string_view name_of(SavepointCommand::What what) {
  switch (what) {
    case SavepointCommand::What::kMake:
      return "SAVEPOINT";
    case SavepointCommand::What::kRelease:
      return "RELEASE SAVEPOINT";
    case SavepointCommand::What::kGoBack:
      break;
  }
  return "ROLLBACK TO SAVEPOINT";
}

}  // namespace

// ---- blocks ----

void PgSession::run(const BeginCommand& command) {
  if (block_.is_open()) {
    warn("25001", "there is already a transaction in progress");
    return append_command_complete(command.tag, out());
  }
  if (group_.has_any()) {
    return fail(rejected("0A000", "BEGIN after a write in the same message is not supported",
                         "send the write on its own, or BEGIN before it"));
  }
  block_.begin(command.modes);
  append_command_complete(command.tag, out());
}

void PgSession::run(const SetBlockCommand& command) {
  if (!command.is_default && !block_.is_open()) {
    warn("25P01", "SET TRANSACTION can only be used in transaction blocks");
    return append_command_complete("SET", out());
  }
  auto done =
      command.is_default ? block_.set_default_modes(command.modes) : block_.set_modes(command.modes, group_.has_any());
  if (!done) {
    return fail(done.error());
  }
  append_command_complete("SET", out());
}

void PgSession::run(const EndCommand& command) {
  if (!block_.is_open()) {
    warn("25P01", "there is no transaction in progress");
    return append_command_complete(command.is_commit ? "COMMIT" : "ROLLBACK", out());
  }
  const bool is_commit = command.is_commit && !block_.has_failed();
  if (is_commit && group_.has_any()) {
    return submit(Ends::kBlock);
  }
  if (!is_commit) {
    warn_of_effects(block_.effects());
  }
  end_block(is_commit);
  append_command_complete(is_commit ? "COMMIT" : "ROLLBACK", out());
}

void PgSession::end_block(bool is_commit) {
  block_.end(is_commit);
  group_.clear();
  portals_.end_transaction(is_commit);
}

// ---- savepoints ----

void PgSession::run(const SavepointCommand& command) {
  if (!block_.is_open()) {
    return fail(rejected("25P01", fmt::format("{} can only be used in transaction blocks", name_of(command.what))));
  }
  if (command.what == SavepointCommand::What::kMake) {
    return make_savepoint(command.name);
  }
  const auto index = block_.find_savepoint(command.name);
  if (!index) {
    return fail(rejected("3B001", fmt::format("savepoint \"{}\" does not exist", command.name)));
  }
  if (command.what == SavepointCommand::What::kRelease) {
    return release_savepoint(*index);
  }
  go_back_to_savepoint(*index);
}

void PgSession::make_savepoint(const std::string& name) {
  if (auto fits = reserve(name.size()); !fits) {
    return fail(fits.error());
  }
  if (auto made = block_.add_savepoint(name, group_.mark()); !made) {
    return fail(made.error());
  }
  append_command_complete("SAVEPOINT", out());
}

void PgSession::release_savepoint(size_t index) {
  block_.release_savepoint(index);
  portals_.release_to(index);
  append_command_complete("RELEASE", out());
}

void PgSession::go_back_to_savepoint(size_t index) {
  warn_of_effects(block_.effects_since(index));
  group_.go_back_to(block_.go_back_to_savepoint(index));
  portals_.drop_from(index + 1);
  append_command_complete("ROLLBACK", out());
}

// ---- locks ----

void PgSession::run(const LockCommand& command) {
  if (!block_.is_open()) {
    return fail(rejected("25P01", "LOCK TABLE can only be used in transaction blocks"));
  }
  for (const std::string& table : command.tables) {
    const bool is_the_table = table == options_.database || table == "public." + options_.database;
    if (!entrance_.has_table() || !is_the_table) {
      return fail(rejected("42P01", fmt::format("relation \"{}\" does not exist", table)));
    }
  }
  append_command_complete("LOCK TABLE", out());
}

}  // namespace daedalus::postgres
