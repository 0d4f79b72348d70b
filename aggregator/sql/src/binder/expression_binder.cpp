#include "expression_binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "aggregates.hpp"
#include "arithmetic.hpp"
#include "beyond.hpp"
#include "blanks.hpp"
#include "bound_lists.hpp"
#include "cast.hpp"
#include "daedalus/semantics/regular_expression.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "named_arguments.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

Typed typed_constant(Constant constant) {
  Typed made;
  made.is_unknown = constant.is_untyped;
  made.location = constant.location;
  made.parameter = constant.parameter;
  made.is_array = constant.is_array;
  const bool is_text = constant.is_text || constant.is_untyped;
  const Type type = is_text ? Type{TypeKind::kText} : constant.type;
  made.expression = semantics::make_constant(type, std::move(constant.value));
  return made;
}

bool may_have_date(TypeKind kind) { return semantics::is_datetime(kind) || kind == TypeKind::kTime; }

/// The modifier of values that become one of this kind, where all have the same.
int32_t common_modifier(const std::vector<Typed>& values, TypeKind kind) {
  const int32_t first = values.front().modifier;
  const bool is_common = std::all_of(values.begin(), values.end(), [&](const Typed& value) {
    return !value.is_unknown && value.expression.type.kind == kind && value.modifier == first;
  });
  return is_common ? first : semantics::kNoModifier;
}

/// Returns the result of a function that programs call before anything else, as version(); nothing for other functions.
/// The one database has the table's name.
std::optional<std::string_view> text_of_session(std::string_view name, std::string_view table) {
  if (name == "version") {
    return "PostgreSQL 15 as Daedalus speaks it";
  }
  if (name == "current_schema") {
    return "public";
  }
  return name == "current_database" ? std::optional(table) : std::nullopt;
}

/// Returns the result of such a function when it is written without parentheses.
std::optional<std::string_view> text_of_session(grammar::ValueFunctionKind kind, std::string_view table) {
  switch (kind) {
    case grammar::ValueFunctionKind::kCurrentSchema:
      return text_of_session("current_schema", table);
    case grammar::ValueFunctionKind::kCurrentCatalog:
      return text_of_session("current_database", table);
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<void> check_text_length(const Scope& scope, const Value& value, int32_t location) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr || text->size() <= semantics::kStringLengthMax) {
    return {};
  }
  return scope.error("54000",
                     fmt::format("a text of {} bytes is longer than an expression may take: {}", text->size(),
                                 semantics::kStringLengthMax),
                     location);
}

// ---- what is asked for ----

Result<BoundExpression> ExpressionBinder::value(const grammar::Node& node) {
  auto bound = bind(node);
  if (!bound) {
    return bound.error();
  }
  return settled(std::move(*bound));
}

Result<BoundExpression> ExpressionBinder::condition(const grammar::Node& node, std::string_view construct) {
  auto bound = bind(node);
  if (!bound) {
    return bound.error();
  }
  return as_boolean(std::move(*bound), construct.empty() ? place_.clause : construct);
}

Result<Together> ExpressionBinder::of_one_type(grammar::Nodes nodes, std::string_view construct) {
  auto bound = bind_all(nodes);
  return bound ? brought_together(std::move(*bound), construct) : bound.error();
}

// ---- any expression ----

ExpressionBinder::Bound ExpressionBinder::bind(const grammar::Node& node) {
  auto bound = bind_here(node);
  // Messages point to where the expression begins. A literal has its own place, whatever casts it.
  const bool is_constant = node.kind() == grammar::Node::kConstant || node.kind() == grammar::Node::kParameter ||
                           (node.kind() == grammar::Node::kCast && node.cast().argument.has_constant());
  if (bound && !is_constant) {
    bound->location = location_of(node);
  }
  return bound;
}

ExpressionBinder::Bound ExpressionBinder::bind_here(const grammar::Node& node) {
  switch (node.kind()) {
    case grammar::Node::kColumn:
      return column(node.column());
    case grammar::Node::kConstant:
    case grammar::Node::kParameter:
    case grammar::Node::kValueFunction:
      return constant(node);
    case grammar::Node::kFunctionCall:
      return function_call(node.function_call());
    case grammar::Node::kOperatorExpression:
      return operator_expression(node.operator_expression());
    case grammar::Node::kBooleanExpression:
      return boolean_expression(node);
    case grammar::Node::kNullTest:
      return null_test(node);
    case grammar::Node::kBooleanTest:
      return boolean_test(node.boolean_test());
    case grammar::Node::kCast:
      return cast_expression(node);
    case grammar::Node::kGroupingFunction:
      return grouping_function(node.grouping_function());
    case grammar::Node::kCaseExpression:
      return case_expression(node);
    case grammar::Node::kCoalesce:
      return choice(FunctionId::kCoalesce, "COALESCE", node.coalesce().arguments, node.location());
    case grammar::Node::kMinMax:
      return node.min_max().is_least
                 ? choice(FunctionId::kLeast, "LEAST", node.min_max().arguments, node.location())
                 : choice(FunctionId::kGreatest, "GREATEST", node.min_max().arguments, node.location());
    case grammar::Node::kSubLink:
      return value_query(node);
    default:
      return scope_.refuse(node);
  }
}

ExpressionBinder::Bound ExpressionBinder::column(const grammar::ColumnReference& node) {
  auto number = scope_.column(node);
  if (!number) {
    return number.error();
  }
  places_.columns.emplace_back(*number, node.location);
  Typed made{semantics::column_of(scope_.schema(), *number), false, node.location};
  const semantics::Column& column = scope_.schema().columns[*number];
  made.modifier = column.modifier.value_or(semantics::modifier_of(column.type));
  return made;
}

ExpressionBinder::Bound ExpressionBinder::constant(const grammar::Node& node) {
  if (const auto text = text_of_session(node.value_function().kind, scope_.database());
      text && node.kind() == grammar::Node::kValueFunction) {
    return Typed{semantics::make_constant(Type{TypeKind::kText}, std::string(*text)), false, node.location()};
  }
  auto constant = fold_compared(scope_, node);
  if (!constant) {
    return constant.error();
  }
  if (!constant->has_value()) {
    return scope_.refuse(node);
  }
  if ((*constant)->is_beyond && !takes_beyond_) {
    return refuse_beyond(scope_, **constant);
  }
  if (auto checked = check_text_length(scope_, (*constant)->value, (*constant)->location); !checked) {
    return checked.error();
  }
  return typed_constant(std::move(**constant));
}

ExpressionBinder::Bound ExpressionBinder::bind_compared(const grammar::Node& node) {
  const bool is_value =
      node.kind() == grammar::Node::kParameter ||
      (node.kind() == grammar::Node::kCast &&
       (node.cast().argument.has_constant() || node.cast().argument.kind() == grammar::Node::kParameter));
  takes_beyond_ = place_.compares_beyond && is_value;
  auto bound = bind(node);
  takes_beyond_ = false;
  return bound;
}

void ExpressionBinder::read_beyond(std::vector<Typed>& sides) {
  for (size_t place = 0; place < sides.size(); ++place) {
    const Typed& other = sides[1 - place];
    const auto* const text = std::get_if<std::string>(&sides[place].expression.value);
    const bool is_read = sides[place].is_unknown && text != nullptr && !other.is_unknown;
    if (auto beyond = is_read ? value_beyond(Type{other.expression.type.kind}, *text) : std::nullopt) {
      sides[place].is_unknown = false;
      sides[place].expression = semantics::make_constant(beyond->type, std::move(beyond->value));
    }
  }
}

Result<std::vector<Typed>> ExpressionBinder::bind_all(const grammar::Nodes& nodes, bool are_compared) {
  std::vector<Typed> bound;
  bound.reserve(nodes.size());
  for (const grammar::Node& node : nodes) {
    auto one = are_compared ? bind_compared(node) : bind(node);
    if (!one) {
      return one.error();
    }
    bound.push_back(std::move(*one));
  }
  return bound;
}

// ---- types ----

Result<BoundExpression> ExpressionBinder::coerced(Typed value, TypeKind kind) {
  if (value.is_array && !value.is_unknown) {
    return scope_.refuse("an array in this place", value.location);
  }
  if (!value.is_unknown) {
    if (value.expression.type.kind == kind) {
      return std::move(value.expression);
    }
    auto made = cast(std::move(value.expression), Type{kind}, value.location);
    return made ? Result<BoundExpression>(std::move(made->expression)) : made.error();
  }
  if (value.parameter != 0) {
    scope_.ask_kind(value.parameter, value.location, {kind, value.is_array});
  }
  const Type type{kind};
  if (semantics::is_null(value.expression.value)) {
    return semantics::make_constant(type, Value());
  }
  auto parsed = read_text(scope_, type, std::get<std::string>(value.expression.value));
  if (!parsed) {
    return scope_.located(parsed.error(), value.location);
  }
  return semantics::make_constant(type, std::move(*parsed));
}

Result<BoundExpression> ExpressionBinder::settled(Typed value) {
  const TypeKind kind = value.is_unknown ? TypeKind::kText : value.expression.type.kind;
  return coerced(std::move(value), kind);
}

Result<BoundExpression> ExpressionBinder::shown(Typed value) {
  if (value.parameter != 0) {
    return semantics::make_constant(Type{TypeKind::kText}, Value());  // A value of any type: it is asked for none.
  }
  const bool depends_on_zone = !value.is_unknown && value.expression.type.kind == TypeKind::kTimestampTz;
  if (depends_on_zone && scope_.session_zone() != nullptr) {
    return coerced(std::move(value), TypeKind::kText);
  }
  return settled(std::move(value));
}

Result<BoundExpression> ExpressionBinder::as_boolean(Typed value, std::string_view construct) {
  if (!value.is_unknown && (value.is_array || value.expression.type.kind != TypeKind::kBool)) {
    return scope_.error("42804",
                        fmt::format("argument of {} must be type boolean, not type {}{}", construct,
                                    semantics::kind_name(value.expression.type.kind), value.is_array ? "[]" : ""),
                        value.location);
  }
  return coerced(std::move(value), TypeKind::kBool);
}

Result<Together> ExpressionBinder::brought_together(std::vector<Typed> values, std::string_view construct) {
  const auto is_array = [](const Typed& value) { return value.is_array; };
  const auto is_other = [](const Typed& value) { return !value.is_array && !value.is_unknown; };
  if (const auto array = std::find_if(values.begin(), values.end(), is_array); array != values.end()) {
    const bool is_mixed = std::any_of(values.begin(), values.end(), is_other);
    return is_mixed ? scope_.error("42804", fmt::format("{} types cannot be matched", construct), array->location)
                    : scope_.refuse("an array in this place", array->location);
  }
  const auto kinds = kinds_of(values);
  const auto common = semantics::resolve_common_kind(kinds, construct);
  if (!common) {
    // The first that does not go with those before it.
    size_t count = 1;
    while (semantics::resolve_common_kind(std::span(kinds).first(count), construct)) {
      ++count;
    }
    return scope_.located(common.error(), values[count - 1].location);
  }
  Together made{{}, common_modifier(values, *common)};
  made.values.reserve(values.size());
  for (Typed& value : values) {
    const TypeKind kind = value.expression.type.kind;
    if (!value.is_unknown && kind != *common && !semantics::can_cast_implicitly(kind, *common)) {
      return scope_.error("42846",
                          fmt::format("{} could not convert type {} to {}", construct, semantics::kind_name(kind),
                                      semantics::kind_name(*common)),
                          value.location);
    }
    auto one = coerced(std::move(value), *common);
    if (!one) {
      return one.error();
    }
    made.values.push_back(std::move(*one));
  }
  auto kept = keep_blanks(made.values);
  return kept ? Result<Together>(std::move(made)) : kept.error();
}

// ---- calls ----

ExpressionBinder::Bound ExpressionBinder::call(FunctionId function, std::vector<BoundExpression> arguments,
                                               int32_t location, const Type& target) {
  auto made = semantics::make_call(function, std::move(arguments), target);
  if (!made) {
    return scope_.located(made.error(), location);
  }
  return Typed{std::move(*made), false, location};
}

Result<void> ExpressionBinder::check_texts(const std::vector<BoundExpression>& arguments, const Type& made,
                                           int32_t location) const {
  const auto is_interval = [](const BoundExpression& argument) { return argument.type.kind == TypeKind::kInterval; };
  const bool has_interval = std::any_of(arguments.begin(), arguments.end(), is_interval);
  if (has_interval && semantics::is_string(made.kind)) {
    return scope_.show_interval(location);
  }
  if (arguments.size() != 1 || !semantics::is_string(arguments[0].type.kind)) {
    return {};
  }
  return made.kind == TypeKind::kInterval ? scope_.read_intervals(location)
         : may_have_date(made.kind)       ? scope_.read_dates(location)
                                          : Result<void>();
}

Result<std::optional<BoundExpression>> ExpressionBinder::read_in_order(const BoundExpression& text,
                                                                       const Type& type) const {
  using Read = std::optional<BoundExpression>;
  const bool is_read = semantics::is_string(text.type.kind) && may_have_date(type.kind);
  if (!is_read || scope_.date_order() == semantics::DateOrder::kMonthDayYear) {
    return Read();
  }
  const auto folded = semantics::fold(BoundExpression(text));
  if (!folded || !folded->is_constant()) {
    return Read();
  }
  if (semantics::is_null(folded->value)) {
    return Read(semantics::make_constant(type, Value()));
  }
  auto value = read_text(scope_, type, std::get<std::string>(folded->value));
  if (!value && !scope_.leaves_mistakes()) {
    return value.error();  // PostgreSQL tells no place of what is computed.
  }
  return Read(semantics::make_constant(type, value ? std::move(*value) : Value()));
}

ExpressionBinder::Bound ExpressionBinder::cast(BoundExpression value, const Type& type, int32_t location) {
  auto read = read_in_order(value, type);
  if (!read) {
    return read.error();
  }
  if (*read) {
    return Typed{std::move(**read), false, location};
  }
  auto taken = list_of(std::move(value));
  if (auto may = check_texts(taken, type, location); !may) {
    return may.error();
  }
  value = std::move(taken.front());
  const semantics::SessionZone* zone =
      semantics::is_cast_by_zone(value.type.kind, type.kind) ? scope_.session_zone() : nullptr;
  if (zone == nullptr) {
    return call(FunctionId::kCast, list_of(std::move(value)), location, type);
  }
  auto made = semantics::cast_at_zone(std::move(value), type, zone->bound());
  return made ? Bound(Typed{std::move(*made), false, location}) : scope_.located(made.error(), location);
}

ExpressionBinder::Bound ExpressionBinder::call_in_session(const semantics::ScalarFunction& function,
                                                          std::vector<BoundExpression> arguments, int32_t location) {
  if (function.name != "to_char") {  // The format, not the session, decides what to_char writes.
    if (auto may = check_texts(arguments, Type{function.result}, location); !may) {
      return may.error();
    }
  }
  const semantics::SessionZone* zone = semantics::may_depend_on_zone(function) ? scope_.session_zone() : nullptr;
  auto made = semantics::make_named_call(function, std::move(arguments), zone == nullptr ? nullptr : &zone->bound());
  if (made) {
    // Nodes would say the same of each row; here it has a place.
    if (auto checked = semantics::check_expression(*made); !checked) {
      return scope_.located(checked.error(), location);
    }
  }
  return made ? Bound(Typed{std::move(*made), false, location}) : scope_.located(made.error(), location);
}

Result<void> ExpressionBinder::check_arrays(std::string_view name, bool is_operator,
                                            const std::vector<Typed>& arguments, int32_t location) const {
  const auto is_array = [](const Typed& value) { return value.is_array && !value.is_unknown; };
  const auto is_other = [](const Typed& value) { return !value.is_array && !value.is_unknown; };
  if (std::none_of(arguments.begin(), arguments.end(), is_array)) {
    return {};
  }
  const bool takes_any = !is_operator && (name.starts_with("concat") || name.starts_with("quote_") || name == "format");
  if (takes_any || name == "||" || (is_operator && std::none_of(arguments.begin(), arguments.end(), is_other))) {
    return scope_.refuse("an array in this place", location);
  }
  std::string list;
  for (const Typed& argument : arguments) {
    const std::string_view kind = argument.is_unknown ? "unknown" : semantics::kind_name(argument.expression.type.kind);
    const std::string before = list.empty() ? "" : is_operator ? fmt::format(" {} ", name) : ", ";
    list += fmt::format("{}{}{}", before, kind, argument.is_array && !argument.is_unknown ? "[]" : "");
  }
  return is_operator ? scope_.error("42883", fmt::format("operator does not exist: {}", list), location)
                     : scope_.error("42883", fmt::format("function {}({}) does not exist", name, list), location);
}

ExpressionBinder::Bound ExpressionBinder::resolved(std::string_view name, bool is_operator,
                                                   std::vector<Typed> arguments, int32_t location) {
  if (auto checked = check_arrays(name, is_operator, arguments, location); !checked) {
    return checked.error();
  }
  if (is_operator && place_.compares_beyond && arguments.size() == 2 && comparison_of(name)) {
    read_beyond(arguments);
  }
  auto function = semantics::resolve_function(name, is_operator, kinds_of(arguments));
  if (!function) {
    return scope_.located(function.error(), location);
  }
  if ((*function)->is_refused()) {
    return scope_.refuse(fmt::format("{} {} of {}", is_operator ? "operator" : "function", name,
                                     semantics::kind_name((*function)->arguments.back())),
                         location, "cast the argument to another type that it takes");
  }
  std::vector<BoundExpression> taken;
  taken.reserve(arguments.size());
  for (size_t place = 0; place < arguments.size(); ++place) {
    const bool is_named = place < (*function)->arguments.size();
    auto argument = is_named ? coerced(std::move(arguments[place]), (*function)->arguments[place])
                             : shown(std::move(arguments[place]));
    if (!argument) {
      return argument.error();
    }
    taken.push_back(std::move(*argument));
  }
  if (auto made = ignore_blanks(**function, taken); !made) {
    return scope_.located(made.error(), location);
  }
  if (is_operator && taken.back().type.kind != (*function)->arguments.back()) {
    function = semantics::resolve_function(name, true, std::vector<semantics::ArgumentKind>(2, {TypeKind::kText}));
  }
  if ((*function)->zone_place >= 0) {
    BoundExpression& zone = taken[static_cast<size_t>((*function)->zone_place)];
    auto bound = bound_zone(std::move(zone), (*function)->zone_may_be_offset, location);
    if (!bound) {
      return bound.error();
    }
    zone = std::move(*bound);
  }
  return call_in_session(**function, std::move(taken), location);
}

/// Nodes have no time zones: what a zone is goes along with the statement. One that does not exist fails where it is
/// wanted, as everything that is computed.
Result<BoundExpression> ExpressionBinder::bound_zone(BoundExpression zone, bool may_be_offset, int32_t location) {
  auto folded = semantics::fold(BoundExpression(zone));
  if (!folded) {
    return zone;  // The error is told in its turn, when all constants are computed.
  }
  if (!folded->is_constant()) {
    return scope_.refuse("a time zone that is no constant", location,
                         "a zone is looked up when the statement is read: write its name, or pass it as a parameter");
  }
  if (semantics::is_null(folded->value)) {
    return folded;
  }
  const auto& name = std::get<std::string>(folded->value);
  auto text =
      may_be_offset ? semantics::bind_zone_or_offset(name, scope_.zones()) : semantics::bind_zone(name, scope_.zones());
  if (!text) {
    if (text.error().sqlstate != "22023") {
      return scope_.located(text.error(), location);
    }
    text = semantics::bind_no_zone(text.error());
  }
  return semantics::make_constant(Type{TypeKind::kText}, Value(std::move(*text)));
}

ExpressionBinder::Bound ExpressionBinder::compared(std::string_view sign, Typed left, Typed right, int32_t location) {
  return resolved(sign, true, pair_of(std::move(left), std::move(right)), location);
}

Typed ExpressionBinder::midnight() {
  scope_.places().give_up();
  const int64_t now = scope_.local_now_us();
  const int64_t since = (now % semantics::kMicrosPerDay + semantics::kMicrosPerDay) % semantics::kMicrosPerDay;
  return Typed{semantics::make_constant(Type{TypeKind::kTimestamp}, Value(now - since))};
}

ExpressionBinder::Bound ExpressionBinder::function_call(const grammar::FunctionCall& node) {
  if (is_aggregate(node)) {
    return aggregate_call(node);
  }
  const std::string_view name = plain_name(node.name);
  const bool is_plain = !node.has_over && !node.star && !node.distinct && node.order.empty() && !node.is_within_group &&
                        !node.variadic && !node.filter.is_present();
  const std::optional<std::string_view> text =
      is_plain && node.arguments.empty() ? text_of_session(name, scope_.database()) : std::nullopt;
  if (text) {
    return Typed{semantics::make_constant(Type{TypeKind::kText}, std::string(*text)), false, node.location};
  }
  if (!is_plain || !semantics::is_function_name(name)) {
    return constant(grammar::Node(&node, node.location));
  }
  if (name == "make_interval") {
    return interval_of_parts(node);
  }
  auto arguments = bind_all(node.arguments);
  if (!arguments) {
    return arguments.error();
  }
  if (name == "age" && arguments->size() == 1) {
    // From the midnight that the day begins with.
    arguments->insert(arguments->begin(), midnight());
  }
  return resolved(name, false, std::move(*arguments), node.location);
}

ExpressionBinder::Bound ExpressionBinder::interval_of_parts(const grammar::FunctionCall& node) {
  static constexpr std::array<std::string_view, 7> kParts{"years", "months", "weeks", "days", "hours", "mins", "secs"};
  auto placed = placed_arguments(scope_, node, kParts);
  if (!placed) {
    return placed.error();
  }
  std::vector<Typed> parts;
  for (const grammar::Node& part : *placed) {
    const bool is_seconds = parts.size() + 1 == kParts.size();
    auto bound = part.is_present() ? bind(part)
                 : is_seconds      ? Typed{semantics::make_constant(Type{TypeKind::kDouble}, Value(0.0))}
                                   : Typed{semantics::make_constant(Type{TypeKind::kInt}, Value(int64_t{0}))};
    if (!bound) {
      return bound;
    }
    parts.push_back(std::move(*bound));
  }
  return resolved(plain_name(node.name), false, std::move(parts), node.location);
}

ExpressionBinder::Bound ExpressionBinder::operator_expression(const grammar::OperatorExpression& node) {
  switch (node.kind) {
    case grammar::OperatorKind::kPlain:
    case grammar::OperatorKind::kLike:
    case grammar::OperatorKind::kILike:
    case grammar::OperatorKind::kSimilar:
      return plain_operator(node);
    case grammar::OperatorKind::kDistinct:
    case grammar::OperatorKind::kNotDistinct:
    case grammar::OperatorKind::kNullIf:
      return pair_form(node);
    case grammar::OperatorKind::kIn:
      return in_list(node);
    case grammar::OperatorKind::kAny:
    case grammar::OperatorKind::kAll:
      return array_test(node);
    case grammar::OperatorKind::kBetween:
    case grammar::OperatorKind::kNotBetween:
    case grammar::OperatorKind::kBetweenSymmetric:
    case grammar::OperatorKind::kNotBetweenSymmetric:
      return between(node);
    default:
      return refused_operator(node);
  }
}

ExpressionBinder::Bound ExpressionBinder::refused_operator(const grammar::OperatorExpression& node) {
  Construct construct = describe(grammar::Node(&node, node.location));
  return scope_.refuse(std::move(construct.name), node.location, std::move(construct.hint));
}

ExpressionBinder::Bound ExpressionBinder::plain_operator(const grammar::OperatorExpression& node) {
  const bool are_rows = node.left.kind() == grammar::Node::kRow && node.right.kind() == grammar::Node::kRow;
  if (are_rows && node.left.row().items.size() != node.right.row().items.size()) {
    return scope_.error("42601", "unequal number of entries in row expressions", node.location);
  }
  std::string_view name = plain_name(node.name);
  name = name == "!=" ? "<>" : name;
  if (!semantics::is_operator_sign(name, node.left.is_present() ? 2 : 1)) {
    return refused_operator(node);
  }
  std::vector<Typed> operands;
  for (const grammar::Node* side : {&node.left, &node.right}) {
    if (!side->is_present()) {
      continue;
    }
    auto operand = comparison_of(name) ? bind_compared(*side) : bind(*side);
    if (!operand) {
      return operand;
    }
    operands.push_back(std::move(*operand));
  }
  if (name == "||") {
    if (auto texts = as_texts(operands); !texts) {
      return texts.error();
    }
  }
  return resolved(name, true, std::move(operands), node.location);
}

/// `||` takes a value of any type beside a string: what a cast to text makes of it.
Result<void> ExpressionBinder::as_texts(std::vector<Typed>& operands) {
  const auto is_text = [](const Typed& operand) {
    return operand.is_unknown || operand.is_array || semantics::is_string(operand.expression.type.kind);
  };
  if (operands.size() != 2 || is_text(operands[0]) == is_text(operands[1])) {
    return {};
  }
  Typed& other = operands[is_text(operands[0]) ? 1 : 0];
  auto text = cast(std::move(other.expression), Type{TypeKind::kText}, other.location);
  if (!text) {
    return text.error();
  }
  other = std::move(*text);
  return {};
}

}  // namespace daedalus::aggregator::sql
