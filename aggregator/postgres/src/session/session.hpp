// One connection of a client of PostgreSQL's protocol, as a state machine: bytes and the time go in, bytes and
// operations come out. Towards the aggregator's core it is one more peer that sends STATEMENT and SUBMIT.
//
// Decides the order of everything a client sees: one statement after the other, though queries run beside each other,
// errors up to the next Sync, blocks, what becomes one update. Refuses to know sockets, threads, the clock, and what a
// query means.
//
//                   a password is needed                 it was right            goodbye, fault, silence
//   FirstMessage ──────────────────────► LoginMessage ────────────────► Message ────────────────────────► Over
//       │ └──────────── trusted, or by a certificate ──────────────────────┘                                ▲
//       └──────────────────────────────────────┴────────────── refusal, silence, cancel request ────────────┘
//
// awaited.hpp has what else is awaited between two messages. session_core.hpp has the state. A machine is made over
// that for one call and keeps nothing; each uses those below it and none above:
//
//   LoginMachine                    the way in
//   SimpleMachine, ExtendedMachine  the two protocols of statements
//   ExecuteMachine                  which machine runs a statement; EXECUTE
//   DescribeMachine                 what a statement takes and gives
//   CopyMachine, CursorMachine, CommandMachine, ExplainMachine
//   PipelineMachine, CatalogueMachine, WriteMachine, MomentMachine
//   QueryMachine                    queries of the table, and rows on their way to the client
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client_activity.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class PgSession final : public rpc::ByteSession {
 public:
  using Shared = SessionShared;
  PgSession(const Shared& shared, rpc::ConnectionInfo connection, SessionIdentity identity, Instant now);

  // ---- encryption, which is somebody else's ----
  /// From now on a client that asks for encryption is told that it may begin.
  void offer_tls() { core_.entrance.offer_tls(); }
  /// The client has been told so: its next bytes are encrypted.
  [[nodiscard]] bool expects_tls() const { return core_.entrance.expects_tls(); }
  /// It is encrypted now: what comes in and goes out here is what was encrypted.
  void on_secured(Secured secured) { core_.entrance.on_secured(std::move(secured)); }

  // ---- what the owner was asked for; ignored once the session is over ----
  void on_result(wire::v1::Result&& result, Instant now);
  void on_work_done(uint64_t id, WorkDone done, Instant now);
  void on_catalogue(uint64_t id, catalogue::Outcome outcome, Instant now);
  /// The statement that runs, if one does, is to be stopped.
  void cancel(Instant now);
  [[nodiscard]] const CancelKey& key() const { return core_.identity.key; }

  // ---- what others are told of it (session_activity.cpp) ----
  [[nodiscard]] bool is_within() const { return !is_of_login(core_.awaited) && !core_.is_over(); }
  /// Precondition: is_within().
  [[nodiscard]] ClientActivity activity() const;
  /// Says whether its client may know what another one does: it is the same user, or an operator.
  [[nodiscard]] bool may_know_of(const PgSession& other) const;

  // ---- rpc::ByteSession ----
  void on_bytes(std::string_view bytes, Instant now) override;
  void on_deadline(Instant now) override;
  void on_unread(Instant /*now*/) override {}
  void on_written(size_t size, Instant now) override;
  void on_lost(std::string reason) override;
  void close(std::string reason) override;
  [[nodiscard]] bool takes_input() const override;
  [[nodiscard]] bool has_events() const override { return !core_.requests.empty(); }
  void deliver(const IsEnough& is_enough) override { core_.requests.deliver(is_enough); }
  [[nodiscard]] bool has_output() const override { return core_.output.has_any(); }
  [[nodiscard]] std::string take_output(Instant now) override;
  [[nodiscard]] uint64_t output_waiting() const override { return core_.output.waiting() + core_.answers.bytes(); }
  [[nodiscard]] std::optional<uint64_t> awaited_answer() const override;
  [[nodiscard]] Instant next_deadline() const override;
  [[nodiscard]] bool was_up() const override { return core_.was_up; }
  [[nodiscard]] const std::optional<std::string>& ended() const override;

 private:
  void process();
  void handle(const Frame& frame);
  void handle_message(const Frame& frame);
  void take_work(Awaited awaited, WorkDone done);
  [[nodiscard]] Instant copy_deadline() const;
  [[nodiscard]] Instant fetch_deadline() const;
  /// Returns when a client that asks for nothing is sent away; kNever while it waits for an answer.
  [[nodiscard]] Instant idle_deadline() const;

  SessionCore core_;
};

}  // namespace daedalus::postgres
