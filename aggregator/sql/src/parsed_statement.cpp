#include "parsed_statement.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <pg_query.h>

#include <algorithm>

#include "daedalus/aggregator/compile.hpp"
#include "lexer.hpp"
#include "suggestion.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// Messages within messages: several for each level of an expression, so well beyond kTreeDepthMax.
constexpr int kMessageDepthMax = 10 * static_cast<int>(kTreeDepthMax);

/// SQLSTATE of a parser's error, which libpg_query does not pass on: nearly all are syntax errors.
const char* sqlstate_of(std::string_view message) {
  if (message.find("memory exhausted") != std::string_view::npos ||
      message.find("stack depth") != std::string_view::npos) {
    return "54001";
  }
  if (message.find("invalid byte sequence") != std::string_view::npos) {
    return "22021";
  }
  if (message.find("invalid Unicode escape") != std::string_view::npos ||
      message.find("invalid escape") != std::string_view::npos) {
    return "22025";
  }
  return message.find("not yet implemented") != std::string_view::npos ? "0A000" : "42601";
}

/// Frees libpg_query's result however its reader is left.
struct RawParse {
  explicit RawParse(const char* text) : result(pg_query_parse_protobuf(text)) {}
  ~RawParse() { pg_query_free_protobuf_parse_result(result); }
  RawParse(const RawParse&) = delete;
  RawParse& operator=(const RawParse&) = delete;

  PgQueryProtobufParseResult result;
};

}  // namespace

uint32_t ParsedStatement::position(int32_t location) const {
  if (location < 0) {
    return 0;
  }
  const auto end =
      text_.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(text_.size(), static_cast<size_t>(location)));
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return 1 + static_cast<uint32_t>(std::count_if(text_.begin(), end, starts_character));
}

Error ParsedStatement::error(std::string sqlstate, std::string message, int32_t location, std::string hint) const {
  Error error = rejected(std::move(sqlstate), std::move(message), std::move(hint));
  error.position = position(location);
  return error;
}

Result<void> ParsedStatement::check_size() const {
  const auto first = Lexer(text_).next();
  const bool is_insert = first && is_keyword(*first, "insert");
  const size_t size_max = is_insert ? kInsertTextSizeMax : kStatementTextSizeMax;
  if (text_.size() > size_max) {
    return error("54000", fmt::format("statement too long: at most {} bytes are allowed", size_max), -1,
                 is_insert ? "send fewer rows with each INSERT" : "");
  }
  if (const size_t zero = text_.find('\0'); zero != std::string::npos) {
    return error("22021", "invalid byte sequence for encoding \"UTF8\": 0x00", static_cast<int32_t>(zero));
  }
  return {};
}

Result<void> ParsedStatement::read_tree(std::string_view encoded) {
  auto* root = google::protobuf::Arena::CreateMessage<grammar::ParseResult>(&arena_);
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(encoded.data()),
                                                static_cast<int>(encoded.size()));
  stream.SetRecursionLimit(kMessageDepthMax);
  const google::protobuf::LogSilencer quiet;  // A user's wrong text is answered, not logged.
  if (!root->ParseFromCodedStream(&stream)) {
    // The depth was bounded before; what remains is a string that is not UTF-8.
    return error("22021", "invalid byte sequence for encoding \"UTF8\"", -1);
  }
  root_ = root;
  if (root->statements_size() == 0) {
    return error("42601", "empty statement", -1);
  }
  if (root->statements_size() > 1) {
    const auto second = first_token(text_, static_cast<uint32_t>(root->statements(1).location()));
    return error("42601", "cannot run multiple statements: one statement at a time", static_cast<int32_t>(second),
                 "send each statement on its own");
  }
  location_ = static_cast<int32_t>(first_token(text_, static_cast<uint32_t>(root->statements(0).location())));
  return {};
}

Result<std::shared_ptr<const ParsedStatement>> ParsedStatement::parse(std::string_view text) {
  // The size is looked at before the text is copied; a text beyond every bound is never held twice.
  const std::shared_ptr<ParsedStatement> statement(new ParsedStatement(text.substr(0, kInsertTextSizeMax + 1)));
  if (auto checked = statement->check_size(); checked.has_error()) {
    return checked.error();
  }
  uint32_t location = 0;
  if (auto checked = check_complexity(statement->text_, &location); checked.has_error()) {
    Error error = checked.error();
    error.position = statement->position(static_cast<int32_t>(location));
    return error;
  }
  const RawParse raw(statement->text_.c_str());
  if (raw.result.error != nullptr) {
    Error error = rejected(sqlstate_of(raw.result.error->message), raw.result.error->message,
                           suggest_statement(statement->text_));
    error.position = static_cast<uint32_t>(std::max(0, raw.result.error->cursorpos));
    return error;
  }
  if (auto read = statement->read_tree({raw.result.parse_tree.data, raw.result.parse_tree.len}); read.has_error()) {
    return read.error();
  }
  return std::shared_ptr<const ParsedStatement>(statement);
}

}  // namespace daedalus::aggregator::sql
