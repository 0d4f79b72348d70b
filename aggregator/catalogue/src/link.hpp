// One connection to the catalogue's server, as a state machine: statements go in one at a time, outcomes come out.
//
//             it has let us in              run()                 DISCARD ALL is done
//   kStartup ─────────────────► kIdle ◄──────────────► kRunning ───────────────────► kIdle
//       └───────────────────────────┴───── lost, late, too large ─────┴───► kOver
//
// Decides what surrounds a statement, when its answer is whole, and when it is too large or too late. Refuses to know
// whose it is.
#pragma once

#include <optional>
#include <string>

#include "daedalus/catalogue/statement.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "messages.hpp"

namespace daedalus::catalogue {

/// Called from deliver() only.
class LinkOwner {
 public:
  virtual ~LinkOwner() = default;
  virtual void on_link_outcome(rpc::PeerId link, Outcome&& outcome) = 0;
  /// It can run a statement now.
  virtual void on_link_idle(rpc::PeerId link) = 0;
  virtual void on_link_over(rpc::PeerId link, const std::string& reason) = 0;
};

class Link final : public rpc::ByteSession {
 public:
  /// Beyond a statement's own time, which the server watches itself.
  static constexpr int64_t kGraceNs = kSecond;
  static constexpr int64_t kStartupNsMax = 10 * kSecond;

  Link(LinkOwner& owner, rpc::PeerId id, const Login& login, Instant now);

  [[nodiscard]] bool is_idle() const { return phase_ == Phase::kIdle; }
  /// Precondition: is_idle().
  void run(const Statement& statement, Instant now);

  void on_bytes(std::string_view bytes, Instant now) override;
  void on_deadline(Instant now) override;
  void on_unread(Instant /*now*/) override {}
  void on_written(size_t size, Instant /*now*/) override { taken_bytes_ -= size; }
  void on_lost(std::string reason) override;
  void close(std::string reason) override;
  [[nodiscard]] bool has_events() const override { return outcome_ || has_become_idle_ || (ended_ && !is_over_told_); }
  void deliver(const IsEnough& is_enough) override;
  [[nodiscard]] bool has_output() const override { return !output_.empty(); }
  [[nodiscard]] std::string take_output(Instant now) override;
  [[nodiscard]] uint64_t output_waiting() const override { return output_.size() + taken_bytes_; }
  [[nodiscard]] Instant next_deadline() const override { return deadline_; }
  [[nodiscard]] bool was_up() const override { return was_up_; }
  [[nodiscard]] const std::optional<std::string>& ended() const override;

 private:
  enum class Phase : uint8_t { kStartup, kIdle, kRunning, kOver };
  void handle(const Message& message);
  void handle_startup(const Message& message);
  void on_ready();
  void collect(const Message& message);
  void fail(Failure failure);
  /// Tells what became of the statement, if nothing has been told yet.
  void tell(Outcome outcome);
  void finish(std::string reason);

  LinkOwner& owner_;
  const rpc::PeerId id_;
  Phase phase_ = Phase::kStartup;
  MessageBuffer input_;
  std::string output_;
  uint64_t taken_bytes_ = 0;
  Instant deadline_;
  int readies_ = 0;  ///< That have come for the statement.
  bool is_told_ = true;
  Answer answer_;
  std::optional<Failure> failure_;
  std::optional<Outcome> outcome_;
  bool has_become_idle_ = false;
  bool was_up_ = false;
  bool is_over_told_ = false;
  std::optional<std::string> ended_;
};

}  // namespace daedalus::catalogue
