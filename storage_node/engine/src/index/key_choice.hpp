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

/// One operation that asks for keys by its clauses.
struct KeyedOperation {
  uint32_t operation = 0;
  const CompiledPredicate* predicate = nullptr;
  std::span<const WeighedClause> clauses;  ///< The most selective first.
  double weight = 1;                       ///< Operations like this one that it stands for.
};

/// Holds what a row's key is read from.
enum class KeyForm : uint8_t {
  kValues,
  kSketches,  ///< Its sketches: two bytes a row at most, and the candidates of whole buckets.
};

constexpr uint32_t kKeyForms = 2;

struct Key {
  std::vector<uint32_t> columns;
  KeyForm form = KeyForm::kValues;
};

/// The values of one column that an asker names.
struct NamedColumn {
  uint32_t column = 0;
  uint32_t source = 0;   ///< The asker's number for them: a clause, say.
  uint32_t members = 0;  ///< The most members that one alternative has.
  bool is_range = false;
  double shares[kKeyForms] = {1, 1};  ///< Rows have so large a share of one alternative's candidates, on average.
};

/// Named columns of one asker that are looked at, at most.
constexpr uint32_t kNamedMax = 6;

/// Who asks for keys: an operation, or those alternatives of one that name values of the same columns.
struct KeyAsker {
  std::span<const NamedColumn> named;
  uint32_t alternatives = 1;
  double cost_without = 0;  ///< ns a row of the segment, when no key finds it.
  double weight = 1;        ///< Askers like this one that it stands for.
};

struct KeyChoice {
  uint32_t key = 0;          ///< Position in Keys::keys.
  uint32_t sources[2] = {};  ///< NamedColumn::source, by column of the key.
};

struct Keys {
  std::vector<Key> keys;
  std::vector<std::optional<KeyChoice>> choices;  ///< By position of the asker in what was asked.
};

/// Returns what an operation costs without a key, in ns a row of the segment, where `cost` is what it really costs.
[[nodiscard]] constexpr double cost_without_key(AccessPaths paths, double cost) {
  constexpr double kMoreThanAnything = 1e9;
  if (paths == AccessPaths::kKeys) {
    return kMoreThanAnything;
  }
  return is_by_cost(paths) && paths != AccessPaths::kWithoutKeys ? cost : 0;
}

/// ns a row of the segment that so many candidates, as a share of its rows, cost.
[[nodiscard]] double candidate_cost(double share);

/// Values that an operation may ask for through a key of two columns, and through any where lists are searched
/// otherwise.
constexpr uint32_t kPairMembersMax = 64;

/// Appends the clauses of a conjunction that name values, kNamedMax at most, none with more than members_max.
void append_named(const Sketches& sketches, const KeyedOperation& operation, uint32_t members_max,
                  std::vector<NamedColumn>& out);

/// Chooses keys for those for whom one is worth it. The sketches' table is what askers want rows of. Keys that `paths`
/// does without are not chosen.
[[nodiscard]] Keys choose_keys(const TableLayout& layout, const Sketches& sketches, std::span<const KeyAsker> askers,
                               AccessPaths paths = AccessPaths::kByCost);

/// Does the same for operations that ask by clauses with kPairMembersMax values at most. cost_without: ns a row of the
/// segment that an operation costs when no key finds it.
[[nodiscard]] Keys choose_keys(const TableLayout& layout, const Sketches& sketches,
                               std::span<const KeyedOperation> operations, double cost_without);

/// Calls use(members by column of the key) for every key that the chosen clauses of a predicate ask for.
template <typename Use>
void for_each_key(const TableLayout& layout, const CompiledPredicate& predicate, const KeyChoice& choice,
                  uint32_t column_count, Use&& use) {
  const auto for_each = [&](uint32_t place, auto&& use_one) {
    const CompiledLiteral& literal = predicate.literals(predicate.clauses()[choice.sources[place]])[0];
    for_each_member(layout.columns[literal.column], literal, predicate.constants(), use_one);
  };
  CodedValue members[kKeyColumnsMax];
  for_each(0, [&](const CodedValue& first) {
    members[0] = first;
    if (column_count == 1) {
      return use(std::span<const CodedValue>(members, 1));
    }
    for_each(1, [&](const CodedValue& second) {
      members[1] = second;
      use(std::span<const CodedValue>(members, 2));
    });
  });
}

}  // namespace daedalus::engine
