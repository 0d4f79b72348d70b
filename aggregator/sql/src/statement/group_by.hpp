// GROUP BY: keys, and the sets of them that GROUPING SETS, ROLLUP and CUBE ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "daedalus/semantics/selection.hpp"
#include "outputs.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

struct GroupBy {
  std::vector<semantics::BoundExpression> keys;  ///< Each once.
  std::vector<std::vector<uint32_t>> sets;       ///< By places among them; none: one of all.
};

/// Errors: 42702, 42703, 42803, 42P10, those of expressions; 0A000 too many sets.
[[nodiscard]] Result<GroupBy> compile_group_by(Scope& scope, const grammar::SelectStatement& select,
                                               const Outputs& outputs);

/// The bare name of an unqualified reference, or nothing.
[[nodiscard]] std::optional<std::string_view> bare_name(const grammar::Node& node);

/// The visible output that an ordinal names. Only an integer literal is an ordinal; other constants are errors.
[[nodiscard]] Result<uint32_t> resolve_ordinal(const Scope& scope, const Outputs& outputs,
                                               const grammar::ConstantNode& constant, const char* clause);

/// The visible output of this name, nothing if there is none. Errors: 42702.
[[nodiscard]] Result<std::optional<uint32_t>> resolve_output_name(const Scope& scope, const Outputs& outputs,
                                                                  std::string_view name, const char* clause,
                                                                  int32_t location);

}  // namespace daedalus::aggregator::sql
