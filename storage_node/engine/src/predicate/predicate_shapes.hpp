// Which predicates differ in their constants only: a program writes few statements and sends them thousands of times,
// so what is found out about some of a shape goes for the others.
//
// Decides equality of shapes by a hash: who acts upon it checks what would hurt if it were wrong. Refuses to know
// constants and costs.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "compiled_predicate.hpp"

namespace daedalus::engine {

class PredicateShapes {
 public:
  /// The number of a predicate's shape; numbers are handed out densely in the order of first sight. Cost: a few ns a
  /// literal.
  [[nodiscard]] uint32_t number_of(const CompiledPredicate& predicate);
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(numbers_.size()); }
  void clear();

 private:
  std::unordered_map<uint64_t, uint32_t> numbers_;
  uint64_t last_hash_ = 0;  ///< 0: of nothing.
  uint32_t last_ = 0;       ///< Most predicates have the shape of the one before.
};

}  // namespace daedalus::engine
