// Statements and submissions: compiled, checked, relayed to the writer, answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using ::testing::HasSubstr;

wire::v1::SubmissionId submission_id(uint64_t number) {
  wire::v1::SubmissionId id;
  id.set_client(std::string(16, 'c'));
  id.set_number(number);
  return id;
}

/// DELETE FROM flights WHERE origin = …
wire::v1::UpdateBody delete_of(const std::string& origin) {
  wire::v1::UpdateBody body;
  *body.add_parts()->mutable_delete_()->mutable_filter() = origin_is(origin);
  return body;
}

class SubmissionsTest : public ::testing::Test {
 protected:
  explicit SubmissionsTest(ClusterOptions options = {}) : cluster(std::move(options)) {}

  void register_writer() {
    wire::v1::EpochBody body;
    body.set_epoch(4);
    body.set_holder("writer-0");
    body.set_endpoint("writer-0:9");
    cluster.send(writer_client, make_operation(wire::v1::OPERATION_KIND_EPOCH, body.SerializeAsString()));
    for (const uint32_t node : {0u, 1u}) {
      wire::v1::Result granted;
      granted.mutable_epoch()->set_granted(true);
      granted.mutable_epoch()->set_epoch(4);
      granted.mutable_epoch()->set_holder("writer-0");
      granted.mutable_epoch()->set_endpoint("writer-0:9");
      cluster.answer(cluster.peer_of(node), cluster.last(node), granted);
    }
    writer = cluster.writer_up();
    static_cast<void>(cluster.take());
  }

  uint64_t submit(const wire::v1::UpdateBody& update, uint64_t number = 1) {
    wire::v1::SubmitBody body;
    *body.mutable_submission() = submission_id(number);
    *body.mutable_update() = update;
    return cluster.send(client, make_operation(wire::v1::OPERATION_KIND_SUBMIT, body.SerializeAsString()));
  }

  void answer_status_of_nodes() {
    for (const uint32_t node : {0u, 1u}) {
      wire::v1::Result status;
      status.mutable_status()->add_nodes();
      cluster.answer(cluster.peer_of(node), cluster.last(node), status);
    }
  }

  /// Sends a statement and returns its compile ticket.
  CompileTicket state(const wire::v1::SubmissionId& id = {}) {
    wire::v1::StatementBody body;
    body.set_sql("…");
    *body.mutable_submission() = id;
    statement = cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATEMENT, body.SerializeAsString()));
    const auto requests = std::exchange(cluster.effects().compilations, {});
    EXPECT_EQ(requests.size(), 1u);
    return requests.at(0).ticket;
  }

  void compiled(CompileTicket ticket, Result<Compiled> result) {
    cluster.core().on_compiled(ticket, std::move(result), cluster.now(), cluster.effects());
    cluster.collect();
  }

  [[nodiscard]] Compiled compiled_select() const {
    const std::vector<semantics::Column> columns = {{.name = "id", .type = {.kind = semantics::TypeKind::kInt}}};
    const semantics::Selection selection = *semantics::bind_items({.columns = columns}, {{.name = "id", .column = 0}});
    CompiledSelect select;
    select.selection = std::make_shared<const semantics::Selection>(std::move(selection));
    select.columns = std::make_shared<const std::vector<semantics::Column>>(columns);
    return select;
  }

  /// An INSERT of one row that gives back its only value, 7.
  [[nodiscard]] static CompiledUpdate compiled_insert() {
    CompiledUpdate update;
    auto& insert = *update.body.add_parts()->mutable_insert();
    insert.set_rows("a row");
    insert.set_row_count(1);
    Returning returning;
    returning.columns = std::make_shared<const std::vector<semantics::Column>>(
        std::vector<semantics::Column>{{.name = "id", .type = {.kind = semantics::TypeKind::kInt}}});
    const std::vector<semantics::Type> types{{semantics::TypeKind::kInt}};
    semantics::append_packed_row(types, std::vector<semantics::Value>{int64_t{7}}, returning.rows.rows);
    returning.rows.row_count = 1;
    update.returning = std::move(returning);
    return update;
  }

  /// Returns the writer's answer for an update with this digest.
  static wire::v1::Result confirmed_as(uint64_t digest) {
    wire::v1::Result result;
    result.mutable_confirmed()->set_timestamp(12);
    result.mutable_confirmed()->set_digest(digest);
    return result;
  }

  /// Returns the rows that the client was told last.
  wire::v1::ReturnedRows told() {
    return cluster.results().empty() ? wire::v1::ReturnedRows()
                                     : cluster.results().back().second.confirmed().returned();
  }

  Cluster cluster;
  rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  rpc::PeerId writer_client = cluster.connect(wire::v1::ROLE_WRITER);
  rpc::PeerId writer{};
  uint64_t statement = 0;  ///< Sequence of the last one stated.
};

TEST_F(SubmissionsTest, WithoutAWriterNothingIsSubmitted) {
  submit(delete_of("JFK"));
  EXPECT_THAT(cluster.results().at(0).second.error().message(), HasSubstr("no writer is registered"));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 57P03\n");
}

TEST_F(SubmissionsTest, RelaysToTheWriterAndItsAnswerBack) {
  register_writer();
  const std::string origin = origin_in(1, 2);
  submit(delete_of(origin));
  EXPECT_EQ(cluster.take(), "writer <- SUBMIT\n");
  wire::v1::SubmitBody body;
  ASSERT_TRUE(body.ParseFromString(cluster.last_operation(writer).body()));
  EXPECT_EQ(body.submission().number(), 1u);
  ASSERT_EQ(body.routes_size(), 1);
  EXPECT_EQ(body.routes(0).SerializeAsString(), route_to(origin).SerializeAsString());

  wire::v1::Result confirmed;
  confirmed.set_mark(12);
  confirmed.mutable_confirmed()->set_timestamp(12);
  cluster.answer(writer, cluster.last(writer), confirmed);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- confirmed t=12\n");
  cluster.answer(writer, cluster.last(writer), confirmed);
  EXPECT_EQ(cluster.take(), "");
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.last_operation(0).header().prefix_min(), 12u);  // Its own write must be seen.
}

TEST_F(SubmissionsTest, RowsOfReturningComeWithTheConfirmationOfWhatTheyAreOf) {
  register_writer();
  compiled(state(submission_id(1)), compiled_insert());
  EXPECT_GT(cluster.options().aggregator.answer_budget->taken(), 0u);
  cluster.answer(writer, cluster.last(writer),
                 confirmed_as(semantics::digest(compiled_insert().body.SerializeAsString())));
  ASSERT_EQ(told().columns_size(), 1);
  EXPECT_EQ(told().columns(0).name(), "id");
  EXPECT_EQ(told().row_count(), 1u);
  EXPECT_EQ(told().rows(), compiled_insert().returning->rows.rows);
  EXPECT_FALSE(told().are_unknown());
  EXPECT_EQ(cluster.options().aggregator.answer_budget->taken(), 0u);
}

TEST_F(SubmissionsTest, RowsOfReturningAreUnknownWhereSomethingElseTookEffectOrSomeWereRefused) {
  register_writer();
  const uint64_t own = semantics::digest(compiled_insert().body.SerializeAsString());
  wire::v1::Result refused = confirmed_as(own);
  refused.mutable_confirmed()->add_outcomes()->add_refused()->set_row_count(1);
  uint64_t number = 0;
  for (const wire::v1::Result& result : {confirmed_as(own + 1), confirmed_as(0), refused}) {
    compiled(state(submission_id(++number)), compiled_insert());
    cluster.answer(writer, cluster.last(writer), result);
    EXPECT_EQ(told().columns_size(), 1);
    EXPECT_TRUE(told().are_unknown());
    EXPECT_EQ(told().rows(), "");
  }
}

TEST_F(SubmissionsTest, WithoutMemoryForItsRowsNothingIsSubmitted) {
  register_writer();
  ByteLease others(cluster.options().aggregator.answer_budget);
  others.resize_anyway(cluster.options().aggregator.answer_budget->bytes_max());
  compiled(state(submission_id(1)), compiled_insert());
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error RETRY 53000\n");
}

TEST_F(SubmissionsTest, RelaysWhatTheClientSaysOfItsFirstSendingAndTheWritersRefusalOfIt) {
  register_writer();
  wire::v1::SubmitBody submit;
  *submit.mutable_submission() = submission_id(5);
  submit.mutable_submission()->set_epoch(3);
  submit.mutable_submission()->set_numbered_after(17);
  submit.mutable_submission()->set_repeated(true);
  *submit.mutable_update() = delete_of("JFK");
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_SUBMIT, submit.SerializeAsString()));
  wire::v1::SubmitBody relayed;
  ASSERT_TRUE(relayed.ParseFromString(cluster.last_operation(writer).body()));
  EXPECT_EQ(relayed.submission().SerializeAsString(), submit.submission().SerializeAsString());

  CompiledUpdate update;
  update.body = delete_of("JFK");
  compiled(state(submit.submission()), Compiled(update));
  ASSERT_TRUE(relayed.ParseFromString(cluster.last_operation(writer).body()));
  EXPECT_EQ(relayed.submission().SerializeAsString(), submit.submission().SerializeAsString());

  wire::v1::Result stale;
  stale.mutable_refused()->set_reason(wire::v1::WRITE_REFUSAL_STALE_SUBMISSION);
  stale.mutable_refused()->set_epoch(4);
  stale.mutable_refused()->set_timestamp(80);
  cluster.answer(writer, cluster.last(writer), stale);
  const wire::v1::WriteRefused& told = cluster.results().back().second.refused();
  EXPECT_EQ(told.epoch(), 4u);
  EXPECT_EQ(told.timestamp(), 80u);
}

TEST_F(SubmissionsTest, DescribesHowFarUpdatesAreNumbered) {
  register_writer();
  submit(delete_of("JFK"));
  wire::v1::Result confirmed;
  confirmed.set_mark(12);
  confirmed.mutable_confirmed()->set_timestamp(12);
  cluster.answer(writer, cluster.last(writer), confirmed);
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_DESCRIBE));
  const wire::v1::DescribeReply& described = cluster.results().back().second.described();
  EXPECT_EQ(described.epoch(), 4u);
  EXPECT_EQ(described.confirmed(), 12u);
}

// ---- the writer's status ----

TEST_F(SubmissionsTest, StatusHasWhatTheWriterSaysOfItself) {
  register_writer();
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  EXPECT_EQ(cluster.take(), "node 0 <- STATUS\nnode 1 <- STATUS\nwriter <- STATUS\n");
  answer_status_of_nodes();
  EXPECT_EQ(cluster.take(), "");  // The writer has not answered.
  wire::v1::Result answer;
  answer.mutable_status()->mutable_writer()->set_updates_kept(7);
  cluster.answer(writer, cluster.last(writer), answer);
  ASSERT_EQ(cluster.results().size(), 1u);
  EXPECT_EQ(cluster.results()[0].second.status().writer().updates_kept(), 7u);
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
  submit(delete_of("JFK"));
  EXPECT_EQ(cluster.last(writer), 2u);  // One counter for all that the writer is sent.
}

TEST_F(SubmissionsTest, StatusSaysWhyTheWriterSaysNothing) {
  const auto problem = [&] {
    const std::string text = cluster.results().at(0).second.status().writer().problem();
    static_cast<void>(cluster.take());
    return text;
  };
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  answer_status_of_nodes();
  EXPECT_THAT(problem(), HasSubstr("no writer is registered"));
  register_writer();
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  answer_status_of_nodes();
  static_cast<void>(cluster.take());
  cluster.advance(kSecond);
  EXPECT_THAT(problem(), HasSubstr("did not answer in time"));
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  answer_status_of_nodes();
  static_cast<void>(cluster.take());
  cluster.disconnect(writer);
  EXPECT_NE(problem(), "");
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  answer_status_of_nodes();
  EXPECT_THAT(problem(), HasSubstr("is not reachable"));
}

TEST_F(SubmissionsTest, AStatusThatNobodyWaitsForIsForgotten) {
  register_writer();
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  cluster.disconnect(client);
  static_cast<void>(cluster.take());
  wire::v1::Result answer;
  answer.mutable_status()->mutable_writer();
  cluster.answer(writer, cluster.last(writer), answer);
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(SubmissionsTest, AWrongUpdateNeverReachesTheWriter) {
  register_writer();
  wire::v1::UpdateBody update;
  auto& assignment = *update.add_parts()->mutable_modify()->add_assignments();
  assignment.set_column(1);  // The partitioning column.
  *assignment.mutable_value() = origin_is("JFK").call().arguments(1);
  submit(update);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 0A000\n");
}

TEST_F(SubmissionsTest, MalformedOrNamelessSubmissionsAreRejected) {
  register_writer();
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_SUBMIT, "\xff\xff"));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 08P01\n");
  wire::v1::SubmitBody body;
  *body.mutable_update() = delete_of("JFK");
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_SUBMIT, body.SerializeAsString()));
  EXPECT_EQ(cluster.take(), "client 102 #2 <- error REJECTED 08P01\n");
}

TEST_F(SubmissionsTest, LossOfTheWriterMakesOutcomesUnknown) {
  register_writer();
  submit(delete_of("JFK"), 1);
  submit(delete_of("JFK"), 2);
  static_cast<void>(cluster.take());
  cluster.disconnect(writer);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error UNKNOWN 08007\nclient 102 #2 <- error UNKNOWN 08007\n");
  submit(delete_of("JFK"), 3);
  EXPECT_EQ(cluster.take(), "client 102 #3 <- error RETRY 57P03\n");
}

TEST_F(SubmissionsTest, ASilentWriterMakesTheOutcomeUnknown) {
  register_writer();
  submit(delete_of("JFK"));
  static_cast<void>(cluster.take());
  cluster.advance(30 * kSecond - 1);
  EXPECT_EQ(cluster.take(), "");
  cluster.advance(1);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error UNKNOWN 08007\n");
}

TEST_F(SubmissionsTest, AnAbortTakesNothingBackThatWrites) {
  register_writer();
  const uint64_t sequence = submit(delete_of("JFK"));
  static_cast<void>(cluster.take());
  cluster.abort(client, sequence);
  EXPECT_EQ(cluster.take(), "");
}

TEST_F(SubmissionsTest, ANewWriterReplacesTheOld) {
  register_writer();
  wire::v1::Result reply;
  reply.mutable_status()->add_nodes()->set_epoch(5);
  reply.mutable_status()->mutable_nodes(0)->set_writer("writer-1");
  reply.mutable_status()->mutable_nodes(0)->set_writer_endpoint("writer-1:9");
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATUS));
  cluster.answer(cluster.peer_of(0), cluster.last(0), reply);
  EXPECT_EQ(cluster.effects().drops.size(), 1u);
  const auto next = cluster.writer_up();
  static_cast<void>(cluster.take());
  submit(delete_of("JFK"));
  EXPECT_EQ(cluster.last(next), 1u);
}

TEST_F(SubmissionsTest, AnUpdateOfAHigherEpochMakesItAskForTheHolder) {
  register_writer();
  auto operation = make_operation(wire::v1::OPERATION_KIND_UPDATE, "body");
  operation.mutable_header()->mutable_update()->set_epoch(9);
  operation.mutable_header()->mutable_update()->set_timestamp(1);
  cluster.send(writer_client, operation);
  static_cast<void>(cluster.take());
  cluster.advance(1);
  EXPECT_EQ(cluster.take(), "node 0 <- EPOCH\nnode 1 <- EPOCH\n");
  wire::v1::Result reply;
  reply.mutable_epoch()->set_epoch(9);
  reply.mutable_epoch()->set_holder("writer-1");
  reply.mutable_epoch()->set_endpoint("writer-1:9");
  cluster.answer(cluster.peer_of(0), cluster.last(0), reply);
  const auto requests = cluster.effects().dials;
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].endpoint, "writer-1:9");
}

// ---- statements ----

TEST_F(SubmissionsTest, ACompiledSelectGoesToTheNodesWithTheTimeThatIsLeft) {
  const auto ticket = state();
  cluster.advance(kSecond / 2);
  compiled(ticket, compiled_select());
  EXPECT_EQ(cluster.take(), "node 0 <- SELECT\nnode 1 <- SELECT\n");
  EXPECT_EQ(cluster.last_operation(0).header().remaining_ns(), static_cast<uint64_t>(30 * kSecond - kSecond / 2));
}

TEST_F(SubmissionsTest, AStatementThatDoesNotCompileIsAnsweredWithItsError) {
  Error error = rejected("42P01", "relation \"x\" does not exist");
  error.position = 15;
  compiled(state(), error);
  EXPECT_EQ(cluster.results().at(0).second.error().position(), 15u);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 42P01\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(SubmissionsTest, AnInsertThatSelectsNoRowIsRefusedAndNotSubmitted) {
  register_writer();
  compiled(state(submission_id(77)), Compiled(CompiledUpdate()));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 0A000\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(SubmissionsTest, ACompiledUpdateIsSubmittedUnderItsId) {
  register_writer();
  CompiledUpdate update;
  update.body = delete_of("JFK");
  update.routes = {route_to("JFK")};
  compiled(state(submission_id(77)), Compiled(update));
  EXPECT_EQ(cluster.take(), "writer <- SUBMIT\n");
  wire::v1::SubmitBody body;
  ASSERT_TRUE(body.ParseFromString(cluster.last_operation(writer).body()));
  EXPECT_EQ(body.submission().number(), 77u);
  EXPECT_EQ(body.routes_size(), 1);
}

TEST_F(SubmissionsTest, ACompiledUpdateWithoutAnIdIsRejected) {
  register_writer();
  compiled(state(), Compiled(CompiledUpdate{}));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 08P01\n");
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
}

TEST_F(SubmissionsTest, AStatementMayBeAbortedOrTooLateWhileItCompiles) {
  const auto first = state();
  cluster.abort(client, 1);
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 57014\n");
  const auto second = state();
  cluster.advance(30 * kSecond);
  EXPECT_THAT(cluster.take(), HasSubstr("client 102 #3 <- error RETRY 57014\n"));
  const auto third = state();
  cluster.disconnect(client);
  static_cast<void>(cluster.take());
  for (const auto ticket : {first, second, third}) {
    compiled(ticket, compiled_select());
  }
  EXPECT_EQ(cluster.take(), "");
}

class NarrowSubmissionsTest : public SubmissionsTest {
 protected:
  NarrowSubmissionsTest() : SubmissionsTest(narrow()) {}

  static ClusterOptions narrow() {
    ClusterOptions options;
    options.aggregator.submissions_max = 1;
    options.aggregator.statement_size_max = 100;
    return options;
  }
};

TEST_F(NarrowSubmissionsTest, TooManyAreRefusedUntilOneIsAnswered) {
  register_writer();
  submit(delete_of("JFK"), 1);
  static_cast<void>(cluster.take());
  submit(delete_of("JFK"), 2);
  EXPECT_EQ(cluster.take(), "client 102 #2 <- error RETRY 53000\n");
  wire::v1::Result confirmed;
  confirmed.mutable_confirmed()->set_timestamp(9);
  cluster.answer(writer, cluster.last(writer), confirmed);
  static_cast<void>(cluster.take());
  submit(delete_of("JFK"), 3);
  EXPECT_EQ(cluster.take(), "writer <- SUBMIT\n");
}

TEST_F(NarrowSubmissionsTest, AStatementBeyondItsMaximumIsNotCompiled) {
  cluster.send(client, make_operation(wire::v1::OPERATION_KIND_STATEMENT, std::string(101, ' ')));
  EXPECT_EQ(cluster.take(), "client 102 #1 <- error REJECTED 54000\n");
  EXPECT_TRUE(cluster.effects().compilations.empty());
}

TEST_F(SubmissionsTest, TooManyStatementsAreRefused) {
  ClusterOptions options;
  options.aggregator.compilations_max = 1;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_CLIENT);
  small.send(peer, make_operation(wire::v1::OPERATION_KIND_STATEMENT));
  small.send(peer, make_operation(wire::v1::OPERATION_KIND_STATEMENT));
  EXPECT_EQ(small.take(), "client 102 #2 <- error RETRY 53000\n");
}

TEST_F(SubmissionsTest, StatementsThatNobodyWaitsForNeedNotBeCompiled) {
  const CompileTicket late = state();
  cluster.advance(30 * kSecond);
  EXPECT_EQ(std::exchange(cluster.effects().given_up, {}), std::vector<CompileTicket>{late});
  const CompileTicket aborted = state();
  cluster.abort(client, statement);
  EXPECT_EQ(std::exchange(cluster.effects().given_up, {}), std::vector<CompileTicket>{aborted});
  const CompileTicket done = state();
  compiled(done, rejected("42601", "no statement"));
  EXPECT_TRUE(std::exchange(cluster.effects().given_up, {}).empty());
  const CompileTicket orphan = state();
  cluster.disconnect(client);
  EXPECT_EQ(std::exchange(cluster.effects().given_up, {}), std::vector<CompileTicket>{orphan});
}

/// Whoever compiles holds no more statements than the core has under way, however often they come and go in one turn.
TEST_F(SubmissionsTest, StatementsGivenUpBeforeTheyWereTakenAreNeverHandedOut) {
  ClusterOptions options;
  options.aggregator.compilations_max = 2;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_CLIENT);
  const auto send = [&] { return small.send(peer, make_operation(wire::v1::OPERATION_KIND_STATEMENT)); };
  std::set<CompileTicket> held;
  uint64_t kept = send();
  for (int turn = 0; turn < 10; ++turn) {
    for (int i = 0; i < 5; ++i) {
      small.abort(peer, send());
    }
    small.abort(peer, std::exchange(kept, send()));
    for (const CompileTicket ticket : std::exchange(small.effects().given_up, {})) {
      EXPECT_EQ(held.erase(ticket), 1u);
    }
    for (const CompileRequest& request : std::exchange(small.effects().compilations, {})) {
      held.insert(request.ticket);
    }
    EXPECT_EQ(held.size(), 1u);
  }
}

TEST_F(SubmissionsTest, OneClientsBytesOfStatementsLeaveRoomForOthers) {
  ClusterOptions options;
  options.aggregator.compilation_bytes_max = 1000;
  options.aggregator.compilation_bytes_per_client_max = 100;
  Cluster small(options);
  const auto greedy = small.connect(wire::v1::ROLE_CLIENT);
  const auto other = small.connect(wire::v1::ROLE_CLIENT);
  const auto send = [&](rpc::PeerId peer, size_t size) {
    wire::v1::StatementBody body;
    body.set_sql(std::string(size, ' '));
    small.send(peer, make_operation(wire::v1::OPERATION_KIND_STATEMENT, body.SerializeAsString()));
  };
  send(greedy, 60);
  send(greedy, 60);
  send(other, 60);
  EXPECT_EQ(small.take(), "client 102 #2 <- error RETRY 53000\n");
  for (const CompileRequest& request : std::exchange(small.effects().compilations, {})) {
    small.core().on_compiled(request.ticket, rejected("42601", "no statement"), small.now(), small.effects());
  }
  small.collect();
  static_cast<void>(small.take());
  send(greedy, 60);
  EXPECT_EQ(small.take(), "");
}

TEST_F(SubmissionsTest, TooManyBytesOfStatementsAreRefusedUntilSomeAreCompiled) {
  ClusterOptions options;
  options.aggregator.compilation_bytes_max = 100;
  Cluster small(options);
  const auto peer = small.connect(wire::v1::ROLE_CLIENT);
  const auto send = [&](size_t size) {
    wire::v1::StatementBody body;
    body.set_sql(std::string(size, ' '));
    small.send(peer, make_operation(wire::v1::OPERATION_KIND_STATEMENT, body.SerializeAsString()));
  };
  send(200);  // One alone is taken, whatever its size.
  send(1);
  EXPECT_EQ(small.take(), "client 102 #2 <- error RETRY 53000\n");
  const auto requests = std::exchange(small.effects().compilations, {});
  ASSERT_EQ(requests.size(), 1u);
  small.core().on_compiled(requests[0].ticket, rejected("42601", "no statement"), small.now(), small.effects());
  small.collect();
  static_cast<void>(small.take());
  send(40);
  send(40);
  EXPECT_EQ(small.take(), "");
}

}  // namespace
}  // namespace daedalus::aggregator::testing
