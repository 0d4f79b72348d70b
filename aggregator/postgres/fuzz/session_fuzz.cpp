// Whatever bytes arrive, in whatever pieces, and however operations and work are answered: nothing crashes, what is
// kept is bounded, a session that was up is down at most once, and one that is over says nothing more.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byte_order.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/postgres/session_work.hpp"
#include "daedalus/semantics/packed.hpp"
#include "session.hpp"

namespace daedalus::postgres {
namespace {

constexpr Instant kStart{1};
constexpr uint64_t kOutputMax = 8u << 20;

/// Answers everything, as bytes of the input say.
class Owner final : public SessionOwner {
 public:
  void on_session_up(rpc::PeerId /*session*/, const rpc::PeerInfo& /*info*/) override { CHECK(++ups == 1); }
  void on_session_down(rpc::PeerId /*session*/, const std::string& /*reason*/) override {
    CHECK(ups == 1);
    CHECK(++downs == 1);
  }
  void on_session_operation(rpc::PeerId /*session*/, wire::v1::Operation&& operation) override {
    CHECK(ups == 1 && operation.header().sequence() > last_sequence);
    last_sequence = operation.header().sequence();
    if (operation.header().kind() == wire::v1::OPERATION_KIND_STATEMENT ||
        operation.header().kind() == wire::v1::OPERATION_KIND_SUBMIT) {
      operations.push_back(std::move(operation));
    }
  }
  void on_session_work(rpc::PeerId /*session*/, Work&& work) override {
    CHECK(works.empty());
    works.push_back(std::move(work));
  }
  void on_session_catalogue(rpc::PeerId /*session*/, CatalogueWork&& work) override {
    CHECK(catalogue.empty());
    catalogue.push_back(std::move(work));
  }
  void on_session_catalogue_abandoned(rpc::PeerId /*session*/) override { catalogue.clear(); }
  void on_cancel_request(const CancelKey& /*key*/) override {}

  int ups = 0;
  int downs = 0;
  uint64_t last_sequence = 0;
  std::vector<wire::v1::Operation> operations;
  std::vector<Work> works;
  std::vector<CatalogueWork> catalogue;
};

std::shared_ptr<const semantics::Schema> table() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "t";
  schema->columns = {{"id", {semantics::TypeKind::kInt}, false, std::nullopt},
                     {"name", {semantics::TypeKind::kVarchar, 0, 0, 20}, true, std::nullopt}};
  return schema;
}

/// The catalogue answers with one column and two rows, or with an error.
catalogue::Outcome of_catalogue(const CatalogueWork& work, uint8_t choice) {
  if ((choice & 2) != 0) {
    return catalogue::Failure{rejected("42883", "no such function"), {}};
  }
  using namespace std::string_view_literals;
  catalogue::Answer answer;
  answer.parameter_types.assign(work.statement.parameter_types.size(), 23);
  answer.columns = "\0\1a\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0"sv;
  answer.rows = "D\0\0\0\x0b\0\1\0\0\0\1aD\0\0\0\x0b\0\1\0\0\0\1b"sv;
  answer.tag = "SELECT 2";
  return answer;
}

wire::v1::Result rows_of_one(uint64_t sequence) {
  wire::v1::Result result;
  result.set_sequence(sequence);
  auto& rows = *result.mutable_rows();
  const semantics::Column column{"id", {semantics::TypeKind::kInt}, true, std::nullopt};
  *rows.add_columns() = contract::from_column(column);
  const std::vector<semantics::Type> types{column.type};
  semantics::append_packed_row(types, std::vector<semantics::Value>{int64_t{7}}, *rows.mutable_rows());
  rows.set_row_count(1);
  return result;
}

WorkDone done(const Work& work, uint8_t choice) {
  if (const auto* split = std::get_if<Work::Split>(&work.what)) {
    return pieces_of(*split->text, 100);
  }
  if (const auto* describe = std::get_if<Work::Describe>(&work.what)) {
    if ((choice & 1) != 0) {
      return Result<aggregator::StatementDescription>(rejected("42601", "wrong"));
    }
    aggregator::StatementDescription description;
    description.parameters.assign(describe->declared.size(), semantics::TypeKind::kNumeric);
    description.columns.push_back({"id", {semantics::TypeKind::kInt}, true, std::nullopt});
    return Result<aggregator::StatementDescription>(std::move(description));
  }
  if (const auto* piece = std::get_if<Work::Convert>(&work.what)) {
    return convert(*piece, /*now_us=*/0);
  }
  if (std::holds_alternative<Work::Locate>(work.what)) {
    return aggregator::StatementHome{(choice & 1) != 0, std::nullopt};
  }
  if (std::holds_alternative<Work::Explain>(work.what)) {
    aggregator::Plan plan;
    plan.node = (choice & 1) != 0 ? aggregator::Plan::Node::kSweep : aggregator::Plan::Node::kInsert;
    return Result<aggregator::Plan>(std::move(plan));
  }
  aggregator::CompiledUpdate update;
  if ((choice & 1) != 0) {
    update.body.add_parts()->mutable_insert()->set_row_count(1);
  } else {
    update.body.add_parts()->mutable_modify();
  }
  return Result<aggregator::Compiled>(std::move(update));
}

void answer(Owner& owner, PgSession& session, uint8_t choice) {
  if (!owner.works.empty()) {
    const Work work = std::move(owner.works.back());
    owner.works.clear();
    session.on_work_done(work.id, done(work, choice), kStart);
    return;
  }
  if (!owner.catalogue.empty()) {
    const CatalogueWork work = std::move(owner.catalogue.back());
    owner.catalogue.clear();
    session.on_catalogue(work.id, of_catalogue(work, choice), kStart);
    return;
  }
  if (owner.operations.empty()) {
    return;
  }
  const uint64_t sequence = owner.operations.back().header().sequence();
  const wire::v1::OperationKind kind = owner.operations.back().header().kind();
  owner.operations.pop_back();
  wire::v1::Result end;
  end.set_sequence(sequence);
  if ((choice & 2) != 0) {
    end.mutable_error()->set_sqlstate((choice & 4) != 0 ? "42P01" : "57014");
  } else if (kind == wire::v1::OPERATION_KIND_SUBMIT) {
    end.mutable_confirmed()->set_timestamp(1);
  } else if (kind == wire::v1::OPERATION_KIND_HOLD) {
    end.mutable_held()->set_oldest(choice & 8);
  } else {
    session.on_result(rows_of_one(sequence), kStart);
    end.mutable_end();
  }
  session.on_result(std::move(end), kStart);
}

/// Bytes at random would seldom say these.
constexpr std::string_view kStatements[] = {"BEGIN",
                                            "BEGIN ISOLATION LEVEL REPEATABLE READ",
                                            "COMMIT",
                                            "ROLLBACK",
                                            "SAVEPOINT a",
                                            "SAVEPOINT b",
                                            "RELEASE a",
                                            "ROLLBACK TO a",
                                            "ROLLBACK TO b",
                                            "DECLARE c CURSOR FOR SELECT 1",
                                            "DECLARE d SCROLL CURSOR WITH HOLD FOR SELECT 2",
                                            "DECLARE e NO SCROLL CURSOR FOR SELECT 3; FETCH e; MOVE 1 e",
                                            "FETCH c",
                                            "FETCH ALL d",
                                            "FETCH BACKWARD ALL c",
                                            "FETCH ABSOLUTE -1 d",
                                            "MOVE BACKWARD ALL c",
                                            "FETCH 0 c",
                                            "CLOSE c",
                                            "CLOSE ALL",
                                            "PREPARE p AS SELECT 1",
                                            "PREPARE q AS INSERT INTO t VALUES (1)",
                                            "EXECUTE p",
                                            "EXECUTE p (1)",
                                            "EXECUTE q",
                                            "EXPLAIN EXECUTE q",
                                            "EXPLAIN (FORMAT JSON) SELECT 1",
                                            "DEALLOCATE ALL",
                                            "DISCARD ALL",
                                            "SHOW ALL",
                                            "SET LOCAL jit = on",
                                            "INSERT INTO t VALUES (1)",
                                            "UPDATE t SET a = 1",
                                            "SELECT 1; SELECT 2",
                                            "SET daedalus.read_at = 7",
                                            "SET statement_timeout = 1"};

/// Wraps pieces of the input in messages with right lengths, so that what is behind them is reached.
std::string as_messages(std::string_view bytes) {
  constexpr std::string_view kTypes = "QPBDECHSXFdcfp";
  std::string stream;
  while (bytes.size() >= 2) {
    stream.push_back(kTypes[static_cast<uint8_t>(bytes[0]) % kTypes.size()]);
    const std::string_view body = bytes.substr(2, static_cast<uint8_t>(bytes[1]));
    const bool is_statement = stream.back() == 'Q' && !body.empty();
    const std::string statement(is_statement ? kStatements[static_cast<uint8_t>(body[0]) % std::size(kStatements)]
                                             : "");
    append_big_endian(static_cast<uint32_t>((is_statement ? statement.size() + 1 : body.size()) + 4), stream);
    stream += is_statement ? statement + '\0' : std::string(body);
    bytes.remove_prefix(2 + body.size());
  }
  return stream;
}

std::string login() {
  using namespace std::string_view_literals;
  constexpr std::string_view fields = "user\0a\0database\0t\0\0"sv;
  std::string packet;
  append_big_endian(static_cast<uint32_t>(fields.size() + 8), packet);
  append_big_endian<uint32_t>(3u << 16, packet);
  packet += fields;
  return packet;
}

/// A client's first message of SCRAM-SHA-256.
std::string sasl_first() {
  using namespace std::string_view_literals;
  constexpr std::string_view body = "SCRAM-SHA-256\0\0\0\0\x0bn,,n=,r=abc"sv;
  std::string packet = "p";
  append_big_endian(static_cast<uint32_t>(body.size() + 4), packet);
  packet += body;
  return packet;
}

/// A COPY, of one kind or another.
std::string copy_of(uint8_t choices) {
  constexpr std::string_view kOptions[] = {"", " CSV", " BINARY", " (FORMAT csv, HEADER match, ESCAPE 'x')"};
  std::string body = (choices & 4) != 0 ? "SET daedalus.copy = batches; " : "";
  body += "COPY t FROM STDIN";
  body += kOptions[choices & 3];
  body.push_back('\0');
  std::string packet = "Q";
  append_big_endian(static_cast<uint32_t>(body.size() + 4), packet);
  return packet + body;
}

/// How far a session is when bytes of the input come.
enum class Begin : uint8_t { kNothing, kLoggedIn, kAskedForPassword, kInCopy };

void drive(std::string_view stream, size_t piece, uint8_t choices, Begin begin_at) {
  SessionOptions options;
  options.database = "t";
  options.schema = table();
  options.trusts_loopback = begin_at != Begin::kAskedForPassword;
  Owner owner;
  Descriptions descriptions;
  LoginGuard guard([] { return uint64_t{1}; });
  guard.set_users(std::make_shared<const Users>(Users{{{"a", {Role::kWriter, std::nullopt}}}, {}}));
  ConnectionLimit connection_limit(1);
  const auto kept = std::make_shared<ByteBudget>(options.kept_bytes_max);
  PgSession session({options, descriptions, guard, connection_limit, kept, owner},
                    {rpc::PeerId{1}, "127.0.0.1:1", std::nullopt}, {{1, 2}, std::string(16, 'x')}, kStart);
  if (begin_at != Begin::kNothing) {
    session.on_bytes(login(), kStart);
    session.deliver([](const char* /*event*/) { return false; });
    CHECK(owner.ups == (begin_at != Begin::kAskedForPassword ? 1 : 0));
  }
  if (begin_at == Begin::kInCopy) {
    session.on_bytes(copy_of(choices), kStart);
  }
  if (begin_at == Begin::kAskedForPassword) {
    session.on_bytes(sasl_first(), kStart);
  }
  for (size_t begin = 0; begin < stream.size(); begin += piece) {
    session.on_bytes(stream.substr(begin, piece), kStart);
    session.deliver([](const char* /*event*/) { return false; });
    answer(owner, session, static_cast<uint8_t>(choices >> (begin % 5)));
    if (begin % 7 == 0) {
      session.cancel(kStart);
    }
    session.deliver([](const char* /*event*/) { return false; });
    CHECK(session.output_waiting() < kOutputMax);
    while (session.has_output() && begin % 3 != 0) {
      session.on_written(session.take_output(kStart).size(), kStart);
    }
    if (session.ended()) {
      CHECK(owner.downs == owner.ups);
    }
  }
  session.on_lost("gone");
  session.deliver([](const char* /*event*/) { return false; });
  CHECK(session.ended().has_value() && owner.downs == owner.ups && kept->taken() == 0);
}

}  // namespace
}  // namespace daedalus::postgres

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace daedalus::postgres;
  if (size < 3) {
    return 0;
  }
  const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::string stream = (data[0] & 1) != 0 ? as_messages(rest) : std::string(rest);
  const bool is_trusted = (data[0] & 4) == 0;
  drive(stream, 1 + data[1], data[2],
        (data[0] & 2) == 0                 ? Begin::kNothing
        : is_trusted && (data[0] & 8) != 0 ? Begin::kInCopy
        : is_trusted                       ? Begin::kLoggedIn
                                           : Begin::kAskedForPassword);
  return 0;
}
