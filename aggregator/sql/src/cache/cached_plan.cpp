#include "cached_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "condition.hpp"
#include "daedalus/contract/normal_form.hpp"
#include "daedalus/semantics/order.hpp"
#include "given_parameter.hpp"
#include "like_pattern.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;
using ConditionKind = semantics::Condition::Kind;

bool is_same(const semantics::Value& left, const semantics::Value& right) {
  return semantics::compare(left, right) == 0;
}
bool is_less(const semantics::Value& left, const semantics::Value& right) {
  return semantics::compare(left, right) < 0;
}

bool is_prefix_test(Operator op) { return op == Operator::kStartsWith || op == Operator::kNotStartsWith; }

bool is_list(Operator op) { return op == Operator::kIn || op == Operator::kNotIn; }

/// Returns the prefix that a LIKE pattern asks for; nothing when the pattern is more than a prefix, or no text.
std::optional<Constant> prefix_of(Constant pattern) {
  const auto* text = std::get_if<std::string>(&pattern.value);
  if (text == nullptr || !(pattern.is_untyped || semantics::is_string(pattern.type.kind)) ||
      text->size() > kStringConstantSizeMax) {
    return std::nullopt;
  }
  auto read = read_like_pattern(*text);
  if (!read || !read->is_prefix) {
    return std::nullopt;
  }
  pattern.type = semantics::Type{semantics::TypeKind::kVarchar};
  pattern.value = std::move(read->text);
  return pattern;
}

/// Returns the condition that the compiler makes of `column op members`.
std::optional<semantics::Condition> condition_of(const semantics::Schema& schema,
                                                 const ParameterPositions::Place& place,
                                                 const boost::container::small_vector<Constant, 1>& members) {
  if (!is_list(place.op)) {
    auto compared = semantics::to_comparison(schema, place.column, place.op, members[0].type, members[0].value);
    return compared ? std::optional(std::move(*compared)) : std::nullopt;
  }
  std::vector<semantics::Expression> arguments{semantics::Expression::make_column(place.column)};
  for (const Constant& member : members) {
    arguments.push_back(semantics::Expression::make_constant(member.type, member.value));
  }
  auto listed = semantics::to_condition(schema, semantics::Expression::make_call(place.op, std::move(arguments)));
  return listed ? std::optional(std::move(*listed)) : std::nullopt;
}

/// A string that is too long to be packed makes a selection without a shape.
bool is_too_long(const semantics::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && text->size() > kStringConstantSizeMax;
}

/// Returns the operator of a list whose members are values of the column: a single member is compared by = or <>.
Operator operator_of_list(Operator op, size_t members) {
  return members > 1 ? op : op == Operator::kIn ? Operator::kEqual : Operator::kNotEqual;
}

}  // namespace

// ---- what a statement has in common with others ----

std::shared_ptr<const CachedPlan> CachedPlan::of(std::shared_ptr<const ColumnNames> columns,
                                                 std::shared_ptr<const ParsedStatement> parsed, const Scope& scope,
                                                 std::shared_ptr<const semantics::SessionZone> zone,
                                                 const wire::v1::StatementBody& statement,
                                                 const CompiledSelect& compiled, const contract::PartitionMap& map) {
  const Predicate& predicate = compiled.selection->predicate;
  if (scope.places().has_given_up() || compiled.shape == nullptr) {
    return nullptr;
  }
  std::shared_ptr<CachedPlan> known(
      new CachedPlan(std::move(columns), std::move(parsed), compiled, scope.parameters_used()));
  for (int32_t number = 1; scope.has_kinds() && number <= scope.parameters_used(); ++number) {
    known->declared_.push_back(declared_by(statement.parameters(number - 1)));
    known->kinds_.push_back(scope.kind_of_given(number));
  }
  known->hangs_on_date_order_ = scope.places().hangs_on_date_order();
  known->depends_on_zone_ = scope.places().depends_on_zone();
  known->zone_ = known->depends_on_zone_ ? std::move(zone) : nullptr;
  if (!known->find_places(scope, statement, predicate)) {
    return nullptr;
  }
  known->compiled_.shape_routing =
      std::make_shared<const contract::ShapeRouting>(scope.schema(), map.partition_rule(), predicate);
  semantics::Selection selection = *compiled.selection;
  selection.predicate = {};
  known->compiled_.selection = std::make_shared<const semantics::Selection>(std::move(selection));
  known->compiled_.routing = {};
  known->compiled_.values.clear();
  return known;
}

bool CachedPlan::find_places(const Scope& scope, const wire::v1::StatementBody& statement, const Predicate& predicate) {
  std::vector<int32_t> fixed;
  std::vector<Place> left;
  if (scope.places().keep(predicate)) {
    fixed = scope.places().fixed();
    left = followed(scope, statement, fixed);
  } else {
    fixed.resize(static_cast<size_t>(parameter_count_));
    std::iota(fixed.begin(), fixed.end(), 1);
    is_for_one_ = !fixed.empty();
  }
  for (const semantics::Clause& clause : predicate.clauses) {
    for (const Literal& literal : clause) {
      const Form form{ConditionKind::kLiteral, contract::operator_of(literal), literal.values.size()};
      const auto found = std::find_if(left.begin(), left.end(), [&](const Place& place) {
        return form.values > 0 && place.from.column == literal.column && place.form == form;
      });
      if (found != left.end()) {
        found->is_sent = true;
        found->before = std::exchange(after_, {});
        places_.push_back(std::move(*found));
        left.erase(found);
        continue;
      }
      for (const semantics::Value& value : literal.values) {
        contract::append_value(scope.schema(), literal.column, value, after_);
      }
    }
  }
  std::move(left.begin(), left.end(), std::back_inserter(places_));
  for (const int32_t parameter : fixed) {
    fixed_.push_back({parameter, statement.parameters(parameter - 1)});
  }
  CompiledSelect again;
  return bind(statement, again) && again.values == compiled_.values;
}

std::vector<CachedPlan::Place> CachedPlan::followed(const Scope& scope, const wire::v1::StatementBody& statement,
                                                    std::vector<int32_t>& fixed) const {
  std::vector<Place> followed;
  for (const ParameterPositions::Place& place : scope.places().places()) {
    Values values;
    const auto form = form_of(scope, place, statement, values);
    // If two comparisons of the text come to the same column and operator, the literal that is left may be the other's.
    if (form && (form->values == 0 || scope.places().is_only_leaf(place.column, form->op))) {
      followed.push_back({place, *form, false, {}});
    } else {
      fixed.insert(fixed.end(), place.parameters.begin(), place.parameters.end());
    }
  }
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  return followed;
}

bool CachedPlan::Fixed::is(const wire::v1::Constant& given) const {
  const wire::v1::Type& type = value.type();
  return value.is_null() == given.is_null() && value.has_text() == given.has_text() && value.text() == given.text() &&
         value.is_array() == given.is_array() && value.packed() == given.packed() &&
         type.kind() == given.type().kind() && type.precision() == given.type().precision() &&
         type.scale() == given.type().scale() && type.length() == given.type().length();
}

bool CachedPlan::is_for_the_same(const CachedPlan& other) const {
  return hangs_on_date_order_ == other.hangs_on_date_order_ && depends_on_zone_ == other.depends_on_zone_ &&
         zone_name() == other.zone_name() && declared_ == other.declared_ &&
         std::equal(fixed_.begin(), fixed_.end(), other.fixed_.begin(), other.fixed_.end(),
                    [](const Fixed& left, const Fixed& right) {
                      return left.parameter == right.parameter && left.is(right.value);
                    }) &&
         std::equal(places_.begin(), places_.end(), other.places_.begin(), other.places_.end(),
                    [](const Place& left, const Place& right) {
                      return left.form == right.form && left.is_sent == right.is_sent &&
                             left.from.parameters == right.from.parameters;
                    });
}

// ---- binding ----

bool CachedPlan::bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const {
  if (statement.parameters_size() != parameter_count_ || statement.has_slice() ||
      (hangs_on_date_order_ && !statement.date_order().empty()) ||
      (depends_on_zone_ && statement.time_zone() != zone_name()) || !have_known_types(statement)) {
    return false;
  }
  for (const Fixed& fixed : fixed_) {
    if (!fixed.is(statement.parameters(fixed.parameter - 1))) {
      return false;
    }
  }
  const Scope scope(*columns_, *parsed_, statement, 0, nullptr, zone_.get(), nullptr, kinds_);
  bound.values.clear();
  Values values;
  for (const Place& place : places_) {
    values.clear();
    const auto form = form_of(scope, place.from, statement, values);
    if (form != place.form) {
      return false;
    }
    if (place.is_sent) {
      bound.values += place.before;
      for (const semantics::Value& value : values) {
        contract::append_value(scope.schema(), place.from.column, value, bound.values);
      }
    }
  }
  if (scope.places().depends_on_zone() && !depends_on_zone_ && !statement.time_zone().empty()) {
    return false;  // With these values it does, and nobody has compiled it for that zone.
  }
  bound.values += after_;
  bound.selection = compiled_.selection;
  bound.condition = nullptr;
  bound.shape = compiled_.shape;
  bound.shape_routing = compiled_.shape_routing;
  bound.columns = compiled_.columns;
  bound.counted = compiled_.counted;
  return true;
}

bool CachedPlan::have_known_types(const wire::v1::StatementBody& statement) const {
  const auto& given = statement.parameters();
  return kinds_.empty() || std::none_of(given.begin(), given.end(), is_untyped) ||
         std::equal(
             given.begin(), given.end(), declared_.begin(), declared_.end(),
             [](const wire::v1::Constant& value, const auto& declared) { return declared_by(value) == declared; });
}

std::optional<CachedPlan::Form> CachedPlan::form_of(const Scope& scope, const ParameterPositions::Place& place,
                                                    const wire::v1::StatementBody& statement, Values& values) const {
  const semantics::Type& column = scope.schema().columns[place.column].type;
  boost::container::small_vector<Constant, 1> members;
  bool are_plain = true;
  for (const int32_t parameter : place.parameters) {
    auto member = constant_of(scope, place, parameter, statement.parameters(parameter - 1));
    if (!member) {
      return std::nullopt;
    }
    are_plain = are_plain && semantics::is_plain_comparison(column, place.op, member->type, member->value);
    members.push_back(std::move(*member));
  }
  if (are_plain) {
    for (Constant& member : members) {
      values.push_back(std::move(member.value));
    }
    if (!is_list(place.op)) {
      return Form{ConditionKind::kLiteral, place.op, 1};
    }
    std::sort(values.begin(), values.end(), is_less);
    values.erase(std::unique(values.begin(), values.end(), is_same), values.end());
    return Form{ConditionKind::kLiteral, operator_of_list(place.op, values.size()), values.size()};
  }
  auto condition = condition_of(scope.schema(), place, members);
  if (!condition || condition->kind == ConditionKind::kAnd || condition->kind == ConditionKind::kOr) {
    return std::nullopt;
  }
  if (condition->kind != ConditionKind::kLiteral) {
    return Form{condition->kind, {}, 0};
  }
  Literal& literal = condition->literal;
  if (std::any_of(literal.values.begin(), literal.values.end(), is_too_long)) {
    return std::nullopt;
  }
  values.assign(std::make_move_iterator(literal.values.begin()), std::make_move_iterator(literal.values.end()));
  return Form{ConditionKind::kLiteral, contract::operator_of(literal), values.size()};
}

std::optional<Constant> CachedPlan::constant_of(const Scope& scope, const ParameterPositions::Place& place,
                                                int32_t number, const wire::v1::Constant& parameter) const {
  if (parameter.has_text() || parameter.is_array()) {
    return std::nullopt;
  }
  auto given = given_constant(scope, parameter, scope.kind_of_given(number));
  if (!given || scope.places().has_given_up()) {
    return std::nullopt;
  }
  Constant constant = std::move(*given);
  if (is_prefix_test(place.op)) {
    return prefix_of(std::move(constant));
  }
  const semantics::Type& column_type = scope.schema().columns[place.column].type;
  const auto* text = std::get_if<std::string>(&constant.value);
  if (constant.is_untyped && text != nullptr && may_name_the_time(column_type, *text)) {
    return std::nullopt;
  }
  auto resolved = resolve_for_comparison(scope, std::move(constant), column_type);
  if (!resolved) {
    return std::nullopt;
  }
  return place.parameters.size() > 1 ? as_list_member(column_type, std::move(*resolved)) : std::move(*resolved);
}

}  // namespace daedalus::aggregator::sql
