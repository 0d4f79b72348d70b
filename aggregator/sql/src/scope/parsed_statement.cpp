#include "parsed_statement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "lexer.hpp"
#include "positions.hpp"
#include "postgres_tree.hpp"
#include "suggestion.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// First piece of the arena, by the bytes of the text: trees take 9 to 25 times as much, a list of nothing but signs
/// and numbers 56 times.
constexpr size_t kArenaBytesPerByte = 10;
constexpr size_t kArenaBytesMin = 1024;

}  // namespace

ParsedStatement::ParsedStatement(std::string_view text)
    : text_(text), arena_(std::max(kArenaBytesMin, kArenaBytesPerByte * text.size())) {}

uint32_t ParsedStatement::position(int32_t location) const {
  return location < 0 ? 0 : position_at(text_, static_cast<size_t>(location));
}

Error ParsedStatement::error(std::string sqlstate, std::string message, int32_t location, std::string hint) const {
  Error error = rejected(std::move(sqlstate), std::move(message), std::move(hint));
  error.position = position(location);
  return error;
}

Result<void> ParsedStatement::check_text() const {
  if (text_.size() > kStatementTextSizeMax) {
    const auto first = Lexer(text_).next();
    const bool is_insert = first && is_keyword(*first, "insert");
    const size_t size_max = is_insert ? kInsertTextSizeMax : kStatementTextSizeMax;
    if (text_.size() > size_max) {
      return error("54000", fmt::format("statement too long: at most {} bytes are allowed", size_max), -1,
                   is_insert ? "send fewer rows with each INSERT" : "");
    }
  }
  if (semantics::is_valid_text(text_)) {
    return {};
  }
  if (const size_t zero = text_.find('\0'); zero != std::string::npos) {
    return error("22021", "invalid byte sequence for encoding \"UTF8\": 0x00", static_cast<int32_t>(zero));
  }
  return error("22021", "invalid byte sequence for encoding \"UTF8\"", -1);
}

Result<void> ParsedStatement::read_tree() {
  auto tree = parse_as_postgres(text_, &arena_);
  if (!tree) {
    Error error = tree.error();
    error.hint = suggest_statement(text_);
    return error;
  }
  if (tree->statement_count == 0) {
    return error("42601", "empty statement", -1);
  }
  if (tree->statement_count > 1) {
    const uint32_t second = first_token(text_, static_cast<uint32_t>(tree->second_location));
    return error("42601", "cannot run multiple statements: one statement at a time", static_cast<int32_t>(second),
                 "send each statement on its own");
  }
  root_ = tree->first;
  location_ = static_cast<int32_t>(first_token(text_, static_cast<uint32_t>(tree->first_location)));
  return {};
}

Result<std::shared_ptr<const ParsedStatement>> ParsedStatement::parse(std::string_view text) {
  // The size is looked at before the text is copied; a text beyond every bound is never held twice.
  const std::shared_ptr<ParsedStatement> statement(new ParsedStatement(text.substr(0, kInsertTextSizeMax + 1)));
  if (auto checked = statement->check_text(); !checked) {
    return checked.error();
  }
  uint32_t location = 0;
  if (auto checked = check_complexity(statement->text_, &location); !checked) {
    Error error = checked.error();
    error.position = statement->position(static_cast<int32_t>(location));
    return error;
  }
  if (auto read = statement->read_tree(); !read) {
    return read.error();
  }
  return std::shared_ptr<const ParsedStatement>(statement);
}

}  // namespace daedalus::aggregator::sql
