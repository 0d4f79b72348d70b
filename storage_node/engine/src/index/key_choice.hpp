// Which operations of a cycle are found through which key, and which are not worth one.
//
// Decides by cost alone: what passes over key columns cost, what candidates cost, what an operation costs without a
// key. Refuses to know whether operations are queries or updates. Bounded work: a few passes over the operations'
// clauses that name their values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiled_predicate.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "kernels_probe.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

/// A clause, and the share of rows that satisfy it.
struct WeighedClause {
  uint32_t clause = 0;
  double share = 1;
};

/// Writes the clauses of a predicate, the most selective first. Room for as many as it has.
void weigh_clauses(const CompiledPredicate& predicate, const Sketches& sketches, WeighedClause* out);

/// One operation, as the choice sees it.
struct KeyedOperation {
  uint32_t operation = 0;
  const CompiledPredicate* predicate = nullptr;
  std::span<const WeighedClause> clauses;  ///< The most selective first.
  double weight = 1;                       ///< Operations like this one that it stands for.
};

/// What a row's key is read from.
enum class KeyForm : uint8_t {
  kValues,
  kSketches,  ///< Its sketches: two bytes a row at most, and the candidates of whole buckets.
};

constexpr uint32_t kKeyForms = 2;

struct Key {
  std::vector<uint32_t> columns;
  KeyForm form = KeyForm::kValues;
};

struct KeyChoice {
  uint32_t key = 0;          ///< Position in Keys::keys.
  uint32_t clauses[2] = {};  ///< By column of the key.
};

struct Keys {
  std::vector<Key> keys;
  std::vector<std::optional<KeyChoice>> choices;  ///< By position of the operation in what was asked.
};

/// What an operation costs without a key, in ns a row of the segment, where `cost` is what it really costs.
[[nodiscard]] constexpr double cost_without_key(AccessPaths paths, double cost) {
  constexpr double kMoreThanAnything = 1e9;
  return paths == AccessPaths::kByCost ? cost : paths == AccessPaths::kKeys ? kMoreThanAnything : 0;
}

/// cost_without: ns a row of the segment that an operation costs when no key finds it.
[[nodiscard]] Keys choose_keys(const TableLayout& layout, const Sketches& sketches,
                               std::span<const KeyedOperation> operations, double cost_without);

/// Calls use(members by column of the key) for every key that the chosen clauses of a predicate ask for.
template <typename Use>
void for_each_key(const CompiledPredicate& predicate, const KeyChoice& choice, uint32_t column_count, Use&& use) {
  const auto literal = [&](uint32_t place) -> const CompiledLiteral& {
    return predicate.literals(predicate.clauses()[choice.clauses[place]])[0];
  };
  CodedValue members[kKeyColumnsMax];
  for (uint32_t first = 0; first < predicate.member_count(literal(0)); ++first) {
    members[0] = predicate.member(literal(0), first);
    if (column_count == 1) {
      use(std::span<const CodedValue>(members, 1));
      continue;
    }
    for (uint32_t second = 0; second < predicate.member_count(literal(1)); ++second) {
      members[1] = predicate.member(literal(1), second);
      use(std::span<const CodedValue>(members, 2));
    }
  }
}

}  // namespace daedalus::engine
