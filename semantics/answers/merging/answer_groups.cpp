// Merging partial aggregates: groups of one key become one, in the order of parts, so that the order of groups repeats,
// and which of 0.0 and −0.0 a group shows.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"
#include "group_store.hpp"
#include "int128.hpp"
#include "interval.hpp"
#include "list_fold.hpp"
#include "row_sorter.hpp"
#include "sort_key.hpp"

namespace daedalus::semantics {
namespace {

/// Decoding, looking up and merging one row costs so much for each value, and so does making one of a group.
constexpr uint64_t kMergeUnits = 64;

class GroupMerge final : public Merge {
 public:
  explicit GroupMerge(const MergePlan& plan)
      : plan_(plan),
        groups_(plan.key_count(), static_cast<uint32_t>(plan.aggregates.size())),
        fold_(plan, groups_),
        output_(plan) {}

  /// Rows wait, packed, until all parts are there: the order of merging must not depend on the order of arrival.
  Result<bool> take(RowsBlockPtr& block, WorkBudget& budget) override {
    budget.spend(1);
    return blocks_.take(block, plan_.limit);
  }

  Result<bool> produce(WorkBudget& budget, AnswerWriter& out) override {
    if (!are_merged_) {
      const Result<bool> merged = merge_blocks(budget);
      if (!merged || !*merged) {
        return merged;
      }
      are_merged_ = true;
    }
    if (!are_folded_ && plan_.form == AnswerForm::kFinal && !plan_.sets.empty()) {
      const Result<bool> folded = fold_.step(budget);
      if (!folded || !*folded) {
        return folded;
      }
      are_folded_ = true;
    }
    const bool is_sorted = plan_.form == AnswerForm::kFinal && !plan_.order_by.empty();
    if (!is_sorted) {
      return write_groups(budget, out);
    }
    const Result<bool> sorted = sort_groups(budget);
    if (!sorted || !*sorted) {
      return sorted;
    }
    return output_.write(
        sorter_, [](std::string_view row) { return row; }, budget, out);
  }

  [[nodiscard]] uint64_t memory_bytes() const override {
    return blocks_.memory_bytes() + groups_.memory_bytes() + fold_.memory_bytes() + sorter_.memory_bytes() +
           sorted_bytes_;
  }

  bool drop(WorkBudget& budget) override {
    if (!blocks_.drop(budget) || !groups_.drop(budget) || !fold_.drop(budget) || !sorter_.drop(budget)) {
      return false;
    }
    while (!sorted_rows_.empty() && !budget.is_spent()) {
      budget.spend(page_units(kSortedBytes));
      sorted_bytes_ -= sorted_rows_.back().capacity();
      sorted_rows_.pop_back();
    }
    return sorted_rows_.empty();
  }

 private:
  /// Finished rows that are to be sorted lie in blocks: the first is small, because most answers are, and each is twice
  /// as large as the one before, up to a size.
  static constexpr size_t kSortedBytesMin = 1u << 10;
  static constexpr size_t kSortedBytes = 256u << 10;

  [[nodiscard]] uint64_t row_units() const { return kMergeUnits * (plan_.partial_types.size() + plan_.outputs.size()); }

  // ---- merging ----

  Result<bool> merge_blocks(WorkBudget& budget) {
    if (!has_empty_groups_) {
      has_empty_groups_ = true;
      make_empty_groups();
    }
    while (RowsBlock* const block = blocks_.front()) {
      if (budget.is_spent()) {
        return false;
      }
      const Result<std::optional<std::string_view>> row = block->next();
      if (!row) {
        return row.error();
      }
      if (!row->has_value()) {
        budget.spend(page_units(block->memory_bytes()));
        blocks_.pop_front();
        continue;
      }
      const uint64_t memory_before = groups_.memory_bytes() + fold_.values_bytes();
      if (const Result<void> merged = merge_row(**row); !merged) {
        return merged.error();
      }
      budget.spend(row_units() + page_units(groups_.memory_bytes() + fold_.values_bytes() - memory_before));
    }
    if (!groups_of_lists_alone_.empty()) {
      return rejected("08P01", "malformed partial answer: a list of a group that is not there");
    }
    return true;
  }

  Result<void> merge_row(std::string_view row) {
    Result<std::vector<Value>> values = read_packed_row(plan_.partial_types, row);
    if (!values) {
      return values.error();
    }
    if (const Result<void> checked = check_row(*values); !checked) {
      return checked;
    }
    if (const GroupSet* const set = set_of(*values); set != nullptr && set->list) {
      return merge_list_row(*set, *values);
    }
    const uint32_t group = find_group(*values).number;
    if (groups_.size() > kGroupsMax) {
      return too_many_groups();
    }
    groups_of_lists_alone_.erase(group);
    AggregateState* state = groups_.states(group).data();
    for (const MergeAggregate& aggregate : plan_.aggregates) {
      if (aggregate.partial_count > 0) {
        state->merge({values->data() + aggregate.first_partial, aggregate.partial_count});
      }
      ++state;
    }
    return {};
  }

  Result<void> merge_list_row(const GroupSet& set, std::vector<Value>& values) {
    values[0] = static_cast<int64_t>(set.of);
    const KeyStore::Found owner = find_group(values);
    if (owner.is_new) {
      groups_of_lists_alone_.insert(owner.number);
    }
    if (groups_.size() > kGroupsMax) {
      return too_many_groups();
    }
    if (fold_.add(owner.number, *set.list, values) > kGroupsMax) {
      return rejected("54000",
                      fmt::format("an aggregate of the answer is made of more than {} distinct values", kGroupsMax),
                      "restrict the rows");
    }
    return {};
  }

  [[nodiscard]] static Error too_many_groups() {
    return rejected("54000", fmt::format("the answer has more than {} groups", kGroupsMax),
                    "restrict the rows or group by fewer columns");
  }

  /// No rows at all still make one answer, and one of each set without keys.
  void make_empty_groups() {
    if (plan_.sets.empty() && plan_.own_keys == 0) {
      static_cast<void>(find_group({}));
    }
    for (size_t number = 0; number < plan_.sets.size(); ++number) {
      if (plan_.sets[number].keys.empty() && !plan_.sets[number].list) {
        std::vector<Value> key(plan_.key_count());
        key[0] = static_cast<int64_t>(number);
        static_cast<void>(find_group(key));
      }
    }
  }

  /// Error 08P01: a row has no set of this answer's, or no number where one belongs.
  [[nodiscard]] Result<void> check_row(std::span<const Value> values) const {
    if (!plan_.sets.empty()) {
      const auto* set = std::get_if<int64_t>(&values[0]);
      if (set == nullptr || *set < 0 || static_cast<size_t>(*set) >= plan_.sets.size()) {
        return rejected("08P01", "malformed partial answer: there is no such set of groups");
      }
      if (set_of(values)->list) {
        return is_null(values.back()) ? count_is_null() : Result<void>();
      }
    }
    for (const MergeAggregate& aggregate : plan_.aggregates) {
      const bool is_count = entry_of(aggregate.function).state == AggregateStateKind::kCount;
      if (is_count && aggregate.partial_count > 0 && is_null(values[aggregate.first_partial])) {
        return count_is_null();
      }
    }
    return {};
  }

  [[nodiscard]] static Result<void> count_is_null() {
    return rejected("08P01", "malformed partial answer: a count is NULL");
  }

  /// The set that values of a group, or of a row, begin with; null where there are none.
  [[nodiscard]] const GroupSet* set_of(std::span<const Value> values) const {
    return plan_.sets.empty() ? nullptr : &plan_.sets[static_cast<size_t>(std::get<int64_t>(values[0]))];
  }

  KeyStore::Found find_group(std::span<const Value> values) {
    key_.clear();
    for (uint32_t number = 0; number < plan_.key_count(); ++number) {
      append_key_value(plan_.partial_types[number], values[number], key_);
    }
    const KeyStore::Found found = groups_.find(key_);
    if (found.is_new) {
      std::copy_n(values.begin(), plan_.key_count(), groups_.plain(found.number).begin());
      for (const MergeAggregate& aggregate : plan_.aggregates) {
        groups_.add_state(aggregate.function, aggregate.argument);
      }
    }
    return found;
  }

  // ---- the answer's rows ----

  /// The group's row in row_: keys and partial states, or all outputs. False: the group is no part of the answer.
  Result<bool> make_row(uint32_t group) {
    row_.clear();
    return plan_.form == AnswerForm::kPartial ? make_partial_row(group) : make_outputs(group);
  }

  Result<bool> make_partial_row(uint32_t group) {
    const auto keys = groups_.plain(group);
    row_.assign(keys.begin(), keys.end());
    row_.resize(row_.size() + plan_.list_values);
    const auto states = groups_.states(group);
    for (size_t number = 0; number < plan_.aggregates.size(); ++number) {
      if (plan_.aggregates[number].partial_count > 0) {
        append_partial(states[number]);
      }
    }
    row_.resize(plan_.partial_types.size());  // NULL in place of a number of rows, where lists have one.
    return true;
  }

  void append_partial(const AggregateState& state) {
    std::vector<Value> partial = state.partial();
    std::move(partial.begin(), partial.end(), std::back_inserter(row_));
  }

  Result<bool> make_outputs(uint32_t group) {
    const auto keys = groups_.plain(group).subspan(plan_.first_key, plan_.own_keys);
    finished_.assign(keys.begin(), keys.end());
    const auto states = groups_.states(group);
    for (size_t number = 0; number < plan_.aggregates.size(); ++number) {
      if (plan_.aggregates[number].function == AggregateFunction::kGrouping) {
        finished_.emplace_back(lacking(group, plan_.aggregates[number].keys));
        continue;
      }
      Result<Value> value = states[number].finish();
      if (!value) {
        return std::move(value).error();
      }
      finished_.push_back(std::move(*value));
    }
    if (plan_.having) {
      const Result<Value> is_wanted = evaluate(*plan_.having, finished_);
      if (!is_wanted) {
        return is_wanted.error();
      }
      if (is_null(*is_wanted) || !std::get<bool>(*is_wanted)) {
        return false;
      }
    }
    for (const BoundExpression& output : plan_.outputs) {
      Result<Value> value = evaluate(output, finished_);
      if (!value) {
        return std::move(value).error();
      }
      row_.push_back(std::move(*value));
    }
    return true;
  }

  /// GROUPING(): a bit for each of the keys, the last one's lowest, set where the group's set lacks it.
  [[nodiscard]] int64_t lacking(uint32_t group, const std::vector<uint32_t>& keys) {
    const std::vector<uint32_t>& has = set_of(groups_.plain(group))->keys;
    int64_t bits = 0;
    for (const uint32_t key : keys) {
      bits = bits << 1 | (std::binary_search(has.begin(), has.end(), key) ? 0 : 1);
    }
    return bits;
  }

  Result<bool> write_groups(WorkBudget& budget, AnswerWriter& out) {
    const bool is_final = plan_.form == AnswerForm::kFinal;
    // Without an order groups stand as the parts brought them; only whoever finishes the answer cuts it.
    const uint64_t wanted = is_final ? plan_.rows_wanted : UINT64_MAX;
    while (next_group_ < groups_.size() && rows_made_ < wanted) {
      if (budget.is_spent()) {
        return false;
      }
      const Result<bool> is_row = make_row(next_group_);
      if (!is_row) {
        return is_row;
      }
      budget.spend(row_units());
      if (*is_row && rows_made_ >= plan_.rows_skipped) {
        const std::span<const Type> types = is_final ? plan_.final_types : plan_.partial_types;
        const Result<bool> written = out.append_values(types, {row_.data(), types.size()});
        if (!written || !*written) {
          return written;
        }
      }
      rows_made_ += *is_row ? 1 : 0;
      ++next_group_;
    }
    return is_final ? check_rest(budget) : write_lists(budget, out);
  }

  /// Rows of lists, behind those of the groups whose they are.
  Result<bool> write_lists(WorkBudget& budget, AnswerWriter& out) {
    for (; next_list_ < plan_.lists.size(); ++next_list_, next_value_ = 0) {
      for (; next_value_ < fold_.size(next_list_); ++next_value_) {
        if (budget.is_spent()) {
          return false;
        }
        fold_.make_partial_row(next_list_, next_value_, row_);
        budget.spend(row_units());
        const Result<bool> written = out.append_values(plan_.partial_types, row_);
        if (!written || !*written) {
          return written;
        }
      }
    }
    return true;
  }

  /// A sum that is out of range fails the answer even where LIMIT cuts its group off, as if all had been computed.
  Result<bool> check_rest(WorkBudget& budget) {
    while (next_group_ < groups_.size()) {
      if (budget.is_spent()) {
        return false;
      }
      if (const Result<bool> is_row = make_row(next_group_); !is_row) {
        return is_row;
      }
      budget.spend(row_units());
      ++next_group_;
    }
    return true;
  }

  Result<bool> sort_groups(WorkBudget& budget) {
    while (next_group_ < groups_.size()) {
      if (budget.is_spent()) {
        return false;
      }
      if (const Result<void> added = add_to_sorter(next_group_, budget); !added) {
        return added.error();
      }
      ++next_group_;
    }
    return sorter_.prepare(budget);
  }

  /// Groups stand in the order in which the parts brought them, which stays among equals.
  Result<void> add_to_sorter(uint32_t group, WorkBudget& budget) {
    const Result<bool> is_row = make_row(group);
    if (!is_row) {
      return is_row.error();
    }
    if (!*is_row) {
      return {};
    }
    OrderKeyWriter keys(plan_, key_);
    for (const OrderKey& key : plan_.order_by) {
      const Value& value = row_[key.output];
      packed_.clear();
      std::optional<std::string_view> bytes;
      if (!is_null(value)) {
        append_packed(plan_.outputs[key.output].type, value, packed_);
        // A string's key is made of its bytes alone.
        bytes = std::string_view(packed_).substr(is_string(plan_.outputs[key.output].type.kind) ? 2 : 0);
      }
      const auto appended = keys.append(plan_.outputs[key.output].type, bytes);
      if (!appended) {
        return appended;
      }
    }
    keys.finish();
    AnswerWriter visible(plan_.limit);
    const Result<bool> written = visible.append_values(plan_.final_types, {row_.data(), plan_.final_types.size()});
    if (!written) {
      return written.error();
    }
    sorter_.add(0, key_, group, keep(visible.take().rows), budget);
    budget.spend(row_units());
    return {};
  }

  /// Gives the copy of the row that lies there from now on; both are without their u32 size.
  std::string_view keep(std::string_view row) {
    row.remove_prefix(sizeof(uint32_t));
    if (sorted_rows_.empty() || sorted_rows_.back().capacity() - sorted_rows_.back().size() < row.size()) {
      const size_t next = sorted_rows_.empty() ? kSortedBytesMin : 2 * sorted_rows_.back().capacity();
      sorted_rows_.emplace_back().reserve(std::max(std::min(next, kSortedBytes), row.size()));
      sorted_bytes_ += sorted_rows_.back().capacity();
    }
    std::string& to = sorted_rows_.back();
    to.append(row);
    return std::string_view(to).substr(to.size() - row.size());
  }

  const MergePlan& plan_;
  PartBlocks blocks_;
  GroupStore groups_;
  ListFold fold_;
  std::set<uint32_t> groups_of_lists_alone_;  ///< No row of theirs has come: parts send it before those of lists.
  bool has_empty_groups_ = false;
  bool are_merged_ = false;
  bool are_folded_ = false;
  uint32_t next_group_ = 0;  ///< To be written, or to be sorted.
  uint32_t next_list_ = 0;   ///< The next list whose values are to be written.
  uint32_t next_value_ = 0;  ///< The next value of that list.
  uint64_t rows_made_ = 0;   ///< It counts rows of groups before that one.
  std::string key_;
  std::string packed_;
  std::vector<Value> finished_;  ///< Keys and finished aggregates of the group whose row is being made.
  std::vector<Value> row_;
  RowSorter sorter_;
  std::vector<std::string> sorted_rows_;
  uint64_t sorted_bytes_ = 0;
  SortedOutput output_;
};

}  // namespace

void append_key_value(const Type& type, const Value& value, std::string& key) {
  key.push_back(is_null(value) ? '\0' : '\1');
  if (is_null(value)) {
    return;
  }
  if (const auto* interval = std::get_if<Interval>(&value)) {
    append(interval_micros(*interval), key);
  } else if (type.kind == TypeKind::kNumeric && type.precision == 0) {
    append_packed(type, Value(without_trailing_zeros(std::get<Decimal>(value))), key);
  } else {
    const auto* zero = std::get_if<double>(&value);
    append_packed(type, zero != nullptr && *zero == 0.0 ? Value(0.0) : value, key);
  }
}

std::unique_ptr<Merge> make_group_merge(const MergePlan& plan) { return std::make_unique<GroupMerge>(plan); }

}  // namespace daedalus::semantics
