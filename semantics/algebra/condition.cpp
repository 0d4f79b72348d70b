#include "condition.hpp"

#include <algorithm>
#include <iterator>

namespace daedalus::semantics {

Condition constant_condition(bool always) {
  Condition condition;
  condition.kind = always ? Condition::Kind::kAlways : Condition::Kind::kNever;
  return condition;
}

Condition literal_condition(Literal literal) {
  Condition condition;
  condition.kind = Condition::Kind::kLiteral;
  condition.literal = std::move(literal);
  return condition;
}

Condition join(Condition::Kind kind, std::vector<Condition> children) {
  const bool is_and = kind == Condition::Kind::kAnd;
  const Condition::Kind neutral = is_and ? Condition::Kind::kAlways : Condition::Kind::kNever;
  const Condition::Kind decisive = is_and ? Condition::Kind::kNever : Condition::Kind::kAlways;
  const auto is_kept = [&](const Condition& child) {
    return child.kind != decisive && child.kind != kind && child.kind != neutral;
  };
  if (children.size() > 1 && std::all_of(children.begin(), children.end(), is_kept)) {
    return {.kind = kind, .literal = {}, .children = std::move(children)};
  }
  std::vector<Condition> kept;
  kept.reserve(children.size());
  for (Condition& child : children) {
    if (child.kind == decisive) {
      return constant_condition(!is_and);
    }
    if (child.kind == kind) {
      std::move(child.children.begin(), child.children.end(), std::back_inserter(kept));
    } else if (child.kind != neutral) {
      kept.push_back(std::move(child));
    }
  }
  if (kept.empty()) {
    return constant_condition(is_and);
  }
  if (kept.size() == 1) {
    return std::move(kept[0]);
  }
  Condition condition;
  condition.kind = kind;
  condition.children = std::move(kept);
  return condition;
}

}  // namespace daedalus::semantics
