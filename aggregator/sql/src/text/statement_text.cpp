#include "daedalus/aggregator/statement_text.hpp"

#include <algorithm>

#include "lexer.hpp"

namespace daedalus::aggregator {

namespace {

StatementWord::Kind kind_of(sql::TokenKind kind) {
  switch (kind) {
    case sql::TokenKind::kWord:
      return StatementWord::Kind::kWord;
    case sql::TokenKind::kQuoted:
      return StatementWord::Kind::kQuoted;
    case sql::TokenKind::kNumber:
      return StatementWord::Kind::kNumber;
    case sql::TokenKind::kSymbol:
      break;
  }
  return StatementWord::Kind::kSymbol;
}

/// With its decimal places, which the lexer takes for tokens of their own.
std::string_view whole_number(std::string_view statement, size_t at, size_t size) {
  const auto is_digit = [&](size_t index) {
    return index < statement.size() && statement[index] >= '0' && statement[index] <= '9';
  };
  if (at + size < statement.size() && statement[at + size] == '.' && is_digit(at + size + 1)) {
    for (++size; is_digit(at + size); ++size) {
    }
  }
  return statement.substr(at, size);
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

std::vector<StatementWord> first_words(std::string_view statement, size_t count_max) {
  std::vector<StatementWord> words;
  sql::Lexer lexer(statement);
  while (words.size() < count_max) {
    const auto token = lexer.next();
    if (!token) {
      break;
    }
    if (!words.empty() && token->text.data() < words.back().text.data() + words.back().text.size()) {
      continue;  // Its decimal places.
    }
    words.push_back({kind_of(token->kind), token->text});
    if (token->kind == sql::TokenKind::kNumber) {
      words.back().text = whole_number(statement, token->offset, token->text.size());
    }
  }
  return words;
}

bool is_word(const StatementWord& word, std::string_view keyword) {
  return word.kind == StatementWord::Kind::kWord && sql::is_keyword({sql::TokenKind::kWord, 0, word.text}, keyword);
}

std::string unquoted(const StatementWord& word) {
  std::string text(word.text);
  if (word.kind != StatementWord::Kind::kQuoted || text.size() < 2 || (text[0] != '\'' && text[0] != '"')) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
  }
  std::string plain;
  for (size_t at = 1; at + 1 < text.size(); ++at) {
    plain.push_back(text[at]);
    at += text[at] == text[0] ? 1 : 0;
  }
  return plain;
}

}  // namespace daedalus::aggregator
