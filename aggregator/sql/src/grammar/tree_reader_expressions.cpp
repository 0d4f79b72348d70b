// Expressions.
#include "tree_reader.hpp"

namespace daedalus::aggregator::sql {

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
  const bool is_value = raw.subLinkType == EXPR_SUBLINK;
  const bool is_other = raw.subLinkType > ANY_SUBLINK;
  made->kind = is_value ? Kind::kValue : is_other ? Kind::kOther : same<Kind::kAny, ANY_SUBLINK>(raw.subLinkType);
  if (is_value || made->kind == Kind::kExists) {
    made->query = read(raw.subselect);
  }
  return made;
}

}  // namespace daedalus::aggregator::sql
