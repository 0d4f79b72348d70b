// (SELECT expression) among expressions: a query of one row, which reads no table, is that expression.
//
// Decides which queries are such. Refuses to know what the expression means, which whoever binds or folds it does.
#pragma once

#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// Says whether the query is used as a value, and reads no table: what is in it is of the statement around it.
[[nodiscard]] bool is_without_table(const grammar::SubLink& link);

/// The one item of the query's list, where nothing of a table and no aggregate is in it and at most WHERE, LIMIT and
/// OFFSET stand behind it. Null for any other node.
[[nodiscard]] const grammar::ResultTarget* lone_value(const grammar::Node& node);

/// Says whether the query has its row whatever is computed: nothing stands behind its list.
[[nodiscard]] bool is_bare(const grammar::SelectStatement& query);

/// Says whether the node is a query that is used as a value, and PostgreSQL refuses it for its list.
[[nodiscard]] bool has_several_columns(const grammar::Node& node);

}  // namespace daedalus::aggregator::sql
