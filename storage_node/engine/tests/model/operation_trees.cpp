// Conditions of an OperationMix that come to no few clauses.
#include <utility>

#include "operation_mix.hpp"

namespace daedalus::engine::test {

using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;

semantics::Condition OperationMix::thicket(uint32_t depth, bool is_and) {
  using semantics::Condition;
  if (depth == 0 || one_in(*random_, 8)) {
    return {.kind = Condition::Kind::kLiteral, .literal = clause()[0], .children = {}};
  }
  Condition condition{.kind = is_and ? Condition::Kind::kAnd : Condition::Kind::kOr, .literal = {}, .children = {}};
  for (uint64_t count = 2 + below(*random_, is_and ? 2 : 8); count > 0; --count) {
    condition.children.push_back(thicket(depth - 1, !is_and));
  }
  return condition;
}

semantics::Condition OperationMix::alternatives() {
  using semantics::Condition;
  Condition all{.kind = Condition::Kind::kOr, .literal = {}, .children = {}};
  const uint32_t named = one_in(*random_, 2) ? static_cast<uint32_t>(kKey) : some_column();
  constexpr uint32_t kCounts[] = {3, 12, 40, 150};
  for (uint64_t count = 5 + below(*random_, kCounts[below(*random_, 4)]); count > 0; --count) {
    Condition one{.kind = Condition::Kind::kAnd, .literal = {}, .children = {}};
    one.children.push_back({.kind = Condition::Kind::kLiteral,
                            .literal = compare_literal(named, Operator::kEqual, constant(named)),
                            .children = {}});
    one.children.push_back(thicket(static_cast<uint32_t>(below(*random_, 2)), false));
    all.children.push_back(one_in(*random_, 40) ? thicket(2, true) : std::move(one));
  }
  return all;
}

void OperationMix::add_disjunction(Predicate& predicate) {
  using semantics::Condition;
  if (one_in(*random_, 2)) {
    semantics::Clause any;
    for (uint64_t count = 2 + below(*random_, 4); count > 0; --count) {
      any.push_back(equality(one_in(*random_, 3) ? static_cast<uint32_t>(kKey) : some_column())[0]);
    }
    predicate.clauses.push_back(std::move(any));
    return;
  }
  Condition any{.kind = Condition::Kind::kOr, .literal = {}, .children = {}};
  for (uint64_t count = 2 + below(*random_, one_in(*random_, 4) ? 60 : 3); count > 0; --count) {
    Condition all{.kind = Condition::Kind::kAnd, .literal = {}, .children = {}};
    for (uint64_t parts = 2 + below(*random_, 2); parts > 0; --parts) {
      const Literal part = one_in(*random_, 6) ? literal(some_column()) : equality(some_column())[0];
      all.children.push_back({.kind = Condition::Kind::kLiteral, .literal = part, .children = {}});
    }
    any.children.push_back(std::move(all));
  }
  Predicate normal = semantics::normal_form(std::move(any));
  predicate.clauses.insert(predicate.clauses.end(), normal.clauses.begin(), normal.clauses.end());
  predicate.tree = predicate.has_tree() ? predicate.tree : std::move(normal.tree);
}

void OperationMix::add_tree(Predicate& predicate) {
  semantics::Condition tree =
      one_in(*random_, 2) ? alternatives() : thicket(1 + static_cast<uint32_t>(below(*random_, 3)), false);
  if (one_in(*random_, 3)) {
    predicate.tree = std::move(tree);  // As it is: with parts that say nothing, or the same again.
    return;
  }
  Predicate normal = semantics::normal_form(std::move(tree));
  predicate.clauses.insert(predicate.clauses.end(), normal.clauses.begin(), normal.clauses.end());
  predicate.tree = std::move(normal.tree);
}

}  // namespace daedalus::engine::test
