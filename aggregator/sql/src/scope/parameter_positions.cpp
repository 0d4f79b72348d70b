#include "parameter_positions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/contract/normal_form.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Literal;
using LiteralKey = ParameterPositions::LiteralKey;

LiteralKey key_of(const Literal& literal) { return {literal.column, literal.kind, literal.op}; }

/// A literal, or a disjunction of literals.
std::optional<std::vector<LiteralKey>> clause_of(const semantics::Condition& condition) {
  if (condition.kind == semantics::Condition::Kind::kLiteral) {
    return std::vector{key_of(condition.literal)};
  }
  std::vector<LiteralKey> keys;
  for (const semantics::Condition& child : condition.children) {
    if (condition.kind != semantics::Condition::Kind::kOr || child.kind != semantics::Condition::Kind::kLiteral) {
      return std::nullopt;
    }
    keys.push_back(key_of(child.literal));
  }
  return keys.empty() ? std::nullopt : std::optional(std::move(keys));
}

/// As semantics::normal_form() writes them.
std::optional<ParameterPositions::LiteralKeys> clauses_of(const semantics::Condition& condition) {
  if (condition.kind == semantics::Condition::Kind::kAlways) {
    return ParameterPositions::LiteralKeys();
  }
  if (condition.kind == semantics::Condition::Kind::kNever) {
    return ParameterPositions::LiteralKeys{{key_of(Literal())}};
  }
  ParameterPositions::LiteralKeys clauses;
  const bool is_conjunction = condition.kind == semantics::Condition::Kind::kAnd;
  for (const semantics::Condition& conjunct : is_conjunction ? condition.children : std::vector{condition}) {
    auto clause = clause_of(conjunct);
    if (!clause) {
      return std::nullopt;
    }
    clauses.push_back(std::move(*clause));
  }
  return clauses;
}

/// Equalities of one column in one disjunction become one list.
bool has_lists(const std::vector<LiteralKey>& clause) {
  std::vector<uint32_t> columns;
  for (const auto& [column, kind, op] : clause) {
    if (kind == Literal::Kind::kIn || (kind == Literal::Kind::kCompare && op == semantics::Operator::kEqual)) {
      columns.push_back(column);
    }
  }
  std::sort(columns.begin(), columns.end());
  return std::adjacent_find(columns.begin(), columns.end()) != columns.end();
}

}  // namespace

void ParameterPositions::add(std::span<const int32_t> parameters, uint32_t column, semantics::Operator op) {
  if (is_followed_ && std::find(parameters.begin(), parameters.end(), 0) == parameters.end()) {
    for (const int32_t parameter : parameters) {
      --reads_beside_places_[parameter];
    }
    places_.push_back({{parameters.begin(), parameters.end()}, column, op});
  }
}

std::vector<int32_t> ParameterPositions::fixed() const {
  std::vector<int32_t> found;
  for (const auto& [parameter, reads] : reads_beside_places_) {
    if (reads != 0) {
      found.push_back(parameter);
    }
  }
  return found;
}

void ParameterPositions::add_leaf(const semantics::Condition& leaf) {
  if (!is_followed_) {
    return;
  }
  if (leaf.kind == semantics::Condition::Kind::kLiteral && !leaf.literal.values.empty()) {
    leaves_.emplace_back(leaf.literal.column, contract::operator_of(leaf.literal));
  }
  std::for_each(leaf.children.begin(), leaf.children.end(),
                [this](const semantics::Condition& child) { add_leaf(child); });
}

bool ParameterPositions::is_only_leaf(uint32_t column, semantics::Operator op) const {
  return std::count(leaves_.begin(), leaves_.end(), std::pair(column, op)) <= 1;
}

void ParameterPositions::see(const semantics::Condition& condition) {
  if (is_followed_) {
    written_ = clauses_of(condition);
  }
}

bool ParameterPositions::keep(const semantics::Predicate& predicate) const {
  if (is_lost_) {
    return false;
  }
  if (!written_) {
    return predicate.clauses.empty() && places_.empty();
  }
  LiteralKeys kept;
  std::vector<LiteralKey> all;
  for (const semantics::Clause& clause : predicate.clauses) {
    std::transform(clause.begin(), clause.end(), std::back_inserter(kept.emplace_back()), key_of);
    all.insert(all.end(), kept.back().begin(), kept.back().end());
  }
  std::sort(all.begin(), all.end());
  return kept == *written_ && std::adjacent_find(all.begin(), all.end()) == all.end() &&
         std::none_of(kept.begin(), kept.end(), has_lists);
}

}  // namespace daedalus::aggregator::sql
