// The block a session is in, from BEGIN to COMMIT or ROLLBACK, or none: how isolated it is, which settings go back when
// it ends, and its savepoints.
//
// Decides what SET and SHOW mean within it and outside, and what goes back to a savepoint. Refuses to know statements,
// and what besides settings goes with a block: writes, portals.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backend.hpp"
#include "client_settings.hpp"
#include "command.hpp"
#include "daedalus/base/result.hpp"
#include "held_moments.hpp"
#include "moments.hpp"
#include "savepoints.hpp"
#include "write_group.hpp"

namespace daedalus::postgres {

class Block {
 public:
  /// Both outlive this.
  Block(ClientSettings& settings, const Moments& moments) : settings_(settings), moments_(moments) {}

  [[nodiscard]] BlockState state() const { return now_.state; }
  [[nodiscard]] bool is_open() const { return now_.state != BlockState::kIdle; }
  [[nodiscard]] bool has_failed() const { return now_.state == BlockState::kFailed; }
  /// Precondition: !is_open().
  void begin(const BlockModes& modes);
  void fail() { now_.state = BlockState::kFailed; }
  /// Errors: 25P02 it has failed, and this does not end it; what a refused command is refused with.
  [[nodiscard]] Result<void> check(const Command& command) const;
  /// Precondition: is_open().
  void end(bool is_commit);

  // ---- how isolated it is ----
  /// Returns whether all its queries have to see the same rows: REPEATABLE READ and SERIALIZABLE.
  [[nodiscard]] bool is_repeatable() const { return now_.isolation >= Isolation::kRepeatableRead; }
  [[nodiscard]] bool is_serializable() const { return now_.isolation == Isolation::kSerializable; }
  /// The moment at which all its queries are answered; null: it has taken none.
  [[nodiscard]] const HeldMoment& moment() const { return now_.moment; }
  /// Precondition: is_repeatable().
  void take_moment(HeldMoment moment) { now_.moment = std::move(moment); }
  /// Outside: whether a statement on its own is.
  [[nodiscard]] bool is_read_only() const;
  /// `has_writes`: something in it has been written. Precondition: is_open(). Errors: 25001.
  [[nodiscard]] Result<void> set_modes(const BlockModes& modes, bool has_writes);
  /// Returns what SET transaction_isolation or transaction_read_only means within the block; nothing for any other SET.
  [[nodiscard]] std::optional<BlockModes> modes_of(const SetCommand& command) const;
  /// Sets the modes of blocks to come. Errors: those of Settings.
  [[nodiscard]] Result<void> set_default_modes(const BlockModes& modes);
  /// A query begins. Returns whether it is the block's first.
  bool note_query();
  /// The first one was none of the table.
  void forget_query() { now_.has_queried = false; }
  [[nodiscard]] bool has_queried() const { return now_.has_queried; }

  // ---- writes that take effect at once ----
  /// Returns whether a write takes effect and is confirmed at its own statement, instead of at COMMIT.
  [[nodiscard]] bool writes_at_once() const;
  /// A write has taken effect. Returns whether it is the block's first.
  bool note_effect() { return now_.effects++ == 0; }
  /// Returns how many have; ROLLBACK does not take them back.
  [[nodiscard]] uint64_t effects() const { return now_.effects; }
  /// Returns how many have since the savepoint.
  [[nodiscard]] uint64_t effects_since(size_t index) const {
    return now_.effects - now_.savepoints.at(index).saved->effects;
  }

  // ---- settings ----
  /// Errors: those of Settings; 25001 the block has its moment already.
  [[nodiscard]] Result<void> set(const SetCommand& command);
  /// "all": everything. Errors: those of set().
  [[nodiscard]] Result<void> reset(const std::string& name);
  [[nodiscard]] Result<std::string> show(const std::string& name) const;

  // ---- savepoints ----
  /// Errors: 54000.
  [[nodiscard]] Result<void> add_savepoint(const std::string& name, WriteGroup::Mark mark);
  /// The latest of this name.
  [[nodiscard]] std::optional<size_t> find_savepoint(std::string_view name) const;
  /// Forgets it, and those behind it.
  void release_savepoint(size_t index) { now_.savepoints.keep(index); }
  /// Returns where the writes go back to.
  [[nodiscard]] WriteGroup::Mark go_back_to_savepoint(size_t index);
  [[nodiscard]] size_t savepoint_count() const { return now_.savepoints.count(); }
  [[nodiscard]] size_t savepoint_bytes() const { return now_.savepoints.bytes(); }

 private:
  /// Errors: 25001.
  [[nodiscard]] Result<void> check_read_at(std::string_view name) const;

  struct Now {
    BlockState state = BlockState::kIdle;
    Isolation isolation = Isolation::kReadCommitted;
    bool is_read_only = false;
    bool has_queried = false;
    HeldMoment moment;
    uint64_t effects = 0;                                      ///< Writes that have taken effect.
    Settings::Values values;                                   ///< When it began.
    std::map<std::string, std::optional<std::string>> locals;  ///< SET LOCAL replaced these.
    Savepoints savepoints;
  };

  ClientSettings& settings_;
  const Moments& moments_;
  Now now_;
};

}  // namespace daedalus::postgres
