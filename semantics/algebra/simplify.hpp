// Conditions with what is said twice said once: equal parts dropped, common parts taken out, absorbed parts left out.
//
// Decides form only: whatever the row, the condition holds as before. Refuses to know clauses and scans.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::semantics {

/// Every different part of a condition once, by number. Equal numbers, and only those, are equal conditions up to the
/// order of what they join.
class ConditionParts {
 public:
  struct Part {
    Condition::Kind kind = Condition::Kind::kLiteral;
    Literal literal;                  ///< kLiteral
    std::vector<uint32_t> children;   ///< kAnd, kOr: different parts, none of the same kind; at least two.
    std::vector<uint32_t> ascending;  ///< The children in the order of their numbers.
  };

  ConditionParts() : numbers_(Less{&parts_}) {}
  ConditionParts(const ConditionParts&) = delete;
  ConditionParts& operator=(const ConditionParts&) = delete;

  /// The simplified condition's number. Precondition: it depends on the row (is neither kAlways nor kNever).
  ///
  /// In a disjunction: what all disjuncts have in common is taken out, (a AND b) OR (a AND c) becomes a AND (b OR c);
  /// equalities on one column become one list; what another disjunct implies is dropped, as is a clause that another
  /// conjunct implies. Cost: a few passes over the parts of each level, and sorts of lists.
  uint32_t add(Condition&& condition);

  [[nodiscard]] const Part& operator[](uint32_t part) const { return parts_[part]; }
  [[nodiscard]] bool is_literal(uint32_t part) const { return parts_[part].kind == Condition::Kind::kLiteral; }
  /// The parts that all have to hold.
  [[nodiscard]] std::vector<uint32_t> conjuncts(uint32_t part) const;
  [[nodiscard]] Condition condition(uint32_t part) const;

  /// One number for the equalities of a disjunction on one column; other literals as they are. Each number once.
  [[nodiscard]] std::vector<uint32_t> with_lists(const std::vector<uint32_t>& disjuncts);

 private:
  /// An order of parts: trees, not hashes, so that no text is slower than others.
  struct Less {
    const std::vector<Part>* parts;
    bool operator()(uint32_t left, uint32_t right) const;
  };

  /// The number of a part that may be known.
  uint32_t number_of(Part&& part);
  uint32_t join(Condition::Kind kind, std::vector<uint32_t> children);
  [[nodiscard]] std::vector<uint32_t> flattened(Condition::Kind kind, const std::vector<uint32_t>& children) const;
  void absorb(Condition::Kind kind, std::vector<uint32_t>& children) const;
  [[nodiscard]] std::vector<uint32_t> common(const std::vector<uint32_t>& disjuncts) const;
  uint32_t factored(const std::vector<uint32_t>& disjuncts, const std::vector<uint32_t>& common);

  std::vector<Part> parts_;
  std::set<uint32_t, Less> numbers_;
};

/// Returns whether the condition is as simple as it gets, where that is plain to see: a literal, or a conjunction of
/// few literals that differ in column, kind or operator. Most conditions are. Cost: no allocation.
[[nodiscard]] bool is_plainly_simple(const Condition& condition);

/// Values an equality asks for, ascending and each once, as one literal.
[[nodiscard]] Literal equality_of(uint32_t column, std::vector<Value>&& values);
[[nodiscard]] bool is_equality(const Literal& literal);
/// Returns how much a literal counts towards kLiteralsMax.
[[nodiscard]] uint64_t weight(const Literal& literal);
[[nodiscard]] uint64_t weight(const Condition& condition);

}  // namespace daedalus::semantics
