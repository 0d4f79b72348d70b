// The tokens of one command, read from the front, and what is said of commands that are none.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "daedalus/aggregator/statement_text.hpp"

namespace daedalus::postgres {

/// No command that a session answers itself has more tokens; longer ones are queries, or refused.
constexpr size_t kWordsMax = 64;

class Words {
 public:
  explicit Words(std::string_view statement, size_t count_max = kWordsMax)
      : statement_(statement), count_max_(count_max), words_(aggregator::first_words(statement, count_max)) {}

  [[nodiscard]] bool is_at_end() const { return at_ >= words_.size(); }
  [[nodiscard]] bool is_cut() const { return words_.size() == count_max_; }
  /// How many are left.
  [[nodiscard]] size_t left() const { return words_.size() - at_; }
  [[nodiscard]] bool is(std::string_view keyword) const {
    return !is_at_end() && aggregator::is_word(words_[at_], keyword);
  }
  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return !is_at_end() && word().kind == Kind::kSymbol && word().text == symbol;
  }
  [[nodiscard]] bool is_name() const {
    return !is_at_end() && (word().kind == Kind::kWord || (word().kind == Kind::kQuoted && word().text[0] == '"'));
  }
  [[nodiscard]] bool is_string() const {
    return !is_at_end() && word().kind == Kind::kQuoted && word().text[0] == '\'';
  }
  [[nodiscard]] const aggregator::StatementWord& word() const { return words_[at_]; }
  /// Where the next one begins in the statement; its size at the end.
  [[nodiscard]] uint32_t offset() const {
    return static_cast<uint32_t>(is_at_end() ? statement_.size() : word().text.data() - statement_.data());
  }
  bool take(std::string_view keyword) { return is(keyword) && (++at_, true); }
  bool take_symbol(std::string_view symbol) { return is_symbol(symbol) && (++at_, true); }
  std::string take_text() { return aggregator::unquoted(words_[at_++]); }
  void skip() { ++at_; }
  /// The name of something that a session keeps, as long as PostgreSQL's names are. Precondition: is_name().
  std::string take_name();
  /// An integer of 32 bits with its sign; nothing, and nothing is taken, when there is none.
  std::optional<int64_t> take_integer();
  /// The rest, as a list of values is shown.
  std::string rest();

 private:
  using Kind = aggregator::StatementWord::Kind;

  std::string_view statement_;
  size_t count_max_;
  std::vector<aggregator::StatementWord> words_;
  size_t at_ = 0;
};

/// Says whether a statement that gives rows begins with the next token.
[[nodiscard]] bool begins_query(const Words& words);

[[nodiscard]] RefusedCommand refuse(std::string_view name, std::string hint = {});
/// At the next token.
[[nodiscard]] RefusedCommand syntax_error(const Words& words);

/// Commands about cursors: DECLARE, FETCH and MOVE, CLOSE, behind that word.
[[nodiscard]] Command declare_command(Words& words);
[[nodiscard]] Command fetch_command(Words& words, bool is_move);
[[nodiscard]] Command close_command(Words& words);

/// EXPLAIN with the statement that it is about.
[[nodiscard]] Command explain_command(std::string_view statement);

/// Commands about prepared statements: DEALLOCATE behind that word, the others whole.
[[nodiscard]] Command prepare_command(std::string_view statement);
[[nodiscard]] Command execute_command(std::string_view statement);
[[nodiscard]] Command deallocate_command(Words& words);

}  // namespace daedalus::postgres
