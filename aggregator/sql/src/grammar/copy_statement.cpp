#include "daedalus/aggregator/copy_statement.hpp"

#include <fmt/format.h>

#include "copy_tree.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "lexer.hpp"
#include "positions.hpp"

namespace daedalus::aggregator {

namespace {

/// The text between the parentheses that stand behind COPY. Precondition: the grammar has found a query there.
void find_query(std::string_view text, CopyStatement& copy) {
  sql::Lexer lexer(text);
  size_t begin = 0;
  int depth = 0;
  for (auto token = lexer.next(); token; token = lexer.next()) {
    if (token->kind != sql::TokenKind::kSymbol) {
      continue;
    }
    if (token->text == "(" && ++depth == 1) {
      begin = token->offset + 1;
    } else if (token->text == ")" && --depth == 0) {
      copy.query = text.substr(begin, token->offset - begin);
      copy.query_at = sql::position_at(text, begin) - 1;
      return;
    }
  }
}

}  // namespace

Result<CopyStatement> read_copy(std::string_view text) {
  if (text.size() > kCopyTextSizeMax) {
    return rejected("54000", fmt::format("a COPY is too long: at most {} bytes are allowed", kCopyTextSizeMax));
  }
  if (!semantics::is_valid_text(text)) {
    return rejected("22021", "invalid byte sequence for encoding \"UTF8\"");
  }
  uint32_t location = 0;
  if (auto checked = sql::check_complexity(text, &location); !checked) {
    Error error = checked.error();
    error.position = sql::position_at(text, location);
    return error;
  }
  auto copy = sql::read_copy_tree(std::string(text));
  if (!copy) {
    return copy.error();
  }
  for (StatementOption& option : copy->options) {
    option.position = sql::as_character(text, option.position);
  }
  if (copy->has_where) {
    copy->where_position = sql::position_at(text, static_cast<size_t>(sql::find_keyword(text, "where")));
  }
  if (copy->table.empty()) {
    find_query(text, *copy);
  }
  return copy;
}

}  // namespace daedalus::aggregator
