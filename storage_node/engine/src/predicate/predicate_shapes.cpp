#include "predicate_shapes.hpp"

namespace daedalus::engine {
namespace {

uint64_t mixed(uint64_t hash, uint64_t value) {
  constexpr uint64_t kOddConstant = 0x9e3779b97f4a7c15u;
  hash = (hash ^ value) * kOddConstant;
  return hash ^ (hash >> 29);
}

/// How many members a list has matters only by its order of magnitude.
uint64_t magnitude(uint32_t constants) { return 32u - static_cast<uint32_t>(__builtin_clz(constants | 1)); }

uint64_t hash_of(const CompiledPredicate& predicate) {
  uint64_t hash = predicate.clauses().size() + 1;
  for (const CompiledClause& clause : predicate.clauses()) {
    hash = mixed(hash, uint64_t{clause.count} << 1 | (clause.is_tree ? 1u : 0u));
    for (const CompiledLiteral& literal : predicate.literals(clause)) {
      hash = mixed(hash, uint64_t{literal.column} << 32 | static_cast<uint64_t>(literal.kind) << 24 |
                             static_cast<uint64_t>(literal.op) << 16 | magnitude(literal.constant_count) << 2 |
                             (literal.is_equality() ? 2u : 0u) | (literal.negated ? 1u : 0u));
    }
  }
  return hash == 0 ? 1 : hash;
}

}  // namespace

uint32_t PredicateShapes::number_of(const CompiledPredicate& predicate) {
  const uint64_t hash = hash_of(predicate);
  if (hash != last_hash_) {
    last_hash_ = hash;
    last_ = numbers_.try_emplace(hash, count()).first->second;
  }
  return last_;
}

void PredicateShapes::clear() {
  numbers_.clear();
  last_hash_ = 0;
}

}  // namespace daedalus::engine
