// The portals of a session: those with names, cursors among them, and the one of the simple protocol.
//
// Decides how many there may be, and which of them a transaction takes along when it ends. Refuses to know what runs in
// them. The one that is being executed is never dropped by what ends others: its statement may be what ends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "answers.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "portal.hpp"

namespace daedalus::postgres {

/// Pointers to a portal are valid until it is dropped or replaced.
class Portals {
 public:
  /// Both outlive this.
  Portals(const SessionLimits& limits, Answers& answers) : limits_(limits), answers_(answers) {}

  // ---- which there are ----
  /// Null: there is none of this name.
  [[nodiscard]] Portal* find(std::string_view name);
  [[nodiscard]] const Portal* find(std::string_view name) const;
  /// Null: there is none of this name, or DECLARE has not made it.
  [[nodiscard]] Portal* find_cursor(std::string_view name);
  [[nodiscard]] const Portal* find_cursor(std::string_view name) const;
  /// Whose operation has this sequence, the simple one among them; null: nobody's.
  [[nodiscard]] Portal* find_running(uint64_t sequence);
  /// The portal of the statement of a simple message that runs.
  [[nodiscard]] Portal& simple() { return simple_; }

  /// Errors: 54000 there is no room for one with so many bytes of parameters.
  [[nodiscard]] Result<void> check_room(size_t parameter_bytes) const;
  /// Errors: 42P03 there is one of this name; 54000 there are too many cursors.
  [[nodiscard]] Result<void> check_cursor_room(std::string_view name) const;
  /// In the place of the one of this name.
  Portal& add(std::string_view name, Portal portal);
  void drop(std::string_view name);

  // ---- the one that is executed ----
  void set_executed(const Portal* portal) { executed_ = portal; }
  /// The last one that was executed: it may be gone. Null: none has been since its transaction ended, or failed.
  [[nodiscard]] const Portal* executed() const { return executed_; }

  // ---- a cursor that is closed, and kept all the same ----
  /// Nobody finds it by a name until it is reopened.
  void set_aside(std::string_view name);
  /// Null: there is none.
  [[nodiscard]] Portal* find_set_aside();
  /// It has this name from now on. Precondition: find_set_aside(), and nobody has the name.
  void reopen(const std::string& name);

  // ---- what ends others than the executed one ----
  /// A transaction: those that do not outlive it.
  void end_transaction(bool is_commit);
  /// A transaction that was one message and has failed: its cursors.
  void drop_new_cursors();
  /// Drops those that were made behind so many savepoints, or more.
  void drop_from(size_t level);
  /// Only so many savepoints are left: what was made behind others belongs to the last of these.
  void release_to(size_t level);
  void drop_all();
  /// All, at the end of the session: nobody is told.
  void clear();

  /// The bytes of all parameters.
  [[nodiscard]] uint64_t parameter_bytes() const { return parameter_bytes_; }

 private:
  using ByName = std::map<std::string, Portal, std::less<>>;

  /// Returns the one behind it.
  ByName::iterator drop(ByName::iterator entry);
  void rename(std::string_view from, std::string to);
  /// Drops those that `is_to_go` names, but the executed one.
  template <typename IsToGo>
  void drop_if(IsToGo is_to_go);

  const SessionLimits& limits_;
  Answers& answers_;
  ByName by_name_;
  Portal simple_;
  size_t parameter_bytes_ = 0;
  const Portal* executed_ = nullptr;
};

}  // namespace daedalus::postgres
