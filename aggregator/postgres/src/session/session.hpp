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
// awaited.hpp has what else is awaited between two messages.
//
// Its parts keep their state to themselves and know nothing of the session: they say what is to be done next.
//
//   requests, output     what the owner is asked for, and what the client is sent
//   entrance             who may enter, by which proof, and do what
//   client_settings      settings, what the client knows of them, and what a failure takes back
//   block                BEGIN to COMMIT: isolation, SET LOCAL, savepoints
//   prepared_statements  statements by name, and by slot of the core's
//   portals              what runs, or has a name to be run by, cursors among them
//   awaited              the one thing that has to come before anything else happens
//   answers              the rows of portals that wait; execution is the Execute that waits for them
//   pipeline             queries that run beside each other
//   write_group          what becomes one update; submission is its way to the writer
//   copy_in, copy_out    a COPY that is under way
//
// Methods are in files by what they are for: session.cpp (bytes and time), session_startup.cpp, session_simple.cpp,
// session_extended.cpp, session_commands.cpp (what the session answers itself), session_blocks.cpp,
// session_statements.cpp (PREPARE and EXECUTE), session_explain.cpp, session_cursors.cpp, session_queries.cpp,
// session_pipeline.cpp, session_catalogue.cpp, session_writes.cpp, session_copy.cpp, session_memory.cpp,
// session_activity.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers.hpp"
#include "awaited.hpp"
#include "block.hpp"
#include "client_activity.hpp"
#include "client_settings.hpp"
#include "client_text.hpp"
#include "command.hpp"
#include "copy_in.hpp"
#include "daedalus/base/byte_budget.hpp"
#include "daedalus/postgres/login_guard.hpp"
#include "daedalus/postgres/seats.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "description_run.hpp"
#include "descriptions.hpp"
#include "entrance.hpp"
#include "execution.hpp"
#include "explain_answer.hpp"
#include "frontend.hpp"
#include "output.hpp"
#include "own_answers.hpp"
#include "pipeline.hpp"
#include "portals.hpp"
#include "prepared_statements.hpp"
#include "requests.hpp"
#include "submission.hpp"
#include "write_group.hpp"

namespace daedalus::postgres {

/// What is drawn for each session.
struct SessionIdentity {
  CancelKey key;
  std::string submission_client;  ///< 16 random bytes.
};

class PgSession final : public rpc::ByteSession {
 public:
  /// What all sessions share; it must outlive them.
  struct Shared {
    const SessionOptions& options;
    Descriptions& descriptions;
    LoginGuard& guard;
    Seats& seats;
    const std::shared_ptr<ByteBudget>& kept;
    SessionOwner& owner;
  };
  PgSession(const Shared& shared, rpc::ConnectionInfo connection, SessionIdentity identity, Instant now);
  ~PgSession() override;

  // ---- encryption, which is somebody else's ----
  /// From now on a client that asks for encryption is told that it may begin.
  void offer_tls() { entrance_.offer_tls(); }
  /// The client has been told so: its next bytes are encrypted.
  [[nodiscard]] bool expects_tls() const { return entrance_.expects_tls(); }
  /// It is encrypted now: what comes in and goes out here is what was encrypted.
  void on_secured(Secured secured) { entrance_.on_secured(std::move(secured)); }

  // ---- what the owner was asked for; ignored once the session is over ----
  void on_result(wire::v1::Result&& result, Instant now);
  void on_work_done(uint64_t id, WorkDone done, Instant now);
  void on_catalogue(uint64_t id, catalogue::Outcome outcome, Instant now);
  /// The statement that runs, if one does, is to be stopped.
  void cancel(Instant now);
  [[nodiscard]] const CancelKey& key() const { return identity_.key; }

  // ---- what others are told of it (session_activity.cpp) ----
  [[nodiscard]] bool is_within() const { return !is_of_login(awaited_) && !is_over(); }
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
  [[nodiscard]] bool has_events() const override { return !requests_.empty(); }
  void deliver(const IsEnough& is_enough) override { requests_.deliver(is_enough); }
  [[nodiscard]] bool has_output() const override { return output_.has_any(); }
  [[nodiscard]] std::string take_output(Instant now) override;
  [[nodiscard]] uint64_t output_waiting() const override { return output_.waiting() + answers_.bytes(); }
  [[nodiscard]] std::optional<uint64_t> awaited_answer() const override;
  [[nodiscard]] Instant next_deadline() const override;
  [[nodiscard]] bool was_up() const override { return was_up_; }
  [[nodiscard]] const std::optional<std::string>& ended() const override;

 private:
  using Ends = awaited::Outcome::Ends;

  // ---- what is awaited ----
  template <typename One>
  [[nodiscard]] bool is_awaited() const {
    return std::holds_alternative<One>(awaited_);
  }
  [[nodiscard]] bool is_over() const { return is_awaited<awaited::Over>(); }
  /// The COPY FROM STDIN that is under way; null: none is.
  [[nodiscard]] const CopyIn* copy_in() const {
    const auto* const copy = std::get_if<awaited::Copy>(&awaited_);
    return copy != nullptr ? copy->copy.get() : nullptr;
  }
  [[nodiscard]] CopyIn* copy_in() { return const_cast<CopyIn*>(std::as_const(*this).copy_in()); }

  // ---- bytes and time (session.cpp) ----
  void process();
  void handle(const Frame& frame);
  void handle_message(const Frame& frame);
  [[nodiscard]] std::string& out() { return group_.is_holding() ? group_.held() : text_behind(); }
  /// Where messages go that nothing holds back: behind all queries that are under way.
  [[nodiscard]] std::string& text_behind() { return pipeline_.empty() ? output_.text() : pipeline_.text_behind(); }
  /// Ends the statement that runs, and whatever depends on it.
  void fail(Failure failure);
  void fail(Error error) { fail(Failure{std::move(error), {}}); }
  /// Appends an error or a notice, in the client's encoding.
  void tell(Severity severity, const Error& error, ErrorTexts texts, std::string& out) const;
  void warn(std::string sqlstate, std::string message);
  /// Goes in front of what is held back.
  void notice(std::string message);
  /// Tells the client and ends the connection.
  void fatal(const Error& error);
  void finish(std::string reason);
  void start_work(Awaited awaited, decltype(Work::what) what);
  void take_work(Awaited awaited, WorkDone done);

  // ---- session_startup.cpp ----
  void handle_first(std::string_view body);
  void on_login(const Frame& frame);
  /// What the entrance wants next.
  void go_in(Result<Entrance::Next> next);
  void tell_verdict();
  /// Who it is, is known: what it started with, and what it is told first.
  void enter();

  // ---- session_simple.cpp ----
  /// Ends the statement without a name, as in PostgreSQL; the portal without a name ends with the first statement.
  void on_query(std::string_view body);
  void step_simple();
  void run_simple(std::string sql);
  void end_simple();
  void end_ready();

  // ---- session_extended.cpp ----
  void on_parse(std::string_view body);
  void on_bind(std::string_view body);
  void on_describe(std::string_view body);
  void on_execute(std::string_view body);
  void on_close(std::string_view body);
  void on_flush();
  void on_sync();
  void end_sync();
  [[nodiscard]] Result<void> check_room(std::string_view name, size_t sql_size);
  /// Learns what the statement takes and gives, for on_described().
  void describe(std::unique_ptr<DescriptionRun> run, const DescriptionRun::Kinds& declared);
  void describe_by_compiler(std::unique_ptr<DescriptionRun> run);
  void on_described(std::unique_ptr<DescriptionRun> run, Result<aggregator::StatementDescription> description);
  /// It is known now what the statement takes and gives.
  void keep_described(DescriptionRun& run);
  /// Whose rows it gives, as far as is known now: a FETCH its cursor's, an EXECUTE its statement's.
  [[nodiscard]] const Prepared& shown_by(const Prepared& prepared) const;
  /// `context`: PostgreSQL's CONTEXT of an error, where it has one.
  [[nodiscard]] Result<Portal> bind(const BindMessage& message, std::string& context);
  void describe_rows(const Prepared& prepared, const std::vector<int16_t>& formats);

  // ---- session_memory.cpp ----
  /// What it keeps between messages, and of one that has not come to its end. Rows that wait are output.
  [[nodiscard]] uint64_t kept_bytes() const;
  /// Keeps so many more, for now. Errors: 53200 all clients together keep as much as they may.
  [[nodiscard]] Result<void> reserve(uint64_t bytes);
  /// Adds a write to those that become one update. Errors: of reserve() and WriteGroup::add().
  [[nodiscard]] Result<uint32_t> keep_write(aggregator::CompiledUpdate update);
  /// What it keeps now counts. Ends it, where that is a message for which there is no room.
  void count_kept();

  // ---- session_blocks.cpp ----
  void run(const BeginCommand& command);
  void run(const SetBlockCommand& command);
  void run(const EndCommand& command);
  void run(const SavepointCommand& command);
  void run(const LockCommand& command);
  void make_savepoint(const std::string& name);
  void release_savepoint(size_t index);
  void go_back_to_savepoint(size_t index);
  void end_block(bool is_commit);

  // ---- session_statements.cpp ----
  void run(const PrepareCommand& command);
  void run(const DeallocateCommand& command);
  void execute_prepared(Portal& portal, uint32_t rows_max);
  void ask_for_values(Portal& portal, const ExecuteCommand& command, std::shared_ptr<const Prepared> statement,
                      uint32_t rows_max);
  void on_values(awaited::Values& awaited, wire::v1::Result&& result);
  /// From now on the portal is one of that statement.
  void become(Portal& portal, std::shared_ptr<const Prepared> statement, uint32_t rows_max);

  // ---- session_cursors.cpp ----
  void declare(Portal& portal);
  /// `sql`: of the cursor's query.
  void open_cursor(Portal& portal, std::string sql, const std::vector<semantics::Column>& columns);
  void ask_for_cursor(Portal& portal, std::string sql);
  void open_catalogue_cursor(const Portal& portal, catalogue::Answer answer);
  /// Errors: 25P01, 34000, 42P03, 54000.
  [[nodiscard]] Result<void> check_cursor(const DeclareCommand& command) const;
  /// In a block of REPEATABLE READ its one query may be declared again once its cursor is closed (postgres_fdw does):
  /// it has the same answer, as long as all of that is there. False: nothing is.
  [[nodiscard]] bool reopen_closed(const Portal& portal, const std::string& sql, const DeclareCommand& command);
  void fetch(Portal& portal, uint32_t rows_max);
  [[nodiscard]] Result<void> begin_fetch(Portal& portal, const FetchCommand& command);
  void go_on_fetching(Execution& execution);
  void run(const CloseCommand& command);
  /// The portal whose rows are waited for; null: none are.
  [[nodiscard]] const Portal* awaited() const;
  [[nodiscard]] Portal* awaited();
  [[nodiscard]] Instant fetch_deadline() const;
  /// A FETCH takes longer than statement_timeout.
  void end_late_fetch();

  // ---- session_commands.cpp ----
  /// A statement that needs neither table nor writer, with its tag; false: it is none.
  [[nodiscard]] bool run_command(Portal& portal);
  void run(const SetCommand& command);
  void run(const ResetCommand& command);
  void run(const DiscardCommand& command);
  void run(const ShowCommand& command, Portal& portal);
  void run(const SessionQuery& query, Portal& portal);
  void answer(Portal& portal, const std::vector<OwnRow>& rows, std::string_view tag);

  // ---- session_explain.cpp ----
  void explain(Portal& portal, const ExplainCommand& command);
  /// EXPLAIN of an EXECUTE of this statement, whose values are the portal's.
  void explain_executed(Portal& portal, const Prepared& statement);
  /// `write`: null of a query.
  void start_explain(Portal& portal, std::string sql, const WriteCommand* write);
  void on_explained(Portal& portal, Result<aggregator::Plan> plan);
  void on_table_size(const wire::v1::Result& result);
  void tell_plan(Portal& portal, const aggregator::Plan& plan, const SweptRows& swept);

  // ---- session_queries.cpp ----
  /// Runs a statement or goes on with it; at most `rows_max` rows, 0: all.
  void execute(Portal& portal, uint32_t rows_max);
  void start_rows(Portal& portal, uint32_t rows_max);
  /// Whether a query of the table may begin now. Errors: 42501, 0A000.
  [[nodiscard]] Result<void> check_query() const;
  void start_query(Portal& portal);
  /// A statement of this session, without text and parameters.
  [[nodiscard]] wire::v1::StatementBody statement_body() const;
  /// The portal's, by slot, or with its text where that is 0.
  [[nodiscard]] wire::v1::StatementBody body_of(const Portal& portal, uint32_t slot) const;
  /// Returns the operation's sequence.
  uint64_t send_statement(const wire::v1::StatementBody& body, uint32_t slot, int64_t remaining_ns);
  /// What all that comes of an answer is read by, given its first rows. Errors: 0A000 they are not what was described.
  [[nodiscard]] Result<void> begin_answer(Portal& portal, const wire::v1::QueryRows& first);
  /// The same for an answer by slot, whose columns are known since its definition's first. Errors: XX000.
  [[nodiscard]] Result<void> begin_slotted(Portal& portal, uint64_t sequence);
  void take_result(Portal& portal, wire::v1::Result&& result);
  void on_rows(Portal& portal, wire::v1::QueryRows& rows);
  /// Rows of these columns come. Errors: 0A000 others were described.
  [[nodiscard]] Result<void> begin_rows(Portal& portal, const std::vector<semantics::Column>& columns);
  /// Errors: 08P01, 54000 too much is held back.
  [[nodiscard]] Result<void> send_rows(const Portal& portal, std::string rows);
  Execution& await_rows(Portal& portal, uint32_t rows_max);
  /// Sends what the portal has, and ends its Execute when there is enough.
  void pump(Execution& execution);
  [[nodiscard]] bool has_timeout() const { return settings_->statement_timeout_ns() > 0; }
  /// A cursor's answer may take longer than statement_timeout, each FETCH may not.
  [[nodiscard]] int64_t time_left(bool is_cursor = false) const;

  // ---- session_pipeline.cpp ----
  /// Whether a message may be looked at before the queries ahead of it have ended.
  [[nodiscard]] bool may_run_ahead(const Frame& frame) const;
  void start_slot(Portal& portal);
  void on_slot_result(Pipeline::Slot& slot, wire::v1::Result&& result);
  /// Sends what is due, up to the first query that has not ended.
  void pump_slots();
  /// Whether the first query has ended.
  [[nodiscard]] bool pump_first();
  void fail_first(const Failure& failure);

  // ---- session_catalogue.cpp ----
  /// Looks at the tree of a statement that this side refuses, or has not looked at yet (no refusal): it may be the
  /// catalogue's.
  void locate(awaited::Home::Statement statement, std::string sql, Failure refusal);
  /// As locate(), where the portal's text may be the catalogue's.
  void fail_or_locate(Portal& portal, Failure failure);
  void on_located(awaited::Home awaited, const aggregator::StatementHome& home);
  void describe_by_catalogue(std::unique_ptr<DescriptionRun> run);
  void ask_catalogue(Awaited awaited, catalogue::Statement statement);
  /// Says whether a statement over the catalogue may run now. Errors: 42501, 0A000, 54000 too many of its rows wait.
  [[nodiscard]] Result<void> check_catalogue() const;
  void keep_catalogue_description(DescriptionRun& run, catalogue::Answer answer);
  void start_catalogue(Portal& portal, uint32_t rows_max);
  void begin_catalogue_rows(const Execution& execution, catalogue::Answer answer);
  /// Sends what the portal has of its answer, as far as its Execute wants it.
  void pump_catalogue(const Execution& execution);

  // ---- session_writes.cpp ----
  void start_write(Portal& portal, uint32_t rows_max);
  void on_compiled(const Execution& execution, Result<aggregator::Compiled> compiled);
  void give_back(const Execution& execution, aggregator::Returning returning, uint32_t inserted);
  /// Errors: 0A000 it cannot be part of the update under way.
  [[nodiscard]] Result<void> check_write(const WriteCommand& command) const;
  void submit(Ends ends);
  void send_submission();
  void on_submitted(wire::v1::Result&& answer);
  void on_confirmed(const wire::v1::WriteConfirmed& confirmed);
  void end_submission(std::optional<Failure> failure);
  /// Returns whether a write waits for COMMIT: once a block has gathered one, all its writes do.
  [[nodiscard]] bool gathers_writes() const;
  /// Returns whether a write of the block is compiled and takes effect now.
  [[nodiscard]] bool has_write_for_now() const;
  /// Tells a client that so many of its writes stay, though its block or a part of it ends without them.
  void warn_of_effects(uint64_t count);

  // ---- session_copy.cpp ----
  void start_copy(Portal& portal);
  void start_copy_out(Portal& portal);
  void on_copy_frame(CopyIn& copy, const Frame& frame);
  void on_converted(CopyIn& copy, CopyRows rows);
  void fail_copy(CopyIn& copy, Error error);
  /// Does what is to be done next of it.
  void step_copy(CopyIn& copy);
  void finish_copy();
  [[nodiscard]] Instant copy_deadline() const;
  /// When a client that asks for nothing is sent away; kNever while it waits for an answer.
  [[nodiscard]] Instant idle_deadline() const;

  const SessionOptions& options_;
  Descriptions& descriptions_;
  ByteLease kept_;
  const rpc::ConnectionInfo connection_;
  const SessionIdentity identity_;
  Requests requests_;
  Entrance entrance_;

  // ---- the connection ----
  Awaited awaited_;
  bool skips_to_sync_ = false;
  bool was_up_ = false;
  bool is_ready_ = false;  ///< ReadyForQuery was the last word of the two.
  Instant started_;
  Instant now_;            ///< When bytes came last.
  Instant last_progress_;  ///< Of output.
  FrameBuffer input_;
  Output output_;

  // ---- what it keeps between statements ----
  ClientSettings settings_;
  Block block_{settings_};
  WriteGroup group_;
  PreparedStatements statements_;
  Answers answers_;
  Portals portals_;
  Pipeline pipeline_;

  // ---- what it is in the middle of ----
  std::unique_ptr<SimpleRun> simple_;  ///< A message of the simple protocol.
  Submission submission_;
};

}  // namespace daedalus::postgres
