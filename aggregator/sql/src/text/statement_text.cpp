#include "daedalus/aggregator/statement_text.hpp"

#include "lexer.hpp"

namespace daedalus::aggregator {

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

}  // namespace daedalus::aggregator
