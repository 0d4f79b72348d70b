#include "postgres_tree.hpp"

#include <pg_query.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "row_comparison.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// Of the parser that is linked; the headers below have to be of the same.
constexpr std::string_view kParserVersion = PG_MAJORVERSION;

}  // namespace

}  // namespace daedalus::aggregator::sql

#undef PG_MAJORVERSION
#undef PG_VERSION
#undef PG_VERSION_NUM

// What follows defines macros by the hundred, so nothing is included behind it.
extern "C" {
// The others need what the first defines.
// clang-format off
#include <postgres.h>
#include <nodes/parsenodes.h>
#include <nodes/pg_list.h>
#include <nodes/value.h>
// clang-format on

/// What libpg_query's parser returns. It exports these functions, and has no header for them.
struct PostgresParse {
  List* tree;
  char* stderr_buffer;
  PgQueryError* error;
};
PostgresParse pg_query_raw_parse(const char* input);
void pg_query_free_error(PgQueryError* error);
MemoryContext pg_query_enter_memory_context();
void pg_query_exit_memory_context(MemoryContext context);
}

namespace daedalus::aggregator::sql {

namespace {

static_assert(kParserVersion == PG_MAJORVERSION);

/// libpg_query has an option of its own, for no limit at all, in front of PostgreSQL's: LIMIT_OPTION_WITH_TIES is
/// third.
constexpr int kLimitWithTies = 2;

/// The memory that the parser takes in between.
class ParserMemory {
 public:
  ParserMemory() : context_(pg_query_enter_memory_context()) {}
  ~ParserMemory() { pg_query_exit_memory_context(context_); }
  ParserMemory(const ParserMemory&) = delete;
  ParserMemory& operator=(const ParserMemory&) = delete;

 private:
  MemoryContext context_;
};

/// A text's raw parse. Its tree goes with the memory, the rest with this.
class RawParse {
 public:
  explicit RawParse(const char* sql) : parse_(pg_query_raw_parse(sql)) {}
  ~RawParse() {
    std::free(parse_.stderr_buffer);
    if (parse_.error != nullptr) {
      pg_query_free_error(parse_.error);
    }
  }
  RawParse(const RawParse&) = delete;
  RawParse& operator=(const RawParse&) = delete;

  [[nodiscard]] const ::List* statements() const { return parse_.tree; }
  [[nodiscard]] const PgQueryError* error() const { return parse_.error; }

 private:
  ParserMemory memory_;
  PostgresParse parse_;
};

/// SQLSTATE of a parser's error, which libpg_query does not pass on: nearly all are syntax errors.
const char* sqlstate_of(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != std::string_view::npos; };
  if (has("memory exhausted") || has("stack depth")) {
    return "54001";
  }
  if (has("invalid byte sequence")) {
    return "22021";
  }
  if (has("invalid Unicode escape") || has("invalid escape")) {
    return "22025";
  }
  return has("not yet implemented") ? "0A000" : "42601";
}

Error to_error(const PgQueryError& raw) {
  Error error = rejected(sqlstate_of(raw.message), raw.message);
  error.position = static_cast<uint32_t>(std::max(0, raw.cursorpos));
  return error;
}

/// An enumeration whose values are those of PostgreSQL's, in the same order.
template <auto kLast, auto kRawLast>
auto same(decltype(kRawLast) value) {
  static_assert(static_cast<int>(kLast) == static_cast<int>(kRawLast));
  return static_cast<decltype(kLast)>(value);
}

bool is_empty(const ::List* list) { return list == NIL; }

class TreeReader {
 public:
  explicit TreeReader(Arena* arena) : arena_(arena) {}

  /// Any node; absent for none.
  grammar::Node read(const void* raw);

 private:
  grammar::Node read_clause(const void* raw);
  grammar::Node read_refused(const void* raw);

  const grammar::SelectStatement* select(const ::SelectStmt& raw);
  const grammar::InsertStatement* insert(const ::InsertStmt& raw);
  const grammar::UpdateStatement* update(const ::UpdateStmt& raw);
  const grammar::DeleteStatement* delete_(const ::DeleteStmt& raw);
  const grammar::ResultTarget* target(const ::ResTarget& raw);
  const grammar::SortBy* sort(const ::SortBy& raw);
  grammar::RangeVariable table(const ::RangeVar* raw);

  const grammar::OperatorExpression* operator_expression(const ::A_Expr& raw);
  const grammar::BooleanExpression* boolean_expression(const ::BoolExpr& raw);
  const grammar::NullTest* null_test(const ::NullTest& raw);
  const grammar::BooleanTest* boolean_test(const ::BooleanTest& raw);
  const grammar::FunctionCall* function_call(const ::FuncCall& raw);
  const grammar::TypeCast* cast(const ::TypeCast& raw);
  const grammar::CaseExpression* case_expression(const ::CaseExpr& raw);
  const grammar::ColumnReference* column(const ::ColumnRef& raw);
  const grammar::ConstantNode* constant(const ::A_Const& raw);
  const grammar::ParameterReference* parameter(const ::ParamRef& raw);
  const grammar::ValueFunction* value_function(const ::SQLValueFunction& raw);
  const grammar::SubLink* sub_link(const ::SubLink& raw);

  grammar::Nodes nodes(const ::List* raw);
  grammar::Names names(const ::List* raw);
  std::string_view text(const char* raw);

  /// Something new in the arena. All that is made here is trivially destructible: the arena forgets it as a whole.
  template <typename Details>
  Details* make() {
    static_assert(std::is_trivially_destructible_v<Details>);
    return new (arena_->allocate(sizeof(Details), alignof(Details))) Details();
  }

  template <typename Value>
  std::span<Value> make_list(size_t size) {
    auto* values = static_cast<Value*>(arena_->allocate(size * sizeof(Value), alignof(Value)));
    std::uninitialized_value_construct_n(values, size);
    return {values, size};
  }

  Arena* arena_;
};

::NodeTag tag_of(const void* raw) { return static_cast<const ::Node*>(raw)->type; }

template <typename Raw>
const Raw& as(const void* raw) {
  return *static_cast<const Raw*>(raw);
}

/// WITH, of which only the place is kept.
grammar::Node place_of(const ::WithClause* with) {
  return with == nullptr ? grammar::Node() : grammar::Node(grammar::Node::kOther, with->location);
}

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
    default:
      return read_refused(raw);
  }
}

/// What is only ever refused: its kind and its place, and what its name depends on.
grammar::Node TreeReader::read_refused(const void* raw) {
  using grammar::Node;
  switch (tag_of(raw)) {
    case T_SubLink:
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
    case T_NamedArgExpr:
      return Node(Node::kNamedArgument, as<::NamedArgExpr>(raw).location);
    case T_XmlExpr:
      return Node(Node::kXml, as<::XmlExpr>(raw).location);
    case T_SetToDefault:
      return Node(Node::kSetToDefault, as<::SetToDefault>(raw).location);
    case T_RangeTableSample:
      return Node(Node::kRangeSample, as<::RangeTableSample>(raw).location);
    case T_RangeTableFunc:
      return Node(Node::kRangeTableFunction, as<::RangeTableFunc>(raw).location);
    case T_RangeFunction:
      return Node(Node::kRangeFunction);
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
      return Node(Node::kMultipleAssignment);
    case T_CurrentOfExpr:
      return Node(Node::kCurrentOf);
    default:
      return Node(Node::kOther);
  }
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
  made->has_overriding = raw.override != OVERRIDING_NOT_SET;
  made->has_returning = !is_empty(raw.returningList);
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

const grammar::OperatorExpression* TreeReader::operator_expression(const ::A_Expr& raw) {
  auto* made = make<grammar::OperatorExpression>();
  made->name = names(raw.name);
  made->left = read(raw.lexpr);
  made->right = read(raw.rexpr);
  made->location = raw.location;
  made->kind = same<grammar::OperatorKind::kNotBetweenSymmetric, AEXPR_NOT_BETWEEN_SYM>(raw.kind);
  return made;
}

const grammar::BooleanExpression* TreeReader::boolean_expression(const ::BoolExpr& raw) {
  auto* made = make<grammar::BooleanExpression>();
  made->arguments = nodes(raw.args);
  made->op = same<grammar::BooleanOperator::kNot, NOT_EXPR>(raw.boolop);
  return made;
}

const grammar::NullTest* TreeReader::null_test(const ::NullTest& raw) {
  auto* made = make<grammar::NullTest>();
  made->argument = read(raw.arg);
  made->is_negated = raw.nulltesttype == IS_NOT_NULL;
  return made;
}

const grammar::BooleanTest* TreeReader::boolean_test(const ::BooleanTest& raw) {
  auto* made = make<grammar::BooleanTest>();
  made->argument = read(raw.arg);
  made->location = raw.location;
  made->kind = same<grammar::BooleanTestKind::kNotUnknown, IS_NOT_UNKNOWN>(raw.booltesttype);
  return made;
}

const grammar::FunctionCall* TreeReader::function_call(const ::FuncCall& raw) {
  auto* made = make<grammar::FunctionCall>();
  made->name = names(raw.funcname);
  made->arguments = nodes(raw.args);
  made->location = raw.location;
  made->filter = read(raw.agg_filter);
  made->order = nodes(raw.agg_order);
  made->is_within_group = raw.agg_within_group;
  made->has_over = raw.over != nullptr;
  made->star = raw.agg_star;
  made->distinct = raw.agg_distinct;
  made->variadic = raw.func_variadic;
  return made;
}

const grammar::TypeCast* TreeReader::cast(const ::TypeCast& raw) {
  auto* made = make<grammar::TypeCast>();
  made->argument = read(raw.arg);
  const ::TypeName& type = *raw.typeName;
  made->type_name.names = names(type.names);
  made->type_name.modifiers = nodes(type.typmods);
  made->type_name.location = type.location;
  made->type_name.is_array = !is_empty(type.arrayBounds);
  made->type_name.is_set = type.setof;
  made->type_name.is_of_column = type.pct_type;
  return made;
}

const grammar::CaseExpression* TreeReader::case_expression(const ::CaseExpr& raw) {
  auto* made = make<grammar::CaseExpression>();
  made->argument = read(raw.arg);
  const auto arms = make_list<grammar::CaseArm>(static_cast<size_t>(list_length(raw.args)));
  for (size_t i = 0; i < arms.size(); ++i) {
    const auto& arm = as<::CaseWhen>(raw.args->elements[i].ptr_value);
    arms[i] = {read(arm.expr), read(arm.result), arm.location};
  }
  made->arms = arms;
  made->otherwise = read(raw.defresult);
  return made;
}

const grammar::ColumnReference* TreeReader::column(const ::ColumnRef& raw) {
  auto* made = make<grammar::ColumnReference>();
  made->names = names(raw.fields);
  made->location = raw.location;
  made->is_star = !is_empty(raw.fields) && tag_of(llast(raw.fields)) == T_A_Star;
  if (made->is_star) {
    made->names = made->names.first(made->names.size() - 1);
  }
  return made;
}

const grammar::ConstantNode* TreeReader::constant(const ::A_Const& raw) {
  using Kind = grammar::ConstantNode::Kind;
  auto* made = make<grammar::ConstantNode>();
  made->location = raw.location;
  if (raw.isnull) {
    return made;
  }
  switch (tag_of(&raw.val)) {
    case T_Integer:
      made->kind = Kind::kInteger;
      made->integer = raw.val.ival.ival;
      break;
    case T_Float:
      made->kind = Kind::kNumber;
      made->text = text(raw.val.fval.fval);
      break;
    case T_Boolean:
      made->kind = Kind::kBoolean;
      made->boolean = raw.val.boolval.boolval;
      break;
    case T_String:
      made->kind = Kind::kString;
      made->text = text(raw.val.sval.sval);
      break;
    default:
      made->kind = Kind::kBitString;
  }
  return made;
}

const grammar::ParameterReference* TreeReader::parameter(const ::ParamRef& raw) {
  auto* made = make<grammar::ParameterReference>();
  made->number = raw.number;
  made->location = raw.location;
  return made;
}

const grammar::ValueFunction* TreeReader::value_function(const ::SQLValueFunction& raw) {
  auto* made = make<grammar::ValueFunction>();
  made->location = raw.location;
  made->kind = same<grammar::ValueFunctionKind::kCurrentSchema, SVFOP_CURRENT_SCHEMA>(raw.op);
  return made;
}

const grammar::SubLink* TreeReader::sub_link(const ::SubLink& raw) {
  using Kind = grammar::SubLink::Kind;
  auto* made = make<grammar::SubLink>();
  const bool is_other = raw.subLinkType > ANY_SUBLINK;
  made->kind = is_other ? Kind::kOther : same<Kind::kAny, ANY_SUBLINK>(raw.subLinkType);
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

}  // namespace

Result<PostgresTree> parse_as_postgres(const std::string& text, Arena* arena) {
  const RawParse parse(text.c_str());
  if (parse.error() != nullptr) {
    return to_error(*parse.error());
  }
  PostgresTree tree;
  const ::List* statements = parse.statements();
  if (statements == NIL) {
    return tree;
  }
  const auto& first = as<::RawStmt>(linitial(statements));
  tree.statement_count = static_cast<uint32_t>(statements->length);
  tree.first_location = first.stmt_location;
  tree.first = TreeReader(arena).read(first.stmt);
  if (tree.statement_count > 1) {
    tree.second_location = as<::RawStmt>(lsecond(statements)).stmt_location;
  }
  return tree;
}

}  // namespace daedalus::aggregator::sql
