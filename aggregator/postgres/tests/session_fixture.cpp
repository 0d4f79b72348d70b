#include "session_fixture.hpp"

#include <fmt/format.h>

#include "byte_order.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/postgres/session_work.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::postgres::testing {

namespace {

/// The text of a field of an ErrorResponse.
std::string field_of_error(std::string_view body, char wanted) {
  while (!body.empty() && body[0] != '\0') {
    const size_t end = body.find('\0');
    if (body[0] == wanted) {
      return std::string(body.substr(1, end - 1));
    }
    body.remove_prefix(end + 1);
  }
  return {};
}

std::string fields_of_description(std::string_view body) {
  std::string shown;
  for (auto left = read_big_endian<uint16_t>(body.substr(0, 2)); left > 0; --left) {
    if (shown.empty()) {
      body.remove_prefix(2);
    }
    const size_t end = body.find('\0');
    shown += fmt::format(" {}:{}", body.substr(0, end), read_big_endian<uint32_t>(body.substr(end + 7)));
    body.remove_prefix(end + 19);
  }
  return shown;
}

std::string values_of_row(std::string_view body) {
  std::string shown;
  auto left = read_big_endian<uint16_t>(body.substr(0, 2));
  body.remove_prefix(2);
  for (; left > 0; --left) {
    const auto size = read_big_endian<int32_t>(body);
    body.remove_prefix(4);
    shown += size < 0 ? std::string(" null") : " " + std::string(body.substr(0, static_cast<size_t>(size)));
    body.remove_prefix(size < 0 ? 0 : static_cast<size_t>(size));
  }
  return shown;
}

std::string shown(char type, std::string_view body) {
  switch (type) {
    case 'd':
      return fmt::format("d {}", body);
    case 'T':
      return "T" + fields_of_description(body);
    case 'D':
      return "D" + values_of_row(body);
    case 'C':
      return fmt::format("C {}", body.substr(0, body.size() - 1));
    case 'Z':
      return fmt::format("Z {}", body);
    case 'E':
    case 'N': {
      const std::string position = field_of_error(body, 'P');
      const std::string context = field_of_error(body, 'W');
      return fmt::format("{} {} {}{}{}", type, field_of_error(body, 'C'), field_of_error(body, 'M'),
                         position.empty() ? "" : " @" + position, context.empty() ? "" : " in " + context);
    }
    case 'S': {
      const size_t end = body.find('\0');
      return fmt::format("S {}={}", body.substr(0, end), body.substr(end + 1, body.size() - end - 2));
    }
    case 'R': {
      const auto kind = read_big_endian<uint32_t>(body);
      return kind == 0 ? std::string("R") : fmt::format("R{} {}", kind, body.substr(4));
    }
    case 't': {
      std::string types = "t";
      for (size_t at = 2; at < body.size(); at += 4) {
        types += fmt::format(" {}", read_big_endian<uint32_t>(body.substr(at)));
      }
      return types;
    }
    default:
      return std::string(1, type);
  }
}

semantics::Column int_column() { return {"id", {semantics::TypeKind::kInt}, true, std::nullopt}; }

}  // namespace

std::string number16(uint16_t number) {
  std::string bytes;
  append_big_endian(number, bytes);
  return bytes;
}

std::string number32(uint32_t number) {
  std::string bytes;
  append_big_endian(number, bytes);
  return bytes;
}

std::string text(const std::string& text) { return text + '\0'; }

std::string message(char type, const std::string& body) {
  return type + number32(static_cast<uint32_t>(body.size() + 4)) + body;
}

std::string query(const std::string& sql) { return message('Q', text(sql)); }

std::string parse(const std::string& name, const std::string& sql, const std::vector<uint32_t>& types) {
  std::string body = text(name) + text(sql) + number16(static_cast<uint16_t>(types.size()));
  for (const uint32_t type : types) {
    body += number32(type);
  }
  return message('P', body);
}

std::string bind(const std::string& portal, const std::string& statement, const std::vector<std::string>& parameters,
                 const std::vector<uint16_t>& formats) {
  std::string body = text(portal) + text(statement) + number16(static_cast<uint16_t>(formats.size()));
  for (const uint16_t format : formats) {
    body += number16(format);
  }
  body += number16(static_cast<uint16_t>(parameters.size()));
  for (const std::string& parameter : parameters) {
    body += number32(static_cast<uint32_t>(parameter.size())) + parameter;
  }
  return message('B', body + number16(0));
}

std::string execute(const std::string& portal, uint32_t rows_max) {
  return message('E', text(portal) + number32(rows_max));
}

std::string sync() { return message('S', ""); }

std::function<uint64_t()> counting_random() {
  return [next = uint64_t{0}]() mutable { return ++next; };
}

std::string startup(const std::string& database, const std::string& user) {
  const std::string body = number32(3u << 16) + text("user") + text(user) + text("database") + text(database) + '\0';
  return number32(static_cast<uint32_t>(body.size() + 4)) + body;
}

std::shared_ptr<const semantics::Schema> tickets() {
  semantics::Schema schema;
  schema.table_name = "tickets";
  schema.columns = {{"id", {semantics::TypeKind::kInt}, false, std::nullopt},
                    {"day", {semantics::TypeKind::kDate}, true, std::nullopt},
                    {"name", {semantics::TypeKind::kVarchar, 0, 0, 20}, true, semantics::Value(std::string("none"))}};
  return std::make_shared<const semantics::Schema>(std::move(schema));
}

SessionTest::SessionTest() {
  options_.database = "tickets";
  options_.map_version = 1;
  options_.schema = tickets();
  options_.trusts_loopback = true;
}

void SessionTest::connect(const std::string& address) {
  session_ =
      std::make_shared<PgSession>(PgSession::Shared{options_, descriptions_, guard_, connection_limit_, kept_, *this},
                                  rpc::ConnectionInfo{rpc::PeerId{7}, address, std::nullopt},
                                  SessionIdentity{{42, 4711}, std::string(16, 'c')}, now_);
}

void SessionTest::log_in() {
  connect();
  send(startup());
  static_cast<void>(taken());
}

void SessionTest::send(const std::string& bytes) {
  session_->on_bytes(bytes, now_);
  deliver();
}

void SessionTest::deliver() {
  const auto all = [](const char* /*event*/) { return false; };
  session_->deliver(all);
  for (const uint64_t work : std::exchange(locates_, {})) {
    session_->on_work_done(work, home_, now_);
    session_->deliver(all);
  }
}

std::string SessionTest::taken() {
  std::string bytes;
  while (session_->has_output()) {
    const std::string piece = session_->take_output(now_);
    session_->on_written(piece.size(), now_);
    deliver();
    bytes += piece;
  }
  return bytes;
}

std::string SessionTest::said() {
  const std::string bytes = taken();
  std::string_view rest = bytes;
  std::string lines;
  while (rest.size() >= 5) {
    const auto length = read_big_endian<uint32_t>(rest.substr(1));
    lines += (lines.empty() ? "" : "|") + shown(rest[0], rest.substr(5, length - 4));
    rest.remove_prefix(length + 1);
  }
  EXPECT_TRUE(rest.empty()) << "cut short behind " << lines;
  return lines;
}

void SessionTest::answer(wire::v1::Result result) {
  const wire::v1::Operation& operation = answered_ ? operations_.at(*answered_) : operations_.back();
  result.set_sequence(operation.header().sequence());
  session_->on_result(std::move(result), now_);
  deliver();
}

namespace {

semantics::MergedRows packed(const std::vector<int64_t>& values) {
  semantics::MergedRows made{{}, values.size()};
  const std::vector<semantics::Type> types{int_column().type};
  for (const int64_t value : values) {
    semantics::append_packed_row(types, std::vector<semantics::Value>{value}, made.rows);
  }
  return made;
}

}  // namespace

void SessionTest::answer_rows(const std::vector<int64_t>& values, bool ends) {
  wire::v1::Result result;
  auto& rows = *result.mutable_rows();
  if (!std::exchange(rows_began_, true)) {
    *rows.add_columns() = contract::from_column(int_column());
  }
  rows.set_rows(packed(values).rows);
  rows.set_row_count(static_cast<uint32_t>(values.size()));
  answer(std::move(result));
  if (ends) {
    answer_end();
  }
}

void SessionTest::answer_of(size_t operation, const std::vector<int64_t>& values, bool ends) {
  wire::v1::Result result;
  result.set_sequence(operations_[operation].header().sequence());
  *result.mutable_rows()->add_columns() = contract::from_column(int_column());
  result.mutable_rows()->set_rows(packed(values).rows);
  result.mutable_rows()->set_row_count(static_cast<uint32_t>(values.size()));
  result.mutable_rows()->set_moment(moment_);
  session_->on_result(std::move(result), now_);
  if (ends) {
    wire::v1::Result end;
    end.set_sequence(operations_[operation].header().sequence());
    end.mutable_end()->set_moment(moment_);
    session_->on_result(std::move(end), now_);
  }
  deliver();
}

void SessionTest::answer_end() {
  rows_began_ = false;
  wire::v1::Result result;
  result.mutable_end()->set_moment(moment_);
  answer(std::move(result));
}

void SessionTest::answer_error(const std::string& sqlstate, const std::string& message, uint32_t position) {
  rows_began_ = false;
  wire::v1::Result result;
  result.mutable_error()->set_category(wire::v1::ERROR_CATEGORY_REJECTED);
  result.mutable_error()->set_sqlstate(sqlstate);
  result.mutable_error()->set_message(message);
  result.mutable_error()->set_position(position);
  answer(std::move(result));
}

void SessionTest::answer_held(uint64_t moment, const std::vector<uint64_t>& refused) {
  wire::v1::Result result;
  result.mutable_held()->set_oldest(moment);
  result.mutable_held()->mutable_refused()->Add(refused.begin(), refused.end());
  answer(std::move(result));
}

void SessionTest::answer_confirmed(uint64_t rows_applied) {
  wire::v1::Result result;
  result.mutable_confirmed()->set_timestamp(confirmed_at_);
  result.mutable_confirmed()->add_outcomes()->set_rows_applied(rows_applied);
  answer(std::move(result));
}

void SessionTest::done(WorkDone done) {
  session_->on_work_done(works_.back().id, std::move(done), now_);
  deliver();
}

void SessionTest::described(std::vector<aggregator::ParameterKind> parameters, bool has_columns) {
  aggregator::StatementDescription description{std::move(parameters), {}};
  if (has_columns) {
    description.columns.push_back(int_column());
  }
  done(Result<aggregator::StatementDescription>(std::move(description)));
}

void SessionTest::compiled_insert(uint32_t rows) {
  aggregator::CompiledUpdate update;
  auto& insert = *update.body.add_parts()->mutable_insert();
  insert.set_rows(std::string(rows, 'r'));
  insert.set_row_count(rows);
  done(Result<aggregator::Compiled>(std::move(update)));
}

void SessionTest::compiled_returning(const std::vector<int64_t>& values) {
  aggregator::CompiledUpdate update;
  update.body.add_parts()->mutable_insert()->set_row_count(static_cast<uint32_t>(values.size()));
  aggregator::Returning returning;
  returning.columns = std::make_shared<const std::vector<semantics::Column>>(1, int_column());
  returning.rows = packed(values);
  update.returning = std::move(returning);
  done(Result<aggregator::Compiled>(std::move(update)));
}

void SessionTest::compiled_update() {
  aggregator::CompiledUpdate update;
  update.body.add_parts()->mutable_modify();
  done(Result<aggregator::Compiled>(std::move(update)));
}

void SessionTest::converted() { done(convert(std::get<Work::Convert>(works_.back().what), /*now_us=*/0)); }

wire::v1::UpdateBody SessionTest::submitted() {
  wire::v1::SubmitBody body;
  EXPECT_TRUE(body.ParseFromString(operations_.back().body()));
  return body.update();
}

void SessionTest::answer_catalogue(catalogue::Outcome outcome) {
  session_->on_catalogue(catalogue_.back().id, std::move(outcome), now_);
  deliver();
}

std::vector<uint64_t> SessionTest::held() {
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_HOLD);
  wire::v1::HoldBody body;
  EXPECT_TRUE(body.ParseFromString(operations_.back().body()));
  return {body.moments().begin(), body.moments().end()};
}

std::string SessionTest::asked_sql() {
  wire::v1::StatementBody body;
  EXPECT_TRUE(body.ParseFromString(operations_.back().body()));
  return body.sql();
}

void SessionTest::on_session_up(rpc::PeerId /*session*/, const rpc::PeerInfo& info) {
  ups_.push_back(info.hello.name());
}
void SessionTest::on_session_down(rpc::PeerId /*session*/, const std::string& reason) { downs_.push_back(reason); }
void SessionTest::on_session_operation(rpc::PeerId /*session*/, wire::v1::Operation&& operation) {
  const bool is_definition = operation.header().kind() == wire::v1::OPERATION_KIND_DEFINE;
  (is_definition ? definitions_ : operations_).push_back(std::move(operation));
}
void SessionTest::on_session_work(rpc::PeerId /*session*/, Work&& work) {
  if (std::holds_alternative<Work::Locate>(work.what)) {
    locates_.push_back(work.id);
  } else {
    works_.push_back(std::move(work));
  }
}
void SessionTest::on_session_catalogue(rpc::PeerId /*session*/, CatalogueWork&& work) {
  catalogue_.push_back(std::move(work));
}
void SessionTest::on_session_catalogue_abandoned(rpc::PeerId /*session*/) { ++abandoned_; }
void SessionTest::on_cancel_request(const CancelKey& key) { cancels_.push_back(key); }

}  // namespace daedalus::postgres::testing
