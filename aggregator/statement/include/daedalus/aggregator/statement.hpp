// What a statement of SQL is once it is compiled: the compiler makes it, the core carries it out, and neither knows the
// other.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::aggregator {

/// Most bytes of a statement's text; of an INSERT's, which carries its rows; and of a text with all its parameters.
constexpr uint32_t kStatementTextSizeMax = 1u << 20;
constexpr uint32_t kInsertTextSizeMax = 8u << 20;
constexpr uint32_t kStatementSizeMax = 2 * kInsertTextSizeMax;

/// A SELECT, ready to be sent to nodes.
struct CompiledSelect {
  semantics::Selection selection;
  std::string body;                        ///< wire::v1::SelectBody in RESULT_FORM_PARTIAL.
  std::vector<wire::v1::Route> routes;     ///< At most one.
  std::vector<semantics::Column> columns;  ///< Of the answer.
};

/// An INSERT, UPDATE or DELETE, ready to be submitted to the logical writer.
struct CompiledUpdate {
  wire::v1::UpdateBody body;
  std::vector<wire::v1::Route> routes;
};

using Compiled = std::variant<CompiledSelect, CompiledUpdate>;

/// What a statement takes and gives, whatever its parameters' values.
struct StatementDescription {
  /// Of $1, $2, ...: without length, precision and scale.
  std::vector<semantics::TypeKind> parameters;
  /// Of the answer; none for a statement that writes.
  std::vector<semantics::Column> columns;
};

}  // namespace daedalus::aggregator
