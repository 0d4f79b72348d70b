// The names that a statement's tree holds: relations, functions, common tables, wherever they stand.
//
// Refuses to know what any of them is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace daedalus::aggregator::sql {

struct StatementNames {
  struct Name {
    std::string schema;  ///< Empty: none was given.
    std::string name;
    int32_t location = -1;  ///< Byte offset.
  };
  std::vector<Name> relations;
  std::vector<Name> functions;  ///< And current_user with its like, but where a function is asked what it may.
  std::vector<std::string> common_tables;
};

/// Reads the names in a text that is one SELECT (VALUES and TABLE are, too). Returns nothing for any other text, or
/// where the tree has a node that is not known here. Precondition: check_complexity() has nothing against it. Cost:
/// PostgreSQL's parser, and one pass over its tree.
[[nodiscard]] std::optional<StatementNames> read_names(const std::string& text);

}  // namespace daedalus::aggregator::sql
