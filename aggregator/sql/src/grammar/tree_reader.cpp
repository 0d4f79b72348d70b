// Statements, clauses and lists.
#include "tree_reader.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// The one value of `(SELECT constant::type)`, which postgres_fdw writes where it asks for the estimate of a comparison
/// with a value that it will know later; null where the sub-query is another.
const ::TypeCast* constant_of(const ::SubLink& raw) {
  if (raw.subLinkType != EXPR_SUBLINK || tag_of(raw.subselect) != T_SelectStmt) {
    return nullptr;
  }
  const auto& select = as<::SelectStmt>(raw.subselect);
  const bool has_value_alone =
      list_length(select.targetList) == 1 && select.op == SETOP_NONE && is_empty(select.fromClause) &&
      select.whereClause == nullptr && is_empty(select.groupClause) && select.havingClause == nullptr &&
      is_empty(select.windowClause) && is_empty(select.distinctClause) && is_empty(select.sortClause) &&
      select.limitCount == nullptr && select.limitOffset == nullptr && is_empty(select.lockingClause) &&
      select.withClause == nullptr && select.intoClause == nullptr;
  if (!has_value_alone) {
    return nullptr;
  }
  const void* const value = as<::ResTarget>(linitial(select.targetList)).val;
  const bool is_constant = tag_of(value) == T_TypeCast && tag_of(as<::TypeCast>(value).arg) == T_A_Const;
  return is_constant ? &as<::TypeCast>(value) : nullptr;
}

/// libpg_query has an option of its own, for no limit at all, in front of PostgreSQL's: LIMIT_OPTION_WITH_TIES is
/// third.
constexpr int kLimitWithTies = 2;

/// COLLATE "C" and its like say how texts are ordered anyway.
bool is_order_of_bytes(const ::CollateClause& collate) {
  const std::string_view name = strVal(llast(collate.collname));
  return name == "C" || name == "POSIX" || name == "default" || name == "ucs_basic";
}

}  // namespace

grammar::Node TreeReader::read(const void* raw) {
  if (raw == nullptr) {
    return {};
  }
  switch (tag_of(raw)) {
    case T_ColumnRef:
      return {column(as<::ColumnRef>(raw)), as<::ColumnRef>(raw).location};
    case T_A_Const:
      return {constant(as<::A_Const>(raw)), as<::A_Const>(raw).location};
    case T_ParamRef:
      return {parameter(as<::ParamRef>(raw)), as<::ParamRef>(raw).location};
    case T_A_Expr: {
      const grammar::OperatorExpression* made = operator_expression(as<::A_Expr>(raw));
      const grammar::Node rows = compared_by_value(*arena_, *made);
      return rows.is_present() ? rows : grammar::Node(made, made->location);
    }
    case T_BoolExpr:
      return {boolean_expression(as<::BoolExpr>(raw)), as<::BoolExpr>(raw).location};
    case T_NullTest: {
      const grammar::NullTest* made = null_test(as<::NullTest>(raw));
      const grammar::Node row = tested_by_value(*arena_, *made);
      return row.is_present() ? row : grammar::Node(made, as<::NullTest>(raw).location);
    }
    case T_BooleanTest:
      return {boolean_test(as<::BooleanTest>(raw)), as<::BooleanTest>(raw).location};
    case T_FuncCall:
      return {function_call(as<::FuncCall>(raw)), as<::FuncCall>(raw).location};
    case T_TypeCast:
      return {cast(as<::TypeCast>(raw)), as<::TypeCast>(raw).location};
    case T_SQLValueFunction:
      return {value_function(as<::SQLValueFunction>(raw)), as<::SQLValueFunction>(raw).location};
    case T_List: {
      auto* list = make<grammar::NodeList>();
      list->items = nodes(&as<::List>(raw));
      return {list, -1};
    }
    default:
      return read_clause(raw);
  }
}

grammar::Node TreeReader::read_clause(const void* raw) {
  switch (tag_of(raw)) {
    case T_ResTarget:
      return {target(as<::ResTarget>(raw)), as<::ResTarget>(raw).location};
    case T_SortBy:
      return {sort(as<::SortBy>(raw)), as<::SortBy>(raw).location};
    case T_RangeVar: {
      auto* variable = make<grammar::RangeVariable>();
      *variable = table(&as<::RangeVar>(raw));
      return {variable, variable->location};
    }
    case T_SelectStmt:
      return {select(as<::SelectStmt>(raw)), -1};
    case T_InsertStmt:
      return {insert(as<::InsertStmt>(raw)), -1};
    case T_UpdateStmt:
      return {update(as<::UpdateStmt>(raw)), -1};
    case T_DeleteStmt:
      return {delete_(as<::DeleteStmt>(raw)), -1};
    case T_TruncateStmt:
      return truncate(as<::TruncateStmt>(raw));
    default:
      return read_refused(raw);
  }
}

/// Reads the nodes that are left over. Of those that are only ever refused it keeps the kind and the place, and what
/// their name depends on.
grammar::Node TreeReader::read_refused(const void* raw) {
  using grammar::Node;
  switch (tag_of(raw)) {
    case T_SubLink:
      if (const ::TypeCast* const constant = constant_of(as<::SubLink>(raw))) {
        return read(constant);
      }
      return {sub_link(as<::SubLink>(raw)), as<::SubLink>(raw).location};
    case T_MinMaxExpr: {
      auto* min_max = make<grammar::MinMax>();
      min_max->is_least = as<::MinMaxExpr>(raw).op == IS_LEAST;
      min_max->arguments = nodes(as<::MinMaxExpr>(raw).args);
      return {min_max, as<::MinMaxExpr>(raw).location};
    }
    case T_GroupingSet: {
      auto* set = make<grammar::GroupingSet>();
      set->kind = same<grammar::GroupingSet::Kind::kSets, GROUPING_SET_SETS>(as<::GroupingSet>(raw).kind);
      set->content = nodes(as<::GroupingSet>(raw).content);
      return {set, as<::GroupingSet>(raw).location};
    }
    case T_CollateClause: {
      if (is_order_of_bytes(as<::CollateClause>(raw))) {
        return read(as<::CollateClause>(raw).arg);
      }
      auto* collate = make<grammar::Collate>();
      collate->argument = read(as<::CollateClause>(raw).arg);
      return {collate, -1};
    }
    case T_A_Indirection: {
      auto* indirection = make<grammar::Indirection>();
      indirection->argument = read(as<::A_Indirection>(raw).arg);
      return {indirection, -1};
    }
    case T_CaseExpr:
      return {case_expression(as<::CaseExpr>(raw)), as<::CaseExpr>(raw).location};
    case T_CoalesceExpr: {
      auto* coalesce = make<grammar::Coalesce>();
      coalesce->arguments = nodes(as<::CoalesceExpr>(raw).args);
      return {coalesce, as<::CoalesceExpr>(raw).location};
    }
    case T_RowExpr: {
      auto* row = make<grammar::RowExpression>();
      row->items = nodes(as<::RowExpr>(raw).args);
      row->has_keyword = as<::RowExpr>(raw).row_format == COERCE_EXPLICIT_CALL;
      return {row, as<::RowExpr>(raw).location};
    }
    case T_A_ArrayExpr: {
      auto* array = make<grammar::ArrayExpression>();
      array->items = nodes(as<::A_ArrayExpr>(raw).elements);
      return {array, as<::A_ArrayExpr>(raw).location};
    }
    case T_GroupingFunc: {
      auto* function = make<grammar::GroupingFunction>();
      function->arguments = nodes(as<::GroupingFunc>(raw).args);
      function->location = as<::GroupingFunc>(raw).location;
      return {function, function->location};
    }
    case T_NamedArgExpr: {
      auto* named = make<grammar::NamedArgument>();
      named->name = text(as<::NamedArgExpr>(raw).name);
      named->argument = read(as<::NamedArgExpr>(raw).arg);
      return {named, as<::NamedArgExpr>(raw).location};
    }
    case T_XmlExpr:
      return Node(Node::kXml, as<::XmlExpr>(raw).location);
    case T_SetToDefault:
      return Node(Node::kSetToDefault, as<::SetToDefault>(raw).location);
    case T_RangeTableSample:
      return Node(Node::kRangeSample, as<::RangeTableSample>(raw).location);
    case T_RangeTableFunc:
      return Node(Node::kRangeTableFunction, as<::RangeTableFunc>(raw).location);
    case T_RangeFunction:
      return {range_function(as<::RangeFunction>(raw)), -1};
    case T_RangeSubselect: {
      auto* sub_query = make<grammar::RangeSubselect>();
      const auto& range = as<::RangeSubselect>(raw);
      sub_query->query = read(range.subquery);
      sub_query->is_lateral = range.lateral;
      if (range.alias != nullptr) {
        sub_query->alias = text(range.alias->aliasname);
        sub_query->columns = names(range.alias->colnames);
      }
      return {sub_query, -1};
    }
    case T_CommonTableExpr: {
      auto* table = make<grammar::CommonTable>();
      const auto& common = as<::CommonTableExpr>(raw);
      table->name = text(common.ctename);
      table->columns = names(common.aliascolnames);
      table->query = read(common.ctequery);
      table->location = common.location;
      return {table, common.location};
    }
    case T_WithClause: {
      auto* with = make<grammar::WithClause>();
      with->tables = nodes(as<::WithClause>(raw).ctes);
      with->is_recursive = as<::WithClause>(raw).recursive;
      return {with, as<::WithClause>(raw).location};
    }
    case T_JoinExpr:
      return Node(Node::kJoin);
    case T_MultiAssignRef:
      return assigned(as<::MultiAssignRef>(raw));
    case T_CurrentOfExpr:
      return Node(Node::kCurrentOf);
    default:
      return Node(Node::kOther);
  }
}

const grammar::RangeFunction* TreeReader::range_function(const ::RangeFunction& raw) {
  auto* made = make<grammar::RangeFunction>();
  const auto functions = make_list<grammar::Node>(static_cast<size_t>(list_length(raw.functions)));
  made->has_definitions = !is_empty(raw.coldeflist);
  for (size_t place = 0; place < functions.size(); ++place) {
    const auto* const item = static_cast<const ::List*>(list_nth(raw.functions, static_cast<int>(place)));
    functions[place] = read(linitial(item));  // Behind it are its columns, where they are named with their types.
    made->has_definitions = made->has_definitions || lsecond(item) != nullptr;
  }
  made->functions = functions;
  made->has_ordinality = raw.ordinality;
  if (raw.alias != nullptr) {
    made->alias = text(raw.alias->aliasname);
    made->columns = names(raw.alias->colnames);
  }
  return made;
}

const grammar::SelectStatement* TreeReader::select(const ::SelectStmt& raw) {
  auto* made = make<grammar::SelectStatement>();
  made->target_list = nodes(raw.targetList);
  made->from_clause = nodes(raw.fromClause);
  made->where_clause = read(raw.whereClause);
  made->group_clause = nodes(raw.groupClause);
  made->values_lists = nodes(raw.valuesLists);
  made->sort_clause = nodes(raw.sortClause);
  made->limit_offset = read(raw.limitOffset);
  made->limit_count = read(raw.limitCount);
  made->with_clause = read(raw.withClause);
  made->set_operation = same<grammar::SetOperation::kExcept, SETOP_EXCEPT>(raw.op);
  made->has_distinct = !is_empty(raw.distinctClause);
  made->has_distinct_on = made->has_distinct && linitial(raw.distinctClause) != nullptr;
  if (made->has_distinct_on) {
    made->distinct_on = nodes(raw.distinctClause);
  }
  made->has_into = raw.intoClause != nullptr;
  made->has_group_distinct = raw.groupDistinct;
  made->having_clause = read(raw.havingClause);
  made->has_window = !is_empty(raw.windowClause);
  made->has_ties = static_cast<int>(raw.limitOption) == kLimitWithTies;
  made->has_locking = !is_empty(raw.lockingClause);
  return made;
}

const grammar::InsertStatement* TreeReader::insert(const ::InsertStmt& raw) {
  auto* made = make<grammar::InsertStatement>();
  made->relation = table(raw.relation);
  made->columns = nodes(raw.cols);
  made->source = read(raw.selectStmt);
  if (raw.onConflictClause != nullptr) {
    made->on_conflict = grammar::Node(grammar::Node::kOther, raw.onConflictClause->location);
  }
  made->with_clause = place_of(raw.withClause);
  made->returning = nodes(raw.returningList);
  made->has_overriding = raw.override != OVERRIDING_NOT_SET;
  return made;
}

const grammar::UpdateStatement* TreeReader::update(const ::UpdateStmt& raw) {
  auto* made = make<grammar::UpdateStatement>();
  made->relation = table(raw.relation);
  made->target_list = nodes(raw.targetList);
  made->where_clause = read(raw.whereClause);
  made->with_clause = place_of(raw.withClause);
  made->has_from = !is_empty(raw.fromClause);
  made->has_returning = !is_empty(raw.returningList);
  return made;
}

const grammar::DeleteStatement* TreeReader::delete_(const ::DeleteStmt& raw) {
  auto* made = make<grammar::DeleteStatement>();
  made->relation = table(raw.relation);
  made->where_clause = read(raw.whereClause);
  made->with_clause = place_of(raw.withClause);
  made->has_using = !is_empty(raw.usingClause);
  made->has_returning = !is_empty(raw.returningList);
  return made;
}

/// TRUNCATE of one table is a DELETE of all its rows.
grammar::Node TreeReader::truncate(const ::TruncateStmt& raw) {
  if (list_length(raw.relations) != 1) {
    return read_refused(&raw);
  }
  auto* made = make<grammar::DeleteStatement>();
  made->relation = table(static_cast<const ::RangeVar*>(linitial(raw.relations)));
  made->relation.location = -1;  // PostgreSQL names no place in a TRUNCATE.
  return {static_cast<const grammar::DeleteStatement*>(made), -1};
}

/// One of several columns that are assigned together: its own value of `(a, b) = (1, 2)` or `(a, b) = ROW(1, 2)`. Other
/// sources, and rows of another length, are told apart from a single assignment.
grammar::Node TreeReader::assigned(const ::MultiAssignRef& raw) {
  const void* const source = raw.source;
  if (nodeTag(source) != T_RowExpr || list_length(as<::RowExpr>(source).args) != raw.ncolumns) {
    return grammar::Node(grammar::Node::kMultipleAssignment);
  }
  return read(list_nth(as<::RowExpr>(source).args, raw.colno - 1));
}

const grammar::ResultTarget* TreeReader::target(const ::ResTarget& raw) {
  auto* made = make<grammar::ResultTarget>();
  made->name = text(raw.name);
  made->value = read(raw.val);
  made->location = raw.location;
  made->has_indirection = !is_empty(raw.indirection);
  return made;
}

const grammar::SortBy* TreeReader::sort(const ::SortBy& raw) {
  auto* made = make<grammar::SortBy>();
  made->expression = read(raw.node);
  made->location = raw.location;
  made->direction = same<grammar::SortDirection::kUsing, SORTBY_USING>(raw.sortby_dir);
  made->nulls = same<grammar::SortNulls::kLast, SORTBY_NULLS_LAST>(raw.sortby_nulls);
  return made;
}

grammar::RangeVariable TreeReader::table(const ::RangeVar* raw) {
  grammar::RangeVariable made;
  if (raw == nullptr) {
    return made;
  }
  made.catalog_name = text(raw->catalogname);
  made.schema_name = text(raw->schemaname);
  made.relation_name = text(raw->relname);
  made.location = raw->location;
  if (raw->alias != nullptr) {
    made.has_alias = true;
    made.alias = text(raw->alias->aliasname);
    made.has_column_aliases = !is_empty(raw->alias->colnames);
  }
  return made;
}

grammar::Nodes TreeReader::nodes(const ::List* raw) {
  if (raw == NIL) {
    return {};
  }
  const auto made = make_list<grammar::Node>(static_cast<size_t>(raw->length));
  for (size_t i = 0; i < made.size(); ++i) {
    made[i] = read(raw->elements[i].ptr_value);
  }
  return made;
}

/// The names of a list; empty for what is none.
grammar::Names TreeReader::names(const ::List* raw) {
  if (raw == NIL) {
    return {};
  }
  const auto made = make_list<std::string_view>(static_cast<size_t>(raw->length));
  for (size_t i = 0; i < made.size(); ++i) {
    const void* part = raw->elements[i].ptr_value;
    if (part != nullptr && tag_of(part) == T_String) {
      made[i] = text(as<::String>(part).sval);
    }
  }
  return made;
}

std::string_view TreeReader::text(const char* raw) {
  if (raw == nullptr || *raw == '\0') {
    return {};
  }
  const size_t size = std::strlen(raw);
  auto* copy = static_cast<char*>(arena_->allocate(size, 1));
  std::memcpy(copy, raw, size);
  return {copy, size};
}

}  // namespace daedalus::aggregator::sql
