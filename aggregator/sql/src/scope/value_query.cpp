#include "value_query.hpp"

#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::SelectStatement;

/// Says whether it is of one row, or none: constants, and whether they are shown.
bool is_of_constants(const SelectStatement& query) {
  const bool has_others = query.with_clause.is_present() || !query.values_lists.empty() ||
                          !query.group_clause.empty() || query.having_clause.is_present() ||
                          !query.sort_clause.empty() || query.has_distinct_on || query.has_into || query.has_window ||
                          query.has_ties || query.has_locking;
  return query.set_operation == grammar::SetOperation::kNone && query.from_clause.empty() && !has_others &&
         !mentions_column(query.where_clause);
}

}  // namespace

bool is_without_table(const grammar::SubLink& link) {
  return link.kind == grammar::SubLink::Kind::kValue && link.query.select().from_clause.empty();
}

const grammar::ResultTarget* lone_value(const grammar::Node& node) {
  const grammar::SubLink& link = node.sub_link();
  const SelectStatement& query = link.query.select();
  const bool is_value = link.kind == grammar::SubLink::Kind::kValue && query.target_list.size() == 1;
  if (!is_value || !is_of_constants(query)) {
    return nullptr;
  }
  const grammar::ResultTarget& target = query.target_list[0].target();
  return mentions_column(target.value) || mentions_aggregate(target.value) ? nullptr : &target;
}

bool is_bare(const SelectStatement& query) {
  return !query.where_clause.is_present() && !query.limit_count.is_present() && !query.limit_offset.is_present();
}

bool has_several_columns(const grammar::Node& node) {
  const grammar::SubLink& link = node.sub_link();
  return link.kind == grammar::SubLink::Kind::kValue && link.query.select().target_list.size() > 1;
}

}  // namespace daedalus::aggregator::sql
