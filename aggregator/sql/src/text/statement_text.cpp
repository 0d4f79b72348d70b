#include "daedalus/aggregator/statement_text.hpp"

#include "lexer.hpp"

namespace daedalus::aggregator {

namespace {

/// Returns the value of a string between dollars.
std::string between_dollars(std::string_view token) {
  const size_t tag = token.find('$', 1) + 1;
  return std::string(token.size() < 2 * tag ? token.substr(tag) : token.substr(tag, token.size() - 2 * tag));
}

/// Returns the value of a string in quotes; what stands between its pieces is dropped, as is a prefix.
std::string between_quotes(std::string_view token) {
  const bool has_escapes = token[0] == 'e' || token[0] == 'E';
  std::string value;
  bool is_inside = false;
  for (size_t at = 0; at < token.size(); ++at) {
    const char c = token[at];
    if (c == '\'') {
      const bool is_doubled = is_inside && at + 1 < token.size() && token[at + 1] == c;
      at += is_doubled ? 1 : 0;
      is_inside = is_doubled || !is_inside;
      value.append(is_doubled ? 1 : 0, c);
    } else if (is_inside) {
      at += has_escapes && c == '\\' && at + 1 < token.size() ? 1 : 0;
      value.push_back(token[at]);
    }
  }
  return value;
}

}  // namespace

std::vector<StatementText> split_statements(std::string_view text, size_t count_max) {
  std::vector<StatementText> statements;
  sql::Lexer lexer(text);
  uint32_t start = 0;
  bool has_token = false;
  const auto end_statement = [&](uint32_t end) {
    if (has_token) {
      statements.push_back({start, text.substr(start, end - start)});
    }
    start = end + 1;
    has_token = false;
  };
  for (auto token = lexer.next(); token && statements.size() <= count_max; token = lexer.next()) {
    if (token->kind == sql::TokenKind::kSymbol && token->text == ";") {
      end_statement(token->offset);
    } else {
      has_token = true;
    }
  }
  if (statements.size() <= count_max) {
    end_statement(static_cast<uint32_t>(text.size()));
  }
  return statements;
}

std::vector<std::string> string_values(std::string_view sql) {
  std::vector<std::string> values;
  sql::Lexer lexer(sql);
  for (auto token = lexer.next(); token; token = lexer.next()) {
    if (token->kind == sql::TokenKind::kQuoted && token->text[0] == '$') {
      values.push_back(between_dollars(token->text));
    } else if (token->kind == sql::TokenKind::kQuoted && token->text[0] != '"') {
      values.push_back(between_quotes(token->text));
    }
  }
  return values;
}

}  // namespace daedalus::aggregator
