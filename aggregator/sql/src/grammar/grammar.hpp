// All of the grammar: a node (grammar_node.hpp), and what is kept of each kind.
#pragma once

#include "grammar_expressions.hpp"
#include "grammar_node.hpp"
#include "grammar_statements.hpp"

namespace daedalus::aggregator::grammar {

inline const ArrayExpression& Node::array() const { return as<ArrayExpression>(); }
inline const BooleanExpression& Node::boolean_expression() const { return as<BooleanExpression>(); }
inline const BooleanTest& Node::boolean_test() const { return as<BooleanTest>(); }
inline const CaseExpression& Node::case_expression() const { return as<CaseExpression>(); }
inline const TypeCast& Node::cast() const { return as<TypeCast>(); }
inline const CommonTable& Node::common_table() const { return as<CommonTable>(); }
inline const Coalesce& Node::coalesce() const { return as<Coalesce>(); }
inline const Collate& Node::collate() const { return as<Collate>(); }
inline const ColumnReference& Node::column() const { return as<ColumnReference>(); }
inline const ConstantNode& Node::constant() const { return as<ConstantNode>(); }
inline const DeleteStatement& Node::delete_() const { return as<DeleteStatement>(); }
inline const FunctionCall& Node::function_call() const { return as<FunctionCall>(); }
inline const GroupingFunction& Node::grouping_function() const { return as<GroupingFunction>(); }
inline const GroupingSet& Node::grouping_set() const { return as<GroupingSet>(); }
inline const Indirection& Node::indirection() const { return as<Indirection>(); }
inline const InsertStatement& Node::insert() const { return as<InsertStatement>(); }
inline const NodeList& Node::list() const { return as<NodeList>(); }
inline const MinMax& Node::min_max() const { return as<MinMax>(); }
inline const NamedArgument& Node::named_argument() const { return as<NamedArgument>(); }
inline const NullTest& Node::null_test() const { return as<NullTest>(); }
inline const OperatorExpression& Node::operator_expression() const { return as<OperatorExpression>(); }
inline const ParameterReference& Node::parameter() const { return as<ParameterReference>(); }
inline const RangeFunction& Node::range_function() const { return as<RangeFunction>(); }
inline const RangeSubselect& Node::range_subselect() const { return as<RangeSubselect>(); }
inline const RangeVariable& Node::range_variable() const { return as<RangeVariable>(); }
inline const RowExpression& Node::row() const { return as<RowExpression>(); }
inline const SelectStatement& Node::select() const { return as<SelectStatement>(); }
inline const SortBy& Node::sort() const { return as<SortBy>(); }
inline const SubLink& Node::sub_link() const { return as<SubLink>(); }
inline const ResultTarget& Node::target() const { return as<ResultTarget>(); }
inline const UpdateStatement& Node::update() const { return as<UpdateStatement>(); }
inline const WithClause& Node::with() const { return as<WithClause>(); }
inline const ValueFunction& Node::value_function() const { return as<ValueFunction>(); }

}  // namespace daedalus::aggregator::grammar
