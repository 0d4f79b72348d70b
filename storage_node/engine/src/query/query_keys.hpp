// Which queries of one cycle are found through keys, and what each asks them for: its entries.
//
// A conjunction has one entry: all rows it wants hold the values that some of its clauses name. A disjunction has one
// for all its alternatives that name values of the same columns, and every alternative needs a key. Decides by cost
// alone; what is found by an entry has to be tested against the whole condition. Refuses to know bitmaps and rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "condition_arms.hpp"
#include "key_choice.hpp"

namespace daedalus::engine {

/// ns a row of the segment, from engine_mix_bench: a query that is found by bitmaps, or by masks where those are fast,
/// and (ns a candidate) what a row costs that they let through.
constexpr double kSketchQueryCost = 0.08;
constexpr double kMaskQueryCost = 0.03;
constexpr double kBitmapCandidateCost = 5;
/// This is the cost of reading the planes of sketches that a query names, and those of all columns, which many queries
/// share.
constexpr double kSketchReadCost = 0.15;
constexpr double kSketchReadCostMax = 2.8;

class QueryKeys {
 public:
  /// Holds what a query asks one key for.
  struct Entry {
    uint32_t group = 0;  ///< Numbers the group of alternatives; kConjunction: its clauses name the values.
    KeyChoice choice;
    double share = 1;  ///< Counts the share of rows that are candidates by the values of its columns.
  };
  static constexpr uint32_t kConjunction = UINT32_MAX;

  /// trees: by position, what the operations' predicates were compiled from. Everything given outlives this object.
  QueryKeys(const TableLayout& layout, const Sketches& sketches, std::span<const KeyedOperation> operations,
            std::span<const semantics::Condition* const> trees, AccessPaths paths);

  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

  /// By position in `operations`; false: keys find no rows for it, bitmaps or passes have to.
  [[nodiscard]] bool has_key(size_t position) const { return has_key_[position]; }
  /// None: no row satisfies its condition.
  [[nodiscard]] std::span<const Entry> entries(size_t position) const {
    return std::span(entries_).subspan(first_entry_[position], first_entry_[position + 1] - first_entry_[position]);
  }

  /// Calls use(members by column of the key) for everything that an entry asks its key for.
  template <typename Use>
  void for_each_key(size_t position, const Entry& entry, Use&& use) const {
    const auto column_count = static_cast<uint32_t>(keys_[entry.choice.key].columns.size());
    if (entry.group == kConjunction) {
      return engine::for_each_key(*layout_, *operations_[position].predicate, entry.choice, column_count, use);
    }
    const Group& group = groups_[entry.group];
    for (uint32_t at = group.first; at < group.first + group.count; ++at) {
      const auto named = arms_.named_by(arms_.arms[ordered_[at]]);
      CodedValue members[kKeyColumnsMax];
      for (const CodedValue& first : arms_.members_of(named[entry.choice.sources[0]])) {
        members[0] = first;
        if (column_count == 1) {
          use(std::span<const CodedValue>(members, 1));
          continue;
        }
        for (const CodedValue& second : arms_.members_of(named[entry.choice.sources[1]])) {
          members[1] = second;
          use(std::span<const CodedValue>(members, 2));
        }
      }
    }
  }

 private:
  /// Alternatives of one query that name values of the same columns.
  struct Group {
    uint32_t first = 0;  ///< In ordered_.
    uint32_t count = 0;
  };
  /// An operation's askers: itself, or its groups.
  struct Asking {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t first_group = kConjunction;
  };

  void ask(const KeyedOperation& operation, const semantics::Condition& tree);
  [[nodiscard]] bool ask_alternatives(const KeyedOperation& operation, const semantics::Condition& tree, double cost,
                                      double conjunction_share);
  [[nodiscard]] bool write_arms(const KeyedOperation& operation, const semantics::Condition& tree,
                                uint32_t columns_max);
  [[nodiscard]] double estimated_share(size_t first_arm);
  [[nodiscard]] double value_share(const ConditionArms::Named& named, KeyForm form) const;
  void group_arms(size_t first_arm);
  void describe_group(const Group& group);
  [[nodiscard]] double cost_without(const KeyedOperation& operation) const;
  [[nodiscard]] double read_cost() const;
  void take(Keys&& chosen);
  void add_entries(const Asking& asking, const Keys& chosen);

  const TableLayout* layout_;
  const Sketches* sketches_;
  std::span<const KeyedOperation> operations_;
  AccessPaths paths_;
  size_t members_left_ = 0;  ///< That alternatives may still name.

  ConditionArms arms_;
  std::vector<uint32_t> ordered_;  ///< Arms, those of a group together.
  std::vector<Group> groups_;
  std::vector<NamedColumn> named_;
  struct Asker {
    uint32_t first = 0;  ///< In named_.
    uint32_t count = 0;
    uint32_t alternatives = 1;
    double cost = 0;
  };
  std::vector<Asker> askers_;
  std::vector<Asking> asking_;  ///< By operation.

  std::vector<Key> keys_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> first_entry_;
  std::vector<bool> has_key_;
};

}  // namespace daedalus::engine
