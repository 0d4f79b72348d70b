#include "lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace daedalus::aggregator::sql {

namespace {

enum CharacterClass : uint8_t { kBlank = 1, kDigit = 2, kWordStart = 4, kWord = 8, kOperator = 16 };

/// The classes of every byte: one look-up for each, because every text passes here once.
constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  const auto add = [&](std::string_view characters, int of) {
    for (const char c : characters) {
      classes[static_cast<unsigned char>(c)] |= static_cast<uint8_t>(of);
    }
  };
  add(" \t\n\r\f\v", kBlank);
  add("0123456789", kDigit | kWord);
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", kWordStart | kWord);
  add("$", kWord);
  add("~!@#^&|`?+-*/%<>=", kOperator);
  for (size_t c = 0x80; c < classes.size(); ++c) {
    classes[c] = kWordStart | kWord;
  }
  return classes;
}();

bool is(uint8_t wanted, char c) { return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0; }
bool is_blank(char c) { return is(kBlank, c); }
bool is_digit(char c) { return is(kDigit, c); }
bool is_word_start(char c) { return is(kWordStart, c); }
bool is_word(char c) { return is(kWord, c); }
bool is_operator(char c) { return is(kOperator, c); }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_any_of(const Token& token, std::initializer_list<std::string_view> keywords) {
  for (const std::string_view keyword : keywords) {
    if (is_keyword(token, keyword)) {
      return true;
    }
  }
  return false;
}

/// Follows one text and keeps an upper bound on the depth of its parse tree: the sum, over the open parentheses, of the
/// operators seen in each since the last comma, AND or OR. Those three join siblings: PostgreSQL keeps lists and chains
/// of one of AND and OR flat. What chains statements or nests without parentheses counts for the whole text.
class DepthBound {
 public:
  void on_token(const Token& token) {
    if (token.kind == TokenKind::kSymbol) {
      on_symbol(token.text[0]);
    } else if (token.kind == TokenKind::kWord) {
      on_word(token);
    }
  }

  [[nodiscard]] uint32_t depth() const { return depth_; }
  [[nodiscard]] uint32_t list_members() const { return list_members_; }

 private:
  void on_symbol(char symbol) {
    switch (symbol) {
      case '(':
      case '[':
        open_.push_back(0);
        deepen();
        break;
      case ')':
      case ']':
        if (open_.size() > 1) {
          depth_ -= open_.back();
          open_.pop_back();
        }
        break;
      case ',':
        ++list_members_;
        restart();
        break;
      case ';':
        restart();
        break;
      case '.':
        break;
      default:
        deepen();
    }
  }

  /// Most words are names: their length alone rules out all keywords but one or two.
  void on_word(const Token& word) {
    switch (word.text.size()) {
      case 2:
        return is_keyword(word, "or") ? restart() : deepen_at(word, {"at"});
      case 3:
        return is_keyword(word, "and") ? restart() : deepen_at(word, {"not"});
      case 4:
        return chain_at(word, {"case", "join"});
      case 5:
        return chain_at(word, {"union"});
      case 6:
        return chain_at(word, {"except"});
      case 7:
        return deepen_at(word, {"collate"});
      case 8:
        return deepen_at(word, {"operator"});
      case 9:
        return chain_at(word, {"intersect"});
      default:
        return;
    }
  }

  void deepen_at(const Token& word, std::initializer_list<std::string_view> keywords) {
    if (is_any_of(word, keywords)) {
      deepen();
    }
  }

  /// Counts a level at one of these keywords; it stays counted to the end of the text.
  void chain_at(const Token& word, std::initializer_list<std::string_view> keywords) {
    depth_ += is_any_of(word, keywords) ? 1 : 0;
  }

  void deepen() {
    ++depth_;
    ++open_.back();
  }

  /// A sibling begins; the parenthesis around it stays counted.
  void restart() {
    const uint32_t kept = open_.size() > 1 ? 1 : 0;
    depth_ -= open_.back() - kept;
    open_.back() = kept;
  }

  std::vector<uint32_t> open_{0};
  uint32_t depth_ = 0;
  uint32_t list_members_ = 0;
};

}  // namespace

void Lexer::skip_block_comment() {
  uint32_t open = 0;
  while (at_ < text_.size()) {
    if (at("/*", at_)) {
      count_comment_mark();
      ++open;
      at_ += 2;
    } else if (at("*/", at_)) {
      at_ += 2;
      if (--open == 0) {
        return;
      }
    } else {
      ++at_;
    }
  }
}

void Lexer::count_comment_mark() {
  run_end_ = std::max(run_end_, at_);
  while (run_end_ < text_.size() && is_operator(text_[run_end_])) {
    ++run_end_;
  }
  comment_steps_ += run_end_ - at_;
}

void Lexer::skip_blanks_and_comments() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (at("--", at_)) {
      const size_t end = text_.find_first_of("\r\n", at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (at("/*", at_)) {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void Lexer::skip_quoted(char quote, bool backslash_escapes) {
  ++at_;
  while (at_ < text_.size()) {
    if (backslash_escapes && text_[at_] == '\\') {
      at_ += 2;
    } else if (text_[at_] != quote) {
      ++at_;
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == quote) {
      at_ += 2;
    } else {
      ++at_;
      return;
    }
  }
  at_ = text_.size();
}

bool Lexer::skip_to_continuation() {
  size_t next = at_;
  bool has_newline = false;
  while (next < text_.size() && text_[next] != '\'') {
    if (at("--", next)) {
      const size_t end = text_.find_first_of("\r\n", next);
      next = end == std::string_view::npos ? text_.size() : end;
    } else if (is_blank(text_[next])) {
      has_newline |= text_[next] == '\n' || text_[next] == '\r';
      ++next;
    } else {
      return false;
    }
  }
  if (next == text_.size() || !has_newline) {
    return false;
  }
  at_ = next;
  return true;
}

void Lexer::skip_string(bool backslash_escapes) {
  do {
    skip_quoted('\'', backslash_escapes);
  } while (skip_to_continuation());
}

bool Lexer::skip_dollar_quoted() {
  size_t end = at_ + 1;
  if (end < text_.size() && is_digit(text_[end])) {
    return false;  // A parameter.
  }
  while (end < text_.size() && is_word(text_[end]) && text_[end] != '$') {
    ++end;
  }
  if (end >= text_.size() || text_[end] != '$') {
    return false;
  }
  const std::string_view tag = text_.substr(at_, end + 1 - at_);
  const size_t close = text_.find(tag, end + 1);
  at_ = close == std::string_view::npos ? text_.size() : close + tag.size();
  return true;
}

bool Lexer::skip_prefixed_string() {
  const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (after != '\'' && after != '&') {
    return false;
  }
  const char prefix = lower_letter(text_[at_]);
  if (after == '\'' && (prefix == 'e' || prefix == 'b' || prefix == 'x' || prefix == 'n')) {
    ++at_;
    skip_string(prefix == 'e');
    return true;
  }
  if (prefix == 'u' && after == '&' && at_ + 2 < text_.size() && (text_[at_ + 2] == '\'' || text_[at_ + 2] == '"')) {
    at_ += 2;
    if (text_[at_] == '\'') {
      skip_string(false);
    } else {
      skip_quoted('"', false);
    }
    return true;
  }
  return false;
}

void Lexer::skip_all(uint8_t character_class) {
  size_t end = at_;  // In a register: what the text's bytes could alias is written once.
  while (end < text_.size() && is(character_class, text_[end])) {
    ++end;
  }
  at_ = end;
}

std::optional<Token> Lexer::next() {
  skip_blanks_and_comments();
  if (at_ >= text_.size()) {
    return std::nullopt;
  }
  const size_t start = at_;
  const char first = text_[at_];
  TokenKind kind = TokenKind::kSymbol;
  if (first == '\'') {
    kind = TokenKind::kQuoted;
    skip_string(false);
  } else if (first == '"') {
    kind = TokenKind::kQuoted;
    skip_quoted('"', false);
  } else if (first == '$' && skip_dollar_quoted()) {
    kind = TokenKind::kQuoted;
  } else if (is_word_start(first) && skip_prefixed_string()) {
    kind = TokenKind::kQuoted;
  } else if (is_word_start(first)) {
    kind = TokenKind::kWord;
    skip_all(kWord);
  } else if (is_digit(first) || (first == '$' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    kind = TokenKind::kNumber;
    ++at_;
    skip_all(kDigit);
  } else {
    ++at_;
  }
  return Token{kind, static_cast<uint32_t>(start), text_.substr(start, at_ - start)};
}

bool is_keyword(const Token& token, std::string_view keyword) {
  if (token.kind != TokenKind::kWord || token.text.size() != keyword.size()) {
    return false;
  }
  for (size_t i = 0; i < keyword.size(); ++i) {
    if (lower_letter(token.text[i]) != keyword[i]) {
      return false;
    }
  }
  return true;
}

int32_t find_keyword(std::string_view text, std::string_view keyword, uint32_t start) {
  Lexer lexer(text, start);
  uint32_t open = 0;
  while (const auto token = lexer.next()) {
    if (token->kind == TokenKind::kSymbol) {
      if (token->text == "(") {
        ++open;
      } else if (token->text == ")" && open > 0) {
        --open;
      }
    } else if (open == 0 && is_keyword(*token, keyword)) {
      return static_cast<int32_t>(token->offset);
    }
  }
  return -1;
}

uint32_t first_token(std::string_view text, uint32_t start) {
  const auto token = Lexer(text, start).next();
  return token ? token->offset : static_cast<uint32_t>(text.size());
}

std::string statement_name(std::string_view text, uint32_t start) {
  Lexer lexer(text, start);
  std::string name;
  bool wants_object = false;
  while (const auto token = lexer.next()) {
    if (token->kind != TokenKind::kWord) {
      break;
    }
    if (wants_object && is_any_of(*token, {"or", "replace", "unique", "temp", "temporary", "unlogged", "global",
                                           "local", "recursive", "trusted", "constraint"})) {
      continue;
    }
    name += name.empty() ? "" : " ";
    for (const char c : token->text) {
      name += upper(c);
    }
    if (wants_object || !is_any_of(*token, {"create", "alter", "drop"})) {
      break;
    }
    wants_object = true;
  }
  return name.empty() ? "this statement" : name;
}

Result<void> check_complexity(std::string_view text, uint32_t* location_out, uint32_t depth_max) {
  Lexer lexer(text);
  DepthBound bound;
  uint64_t levels = 0;
  uint32_t tokens = 0;
  uint32_t tokens_max = kTokensMax;
  std::optional<Token> token;
  do {
    token = lexer.next();
    *location_out = token ? token->offset : static_cast<uint32_t>(text.size());
    if (lexer.comment_steps() > kCommentStepsMax) {
      return rejected("54001",
                      fmt::format("statement too complex: more than {} steps to read its comments", kCommentStepsMax),
                      "put blanks between the marks of comments");
    }
    if (!token) {
      return {};
    }
    bound.on_token(*token);
    if (bound.depth() > depth_max) {
      return rejected("54001", fmt::format("statement too complex: nested deeper than {} levels", depth_max));
    }
    levels += bound.depth();
    if (levels > kLevelsMax) {
      return rejected("54001",
                      fmt::format("statement too complex: nesting that adds up to more than {} levels", kLevelsMax),
                      "send fewer rows with each statement");
    }
    if (bound.list_members() > kListMembersMax) {
      return rejected("54001", fmt::format("statement too complex: more than {} list members", kListMembersMax),
                      "send fewer rows with each statement");
    }
    tokens_max = tokens == 0 && is_keyword(*token, "insert") ? kInsertTokensMax : tokens_max;
    if (++tokens > tokens_max) {
      return rejected("54001", fmt::format("statement too complex: more than {} words and symbols", tokens_max),
                      tokens_max == kInsertTokensMax ? "send fewer rows with each statement" : "");
    }
  } while (token);
  return {};
}

}  // namespace daedalus::aggregator::sql
