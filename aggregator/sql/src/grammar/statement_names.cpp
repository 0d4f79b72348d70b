#include "statement_names.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

// Nothing is included behind it.
#include "raw_values.hpp"

extern "C" {
#include <nodes/nodeFuncs.h>
}

namespace daedalus::aggregator::sql {

namespace {

/// Kinds of nodes that PostgreSQL's walker knows how to go on from; with any other it would end the process.
bool can_be_walked(::NodeTag tag) {
  switch (tag) {
    case T_SetToDefault:
    case T_CurrentOfExpr:
    case T_SQLValueFunction:
    case T_Integer:
    case T_Float:
    case T_Boolean:
    case T_String:
    case T_BitString:
    case T_ParamRef:
    case T_A_Const:
    case T_A_Star:
    case T_Alias:
    case T_RangeVar:
    case T_GroupingFunc:
    case T_SubLink:
    case T_CaseExpr:
    case T_RowExpr:
    case T_CoalesceExpr:
    case T_MinMaxExpr:
    case T_XmlExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_JoinExpr:
    case T_IntoClause:
    case T_List:
    case T_SelectStmt:
    case T_A_Expr:
    case T_BoolExpr:
    case T_ColumnRef:
    case T_FuncCall:
    case T_NamedArgExpr:
    case T_A_Indices:
    case T_A_Indirection:
    case T_A_ArrayExpr:
    case T_ResTarget:
    case T_TypeCast:
    case T_CollateClause:
    case T_SortBy:
    case T_WindowDef:
    case T_RangeSubselect:
    case T_RangeFunction:
    case T_RangeTableSample:
    case T_RangeTableFunc:
    case T_RangeTableFuncCol:
    case T_TypeName:
    case T_ColumnDef:
    case T_GroupingSet:
    case T_LockingClause:
    case T_XmlSerialize:
    case T_WithClause:
    case T_CommonTableExpr:
      return true;
    default:
      return false;
  }
}

struct Walk {
  StatementNames names;
  std::vector<const void*> roles;  ///< Arguments of functions that ask what a role may.
  bool is_whole = true;            ///< All of the tree is known.
};

/// The text of a list's element, counted from its end.
std::string text_from_end(const ::List* list, int place) {
  if (list == NIL || place >= list->length) {
    return {};
  }
  const auto* const node = static_cast<const ::Node*>(list->elements[list->length - 1 - place].ptr_value);
  return node->type == T_String ? text_of(as<::String>(node).sval) : std::string();
}

/// Returns whether a function asks what a role may do: current_user in its arguments means the catalogue's own role.
bool asks_of_role(std::string_view function) {
  return function == "pg_has_role" || (function.starts_with("has_") && function.ends_with("_privilege"));
}

/// PostgreSQL's walkers end when one of them says true.
bool walk(::Node* node, void* context) {
  auto& seen = *static_cast<Walk*>(context);
  if (node == nullptr) {
    return false;
  }
  if (!can_be_walked(node->type)) {
    seen.is_whole = false;
    return true;
  }
  if (node->type == T_RangeVar) {
    const auto& relation = as<::RangeVar>(node);
    seen.names.relations.push_back({text_of(relation.schemaname), text_of(relation.relname), relation.location});
  } else if (node->type == T_FuncCall) {
    const auto& call = as<::FuncCall>(node);
    seen.names.functions.push_back({text_from_end(call.funcname, 1), text_from_end(call.funcname, 0), call.location});
    for (int place = 0; asks_of_role(seen.names.functions.back().name) && place < list_length(call.args); ++place) {
      seen.roles.push_back(call.args->elements[place].ptr_value);
    }
  } else if (node->type == T_SQLValueFunction) {
    const auto& value = as<::SQLValueFunction>(node);
    const bool is_user = value.op == SVFOP_CURRENT_USER || value.op == SVFOP_USER || value.op == SVFOP_SESSION_USER ||
                         value.op == SVFOP_CURRENT_ROLE;
    if (is_user && std::find(seen.roles.begin(), seen.roles.end(), node) == seen.roles.end()) {
      seen.names.functions.push_back({{}, "current_user", value.location});
    }
  } else if (node->type == T_CommonTableExpr) {
    seen.names.common_tables.push_back(text_of(as<::CommonTableExpr>(node).ctename));
  }
  // Its header leaves open what a walker takes.
  return raw_expression_tree_walker(node, reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(walk)), context);
}

}  // namespace

std::optional<StatementNames> read_names(const std::string& text) {
  const RawParse parse(text.c_str());
  const ::Node* const statement = parse.has_failed() ? nullptr : only_statement(parse);
  if (statement == nullptr || statement->type != T_SelectStmt) {
    return std::nullopt;
  }
  Walk seen;
  walk(const_cast<::Node*>(statement), &seen);
  return seen.is_whole ? std::optional(std::move(seen.names)) : std::nullopt;
}

}  // namespace daedalus::aggregator::sql
