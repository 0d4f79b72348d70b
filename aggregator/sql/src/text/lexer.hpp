// The tokens of a SQL text, just well enough to look before PostgreSQL's grammar leaps.
//
// Decides where strings, quoted names and comments begin and end, exactly as PostgreSQL's scanner does (with
// standard_conforming_strings on). Refuses to know any grammar. It serves three purposes: to bound how deep a parse
// tree can become before it is built (parser, reader and compiler walk trees recursively and without a check of their
// stack), to find the place of clauses for which the parse tree keeps none, and to name statements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator::sql {

/// A letter of ASCII in lower case, any other byte as it is.
[[nodiscard]] constexpr char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

enum class TokenKind : uint8_t {
  kWord,    ///< Keyword or unquoted name.
  kQuoted,  ///< String or quoted name, unterminated ones included (they reach to the end of the text).
  kNumber,
  kSymbol,  ///< One byte of punctuation or of an operator.
};

struct Token {
  TokenKind kind = TokenKind::kSymbol;
  uint32_t offset = 0;  ///< Bytes from the start of the text.
  std::string_view text;
};

/// Reads tokens one after the other; never fails; one pass, no allocation.
class Lexer {
 public:
  explicit Lexer(std::string_view text, uint32_t start = 0) : text_(text), at_(start) {}

  /// The next token, or nothing at the end.
  [[nodiscard]] std::optional<Token> next();

  /// Characters that PostgreSQL's scanner has looked at for comment marks so far: with each mark it takes the whole run
  /// of operator characters that begins there, and puts it back. Without blanks between them marks therefore cost the
  /// square of their number, be they nested or one after the other.
  [[nodiscard]] uint64_t comment_steps() const { return comment_steps_; }

 private:
  /// Returns whether a mark of two characters stands at this byte.
  [[nodiscard]] bool at(std::string_view mark, size_t byte) const {
    return byte + 1 < text_.size() && text_[byte] == mark[0] && text_[byte + 1] == mark[1];
  }
  void skip_all(uint8_t character_class);
  void skip_blanks_and_comments();
  void skip_block_comment();
  void count_comment_mark();
  void skip_quoted(char quote, bool backslash_escapes);
  /// A string goes on in the same way after blanks and comments to the end of the line, if a newline is among them.
  [[nodiscard]] bool skip_to_continuation();
  void skip_string(bool backslash_escapes);
  [[nodiscard]] bool skip_dollar_quoted();
  [[nodiscard]] bool skip_prefixed_string();

  std::string_view text_;
  size_t at_ = 0;
  size_t run_end_ = 0;  ///< The end of the run of operator characters that the last comment mark was in.
  uint64_t comment_steps_ = 0;
};

/// Returns whether a word token is this keyword (given in lower case).
[[nodiscard]] bool is_keyword(const Token& token, std::string_view keyword);

/// Byte offset of the first token outside parentheses that is this keyword (lower case), at or after `start`; −1: none.
[[nodiscard]] int32_t find_keyword(std::string_view text, std::string_view keyword, uint32_t start = 0);

/// Byte offset of the first token at or after `start`; the end of the text when there is none.
[[nodiscard]] uint32_t first_token(std::string_view text, uint32_t start);

/// The statement's name as users know it: its first keyword in upper case, with what it is about for CREATE, ALTER
/// and DROP ("CREATE TABLE").
[[nodiscard]] std::string statement_name(std::string_view text, uint32_t start);

/// Deepest nesting of a parse tree that is built at all. Above what a predicate may have (kExpressionDepthMax), because
/// parentheses count here that leave no trace in the tree; far below what overflows a thread's stack (about 30,000
/// levels in 8 MiB).
constexpr uint32_t kTreeDepthMax = 256;
/// Most list members (commas) of one statement: bounds the memory of its parse tree to some hundred MiB.
constexpr uint32_t kListMembersMax = 1u << 19;
/// Most tokens of an INSERT and of any other statement: the grammar and what comes after take up to 2 µs for each.
/// Nothing but an INSERT's values needs so many: a list of kLiteralsMax values has half of kTokensMax.
constexpr uint32_t kInsertTokensMax = 1u << 21;
constexpr uint32_t kTokensMax = 1u << 16;
/// Most levels that the tokens of one statement are below the top, added up: constants are folded anew on each level
/// above them. Some 50 ns each.
constexpr uint64_t kLevelsMax = 1u << 25;
/// Most comment_steps() of one statement, 4 ns each: some 4,000 comment marks without a blank.
constexpr uint64_t kCommentStepsMax = 1u << 24;

/// Refuses texts that would take the grammar too long, or whose parse tree could become too deep or too large: an upper
/// bound on the depth is taken from parentheses and operators. `location_out` is the byte at which the bound was
/// passed. Errors: 54001. Cost: one pass.
[[nodiscard]] Result<void> check_complexity(std::string_view text, uint32_t* location_out,
                                            uint32_t depth_max = kTreeDepthMax);

}  // namespace daedalus::aggregator::sql
