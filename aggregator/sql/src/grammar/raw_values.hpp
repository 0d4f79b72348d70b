// Names, lists and options of PostgreSQL's tree in our own words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/aggregator/copy_statement.hpp"
#include "tree_reader.hpp"
// Behind what knows PostgreSQL's structures.
#include "raw_parse.hpp"

namespace daedalus::aggregator::sql {

inline std::string text_of(const char* raw) { return raw == nullptr ? std::string() : std::string(raw); }

/// From a location of PostgreSQL's tree to a byte counted from 1; 0: unknown.
inline uint32_t position_of(int location) { return location < 0 ? 0 : static_cast<uint32_t>(location) + 1; }

/// The nodes of a list.
inline std::span<const ::ListCell> cells_of(const ::List* raw) {
  return raw == NIL ? std::span<const ::ListCell>() : std::span(raw->elements, static_cast<size_t>(raw->length));
}

/// The one statement of a text; null when there is none or are several.
inline const ::Node* only_statement(const RawParse& parse) {
  const auto cells = cells_of(parse.statements());
  return cells.size() == 1 ? as<::RawStmt>(cells[0].ptr_value).stmt : nullptr;
}

/// The constant that an expression is, TRUE and FALSE included, which the grammar casts; null for any other.
[[nodiscard]] const ::A_Const* constant_of(const void* raw);

/// The text of a string, a number or a boolean of the tree; nothing for another value.
[[nodiscard]] std::optional<std::string> value_text(const void* raw);

/// The texts of a list of names.
[[nodiscard]] std::vector<std::string> names_of(const ::List* raw);

[[nodiscard]] std::vector<StatementOption> options_of(const ::List* raw);

}  // namespace daedalus::aggregator::sql
