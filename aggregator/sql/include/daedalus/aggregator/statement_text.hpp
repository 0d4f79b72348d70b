// Reads a SQL text without its grammar: finds where its statements end, and which strings it has.
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

/// The values of a statement's strings: in quotes, with a prefix, or between dollars. An escape of E'…' stands for the
/// character behind its backslash. Cost: as of split_statements().
[[nodiscard]] std::vector<std::string> string_values(std::string_view sql);

}  // namespace daedalus::aggregator
