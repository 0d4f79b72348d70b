// Blocks and their savepoints: what each keeps, and what goes when it ends.
#include <fmt/format.h>

#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kDefaultIsolation = "default_transaction_isolation";
constexpr std::string_view kDefaultReadOnly = "default_transaction_read_only";
constexpr std::string_view kRepeatable = "repeatable read";

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
  if (is_in_block()) {
    warn("25001", "there is already a transaction in progress");
    return append_command_complete(command.tag, out());
  }
  if (group_.has_any()) {
    return fail(rejected("0A000", "BEGIN after a write in the same message is not supported",
                         "send the write on its own, or BEGIN before it"));
  }
  block_ = {};
  block_.state = BlockState::kInBlock;
  block_.is_repeatable = command.modes.is_repeatable.value_or(*settings_->show(kDefaultIsolation) == kRepeatable);
  block_.is_read_only = command.modes.is_read_only.value_or(*settings_->show(kDefaultReadOnly) == "on");
  block_.values = settings_.begin_block();
  append_command_complete(command.tag, out());
}

void PgSession::run(const SetBlockCommand& command) {
  const BlockModes& modes = command.modes;
  if (command.is_default) {
    if (auto done = set_default_modes(modes); !done) {
      return fail(done.error());
    }
  } else if (!is_in_block()) {
    warn("25P01", "SET TRANSACTION can only be used in transaction blocks");
  } else if (auto may = check_modes(modes); !may) {
    return fail(may.error());
  } else {
    block_.is_repeatable = modes.is_repeatable.value_or(block_.is_repeatable);
    block_.is_read_only = modes.is_read_only.value_or(block_.is_read_only);
  }
  append_command_complete("SET", out());
}

Result<void> PgSession::set_default_modes(const BlockModes& modes) {
  if (modes.is_repeatable) {
    const char* const level = *modes.is_repeatable ? "repeatable read" : "read committed";
    if (auto done = set({std::string(kDefaultIsolation), level, /*is_local=*/false}); !done) {
      return done;
    }
  }
  if (!modes.is_read_only) {
    return {};
  }
  return set({std::string(kDefaultReadOnly), *modes.is_read_only ? "on" : "off", /*is_local=*/false});
}

Result<void> PgSession::check_modes(const BlockModes& modes) const {
  const bool has_begun = block_.has_queried || group_.has_any();
  if (modes.is_repeatable && has_begun) {
    return rejected("25001", "SET TRANSACTION ISOLATION LEVEL must be called before any query");
  }
  if (modes.is_repeatable && block_.savepoints.count() > 0) {
    return rejected("25001", "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
  }
  if (modes.is_read_only == false && block_.is_read_only && (has_begun || block_.savepoints.count() > 0)) {
    return rejected("25001", "transaction read-write mode must be set before any query");
  }
  return {};
}

void PgSession::run(const EndCommand& command) {
  if (!is_in_block()) {
    warn("25P01", "there is no transaction in progress");
    return append_command_complete(command.is_commit ? "COMMIT" : "ROLLBACK", out());
  }
  const bool is_commit = command.is_commit && block_.state == BlockState::kInBlock;
  if (is_commit && group_.has_any()) {
    return submit(Then::kEndBlock);
  }
  end_block(is_commit);
  append_command_complete(is_commit ? "COMMIT" : "ROLLBACK", out());
}

void PgSession::end_block(bool is_commit) {
  Settings& settings = settings_.change(is_in_block());
  if (is_commit) {
    for (const auto& [name, value] : block_.locals) {
      static_cast<void>(value ? settings.set(name, *value) : settings.reset(name));
    }
  } else {
    settings.restore(std::move(block_.values));
  }
  block_ = {};
  group_.clear();
  portals_.end_transaction(is_commit);
}

// ---- savepoints ----

void PgSession::run(const SavepointCommand& command) {
  if (!is_in_block()) {
    return fail(rejected("25P01", fmt::format("{} can only be used in transaction blocks", name_of(command.what))));
  }
  if (command.what == SavepointCommand::What::kMake) {
    return make_savepoint(command.name);
  }
  const auto index = block_.savepoints.find(command.name);
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
  if (auto made = block_.savepoints.add(name, {settings_->values(), block_.locals}, group_.mark()); !made) {
    return fail(made.error());
  }
  append_command_complete("SAVEPOINT", out());
}

void PgSession::release_savepoint(size_t index) {
  block_.savepoints.keep(index);
  portals_.release_to(index);
  append_command_complete("RELEASE", out());
}

void PgSession::go_back_to_savepoint(size_t index) {
  const Savepoints::Point& point = block_.savepoints.at(index);
  settings_.change(is_in_block()).restore(point.saved->values);
  block_.locals = point.saved->locals;
  group_.go_back_to(point.mark);
  block_.savepoints.keep(index + 1);
  block_.state = BlockState::kInBlock;
  portals_.drop_from(index + 1);
  append_command_complete("ROLLBACK", out());
}

// ---- locks ----

void PgSession::run(const LockCommand& command) {
  if (!is_in_block()) {
    return fail(rejected("25P01", "LOCK TABLE can only be used in transaction blocks"));
  }
  for (const std::string& table : command.tables) {
    if (table != options_.database && table != "public." + options_.database) {
      return fail(rejected("42P01", fmt::format("relation \"{}\" does not exist", table)));
    }
  }
  append_command_complete("LOCK TABLE", out());
}

}  // namespace daedalus::postgres
