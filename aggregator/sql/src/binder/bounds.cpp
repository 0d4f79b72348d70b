#include "bounds.hpp"

#include <fmt/format.h>

#include "constant.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// The value of LIMIT or OFFSET, negative ones too; nothing when it is absent or NULL.
Result<std::optional<int64_t>> compile_count(Scope& scope, const grammar::Node& node, const char* name) {
  if (!node.is_present()) {
    return std::optional<int64_t>();
  }
  auto constant = fold(scope, node);
  if (!constant) {
    return constant.error();
  }
  if (!constant->has_value()) {
    if (mentions_column(node)) {
      return scope.error("42P10", fmt::format("argument of {} must not contain variables", name), location_of(node));
    }
    return scope.refuse(node);
  }
  return resolve_as_bigint(scope, **constant, name);
}

}  // namespace

Result<void> compile_bounds(Scope& scope, const grammar::SelectStatement& select, uint32_t ties_by,
                            semantics::Selection& selection) {
  const auto offset = compile_count(scope, select.limit_offset, "OFFSET");
  if (!offset) {
    return offset.error();
  }
  const auto limit = compile_count(scope, select.limit_count, "LIMIT");
  if (!limit) {
    return limit.error();
  }
  if (offset->value_or(0) < 0) {
    return scope.error("2201X", "OFFSET must not be negative", -1);
  }
  if (limit->value_or(0) < 0) {
    return scope.error("2201W", "LIMIT must not be negative", -1);
  }
  selection.offset = static_cast<uint64_t>(offset->value_or(0));
  if (limit->has_value()) {
    selection.limit = static_cast<uint64_t>(**limit);
  }
  if (!select.has_ties) {
    return {};
  }
  const bool is_null =
      select.limit_count.has_constant() && select.limit_count.constant().kind == grammar::ConstantNode::Kind::kNull;
  if (is_null) {
    return scope.error("2201W", "row count cannot be null in FETCH FIRST ... WITH TIES clause", -1);
  }
  selection.ties_by = selection.limit.value_or(0) > 0 ? ties_by : 0;  // Nothing has no last row.
  return {};
}

}  // namespace daedalus::aggregator::sql
