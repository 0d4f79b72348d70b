#include "refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;

Construct describe_operator(const grammar::OperatorExpression& expression) {
  switch (expression.kind()) {
    case grammar::OPERATOR_EXPRESSION_ANY:
      return {"ANY (array)", "use IN (...)"};
    case grammar::OPERATOR_EXPRESSION_ALL:
      return {"ALL (array)", "use NOT IN (...) or several conditions joined by AND"};
    case grammar::OPERATOR_EXPRESSION_DISTINCT:
      return {"IS DISTINCT FROM", "use <> together with IS NULL"};
    case grammar::OPERATOR_EXPRESSION_NOT_DISTINCT:
      return {"IS NOT DISTINCT FROM", "use = or IS NULL"};
    case grammar::OPERATOR_EXPRESSION_NULLIF:
      return {"NULLIF", {}};
    case grammar::OPERATOR_EXPRESSION_ILIKE:
      return {"ILIKE", "use LIKE 'prefix%'"};
    case grammar::OPERATOR_EXPRESSION_SIMILAR:
      return {"SIMILAR TO", "use LIKE 'prefix%'"};
    case grammar::OPERATOR_EXPRESSION_BETWEEN_SYMMETRIC:
      return {"BETWEEN SYMMETRIC", "use BETWEEN with the lower bound first"};
    case grammar::OPERATOR_EXPRESSION_NOT_BETWEEN_SYMMETRIC:
      return {"NOT BETWEEN SYMMETRIC", "use NOT BETWEEN with the lower bound first"};
    case grammar::OPERATOR_EXPRESSION_IN:
    case grammar::OPERATOR_EXPRESSION_LIKE:
    case grammar::OPERATOR_EXPRESSION_BETWEEN:
    case grammar::OPERATOR_EXPRESSION_NOT_BETWEEN:
      return {"a condition", {}, true};
    default:
      return {fmt::format("an expression with operator \"{}\"", plain_name(expression.name())),
              "compute it in the application"};
  }
}

Construct describe_function(const grammar::FunctionCall& call) {
  const std::string name(plain_name(call.name()));
  if (call.has_over()) {
    return {fmt::format("window function {}()", name), "use an aggregate with GROUP BY"};
  }
  if (name == "like_escape" || name == "similar_to_escape") {
    return {"ESCAPE", "use a backslash to escape in the pattern"};
  }
  return {name.empty() ? "function of another schema" : fmt::format("function {}()", name),
          "compute it in the application"};
}

const char* value_function_name(grammar::ValueFunctionKind kind) {
  switch (kind) {
    case grammar::VALUE_FUNCTION_CURRENT_DATE:
      return "CURRENT_DATE";
    case grammar::VALUE_FUNCTION_CURRENT_TIME:
    case grammar::VALUE_FUNCTION_CURRENT_TIME_N:
      return "CURRENT_TIME";
    case grammar::VALUE_FUNCTION_CURRENT_TIMESTAMP:
      return "CURRENT_TIMESTAMP";
    case grammar::VALUE_FUNCTION_CURRENT_TIMESTAMP_N:
      return "CURRENT_TIMESTAMP with a precision";
    case grammar::VALUE_FUNCTION_LOCALTIME:
    case grammar::VALUE_FUNCTION_LOCALTIME_N:
      return "LOCALTIME";
    case grammar::VALUE_FUNCTION_LOCALTIMESTAMP:
      return "LOCALTIMESTAMP";
    case grammar::VALUE_FUNCTION_LOCALTIMESTAMP_N:
      return "LOCALTIMESTAMP with a precision";
    case grammar::VALUE_FUNCTION_CURRENT_ROLE:
      return "CURRENT_ROLE";
    case grammar::VALUE_FUNCTION_CURRENT_USER:
      return "CURRENT_USER";
    case grammar::VALUE_FUNCTION_USER:
      return "USER";
    case grammar::VALUE_FUNCTION_SESSION_USER:
      return "SESSION_USER";
    case grammar::VALUE_FUNCTION_CURRENT_CATALOG:
      return "CURRENT_CATALOG";
    case grammar::VALUE_FUNCTION_CURRENT_SCHEMA:
      return "CURRENT_SCHEMA";
    default:
      return "this function";
  }
}

Construct describe_sub_link(const grammar::SubLink& link) {
  static constexpr std::string_view kHint = "run the inner query first and pass its result on";
  switch (link.kind()) {
    case grammar::SUB_LINK_EXISTS:
      return {"EXISTS (sub-query)", std::string(kHint)};
    case grammar::SUB_LINK_ANY:
      return {"IN or ANY (sub-query)", std::string(kHint)};
    case grammar::SUB_LINK_ALL:
      return {"ALL (sub-query)", std::string(kHint)};
    default:
      return {"sub-query", std::string(kHint)};
  }
}

/// The earlier of two places of which each may be unknown.
int32_t leftmost(int32_t left, int32_t right) {
  if (left < 0 || right < 0) {
    return std::max(left, right);
  }
  return std::min(left, right);
}

int32_t location_of_list(const grammar::NodeList& list) {
  return list.items_size() == 0 ? -1 : location_of(list.items(0));
}

int32_t location_of_operator(const grammar::OperatorExpression& expression) {
  return expression.has_left() ? leftmost(location_of(expression.left()), expression.location())
                               : expression.location();
}

int32_t location_of_boolean(const grammar::BooleanExpression& expression) {
  const int32_t first = expression.arguments_size() == 0 ? -1 : location_of(expression.arguments(0));
  return leftmost(first, expression.location());
}

}  // namespace

std::string_view plain_name(const google::protobuf::RepeatedPtrField<Node>& names) {
  if (names.empty() || names.size() > 2 || !names[names.size() - 1].has_string()) {
    return {};
  }
  if (names.size() == 2 && names[0].string().text() != "pg_catalog") {
    return {};
  }
  return names[names.size() - 1].string().text();
}

Construct describe(const Node& node) {
  switch (node.kind_case()) {
    case Node::kOperatorExpression:
      return describe_operator(node.operator_expression());
    case Node::kFunctionCall:
      return describe_function(node.function_call());
    case Node::kValueFunction:
      return {value_function_name(node.value_function().kind()), {}};
    case Node::kSubLink:
      return describe_sub_link(node.sub_link());
    case Node::kSelect:
      return {"sub-query", "run the inner query first and pass its result on"};
    case Node::kColumn:
      return {"a column", {}, true};
    case Node::kConstant:
    case Node::kParameter:
      return {"a constant", {}, true};
    case Node::kCast:
      return {"cast of a column or expression", "cast the constant that it meets instead"};
    case Node::kBooleanExpression:
    case Node::kNullTest:
    case Node::kBooleanTest:
      return {"a condition", {}, true};
    case Node::kCaseExpression:
      return {"CASE", "compute it in the application"};
    case Node::kCoalesce:
      return {"COALESCE", "compute it in the application"};
    case Node::kMinMax:
      return {node.min_max().kind() == grammar::MIN_MAX_LEAST ? "LEAST" : "GREATEST", "compute it in the application"};
    case Node::kRow:
      return {"row value", "compare each column on its own"};
    case Node::kArray:
      return {"ARRAY", {}};
    case Node::kIndirection:
      return {"subscript or field selection", {}};
    case Node::kCollate:
      return {"COLLATE", "strings compare as bytes, as under COLLATE \"C\""};
    case Node::kGroupingFunction:
      return {"GROUPING()", {}};
    case Node::kGroupingSet:
      switch (node.grouping_set().kind()) {
        case grammar::GROUPING_SET_ROLLUP:
          return {"ROLLUP", "send one query for each grouping"};
        case grammar::GROUPING_SET_CUBE:
          return {"CUBE", "send one query for each grouping"};
        case grammar::GROUPING_SET_SETS:
          return {"GROUPING SETS", "send one query for each grouping"};
        default:
          return {"GROUP BY ()", "leave GROUP BY out"};
      }
    case Node::kNamedArgument:
      return {"named argument", {}};
    case Node::kXml:
      return {"XML", {}};
    case Node::kSetToDefault:
      return {"DEFAULT", {}, true};
    case Node::kMultipleAssignment:
      return {"assignment to several columns at once", "assign each column on its own"};
    case Node::kCurrentOf:
      return {"WHERE CURRENT OF", {}};
    default:
      return {"this expression", {}};
  }
}

Construct describe_from(const Node& node) {
  static constexpr std::string_view kOneTable = "a query is about one table: keep the view denormalised";
  switch (node.kind_case()) {
    case Node::kJoin:
      return {"JOIN", std::string(kOneTable)};
    case Node::kRangeSubselect:
      return {"sub-query in FROM", "run the inner query first and pass its result on"};
    case Node::kRangeFunction:
    case Node::kRangeTableFunction:
      return {"function in FROM", {}};
    case Node::kRangeSample:
      return {"TABLESAMPLE", {}};
    default:
      return {"more than one table in FROM", std::string(kOneTable)};
  }
}

std::string_view statement_hint(std::string_view name) {
  struct Hint {
    std::string_view first_word;
    std::string_view hint;
  };
  static constexpr std::string_view kSchema = "the table is defined when its cluster is started";
  static constexpr std::string_view kTransaction =
      "leave it out: every statement takes effect by itself, as a whole, and cannot be taken back";
  static constexpr std::string_view kSetting =
      "there are no settings of a session: those of the cluster are in its configuration files, and bin/daedalus "
      "status "
      "shows how it is";
  static constexpr std::string_view kUpkeep = "leave it out: there is nothing to maintain by hand";
  static constexpr std::string_view kCursor = "read the rows of a SELECT as they arrive";
  static constexpr std::string_view kPrivilege = "there are no users: whoever reaches an aggregator may ask and write";
  static constexpr std::array kHints{
      Hint{"CREATE", kSchema},
      Hint{"ALTER", kSchema},
      Hint{"DROP", kSchema},
      Hint{"BEGIN", kTransaction},
      Hint{"START", kTransaction},
      Hint{"COMMIT", kTransaction},
      Hint{"END", kTransaction},
      Hint{"ABORT", kTransaction},
      Hint{"ROLLBACK", kTransaction},
      Hint{"SAVEPOINT", kTransaction},
      Hint{"RELEASE", kTransaction},
      Hint{"TRUNCATE", "use DELETE without WHERE"},
      Hint{"COPY", "load files through the command line's load"},
      Hint{"MERGE", "use INSERT, UPDATE and DELETE"},
      Hint{"PREPARE", "send the statement with parameters: parsed statements are cached"},
      Hint{"EXECUTE", "send the statement with parameters: parsed statements are cached"},
      Hint{"DEALLOCATE", "send the statement with parameters: parsed statements are cached"},
      Hint{"EXPLAIN",
           "send the query without it: there is no plan to choose, each query rides one sweep over the rows"},
      Hint{"SET", kSetting},
      Hint{"RESET", kSetting},
      Hint{"SHOW", kSetting},
      Hint{"DISCARD", kSetting},
      Hint{"VACUUM", kUpkeep},
      Hint{"ANALYZE", kUpkeep},
      Hint{"REINDEX", kUpkeep},
      Hint{"CLUSTER", kUpkeep},
      Hint{"CHECKPOINT", kUpkeep},
      Hint{"DECLARE", kCursor},
      Hint{"FETCH", kCursor},
      Hint{"MOVE", kCursor},
      Hint{"CLOSE", kCursor},
      Hint{"LOCK", "leave it out: updates take effect one after the other"},
      Hint{"GRANT", kPrivilege},
      Hint{"REVOKE", kPrivilege},
  };
  for (const Hint& hint : kHints) {
    if (name.substr(0, hint.first_word.size()) == hint.first_word) {
      return hint.hint;
    }
  }
  return {};
}

int32_t location_of(const Node& node) {
  switch (node.kind_case()) {
    case Node::kOperatorExpression:
      return location_of_operator(node.operator_expression());
    case Node::kBooleanExpression:
      return location_of_boolean(node.boolean_expression());
    case Node::kNullTest:
      return leftmost(location_of(node.null_test().argument()), node.null_test().location());
    case Node::kBooleanTest:
      return leftmost(location_of(node.boolean_test().argument()), node.boolean_test().location());
    case Node::kCast:
      return leftmost(leftmost(location_of(node.cast().argument()), node.cast().location()),
                      node.cast().type_name().location());
    case Node::kColumn:
      return node.column().location();
    case Node::kConstant:
      return node.constant().location();
    case Node::kParameter:
      return node.parameter().location();
    case Node::kFunctionCall:
      return node.function_call().location();
    case Node::kValueFunction:
      return node.value_function().location();
    case Node::kSubLink:
      return node.sub_link().location();
    case Node::kCaseExpression:
      return node.case_expression().location();
    case Node::kCoalesce:
      return node.coalesce().location();
    case Node::kMinMax:
      return node.min_max().location();
    case Node::kRow:
      return node.row().location();
    case Node::kArray:
      return node.array().location();
    case Node::kIndirection:
      return location_of(node.indirection().argument());
    case Node::kCollate:
      return location_of(node.collate().argument());
    case Node::kGroupingFunction:
      return node.grouping_function().location();
    case Node::kGroupingSet:
      return node.grouping_set().location();
    case Node::kNamedArgument:
      return node.named_argument().location();
    case Node::kXml:
      return node.xml().location();
    case Node::kSetToDefault:
      return node.set_to_default().location();
    case Node::kTarget:
      return node.target().location();
    case Node::kSort:
      return location_of(node.sort().expression());
    case Node::kRangeVariable:
      return node.range_variable().location();
    case Node::kRangeSample:
      return node.range_sample().location();
    case Node::kRangeTableFunction:
      return node.range_table_function().location();
    case Node::kList:
      return location_of_list(node.list());
    default:
      return -1;
  }
}

}  // namespace daedalus::aggregator::sql
