#include "block.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lower.hpp"
#include "setting_entries.hpp"
#include "setting_values.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kIsolation = "transaction_isolation";
constexpr std::string_view kDefaultIsolation = "default_transaction_isolation";
constexpr std::string_view kBlockWrites = "daedalus.block_writes";
constexpr std::string_view kMoment = "daedalus.moment";
constexpr std::string_view kReadAt = "daedalus.read_at";
constexpr std::string_view kReadOnly = "transaction_read_only";
constexpr std::string_view kDefaultReadOnly = "default_transaction_read_only";

/// In the order of Isolation.
constexpr std::array<std::string_view, 4> kIsolations{"read uncommitted", "read committed", "repeatable read",
                                                      "serializable"};

std::string_view name_of(Isolation isolation) { return kIsolations[static_cast<size_t>(isolation)]; }

/// `name` is one of kIsolations.
Isolation isolation_of(std::string_view name) {
  return static_cast<Isolation>(std::find(kIsolations.begin(), kIsolations.end(), name) - kIsolations.begin());
}

}  // namespace

void Block::begin(const BlockModes& modes) {
  now_ = {};
  now_.state = BlockState::kInBlock;
  now_.isolation = modes.isolation.value_or(isolation_of(*settings_->show(kDefaultIsolation)));
  now_.is_read_only = modes.is_read_only.value_or(*settings_->show(kDefaultReadOnly) == "on");
  now_.values = settings_.begin_block();
}

Result<void> Block::check(const Command& command) const {
  const auto* const refused = std::get_if<RefusedCommand>(&command);
  const bool is_wrong = refused != nullptr && refused->error.sqlstate == "42601";
  if (has_failed() && !is_wrong && !ends_failure(command)) {
    return rejected("25P02", "current transaction is aborted, commands ignored until end of transaction block");
  }
  return refused != nullptr ? Result<void>(refused->error) : Result<void>();
}

void Block::end(bool is_commit) {
  Settings& settings = settings_.change(is_open());
  if (is_commit) {
    for (const auto& [name, value] : now_.locals) {
      static_cast<void>(value ? settings.set(name, *value) : settings.reset(name));
    }
  } else {
    settings.restore(std::move(now_.values));
  }
  now_ = {};
}

// ---- how isolated it is ----

bool Block::is_read_only() const { return is_open() ? now_.is_read_only : *settings_->show(kDefaultReadOnly) == "on"; }

Result<void> Block::set_modes(const BlockModes& modes, bool has_writes) {
  const bool has_begun = now_.has_queried || has_writes;
  if (modes.isolation && has_begun) {
    return rejected("25001", "SET TRANSACTION ISOLATION LEVEL must be called before any query");
  }
  if (modes.isolation && now_.savepoints.count() > 0) {
    return rejected("25001", "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
  }
  if (modes.is_read_only == false && now_.is_read_only && (has_begun || now_.savepoints.count() > 0)) {
    return rejected("25001", "transaction read-write mode must be set before any query");
  }
  if (modes.isolation) {
    now_.moment.reset();  // Taken by what turned out to be no query of the table.
  }
  now_.isolation = modes.isolation.value_or(now_.isolation);
  now_.is_read_only = modes.is_read_only.value_or(now_.is_read_only);
  return {};
}

Result<void> Block::set_default_modes(const BlockModes& modes) {
  if (modes.isolation) {
    if (auto done = set({std::string(kDefaultIsolation), std::string(name_of(*modes.isolation)), /*is_local=*/false});
        !done) {
      return done;
    }
  }
  if (!modes.is_read_only) {
    return {};
  }
  return set({std::string(kDefaultReadOnly), *modes.is_read_only ? "on" : "off", /*is_local=*/false});
}

bool Block::note_query() {
  const bool is_first = !now_.has_queried;
  now_.has_queried = is_open();
  return is_first;
}

bool Block::writes_at_once() const {
  return is_open() && !is_repeatable() && *settings_->show(kBlockWrites) == "immediate";
}

// ---- settings ----

std::optional<BlockModes> Block::modes_of(const SetCommand& command) const {
  BlockModes modes;
  if (!is_open() || !command.value || (command.name != kIsolation && command.name != kReadOnly)) {
    return std::nullopt;
  }
  const auto value = read_setting(*find_setting(command.name), *command.value, {}, nullptr);
  if (!value) {
    return std::nullopt;
  }
  if (command.name == kIsolation) {
    modes.isolation = isolation_of(*value);
  } else {
    modes.is_read_only = *value == "on";
  }
  return modes;
}

Result<void> Block::check_read_at(std::string_view name) const {
  if (now_.moment != nullptr && lower(name) == kReadAt) {
    return rejected("25001", "daedalus.read_at must be set before any query of the block",
                    "all queries of a block of REPEATABLE READ or SERIALIZABLE are answered at one moment");
  }
  return {};
}

Result<void> Block::set(const SetCommand& command) {
  if (auto may = check_read_at(command.name); !may) {
    return may;
  }
  auto replaced = settings_->show(command.name);
  Settings& settings = settings_.change(is_open());
  auto done = command.value ? settings.set(command.name, *command.value) : settings.reset(command.name);
  if (!done) {
    return done;
  }
  if (command.is_local) {
    now_.locals.try_emplace(command.name, replaced ? std::optional(std::move(*replaced)) : std::nullopt);
  } else if (is_open()) {
    now_.locals.erase(command.name);
  }
  return {};
}

Result<void> Block::reset(const std::string& name) {
  if (auto may = check_read_at(name); !may) {
    return may;
  }
  Settings& settings = settings_.change(is_open());
  if (name != "all") {
    return settings.reset(name);
  }
  settings.reset_all();
  return {};
}

Result<std::string> Block::show(const std::string& name) const {
  const std::string key = lower(name);
  if (key == kIsolation && is_open()) {
    return std::string(name_of(now_.isolation));
  }
  if (key == kReadOnly && is_open()) {
    return std::string(now_.is_read_only ? "on" : "off");
  }
  if (key == kMoment) {
    return std::to_string(moments_.last_answer());
  }
  const std::string_view shown = key == kIsolation ? kDefaultIsolation : key == kReadOnly ? kDefaultReadOnly : name;
  return settings_->show(std::string(shown));
}

// ---- savepoints ----

Result<void> Block::add_savepoint(const std::string& name, WriteGroup::Mark mark) {
  return now_.savepoints.add(name, {settings_->values(), now_.locals, now_.effects}, mark);
}

std::optional<size_t> Block::find_savepoint(std::string_view name) const { return now_.savepoints.find(name); }

WriteGroup::Mark Block::go_back_to_savepoint(size_t index) {
  const Savepoints::Point& point = now_.savepoints.at(index);
  settings_.change(is_open()).restore(point.saved->values);
  now_.locals = point.saved->locals;
  const WriteGroup::Mark mark = point.mark;
  now_.savepoints.keep(index + 1);
  now_.state = BlockState::kInBlock;
  return mark;
}

}  // namespace daedalus::postgres
