#include "refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;

Construct describe_operator(const grammar::OperatorExpression& expression) {
  switch (expression.kind) {
    case grammar::OperatorKind::kAny:
      return {"ANY (array)", "use IN (...)"};
    case grammar::OperatorKind::kAll:
      return {"ALL (array)", "use NOT IN (...) or several conditions joined by AND"};
    case grammar::OperatorKind::kDistinct:
      return {"IS DISTINCT FROM", "use <> together with IS NULL"};
    case grammar::OperatorKind::kNotDistinct:
      return {"IS NOT DISTINCT FROM", "use = or IS NULL"};
    case grammar::OperatorKind::kNullIf:
      return {"NULLIF", {}};
    case grammar::OperatorKind::kILike:
      return {"ILIKE", "use LIKE 'prefix%'"};
    case grammar::OperatorKind::kSimilar:
      return {"SIMILAR TO", {}, true};
    case grammar::OperatorKind::kBetweenSymmetric:
      return {"BETWEEN SYMMETRIC", "use BETWEEN with the lower bound first"};
    case grammar::OperatorKind::kNotBetweenSymmetric:
      return {"NOT BETWEEN SYMMETRIC", "use NOT BETWEEN with the lower bound first"};
    case grammar::OperatorKind::kIn:
    case grammar::OperatorKind::kLike:
    case grammar::OperatorKind::kBetween:
    case grammar::OperatorKind::kNotBetween:
      return {"a condition", {}, true};
    default:
      return {fmt::format("an expression with operator \"{}\"", plain_name(expression.name)),
              "compute it in the application"};
  }
}

Construct describe_function(const grammar::FunctionCall& call) {
  const std::string name(plain_name(call.name));
  if (call.has_over) {
    return {fmt::format("window function {}()", name), "use an aggregate with GROUP BY"};
  }
  if (name == "like_escape" || name == "similar_to_escape") {
    return {"ESCAPE", "use a backslash to escape in the pattern"};
  }
  return {name.empty() ? "function of another schema" : fmt::format("function {}()", name),
          "compute it in the application"};
}

}  // namespace

const char* value_function_name(grammar::ValueFunctionKind kind) {
  switch (kind) {
    case grammar::ValueFunctionKind::kCurrentDate:
      return "CURRENT_DATE";
    case grammar::ValueFunctionKind::kCurrentTime:
    case grammar::ValueFunctionKind::kCurrentTimeN:
      return "CURRENT_TIME";
    case grammar::ValueFunctionKind::kCurrentTimestamp:
      return "CURRENT_TIMESTAMP";
    case grammar::ValueFunctionKind::kCurrentTimestampN:
      return "CURRENT_TIMESTAMP with a precision";
    case grammar::ValueFunctionKind::kLocalTime:
      return "LOCALTIME";
    case grammar::ValueFunctionKind::kLocalTimeN:
      return "LOCALTIME with a precision";
    case grammar::ValueFunctionKind::kLocalTimestamp:
      return "LOCALTIMESTAMP";
    case grammar::ValueFunctionKind::kLocalTimestampN:
      return "LOCALTIMESTAMP with a precision";
    case grammar::ValueFunctionKind::kCurrentRole:
      return "CURRENT_ROLE";
    case grammar::ValueFunctionKind::kCurrentUser:
      return "CURRENT_USER";
    case grammar::ValueFunctionKind::kUser:
      return "USER";
    case grammar::ValueFunctionKind::kSessionUser:
      return "SESSION_USER";
    case grammar::ValueFunctionKind::kCurrentCatalog:
      return "CURRENT_CATALOG";
    case grammar::ValueFunctionKind::kCurrentSchema:
      return "CURRENT_SCHEMA";
    default:
      return "this function";
  }
}

namespace {

Construct describe_sub_link(const grammar::SubLink& link) {
  static constexpr std::string_view kHint = "run the inner query first and pass its result on";
  switch (link.kind) {
    case grammar::SubLink::Kind::kExists:
      return {"EXISTS (sub-query)", std::string(kHint)};
    case grammar::SubLink::Kind::kAny:
      return {"IN or ANY (sub-query)", std::string(kHint)};
    case grammar::SubLink::Kind::kAll:
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
  return list.items.empty() ? -1 : location_of(list.items.front());
}

int32_t location_of_operator(const grammar::OperatorExpression& expression) {
  return expression.left.is_present() ? leftmost(location_of(expression.left), expression.location)
                                      : expression.location;
}

int32_t location_of_boolean(const Node& node) {
  const grammar::Nodes arguments = node.boolean_expression().arguments;
  const int32_t first = arguments.empty() ? -1 : location_of(arguments.front());
  return leftmost(first, node.location());
}

}  // namespace

std::string_view plain_name(grammar::Names names) {
  if (names.empty() || names.size() > 2) {
    return {};
  }
  if (names.size() == 2 && names[0] != "pg_catalog") {
    return {};
  }
  return names.back();
}

Construct describe(const Node& node) {
  switch (node.kind()) {
    case Node::kOperatorExpression:
      return describe_operator(node.operator_expression());
    case Node::kFunctionCall:
      return describe_function(node.function_call());
    case Node::kValueFunction:
      return {value_function_name(node.value_function().kind), {}};
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
      return {node.min_max().is_least ? "LEAST" : "GREATEST", "compute it in the application"};
    case Node::kRow:
      return {"row value in this place", "compare it with a row of as many values"};
    case Node::kArray:
      return {"ARRAY", {}};
    case Node::kIndirection:
      return {"subscript or field selection", {}};
    case Node::kCollate:
      return {"COLLATE", "strings compare as bytes, as under COLLATE \"C\", which is taken"};
    case Node::kGroupingFunction:
      return {"GROUPING()", {}, true};
    case Node::kGroupingSet:
      return {"a grouping set", {}, true};
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
  switch (node.kind()) {
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
  static constexpr std::string_view kPrivilege =
      "what a user may do is said by the users file: daedalus user add NAME --role=reader, writer or operator";
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
      Hint{"TRUNCATE", "name the one table alone, or use DELETE without WHERE"},
      Hint{"COPY", "load files through the command line's load"},
      Hint{"MERGE", "use INSERT, UPDATE and DELETE"},
      Hint{"PREPARE", "send the statement with parameters: parsed statements are cached"},
      Hint{"EXECUTE", "send the statement with parameters: parsed statements are cached"},
      Hint{"DEALLOCATE", "send the statement with parameters: parsed statements are cached"},
      Hint{"EXPLAIN",
           "ask for it by PostgreSQL's protocol, or send the query without it: each query rides one sweep over the "
           "rows"},
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
  switch (node.kind()) {
    case Node::kOperatorExpression:
      return location_of_operator(node.operator_expression());
    case Node::kBooleanExpression:
      return location_of_boolean(node);
    case Node::kNullTest:
      return leftmost(location_of(node.null_test().argument), node.location());
    case Node::kBooleanTest:
      return leftmost(location_of(node.boolean_test().argument), node.location());
    case Node::kCast:
      return leftmost(leftmost(location_of(node.cast().argument), node.location()), node.cast().type_name.location);
    case Node::kIndirection:
      return location_of(node.indirection().argument);
    case Node::kCollate:
      return location_of(node.collate().argument);
    case Node::kSort:
      return location_of(node.sort().expression);
    case Node::kList:
      return location_of_list(node.list());
    default:
      return node.location();
  }
}

}  // namespace daedalus::aggregator::sql
