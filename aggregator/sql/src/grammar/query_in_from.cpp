#include "query_in_from.hpp"

namespace daedalus::aggregator::sql {

namespace {

const grammar::SelectStatement* select_of(const grammar::Node& query) {
  return query.kind() == grammar::Node::kSelect ? &query.select() : nullptr;
}

}  // namespace

QueryInFrom query_in_from(const grammar::SelectStatement& select) {
  if (select.from_clause.size() != 1) {
    return {};
  }
  const grammar::Node& from = select.from_clause[0];
  if (!select.with_clause.is_present()) {
    const grammar::RangeSubselect& range = from.range_subselect();
    return {select_of(range.query), range.alias, range.columns};
  }
  const grammar::WithClause& with = select.with_clause.with();
  const grammar::RangeVariable& named = from.range_variable();
  const bool is_plain = with.tables.size() == 1 && !with.is_recursive && from.has_range_variable() &&
                        named.schema_name.empty() && !named.has_column_aliases;
  if (!is_plain || with.tables[0].common_table().name != named.relation_name) {
    return {};
  }
  const grammar::CommonTable& table = with.tables[0].common_table();
  return {select_of(table.query), named.has_alias ? named.alias : named.relation_name, table.columns};
}

}  // namespace daedalus::aggregator::sql
