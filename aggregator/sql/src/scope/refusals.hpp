// Names what is outside the supported SQL, in the words that users have for it.
//
// Decides only names, hints and places; who refuses is the caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// A construct that is refused.
struct Construct {
  std::string name;           ///< Completes "… is not supported".
  std::string hint;           ///< Says what to write instead; may be empty.
  bool is_misplaced = false;  ///< It is supported, but not where it stands.
};

/// Names the construct a node stands for, when something simpler (a column, a constant) was wanted in its place.
[[nodiscard]] Construct describe(const grammar::Node& node);

/// CURRENT_DATE and the like. Static storage.
[[nodiscard]] const char* value_function_name(grammar::ValueFunctionKind kind);

/// Names an item of FROM that is not a plain table.
[[nodiscard]] Construct describe_from(const grammar::Node& node);

/// Hint for a kind of statement that is not supported at all, by its first word (upper case); may be empty.
[[nodiscard]] std::string_view statement_hint(std::string_view name);

/// Byte offset of the leftmost part of a node; −1 when the tree does not keep it.
[[nodiscard]] int32_t location_of(const grammar::Node& node);

/// The parts of an expression, those of a query that reads no table among them; none of a query that reads one.
[[nodiscard]] std::vector<grammar::Node> children_of(const grammar::Node& node);

/// Returns whether an expression calls an aggregate, or GROUPING(), anywhere.
[[nodiscard]] bool mentions_aggregate(const grammar::Node& node);

/// Returns whether an expression names a column anywhere.
[[nodiscard]] bool mentions_column(const grammar::Node& node);

/// The last part of a possibly qualified name ("pg_catalog"."int4"), or an empty view when the qualification is not
/// pg_catalog.
[[nodiscard]] std::string_view plain_name(grammar::Names names);

}  // namespace daedalus::aggregator::sql
