#include "simplify.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/order.hpp"

namespace daedalus::semantics {
namespace {

using Kind = Condition::Kind;

bool less_value(const Value& left, const Value& right) { return compare(left, right) < 0; }

bool contains(const std::vector<uint32_t>& ascending, uint32_t part) {
  return std::binary_search(ascending.begin(), ascending.end(), part);
}

std::vector<uint32_t> sorted(std::vector<uint32_t> parts) {
  std::sort(parts.begin(), parts.end());
  return parts;
}

}  // namespace

Literal equality_of(uint32_t column, std::vector<Value>&& values) {
  std::sort(values.begin(), values.end(), less_value);
  const auto same = [](const Value& left, const Value& right) { return compare(left, right) == 0; };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return {.column = column,
          .kind = values.size() == 1 ? Literal::Kind::kCompare : Literal::Kind::kIn,
          .op = Operator::kEqual,
          .values = std::move(values)};
}

bool is_equality(const Literal& literal) {
  return literal.kind == Literal::Kind::kIn ||
         (literal.kind == Literal::Kind::kCompare && literal.op == Operator::kEqual);
}

bool is_plainly_simple(const Condition& condition) {
  /// Each literal is compared with each, so the cost grows with the square of this.
  constexpr size_t kLiteralsComparedMax = 32;
  const std::vector<Condition>& parts = condition.children;
  if (condition.kind == Kind::kLiteral) {
    return true;
  }
  if (condition.kind != Kind::kAnd || parts.size() > kLiteralsComparedMax) {
    return false;
  }
  const auto may_say_the_same = [](const Literal& left, const Literal& right) {
    return left.column == right.column && left.kind == right.kind && left.op == right.op;
  };
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const bool is_new = std::none_of(
        parts.begin(), part, [&](const Condition& before) { return may_say_the_same(before.literal, part->literal); });
    if (part->kind != Kind::kLiteral || !is_new) {
      return false;
    }
  }
  return parts.size() > 1;
}

uint64_t weight(const Literal& literal) { return std::max<uint64_t>(literal.values.size(), 1); }

uint64_t weight(const Condition& condition) {
  uint64_t all = condition.kind == Kind::kLiteral ? weight(condition.literal) : 0;
  for (const Condition& child : condition.children) {
    all += weight(child);
  }
  return all;
}

bool ConditionParts::Less::operator()(uint32_t left, uint32_t right) const {
  const Part& one = (*parts)[left];
  const Part& other = (*parts)[right];
  if (one.kind != other.kind) {
    return one.kind < other.kind;
  }
  if (one.kind != Kind::kLiteral) {
    return one.ascending < other.ascending;
  }
  const auto key = [](const Literal& literal) { return std::tuple(literal.column, literal.kind, literal.op); };
  if (key(one.literal) != key(other.literal)) {
    return key(one.literal) < key(other.literal);
  }
  return std::lexicographical_compare(one.literal.values.begin(), one.literal.values.end(),
                                      other.literal.values.begin(), other.literal.values.end(), less_value);
}

uint32_t ConditionParts::number_of(Part&& part) {
  parts_.push_back(std::move(part));
  const auto [place, is_new] = numbers_.insert(static_cast<uint32_t>(parts_.size()) - 1);
  if (!is_new) {
    parts_.pop_back();
  }
  return *place;
}

uint32_t ConditionParts::add(Condition&& condition) {
  if (condition.kind == Kind::kLiteral) {
    return number_of({.literal = std::move(condition.literal)});
  }
  CHECK(condition.kind == Kind::kAnd || condition.kind == Kind::kOr);
  std::vector<uint32_t> children;
  children.reserve(condition.children.size());
  for (Condition& child : condition.children) {
    children.push_back(add(std::move(child)));
  }
  return join(condition.kind, std::move(children));
}

uint32_t ConditionParts::join(Kind kind, std::vector<uint32_t> children) {
  children = flattened(kind, children);
  absorb(kind, children);
  if (kind == Kind::kOr) {
    children = with_lists(children);
    const std::vector<uint32_t> shared = children.size() > 1 ? common(children) : std::vector<uint32_t>();
    if (!shared.empty()) {
      return factored(children, shared);
    }
  }
  if (children.size() == 1) {
    return children[0];
  }
  std::vector<uint32_t> ascending = sorted(children);
  return number_of({.kind = kind, .literal = {}, .children = std::move(children), .ascending = std::move(ascending)});
}

std::vector<uint32_t> ConditionParts::flattened(Kind kind, const std::vector<uint32_t>& children) const {
  std::vector<uint32_t> flat;
  for (const uint32_t child : children) {
    const Part& part = parts_[child];
    if (part.kind == kind) {
      flat.insert(flat.end(), part.children.begin(), part.children.end());
    } else {
      flat.push_back(child);
    }
  }
  // Each once, where it stood first.
  std::vector<uint32_t> ascending = sorted(flat);
  if (std::adjacent_find(ascending.begin(), ascending.end()) != ascending.end()) {
    std::set<uint32_t> seen;
    std::erase_if(flat, [&](uint32_t child) { return !seen.insert(child).second; });
  }
  return flat;
}

void ConditionParts::absorb(Kind kind, std::vector<uint32_t>& children) const {
  const std::vector<uint32_t> ascending = sorted(children);
  std::erase_if(children, [&](uint32_t child) {
    const Part& part = parts_[child];
    return part.kind != kind && std::any_of(part.children.begin(), part.children.end(),
                                            [&](uint32_t grandchild) { return contains(ascending, grandchild); });
  });
}

std::vector<uint32_t> ConditionParts::with_lists(const std::vector<uint32_t>& disjuncts) {
  struct List {
    uint32_t literals = 0;
    std::vector<Value> values;
    std::optional<uint32_t> united;
  };
  std::map<uint32_t, List> lists;
  for (const uint32_t disjunct : disjuncts) {
    if (is_literal(disjunct) && is_equality(parts_[disjunct].literal)) {
      ++lists[parts_[disjunct].literal.column].literals;
    }
  }
  std::erase_if(lists, [](const auto& list) { return list.second.literals < 2; });
  if (lists.empty()) {
    return disjuncts;
  }
  const auto list_of = [&](uint32_t disjunct) -> List* {
    const bool is_listed = is_literal(disjunct) && is_equality(parts_[disjunct].literal);
    const auto found = is_listed ? lists.find(parts_[disjunct].literal.column) : lists.end();
    return found == lists.end() ? nullptr : &found->second;
  };
  for (const uint32_t disjunct : disjuncts) {
    if (List* list = list_of(disjunct)) {
      const std::vector<Value>& values = parts_[disjunct].literal.values;
      list->values.insert(list->values.end(), values.begin(), values.end());
    }
  }
  std::vector<uint32_t> united;
  for (const uint32_t disjunct : disjuncts) {
    List* list = list_of(disjunct);
    if (list == nullptr) {
      united.push_back(disjunct);
    } else if (!list->united.has_value()) {
      list->united = number_of({.literal = equality_of(parts_[disjunct].literal.column, std::move(list->values))});
      united.push_back(*list->united);
    }
  }
  return united;
}

std::vector<uint32_t> ConditionParts::common(const std::vector<uint32_t>& disjuncts) const {
  std::vector<uint32_t> shared = conjuncts(disjuncts[0]);
  for (size_t at = 1; at < disjuncts.size() && !shared.empty(); ++at) {
    const Part& part = parts_[disjuncts[at]];
    std::erase_if(shared, [&](uint32_t conjunct) {
      return part.kind == Kind::kAnd ? !contains(part.ascending, conjunct) : conjunct != disjuncts[at];
    });
  }
  return shared;
}

uint32_t ConditionParts::factored(const std::vector<uint32_t>& disjuncts, const std::vector<uint32_t>& common) {
  const std::vector<uint32_t> ascending = sorted(common);
  std::vector<uint32_t> conjunction = common;
  std::vector<uint32_t> rests;
  for (const uint32_t disjunct : disjuncts) {
    std::vector<uint32_t> rest = conjuncts(disjunct);
    std::erase_if(rest, [&](uint32_t conjunct) { return contains(ascending, conjunct); });
    if (rest.empty()) {
      return join(Kind::kAnd, std::move(conjunction));  // The others say more, and so nothing.
    }
    rests.push_back(join(Kind::kAnd, std::move(rest)));
  }
  conjunction.push_back(join(Kind::kOr, std::move(rests)));
  return join(Kind::kAnd, std::move(conjunction));
}

std::vector<uint32_t> ConditionParts::conjuncts(uint32_t part) const {
  return parts_[part].kind == Kind::kAnd ? parts_[part].children : std::vector<uint32_t>{part};
}

Condition ConditionParts::condition(uint32_t part) const {
  const Part& it = parts_[part];
  Condition condition{.kind = it.kind, .literal = it.literal, .children = {}};
  for (const uint32_t child : it.children) {
    condition.children.push_back(this->condition(child));
  }
  return condition;
}

}  // namespace daedalus::semantics
