#include "daedalus/aggregator/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "condition_text.hpp"
#include "daedalus/semantics/packed_walk.hpp"

namespace daedalus::aggregator {

namespace {

using semantics::Literal;

/// PostgreSQL's cost of a row (cpu_tuple_cost).
constexpr double kRowCost = 0.01;
/// PostgreSQL's estimates for a table without statistics: the share of rows that an equality or a prefix leaves, the
/// share that any other comparison leaves, and the number of groups.
constexpr double kEqualShare = 0.005;
constexpr double kOtherShare = 1.0 / 3;
constexpr double kGroupsMax = 200;

double share_of(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return literal.op == semantics::Operator::kEqual ? kEqualShare : kOtherShare;
    case Literal::Kind::kIn:
      return kEqualShare * static_cast<double>(literal.values.size());
    case Literal::Kind::kStartsWith:
    case Literal::Kind::kIsNull:
      return kEqualShare;
    case Literal::Kind::kNotIn:
    case Literal::Kind::kNotStartsWith:
    case Literal::Kind::kIsNotNull:
      return 1 - kEqualShare;
    case Literal::Kind::kNever:
      return 0;
  }
  return 1;
}

double share_of(const semantics::Clause& clause) {
  double share = 0;
  for (const Literal& literal : clause) {
    share += share_of(literal);
  }
  return std::min(share, 1.0);
}

/// Says whether a node may find the rows of a clause by an index over the queries of a cycle.
bool names_values(const semantics::Clause& clause) {
  const Literal& literal = clause.front();
  return clause.size() == 1 && (literal.kind == Literal::Kind::kIn ||
                                (literal.kind == Literal::Kind::kCompare && literal.op == semantics::Operator::kEqual));
}

bool pins_one_segment(const contract::PartitionMap& map, const semantics::Predicate& predicate) {
  return !map.segment_columns.empty() &&
         std::all_of(map.segment_columns.begin(), map.segment_columns.end(), [&](uint32_t column) {
           const auto values = semantics::pinned_values(predicate, column);
           return values && values->size() == 1;
         });
}

void add_conditions(const semantics::Schema& schema, const contract::PartitionMap& map,
                    const semantics::Predicate& predicate, std::span<const semantics::BoundExpression> residuals,
                    Plan& plan) {
  for (const semantics::Clause& clause : predicate.clauses) {
    (names_values(clause) ? plan.lookups : plan.filters).push_back(sql::text_of(schema, clause));
    plan.share *= share_of(clause);
  }
  if (predicate.has_tree()) {
    plan.filters.push_back(sql::text_of(schema, predicate.tree));
    plan.share *= kOtherShare;
  }
  for (const semantics::BoundExpression& residual : residuals) {
    plan.filters.push_back(sql::text_of(schema, residual));
    plan.share *= kOtherShare;
  }
  plan.partitions = contract::partitions_of(schema, map.partition_rule(), predicate);
  plan.partition_count = map.partition_count();
  plan.is_one_segment = pins_one_segment(map, predicate);
}

uint32_t row_width(std::span<const semantics::Column> columns) {
  uint32_t width = 0;
  for (const semantics::Column& column : columns) {
    width += width_of(column.type);
  }
  return width;
}

void add_outputs(const semantics::Schema& schema, const semantics::Selection& selection, Plan& plan) {
  std::vector<std::string> texts;
  for (const semantics::OutputColumn& output : selection.outputs) {
    texts.push_back(
        sql::text_of(schema, selection.grouping ? unbound(output.expression, *selection.grouping) : output.expression));
  }
  for (const semantics::OrderKey& key : selection.order_by) {
    plan.sort_keys.push_back(texts[key.output] + (key.order.descending ? " DESC" : "") +
                             (key.order.nulls_first == key.order.descending ? ""
                              : key.order.nulls_first                       ? " NULLS FIRST"
                                                                            : " NULLS LAST"));
  }
  texts.resize(selection.visible_outputs);
  plan.output = std::move(texts);
}

Plan plan_of(const semantics::Schema& schema, const contract::PartitionMap& map, const CompiledSelect& select) {
  Plan plan;
  plan.width = row_width(*select.columns);
  if (select.rows != nullptr) {
    plan.given_rows = select.rows->row_count;
    for (const semantics::Column& column : *select.columns) {
      plan.output.push_back(sql::identifier_text(column.name));
    }
    return plan;
  }
  plan.node = Plan::Node::kSweep;
  const semantics::Selection& selection = *select.selection;
  add_conditions(schema, map, selection.predicate, selection.residuals, plan);
  add_outputs(schema, selection, plan);
  if (selection.grouping) {
    plan.is_grouped = true;
    for (const semantics::BoundExpression& key : selection.grouping->keys) {
      plan.group_keys.push_back(sql::text_of(schema, key));
    }
  }
  if (selection.having) {
    plan.having = sql::text_of(schema, unbound(*selection.having, *selection.grouping));
  }
  plan.limit = selection.limit;
  plan.offset = selection.offset;
  return plan;
}

Result<Plan> plan_of(const semantics::Schema& schema, const contract::PartitionMap& map, const CompiledUpdate& update) {
  if (update.body.parts().empty()) {
    Plan nothing;  // An INSERT that selects no row.
    nothing.node = Plan::Node::kInsert;
    nothing.partition_count = map.partition_count();
    return nothing;
  }
  const std::string body = update.body.SerializeAsString();
  const auto parts = contract::to_update(schema, map.placement_columns(), body);
  if (!parts) {
    return parts.error();
  }
  Plan plan;
  const contract::UpdatePart& part = parts->front();
  if (const auto* insert = std::get_if<contract::InsertPart>(&part)) {
    plan.node = Plan::Node::kInsert;
    plan.given_rows = insert->row_count;
    add_conditions(schema, map, {}, {}, plan);
    if (!map.columns.empty()) {  // Without columns a row's partition is that of its number, which it does not have yet.
      const auto concerned = contract::route(schema, map, {update.routes.begin(), update.routes.end()}, Timestamp{});
      if (!concerned) {
        return concerned.error();
      }
      plan.partitions.assign(concerned->begin(), concerned->end());
    }
    if (update.returning) {
      plan.width = row_width(*update.returning->columns);
      for (const semantics::Column& column : *update.returning->columns) {
        plan.output.push_back(sql::identifier_text(column.name));
      }
    }
    return plan;
  }
  const auto add_where = [&](const auto& write) {
    add_conditions(schema, map, write.predicate,
                   write.residuals == nullptr ? std::span<const semantics::BoundExpression>() : *write.residuals, plan);
  };
  if (const auto* modify = std::get_if<contract::ModifyPart>(&part)) {
    plan.node = Plan::Node::kUpdate;
    add_where(*modify);
  } else {
    plan.node = Plan::Node::kDelete;
    add_where(std::get<contract::DeletePart>(part));
  }
  return plan;
}

/// Rows of the answer before OFFSET and LIMIT.
double answer_rows(const Plan& plan, uint64_t swept_rows) {
  if (!plan.reads_table()) {
    return static_cast<double>(plan.given_rows);
  }
  const double found = std::max(1.0, std::rint(static_cast<double>(swept_rows) * plan.share));
  return !plan.is_grouped ? found : plan.group_keys.empty() ? 1 : std::min(found, kGroupsMax);
}

}  // namespace

Result<Plan> plan_of(const semantics::Schema& schema, const contract::PartitionMap& map, const Compiled& compiled) {
  if (const auto* select = std::get_if<CompiledSelect>(&compiled)) {
    return plan_of(schema, map, *select);
  }
  return plan_of(schema, map, std::get<CompiledUpdate>(compiled));
}

Plan without_table(Plan plan) {
  Plan made;
  made.output = std::move(plan.output);
  made.limit = plan.limit;
  made.offset = plan.offset;
  made.given_rows = 1;
  made.width = plan.width;
  return made;
}

uint32_t width_of(const semantics::Type& type) {
  const bool has_length = semantics::is_string(type.kind) || type.kind == semantics::TypeKind::kNumeric;
  if (!has_length) {
    return semantics::packed_width(type);
  }
  return type.length == 0 ? kStringWidthMax : std::min(type.length, kStringWidthMax);
}

PlanEstimate estimate(const Plan& plan, uint64_t swept_rows) {
  double rows = answer_rows(plan, swept_rows);
  const double sweep_cost = plan.reads_table() ? kRowCost * static_cast<double>(swept_rows) : 0;
  if (plan.limit || plan.offset > 0) {
    const double left = std::max(1.0, rows - static_cast<double>(plan.offset));
    rows = plan.limit ? std::min(left, static_cast<double>(*plan.limit)) : left;
  }
  const bool waits_for_all = plan.is_grouped || !plan.sort_keys.empty();
  const bool gives_rows = plan.node == Plan::Node::kResult || plan.node == Plan::Node::kSweep || !plan.output.empty();
  return {waits_for_all ? sweep_cost : 0, sweep_cost + kRowCost * rows,
          gives_rows ? static_cast<uint64_t>(rows) : uint64_t{0}};
}

}  // namespace daedalus::aggregator
