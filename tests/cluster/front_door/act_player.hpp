// Says an act step by step and checks the order of everything that comes back: what PostgreSQL's protocol promises a
// client, whatever the answers are.
//
// Decides when the next step may be said, what may come now, and in which state a block is. Refuses to know
// connections, and whether rows are right.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "act.hpp"

namespace daedalus::testing {

class ActPlayer {
 public:
  /// Is told what should not have come, a sentence each.
  using Fault = std::function<void(std::string text)>;

  explicit ActPlayer(Fault fault) : fault_(std::move(fault)) {}

  /// Precondition: nothing is being played. The act lives until it is done, or until the player is gone.
  void begin(Act& act);
  [[nodiscard]] bool is_playing() const { return act_ != nullptr; }
  /// Everything has been said and answered.
  [[nodiscard]] bool is_done() const { return act_ != nullptr && step_ == act_->steps.size() && expected_.empty(); }
  void end() { act_ = nullptr; }

  [[nodiscard]] bool may_speak() const;
  /// The next step's bytes. `promised`: what its queries have to see.
  [[nodiscard]] const std::string& speak(Timestamp promised, Instant now);
  void hear(const ServerMessage& message, Instant now);

 private:
  void hear_error(const ServerMessage& message, Instant now);
  void hear_rows(const Expected& head, const ServerMessage& message, Instant now);
  void hear_row(const Expected& head, const std::string& body);
  void hear_fields(ActStatement& statement, const std::string& body);
  void hear_end(ActStatement& statement, const std::string& body, Instant now);
  void hear_suspended(const Expected& head);
  void hear_ready(const std::string& body);
  void end_command(const std::string& tag, ActStatement& statement);
  /// One plain message of that type.
  void hear_plain(char type, const ServerMessage& message);
  void pass() { expected_.pop_front(); }
  void skip_to_ready();
  void wrong(const ServerMessage& message);
  [[nodiscard]] ActStatement& statement_of(const Expected& expected) { return act_->statements[expected.statement]; }

  Fault fault_;
  Act* act_ = nullptr;
  size_t step_ = 0;  ///< The next one.
  std::deque<Expected> expected_;
  uint64_t rows_now_ = 0;     ///< Rows of the Execute whose rows come.
  bool is_skipping_ = false;  ///< Up to a Sync that has not been said.
  char block_ = 'I';
};

}  // namespace daedalus::testing
