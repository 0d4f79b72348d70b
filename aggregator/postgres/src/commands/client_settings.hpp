// The settings of a session as its client knows them: what it has been told, and what a failure takes back.
//
// Decides which changes a message takes back that fails, and what its client is told of all changes. Refuses to know
// which values there are (Settings), and what blocks and savepoints keep.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "settings.hpp"

namespace daedalus::postgres {

class ClientSettings {
 public:
  /// Its client starts with these, and is told of them by somebody else.
  void start(Settings settings) { settings_ = std::move(settings); }
  /// As they are.
  [[nodiscard]] const Settings* operator->() const { return &settings_; }

  /// To be changed: outside of blocks until the message, or all up to Sync, has failed.
  [[nodiscard]] Settings& change(bool is_in_block);
  /// The message has failed outside of a block: what it has set is undone.
  void take_back();
  /// A block begins. Returns what goes back to when it fails: what its message has set before belongs to it, as all of
  /// the message is one transaction.
  [[nodiscard]] Settings::Values begin_block();
  /// The session is about to be ready: tells its client of what that does not know yet.
  void tell(std::string& out);

 private:
  /// From the first change to when the session is ready again.
  struct Changing {
    std::vector<Report> told;                ///< The client knows these of them.
    std::optional<Settings::Values> before;  ///< The message, outside of blocks; none: it has set nothing there.
  };

  Settings settings_{{}, nullptr};
  std::unique_ptr<Changing> changing_;
};

}  // namespace daedalus::postgres
