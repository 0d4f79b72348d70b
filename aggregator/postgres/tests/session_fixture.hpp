// A session without a socket: a client's messages go in, what comes out is read as text, and operations are answered by
// the test.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session.hpp"

namespace daedalus::postgres::testing {

/// A message of the client's, type and all.
std::string message(char type, const std::string& body);
/// Returns a text with the zero byte that ends it.
std::string text(const std::string& text);
std::string number16(uint16_t number);
std::string number32(uint32_t number);
std::string query(const std::string& sql);
std::string parse(const std::string& name, const std::string& sql, const std::vector<uint32_t>& types = {});
/// All of it as text.
std::string bind(const std::string& portal, const std::string& statement,
                 const std::vector<std::string>& parameters = {}, const std::vector<uint16_t>& formats = {});
std::string execute(const std::string& portal, uint32_t rows_max = 0);
std::string sync();
std::string startup(const std::string& database = "tickets", const std::string& user = "ada");
/// id int not null, day date, name varchar(20) default 'none'.
std::shared_ptr<const semantics::Schema> tickets();
/// Not random at all.
std::function<uint64_t()> counting_random();

class SessionTest : public ::testing::Test, public SessionOwner {
 protected:
  SessionTest();

  /// Makes a session anew, from this address.
  void connect(const std::string& address = "127.0.0.1:40000");
  /// Connects and logs in; nothing of that is shown.
  void log_in();
  /// Hands in bytes and carries out what comes of it.
  void send(const std::string& bytes);
  /// Returns what has come out since: a line for each message, "T id:23" or "E 42601 message", joined by "|".
  std::string said();
  /// The bytes themselves.
  std::string taken();

  /// Answers the latest operation with rows of one int column named "id".
  void answer_rows(const std::vector<int64_t>& values, bool ends = true);
  void answer_end();
  void answer_error(const std::string& sqlstate, const std::string& message, uint32_t position = 0);
  /// Answers a HOLD that wants a moment.
  void answer_held(uint64_t moment, const std::vector<uint64_t>& refused = {});
  void answer_confirmed(uint64_t rows_applied);
  void answer(wire::v1::Result result);
  /// Answers one of the operations with rows of that column, and its end.
  void answer_of(size_t operation, const std::vector<int64_t>& values, bool ends = true);
  /// Ends the latest work: a SELECT of one int column with parameters of these kinds.
  void described(std::vector<aggregator::ParameterKind> parameters = {}, bool has_columns = true);
  void compiled_insert(uint32_t rows);
  /// Answers as compiled() with RETURNING: these values of an int column named "id".
  void compiled_returning(const std::vector<int64_t>& values);
  void compiled_update();
  void done(WorkDone done);
  /// Ends the latest work, a piece of a COPY.
  void converted();
  /// The update that the latest operation submits.
  wire::v1::UpdateBody submitted();
  /// The moments that the latest operation names, which is a HOLD.
  std::vector<uint64_t> held();
  /// The statement that the latest operation asks for.
  std::string asked_sql();
  /// Answers the latest statement for the catalogue.
  void answer_catalogue(catalogue::Outcome outcome);
  void deliver();

  void on_session_up(rpc::PeerId session, const rpc::PeerInfo& info) override;
  void on_session_down(rpc::PeerId session, const std::string& reason) override;
  void on_session_operation(rpc::PeerId session, wire::v1::Operation&& operation) override;
  void on_session_work(rpc::PeerId session, Work&& work) override;
  void on_session_catalogue(rpc::PeerId session, CatalogueWork&& work) override;
  void on_session_catalogue_abandoned(rpc::PeerId session) override;
  void on_cancel_request(const CancelKey& key) override;

  SessionOptions options_;
  Descriptions descriptions_;
  LoginGuard guard_{counting_random()};
  ConnectionLimit connection_limit_{1'000};
  std::shared_ptr<ByteBudget> kept_ = std::make_shared<ByteBudget>(1u << 30);
  std::shared_ptr<PgSession> session_;
  Instant now_{1'000};
  std::vector<std::string> ups_;
  std::vector<std::string> downs_;
  std::vector<wire::v1::Operation> operations_;   ///< Without definitions.
  std::vector<wire::v1::Operation> definitions_;  ///< Handles were defined by these.
  std::vector<Work> works_;
  std::vector<CancelKey> cancels_;
  aggregator::StatementHome home_;  ///< Statements that have failed belong there: told at once.
  std::vector<uint64_t> locates_;
  std::vector<CatalogueWork> catalogue_;
  int abandoned_ = 0;
  bool rows_began_ = false;
  uint64_t moment_ = 0;             ///< Queries are answered at this one.
  uint64_t confirmed_at_ = 9;       ///< Updates are confirmed under this timestamp.
  std::optional<size_t> answered_;  ///< Which operation answers are for; the latest where it says nothing.
};

}  // namespace daedalus::postgres::testing
