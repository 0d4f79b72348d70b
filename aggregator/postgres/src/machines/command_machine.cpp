#include "command_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "query_machine.hpp"
#include "write_machine.hpp"

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

void CommandMachine::run(const EmptyCommand& /*command*/) { append_plain('I', core_.out()); }

void CommandMachine::run(const SetCommand& command) {
  if (command.is_local && !core_.block.is_open()) {
    core_.warn("25P01", "SET LOCAL can only be used in transaction blocks");
    return append_command_complete("SET", core_.out());
  }
  const auto modes = core_.block.modes_of(command);
  auto done = modes ? core_.block.set_modes(*modes, core_.group.has_any()) : core_.block.set(command);
  if (!done) {
    return core_.fail(done.error());
  }
  append_command_complete("SET", core_.out());
}

void CommandMachine::run(const ResetCommand& command) {
  if (auto done = core_.block.reset(command.name); !done) {
    return core_.fail(done.error());
  }
  append_command_complete("RESET", core_.out());
}

void CommandMachine::run(const ShowCommand& command, Portal& portal) {
  if (command.name == "all") {
    return QueryMachine(core_).answer(portal, all_settings(core_.block), "SHOW");
  }
  auto value = core_.block.show(command.name);
  if (!value) {
    return core_.fail(value.error());
  }
  OwnRow row(1, semantics::Value(std::move(*value)));
  QueryMachine(core_).answer(portal, {std::move(row)}, "SHOW");
}

void CommandMachine::run(const SessionQuery& query, Portal& portal) {
  OwnRow row;
  for (const auto& item : query.items) {
    auto value =
        value_of(item, {core_.entrance.database(), core_.entrance.user(), core_.identity.key.process_id}, core_.block);
    if (!value && query.is_of_known_setting && value.error().sqlstate == "42704") {
      return QueryMachine(core_).answer(portal, {}, "SELECT 0");
    }
    if (!value) {
      return core_.fail(value.error());
    }
    row.push_back(std::move(*value));
  }
  QueryMachine(core_).answer(portal, {std::move(row)}, "SELECT 1");
}

void CommandMachine::run(const DiscardCommand& command) {
  if (command.tag != "DISCARD ALL") {
    return append_command_complete(command.tag, core_.out());  // There is nothing of that kind.
  }
  if (core_.block.is_open()) {
    return core_.fail(rejected("25001", "DISCARD ALL cannot run inside a transaction block"));
  }
  core_.settings.change(/*is_in_block=*/false).reset_all();
  core_.statements.drop_all();
  core_.portals.drop_all();
  append_command_complete("DISCARD ALL", core_.out());
}

void CommandMachine::run(const BeginCommand& command) {
  if (core_.block.is_open()) {
    core_.warn("25001", "there is already a transaction in progress");
    return append_command_complete(command.tag, core_.out());
  }
  if (core_.group.has_any()) {
    return core_.fail(rejected("0A000", "BEGIN after a write in the same message is not supported",
                               "send the write on its own, or BEGIN before it"));
  }
  core_.block.begin(command.modes);
  append_command_complete(command.tag, core_.out());
}

void CommandMachine::run(const SetBlockCommand& command) {
  if (!command.is_default && !core_.block.is_open()) {
    core_.warn("25P01", "SET TRANSACTION can only be used in transaction blocks");
    return append_command_complete("SET", core_.out());
  }
  auto done = command.is_default ? core_.block.set_default_modes(command.modes)
                                 : core_.block.set_modes(command.modes, core_.group.has_any());
  if (!done) {
    return core_.fail(done.error());
  }
  append_command_complete("SET", core_.out());
}

void CommandMachine::run(const EndCommand& command) {
  if (!core_.block.is_open()) {
    core_.warn("25P01", "there is no transaction in progress");
    return append_command_complete(command.is_commit ? "COMMIT" : "ROLLBACK", core_.out());
  }
  const bool is_commit = command.is_commit && !core_.block.has_failed();
  if (is_commit && core_.group.has_any()) {
    return WriteMachine(core_).submit(Ends::kBlock);
  }
  if (!is_commit) {
    warn_of_effects(core_.block.effects());
  }
  core_.end_block(is_commit);
  append_command_complete(is_commit ? "COMMIT" : "ROLLBACK", core_.out());
}

void CommandMachine::run(const SavepointCommand& command) {
  if (!core_.block.is_open()) {
    return core_.fail(
        rejected("25P01", fmt::format("{} can only be used in transaction blocks", name_of(command.what))));
  }
  if (command.what == SavepointCommand::What::kMake) {
    return make_savepoint(command.name);
  }
  const auto index = core_.block.find_savepoint(command.name);
  if (!index) {
    return core_.fail(rejected("3B001", fmt::format("savepoint \"{}\" does not exist", command.name)));
  }
  if (command.what == SavepointCommand::What::kRelease) {
    return release_savepoint(*index);
  }
  go_back_to_savepoint(*index);
}

void CommandMachine::make_savepoint(const std::string& name) {
  if (auto fits = core_.reserve(name.size()); !fits) {
    return core_.fail(fits.error());
  }
  if (auto made = core_.block.add_savepoint(name, core_.group.mark()); !made) {
    return core_.fail(made.error());
  }
  append_command_complete("SAVEPOINT", core_.out());
}

void CommandMachine::release_savepoint(size_t index) {
  core_.block.release_savepoint(index);
  core_.portals.release_to(index);
  append_command_complete("RELEASE", core_.out());
}

void CommandMachine::go_back_to_savepoint(size_t index) {
  warn_of_effects(core_.block.effects_since(index));
  core_.group.go_back_to(core_.block.go_back_to_savepoint(index));
  core_.portals.drop_from(index + 1);
  append_command_complete("ROLLBACK", core_.out());
}

void CommandMachine::run(const LockCommand& command) {
  if (!core_.block.is_open()) {
    return core_.fail(rejected("25P01", "LOCK TABLE can only be used in transaction blocks"));
  }
  for (const std::string& table : command.tables) {
    const bool is_the_table = table == core_.options.database || table == "public." + core_.options.database;
    if (!core_.entrance.has_table() || !is_the_table) {
      return core_.fail(rejected("42P01", fmt::format("relation \"{}\" does not exist", table)));
    }
  }
  append_command_complete("LOCK TABLE", core_.out());
}

void CommandMachine::warn_of_effects(uint64_t count) {
  if (count > 0) {
    core_.warn("01000", count == 1 ? std::string("1 statement took effect and stays")
                                   : fmt::format("{} statements took effect and stay", count));
  }
}

}  // namespace daedalus::postgres
