#include "daedalus/aggregator/copy_statement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "copy_tree.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "lexer.hpp"

namespace daedalus::aggregator {

namespace {

uint32_t characters_before(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte);
  return static_cast<uint32_t>(std::count_if(before.begin(), before.end(),
                                             [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// From a byte's number, counted from 1, to its character's; 0 stays 0.
uint32_t as_character(std::string_view text, uint32_t byte) {
  return byte == 0 ? 0 : characters_before(text, byte - 1) + 1;
}

/// The text between the parentheses that stand behind COPY. Precondition: the grammar has found a query there.
void find_query(std::string_view sql, CopyStatement& copy) {
  sql::Lexer lexer(sql);
  size_t begin = 0;
  int depth = 0;
  for (auto token = lexer.next(); token; token = lexer.next()) {
    if (token->kind != sql::TokenKind::kSymbol) {
      continue;
    }
    if (token->text == "(" && ++depth == 1) {
      begin = token->offset + 1;
    } else if (token->text == ")" && --depth == 0) {
      copy.query = sql.substr(begin, token->offset - begin);
      copy.query_at = characters_before(sql, begin);
      return;
    }
  }
}

}  // namespace

Result<CopyStatement> read_copy(std::string_view sql) {
  if (sql.size() > kCopyTextSizeMax) {
    return rejected("54000", fmt::format("a COPY is too long: at most {} bytes are allowed", kCopyTextSizeMax));
  }
  if (!semantics::is_valid_text(sql)) {
    return rejected("22021", "invalid byte sequence for encoding \"UTF8\"");
  }
  uint32_t location = 0;
  if (auto checked = sql::check_complexity(sql, &location); !checked) {
    Error error = checked.error();
    error.position = characters_before(sql, location) + 1;
    return error;
  }
  auto copy = sql::read_copy_tree(std::string(sql));
  if (!copy) {
    return copy.error();
  }
  for (CopyOption& option : copy->options) {
    option.position = as_character(sql, option.position);
  }
  if (copy->has_where) {
    copy->where_position = characters_before(sql, static_cast<size_t>(sql::find_keyword(sql, "where"))) + 1;
  }
  if (copy->table.empty()) {
    find_query(sql, *copy);
  }
  return copy;
}

}  // namespace daedalus::aggregator
