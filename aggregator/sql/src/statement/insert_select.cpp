#include "insert_select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "constant.hpp"
#include "daedalus/semantics/packed.hpp"
#include "refusals.hpp"
#include "unnest.hpp"
#include "values.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;
using semantics::Value;

/// One output of the query.
struct Source {
  int32_t location = -1;
  /// A literal without a type, which is read as its column's, whatever the query makes of it.
  std::optional<Constant> literal;
};

/// The outputs as they are written, each star being as many as are left for it.
Result<std::vector<Source>> sources_of(Scope& scope, grammar::Nodes targets, size_t width) {
  const auto is_star = [](const Node& target) { return target.target().value.column().is_star; };
  const auto stars = static_cast<size_t>(std::count_if(targets.begin(), targets.end(), is_star));
  const size_t star_width = stars == 0 ? 0 : (width - (targets.size() - stars)) / stars;
  std::vector<Source> sources;
  for (const Node& target : targets) {
    const Node& value = target.target().value;
    if (is_star(target)) {
      sources.insert(sources.end(), star_width, Source{location_of(value), std::nullopt});
      continue;
    }
    sources.push_back({location_of(value), std::nullopt});
    if (value.has_constant() || value.kind() == Node::kParameter) {
      auto constant = fold(scope, value);
      if (!constant) {
        return constant.error();
      }
      if (constant->has_value() && (*constant)->is_untyped) {
        sources.back().literal = std::move(**constant);
      }
    }
  }
  return sources;
}

/// Checked before there are rows: that they fit.
Result<void> check_sources(const Scope& scope, const std::vector<Source>& sources,
                           const std::vector<semantics::Column>& outputs, const InsertTargets& targets) {
  if (sources.size() > targets.columns.size()) {
    return scope.error("42601", "INSERT has more expressions than target columns",
                       sources[targets.columns.size()].location);
  }
  if (sources.size() < targets.locations.size()) {
    return scope.error("42601", "INSERT has more target columns than expressions", targets.locations[sources.size()]);
  }
  for (size_t place = 0; place < sources.size(); ++place) {
    const semantics::Column& column = scope.schema().columns[targets.columns[place]];
    const semantics::TypeKind kind = outputs[place].type.kind;
    if (!sources[place].literal && !semantics::can_assign(kind, column.type.kind)) {
      return scope.error("42804",
                         fmt::format("column \"{}\" is of type {} but expression is of type {}", column.name,
                                     semantics::kind_name(column.type.kind), semantics::kind_name(kind)),
                         sources[place].location, "You will need to rewrite or cast the expression.");
    }
  }
  return {};
}

Result<std::vector<Value>> assigned_row(const Scope& scope, const std::vector<Source>& sources,
                                        const std::vector<semantics::Column>& outputs, std::vector<Value> row,
                                        const InsertTargets& targets) {
  for (size_t place = 0; place < row.size(); ++place) {
    const semantics::Column& column = scope.schema().columns[targets.columns[place]];
    auto value = resolve_for_assignment(
        scope, sources[place].literal ? *sources[place].literal : Constant{outputs[place].type, std::move(row[place])},
        column);
    if (!value) {
      return value.error();
    }
    row[place] = std::move(*value);
  }
  return row;
}

}  // namespace

bool brings_rows(const Node& source) {
  const grammar::SelectStatement& select = source.select();
  return select.values_lists.empty() && (is_of_unnest(select) || is_of_values(select));
}

Result<SelectedRows> select_rows(Scope& scope, const contract::PartitionMap& map,
                                 const grammar::SelectStatement& select, const InsertTargets& targets) {
  auto selected = is_of_unnest(select) ? compile_unnest(scope, map, select) : compile_values(scope, map, select);
  if (!selected) {
    return selected.error();
  }
  const std::vector<semantics::Column>& outputs = *selected->columns;
  const auto sources = sources_of(scope, select.target_list, outputs.size());
  if (!sources) {
    return sources.error();
  }
  if (auto checked = check_sources(scope, *sources, outputs, targets); !checked) {
    return checked.error();
  }
  semantics::AnswerMerger merger(*selected->selection, semantics::AnswerForm::kFinal);
  if (auto added = merger.add(0, semantics::MergedRows(*selected->rows)); !added) {
    return added.error();
  }
  const auto merged = semantics::merge_all(merger);
  if (!merged) {
    return merged.error();
  }
  std::vector<semantics::Type> types;
  std::transform(outputs.begin(), outputs.end(), std::back_inserter(types), [](const auto& it) { return it.type; });
  SelectedRows made{outputs.size(), {}};
  semantics::PackedRows packed(merged->rows);
  for (auto row = packed.next(); row && *row; row = packed.next()) {
    auto values = semantics::read_packed_row(types, **row);
    auto assigned = values ? assigned_row(scope, *sources, outputs, std::move(*values), targets) : values.error();
    if (!assigned) {
      return assigned.error();
    }
    made.rows.push_back(std::move(*assigned));
  }
  return made;
}

}  // namespace daedalus::aggregator::sql
