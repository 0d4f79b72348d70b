#include "list_fold.hpp"

#include <algorithm>
#include <optional>

#include "daedalus/semantics/packed.hpp"
#include "sort_key.hpp"

namespace daedalus::semantics {
namespace {

/// What looking at a group and finding the one that it belongs to costs, for each value of its key.
constexpr uint64_t kFoldUnits = 64;

uint64_t size_of(const Value& text) { return is_null(text) ? 0 : std::get<std::string>(text).size(); }

}  // namespace

const Value& ListFold::list_value(uint32_t group, uint32_t list, size_t argument) {
  return groups_.plain(group)[plan_.first_key + plan_.own_keys + plan_.lists[list].values[argument]];
}

bool ListFold::is_ordered(uint32_t list) const {
  return std::any_of(plan_.aggregates.begin(), plan_.aggregates.end(), [&](const MergeAggregate& aggregate) {
    return aggregate.list == list && aggregate.function == AggregateFunction::kStringAgg;
  });
}

Result<bool> ListFold::step(WorkBudget& budget) {
  for (; next_group_ < groups_.size(); ++next_group_) {
    if (budget.is_spent()) {
      return false;
    }
    if (const Result<void> taken = take(next_group_, budget); !taken) {
      return taken.error();
    }
  }
  for (; next_list_ < sorters_.size(); ++next_list_) {
    if (!sorters_[next_list_].prepare(budget)) {
      return false;
    }
    while (true) {
      if (budget.is_spent()) {
        return false;
      }
      const std::optional<RowSorter::Sorted> next = sorters_[next_list_].next(budget);
      if (!next) {
        break;
      }
      const auto group = static_cast<uint32_t>(next->place);
      const Result<uint32_t> owner = owner_of(group);
      if (!owner) {
        return owner.error();
      }
      add_in_order(group, *owner, next_list_);
      if (text_bytes_ > plan_.limit.bytes_max) {
        return answer_too_large(plan_.limit);
      }
      budget.spend(kFoldUnits * plan_.key_count);
    }
  }
  return true;
}

Result<uint32_t> ListFold::owner_of(uint32_t group) {
  const auto values = groups_.plain(group);
  const GroupSet& set = plan_.sets[static_cast<size_t>(std::get<int64_t>(values[0]))];
  owner_key_.assign(plan_.key_count, Value());
  std::copy_n(values.begin(), plan_.first_key + plan_.own_keys, owner_key_.begin());
  owner_key_[0] = static_cast<int64_t>(set.of);
  make_group_key(plan_, owner_key_, key_);
  bool is_new = false;
  const uint32_t owner = groups_.find(key_, is_new);
  if (is_new) {
    return rejected("08P01", "malformed partial answer: a list of a group that is not there");
  }
  return owner;
}

Result<void> ListFold::take(uint32_t group, WorkBudget& budget) {
  const GroupSet& set = plan_.sets[static_cast<size_t>(std::get<int64_t>(groups_.plain(group)[0]))];
  budget.spend(1);
  if (!set.list) {
    return {};
  }
  if (is_ordered(*set.list)) {
    if (const Result<void> put = put_in_order(group, *set.list, budget); !put) {
      return put;
    }
  }
  const Result<uint32_t> owner = owner_of(group);
  if (!owner) {
    return owner.error();
  }
  const auto states = groups_.states(*owner);
  for (size_t number = 0; number < plan_.aggregates.size(); ++number) {
    const MergeAggregate& aggregate = plan_.aggregates[number];
    if (aggregate.list == *set.list && aggregate.function != AggregateFunction::kStringAgg) {
      states[number].add(list_value(group, *set.list, 0));
    }
  }
  budget.spend(kFoldUnits * plan_.key_count);
  return {};
}

/// By the values of the order, then by all values in theirs, so that the same list always makes the same text.
Result<void> ListFold::put_in_order(uint32_t group, uint32_t list, WorkBudget& budget) {
  const ValueList& wanted = plan_.lists[list];
  const size_t arguments = wanted.values.size() - wanted.order.size();
  key_.clear();
  for (size_t turn = 0; turn < wanted.order.size() + arguments; ++turn) {
    const bool is_order = turn < wanted.order.size();
    const size_t argument = is_order ? arguments + turn : turn - wanted.order.size();
    const Value& value = list_value(group, list, argument);
    const Type& type = plan_.partial_types[plan_.first_key + plan_.own_keys + wanted.values[argument]];
    packed_.clear();
    std::optional<std::string_view> bytes;
    if (!is_null(value)) {
      append_packed(type, value, packed_);
      // A string's key is made of its bytes alone.
      bytes = std::string_view(packed_).substr(is_string(type.kind) ? 2 : 0);
    }
    const auto appended = append_sort_key(type, bytes, is_order ? wanted.order[turn] : SortOrder{}, key_);
    if (!appended) {
      return appended;
    }
  }
  sorters_[list].add(0, key_, group, {}, budget);
  return {};
}

void ListFold::add_in_order(uint32_t group, uint32_t owner, uint32_t list) {
  const auto states = groups_.states(owner);
  const int64_t rows = std::get<int64_t>(groups_.states(group).back().partial()[0]);
  // More than the longest text are as good as one more.
  const int64_t times = plan_.lists[list].is_distinct ? 1 : std::min<int64_t>(rows, kStringAggBytesMax + 2);
  for (size_t number = 0; number < plan_.aggregates.size(); ++number) {
    const MergeAggregate& aggregate = plan_.aggregates[number];
    if (aggregate.list != list || aggregate.function != AggregateFunction::kStringAgg) {
      continue;
    }
    const Value& text = list_value(group, list, 0);
    const Value& between = list_value(group, list, 1);
    for (int64_t time = 0; time < times; ++time) {
      states[number].append(text, between);
    }
    text_bytes_ += static_cast<uint64_t>(times) * (size_of(text) + size_of(between));
  }
}

uint64_t ListFold::memory_bytes() const {
  uint64_t bytes = text_bytes_;
  for (const RowSorter& sorter : sorters_) {
    bytes += sorter.memory_bytes();
  }
  return bytes;
}

bool ListFold::drop(WorkBudget& budget) {
  return std::all_of(sorters_.begin(), sorters_.end(), [&](RowSorter& sorter) { return sorter.drop(budget); });
}

}  // namespace daedalus::semantics
