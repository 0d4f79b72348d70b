// The state of a session, and what all of its machines do with it: messages to the client, the end of a statement, room
// for what is kept, and statements for the core.
//
// Decides what a failure ends. Refuses to know which message is which, and what a statement is about. Its parts keep
// their state to themselves and know nothing of the session: they say what is to be done next.
//
//   awaited              the one thing that has to come before anything else happens
//   requests, output     what the owner is asked for, and what the client is sent
//   login             who may enter, by which proof, and do what
//   settings             settings, what the client knows of them, and what a failure takes back
//   block                BEGIN to COMMIT: isolation, SET LOCAL, savepoints
//   statements           prepared ones, by name, and by handle of the core's
//   portals              what runs, or has a name to be run by, cursors among them
//   answers              the rows of portals that wait
//   pipeline             queries that run beside each other
//   moments              timestamps that its queries and updates have, and what its next query has to see
//   held_moments         those that are held for its blocks and cursors
//   group                writes that become one update; submission is its way to the writer
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "answers.hpp"
#include "awaited.hpp"
#include "backend.hpp"
#include "block.hpp"
#include "client_settings.hpp"
#include "client_text.hpp"
#include "command.hpp"
#include "daedalus/base/byte_budget.hpp"
#include "daedalus/postgres/connection_limit.hpp"
#include "daedalus/postgres/login_guard.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "descriptions.hpp"
#include "frontend.hpp"
#include "held_moments.hpp"
#include "login_process.hpp"
#include "moments.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "portals.hpp"
#include "prepared_statements.hpp"
#include "requests.hpp"
#include "submission.hpp"
#include "write_group.hpp"

namespace daedalus::postgres {

/// Drawn for each session.
struct SessionIdentity {
  CancelKey key;
  std::string submission_client;  ///< 16 random bytes.
};

/// All sessions share this; it must outlive them.
struct SessionShared {
  const SessionOptions& options;
  Descriptions& descriptions;
  LoginGuard& guard;
  ConnectionLimit& connection_limit;
  const std::shared_ptr<ByteBudget>& kept;
  SessionOwner& owner;
};

struct SessionCore {
  SessionCore(const SessionShared& shared, rpc::ConnectionInfo connection_info, SessionIdentity drawn, Instant start);

  // ---- what is awaited ----
  template <typename One>
  [[nodiscard]] bool is_awaited() const {
    return std::holds_alternative<One>(awaited);
  }
  [[nodiscard]] bool is_over() const { return is_awaited<awaited::Over>(); }
  /// The COPY FROM STDIN that is under way; null: none is.
  [[nodiscard]] const CopyIn* copy_in() const {
    const auto* const copy = std::get_if<awaited::Copy>(&awaited);
    return copy != nullptr ? copy->copy.get() : nullptr;
  }
  [[nodiscard]] CopyIn* copy_in() { return const_cast<CopyIn*>(std::as_const(*this).copy_in()); }
  /// The portal whose rows are awaited; null: none are.
  [[nodiscard]] const Portal* awaited_portal() const;
  [[nodiscard]] Portal* awaited_portal() { return const_cast<Portal*>(std::as_const(*this).awaited_portal()); }
  void start_work(Awaited what_comes, decltype(Work::what) what);
  /// A worker looks at the tree of a statement that this side refuses, or has not looked at yet (no refusal): it may be
  /// the catalogue's.
  void locate(awaited::Home::Statement statement, std::string sql, Failure refusal);
  /// As locate(), where the portal's text may be the catalogue's.
  void fail_or_locate(Portal& portal, Failure failure);

  // ---- messages to the client ----
  [[nodiscard]] std::string& out() { return group.is_holding() ? group.held() : text_behind(); }
  /// Messages that nothing holds back go there: behind all queries that are under way.
  [[nodiscard]] std::string& text_behind() { return pipeline.empty() ? output.text() : pipeline.text_behind(); }
  /// Appends an error or a notice, in the client's encoding.
  void tell(Severity severity, const Error& error, ErrorTexts texts, std::string& text) const;
  void warn(std::string sqlstate, std::string message);
  /// Goes in front of what is held back.
  void notice(std::string message);

  // ---- ends ----
  /// Ends the statement that runs, and whatever depends on it.
  void fail(Failure failure);
  void fail(Error error) { fail(Failure{std::move(error), {}}); }
  /// Tells the client and ends the connection.
  void fatal(const Error& error);
  void finish(std::string reason);
  void end_simple();
  void end_sync();
  void end_ready();
  void end_block(bool is_commit);

  // ---- room: what it keeps between messages, and of one that has not come to its end; rows that wait are output ----
  [[nodiscard]] uint64_t kept_bytes() const;
  /// Keeps so many more, for now. Errors: 53200 all clients together keep as much as they may.
  [[nodiscard]] Result<void> reserve(uint64_t bytes);
  /// Adds a write to those that become one update. Errors: of reserve() and WriteGroup::add().
  [[nodiscard]] Result<uint32_t> keep_write(aggregator::CompiledUpdate update);
  /// Counts what it keeps now. Ends it, where that is a message for which there is no room.
  void count_kept();

  // ---- statements for the core ----
  /// A statement of this session, without text and parameters.
  [[nodiscard]] wire::v1::StatementBody statement_body() const;
  /// The portal's, by handle, or with its text where that is 0.
  [[nodiscard]] wire::v1::StatementBody body_of(const Portal& portal, uint32_t handle) const;
  /// Returns the operation's sequence.
  uint64_t send_statement(const wire::v1::StatementBody& body, uint32_t handle, int64_t remaining_ns);
  [[nodiscard]] bool has_timeout() const { return settings->statement_timeout_ns() > 0; }
  /// Says at which moment the query of this header is to be answered.
  void add_moment(wire::v1::OperationHeader& header) const;
  /// A cursor's answer may take longer than statement_timeout, each FETCH may not.
  [[nodiscard]] int64_t time_left(bool is_cursor = false) const;
  /// Returns the statement whose rows this one gives, as far as is known now: a FETCH its cursor's, an EXECUTE its
  /// statement's.
  [[nodiscard]] const Prepared& shown_by(const Prepared& prepared) const;

  const SessionOptions& options;
  Descriptions& descriptions;
  ByteLease kept;
  const rpc::ConnectionInfo connection;
  const SessionIdentity identity;
  Requests requests;
  LoginProcess entrance;

  // ---- the connection ----
  Awaited awaited;
  bool skips_to_sync = false;
  bool was_up = false;
  bool is_ready = false;  ///< ReadyForQuery was the last word of the two.
  Instant started;
  Instant now;            ///< When bytes came last.
  Instant last_progress;  ///< When output left last.
  FrameBuffer input;
  Output output;

  // ---- what it keeps between statements ----
  ClientSettings settings;
  Moments moments;
  HeldMoments held_moments;
  Block block{settings, moments};
  WriteGroup group;
  PreparedStatements statements;
  Answers answers;
  Portals portals;
  Pipeline pipeline;

  // ---- what it is in the middle of ----
  std::unique_ptr<SimpleRun> simple;  ///< A message of the simple protocol.
  Submission submission;
};

}  // namespace daedalus::postgres
