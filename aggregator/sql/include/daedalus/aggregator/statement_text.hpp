// What can be seen of a SQL text without its grammar: where its statements end, and the words they begin with.
//
// Decides where strings, quoted names and comments end as PostgreSQL's scanner does. Refuses to know what a statement
// means: whoever has to compile it asks the Compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::aggregator {

/// One statement of a text: a piece of it.
struct StatementText {
  uint32_t offset = 0;  ///< Bytes from the start of the text.
  std::string_view sql;
};

/// The statements of a text, parted by semicolons; those without any token are left out. At most `count_max` + 1 of
/// them: one more than that means too many. Cost: one pass over the text, some 5 ns a byte.
[[nodiscard]] std::vector<StatementText> split_statements(std::string_view text, size_t count_max);

/// One token.
struct StatementWord {
  enum class Kind : uint8_t { kWord, kQuoted, kNumber, kSymbol };
  Kind kind = Kind::kSymbol;
  std::string_view text;  ///< As it stands there, quotes included.
};

/// The first tokens of a statement, at most `count_max`. Cost: one pass over them.
[[nodiscard]] std::vector<StatementWord> first_words(std::string_view statement, size_t count_max);

/// Whether the word is this keyword, given in lower case.
[[nodiscard]] bool is_word(const StatementWord& word, std::string_view keyword);

/// What a quoted string or name means: without its quotes, each pair of them inside being one. Another word: in lower
/// case.
[[nodiscard]] std::string unquoted(const StatementWord& word);

}  // namespace daedalus::aggregator
