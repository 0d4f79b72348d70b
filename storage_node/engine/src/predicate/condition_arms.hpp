// The alternatives of a condition, each by the values that it names: whatever row satisfies the condition holds one of
// these values, or a pair of them, whichever columns somebody looks at.
//
// Decides which literals of an alternative are worth naming. Refuses to know keys, costs and queries: what is found by
// an alternative's values has to be tested against the whole condition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiled_predicate.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

/// Columns that an alternative names values of, at most: those whose values are rarest.
constexpr uint32_t kArmColumnsMax = 3;

struct ConditionArms {
  /// A column holds one of these values, or is NULL where zeros are among them.
  struct Named {
    uint32_t column = 0;
    uint32_t first = 0;  ///< In members.
    uint32_t count = 0;
    bool is_range = false;
  };
  /// Its columns ascend; at least one.
  struct Arm {
    uint32_t first = 0;  ///< In named.
    uint32_t count = 0;
  };

  std::vector<Arm> arms;
  std::vector<Named> named;
  std::vector<CodedValue> members;  ///< In every spelling: −0.0 beside 0.0.

  [[nodiscard]] std::span<const Named> named_by(const Arm& arm) const {
    return std::span(named).subspan(arm.first, arm.count);
  }
  [[nodiscard]] std::span<const CodedValue> members_of(const Named& one) const {
    return std::span(members).subspan(one.first, one.count);
  }
};

/// How much may be written.
struct ArmBounds {
  size_t members_max = 0;  ///< Bounds all arms.
  uint32_t columns_max = kArmColumnsMax;
};

/// Appends the arms of what the clauses say together, the first of them before all; those of one literal say something
/// in every arm. Trees are left out. False, and nothing appended: there is no disjunction, some alternative names no
/// values, or they are too many. Cost: some dozens of ns a literal.
[[nodiscard]] bool append_arms(const Sketches& sketches, const TableLayout& layout, const CompiledPredicate& predicate,
                               std::span<const uint32_t> clauses, ArmBounds bounds, ConditionArms& out);

/// Does the same for a tree, with clauses of one literal beside it. Cost: some 100 ns a literal that names values.
[[nodiscard]] bool append_arms(const Sketches& sketches, const TableLayout& layout, const CompiledPredicate& predicate,
                               const semantics::Condition& tree, std::span<const uint32_t> clauses, ArmBounds bounds,
                               ConditionArms& out);

}  // namespace daedalus::engine
