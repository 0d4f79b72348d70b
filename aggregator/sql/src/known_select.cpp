#include "known_select.hpp"

#include <algorithm>
#include <utility>

#include "condition_compiler.hpp"
#include "constant.hpp"
#include "daedalus/contract/normal_form.hpp"
#include "daedalus/semantics/order.hpp"
#include "like_pattern.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;

bool is_same(const semantics::Value& left, const semantics::Value& right) {
  return semantics::compare(left, right) == 0;
}
bool is_less(const semantics::Value& left, const semantics::Value& right) {
  return semantics::compare(left, right) < 0;
}

bool is_prefix_test(Operator op) { return op == Operator::kStartsWith || op == Operator::kNotStartsWith; }

/// The operator by which one member of a list is compared.
Operator member_operator(Operator op) {
  return op == Operator::kIn ? Operator::kEqual : op == Operator::kNotIn ? Operator::kNotEqual : op;
}

/// The place that compares by the same operator with the same column; there is at most one for each literal.
const ParameterPlaces::Place* place_of(const Literal& literal, const std::vector<ParameterPlaces::Place>& places) {
  const auto found = std::find_if(places.begin(), places.end(), [&](const ParameterPlaces::Place& place) {
    return literal.column == place.column && contract::operator_of(literal) == place.op;
  });
  return found == places.end() ? nullptr : &*found;
}

/// What a LIKE pattern that is a prefix compares with. Errors: it is none, or no text.
Result<Constant> prefix_of(Constant pattern) {
  const auto* text = std::get_if<std::string>(&pattern.value);
  if (text == nullptr || !(pattern.is_untyped || semantics::is_string(pattern.type.kind)) ||
      text->size() > kStringConstantSizeMax) {
    return rejected("42804", "no LIKE pattern");
  }
  auto read = read_like_pattern(*text);
  if (!read || !read->is_prefix) {
    return read ? rejected("42804", "a LIKE pattern that is no prefix") : read.error();
  }
  pattern.type = semantics::Type{semantics::TypeKind::kVarchar};
  pattern.value = std::move(read->text);
  return pattern;
}

std::optional<uint32_t> clause_in(const Predicate& routing, const semantics::Clause& clause) {
  const auto found = std::find(routing.clauses.begin(), routing.clauses.end(), clause);
  return found == routing.clauses.end() ? std::nullopt
                                        : std::optional(static_cast<uint32_t>(found - routing.clauses.begin()));
}

}  // namespace

std::shared_ptr<const KnownSelect> KnownSelect::of(std::shared_ptr<const ColumnNames> columns,
                                                   std::shared_ptr<const ParsedStatement> parsed, const Scope& scope,
                                                   const wire::v1::StatementBody& statement,
                                                   const CompiledSelect& compiled) {
  const Predicate& predicate = compiled.selection->predicate;
  if (scope.places().has_given_up() || compiled.shape == nullptr || !scope.places().keep(predicate)) {
    return nullptr;
  }
  std::shared_ptr<KnownSelect> known(
      new KnownSelect(std::move(columns), std::move(parsed), compiled, scope.parameters_used()));
  if (!known->find_places(scope, statement, predicate)) {
    return nullptr;
  }
  for (const int32_t parameter : scope.places().fixed()) {
    known->fixed_.emplace_back(parameter, statement.parameters(parameter - 1).SerializeAsString());
  }
  semantics::Selection selection = *compiled.selection;
  selection.predicate = {};
  known->compiled_.selection = std::make_shared<const semantics::Selection>(std::move(selection));
  known->compiled_.values.clear();
  return known;
}

bool KnownSelect::find_places(const Scope& scope, const wire::v1::StatementBody& statement,
                              const Predicate& predicate) {
  std::string constants;
  for (const semantics::Clause& clause : predicate.clauses) {
    for (const Literal& literal : clause) {
      const ParameterPlaces::Place* place = place_of(literal, scope.places().places());
      if (place == nullptr) {
        for (const semantics::Value& value : literal.values) {
          contract::append_value(scope.schema(), literal.column, value, constants);
        }
        continue;
      }
      // A value that made its comparison true or false left no literal: this one would be another's.
      const auto values = values_of(scope, *place, statement);
      if (!values ||
          !std::equal(values->begin(), values->end(), literal.values.begin(), literal.values.end(), is_same)) {
        return false;
      }
      places_.push_back({*place, std::exchange(constants, {}), clause_in(compiled_.routing, clause)});
    }
  }
  after_ = std::move(constants);
  return places_.size() == scope.places().places().size();
}

std::optional<CompiledSelect> KnownSelect::bind(const wire::v1::StatementBody& statement) const {
  if (statement.parameters_size() != parameter_count_ || statement.has_slice()) {
    return std::nullopt;
  }
  for (const auto& [parameter, value] : fixed_) {
    if (statement.parameters(parameter - 1).SerializeAsString() != value) {
      return std::nullopt;
    }
  }
  const Scope scope(*columns_, *parsed_, statement, 0);
  CompiledSelect bound = compiled_;
  for (const Place& place : places_) {
    auto values = values_of(scope, place.from, statement);
    if (!values) {
      return std::nullopt;
    }
    bound.values += place.before;
    for (const semantics::Value& value : *values) {
      contract::append_value(scope.schema(), place.from.column, value, bound.values);
    }
    if (place.routing) {
      bound.routing.clauses[*place.routing][0].values = std::move(*values);
    }
  }
  bound.values += after_;
  return bound;
}

std::optional<std::vector<semantics::Value>> KnownSelect::values_of(const Scope& scope,
                                                                    const ParameterPlaces::Place& place,
                                                                    const wire::v1::StatementBody& statement) const {
  std::vector<semantics::Value> values;
  values.reserve(place.parameters.size());
  for (const int32_t parameter : place.parameters) {
    auto value = value_of(scope, place, member_operator(place.op), statement.parameters(parameter - 1));
    if (!value) {
      return std::nullopt;
    }
    values.push_back(std::move(*value));
  }
  std::sort(values.begin(), values.end(), is_less);
  // Twice the same member: a list of another length.
  return std::adjacent_find(values.begin(), values.end(), is_same) != values.end() ? std::nullopt
                                                                                   : std::optional(std::move(values));
}

std::optional<semantics::Value> KnownSelect::value_of(const Scope& scope, const ParameterPlaces::Place& place,
                                                      Operator op, const wire::v1::Constant& parameter) const {
  Constant constant;
  auto given = contract::to_value(parameter, &constant.type);
  if (!given) {
    return std::nullopt;
  }
  constant.value = std::move(*given);
  constant.is_untyped = semantics::is_untyped_literal(constant.type);
  const semantics::Type& column_type = scope.schema().columns[place.column].type;
  const auto* text = std::get_if<std::string>(&constant.value);
  if (constant.is_untyped && text != nullptr && may_name_the_time(column_type, *text)) {
    return std::nullopt;
  }
  auto resolved = is_prefix_test(op) ? prefix_of(std::move(constant))
                                     : resolve_for_comparison(scope, std::move(constant), column_type);
  if (!resolved) {
    return std::nullopt;
  }
  if (place.parameters.size() > 1) {
    *resolved = as_list_member(column_type, std::move(*resolved));
  }
  auto condition = semantics::to_comparison(scope.schema(), place.column, op, resolved->type, resolved->value);
  if (!condition || condition->kind != semantics::Condition::Kind::kLiteral ||
      contract::operator_of(condition->literal) != op) {
    return std::nullopt;
  }
  // A string that is too long to be packed makes a selection without a shape.
  Literal& literal = condition->literal;
  text = std::get_if<std::string>(&literal.values[0]);
  return text != nullptr && text->size() > kStringConstantSizeMax ? std::nullopt
                                                                  : std::optional(std::move(literal.values[0]));
}

}  // namespace daedalus::aggregator::sql
