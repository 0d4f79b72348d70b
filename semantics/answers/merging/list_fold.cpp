#include "list_fold.hpp"

#include <algorithm>
#include <optional>

#include "daedalus/semantics/packed.hpp"
#include "sort_key.hpp"

namespace daedalus::semantics {
namespace {

/// Reading a value and giving it to its group costs so much, for each value of the list.
constexpr uint64_t kFoldUnits = 64;

uint64_t size_of(const Value& text) { return is_null(text) ? 0 : std::get<std::string>(text).size(); }

}  // namespace

ListFold::ListFold(const MergePlan& plan, GroupStore& groups)
    : plan_(plan), groups_(groups), sorters_(plan.lists.size()), list_values_(plan.list_values) {
  for (uint32_t list = 0; list < plan.lists.size(); ++list) {
    values_.emplace_back(plan, list);
  }
}

uint32_t ListFold::add(uint32_t owner, uint32_t list, std::span<const Value> row) {
  ListValues& values = values_[list];
  const uint64_t bytes_before = values.memory_bytes();
  values.add(owner, row);
  values_bytes_ += values.memory_bytes() - bytes_before;
  return values.size();
}

bool ListFold::is_ordered(uint32_t list) const {
  return std::any_of(plan_.aggregates.begin(), plan_.aggregates.end(), [&](const MergeAggregate& aggregate) {
    return aggregate.list == list && is_made_in_order(aggregate.function);
  });
}

void ListFold::make_partial_row(uint32_t list, uint32_t number, std::vector<Value>& row) const {
  const auto owner = groups_.plain(values_[list].owner(number));
  const auto of = static_cast<uint32_t>(std::get<int64_t>(owner[0]));
  const auto set = std::find_if(plan_.sets.begin(), plan_.sets.end(),
                                [&](const GroupSet& one) { return one.list == list && one.of == of; });
  row.assign(plan_.partial_types.size(), Value());
  std::copy(owner.begin(), owner.end(), row.begin());
  row[0] = static_cast<int64_t>(set - plan_.sets.begin());
  values_[list].read(number, {row.data() + plan_.key_count(), plan_.list_values});
  row.back() = values_[list].rows(number);
}

Result<bool> ListFold::step(WorkBudget& budget) {
  for (; next_value_list_ < values_.size(); ++next_value_list_, next_value_ = 0) {
    for (; next_value_ < values_[next_value_list_].size(); ++next_value_) {
      if (budget.is_spent()) {
        return false;
      }
      if (const Result<void> taken = take(next_value_list_, next_value_, budget); !taken) {
        return taken.error();
      }
    }
  }
  return step_in_order(budget);
}

Result<bool> ListFold::step_in_order(WorkBudget& budget) {
  for (; next_sorted_list_ < sorters_.size(); ++next_sorted_list_) {
    RowSorter& sorter = sorters_[next_sorted_list_];
    if (!sorter.prepare(budget)) {
      return false;
    }
    while (true) {
      if (budget.is_spent()) {
        return false;
      }
      const std::optional<RowSorter::Sorted> next = sorter.next(budget);
      if (!next) {
        break;
      }
      const auto place = static_cast<uint32_t>(next->place);
      if (const Result<void> added = add_in_order(next_sorted_list_, place); !added) {
        return added.error();
      }
      if (text_bytes_ > plan_.limit.bytes_max) {
        return answer_too_large(plan_.limit);
      }
      budget.spend(kFoldUnits * plan_.list_values);
    }
  }
  return true;
}

Result<void> ListFold::take(uint32_t list, uint32_t number, WorkBudget& budget) {
  read(list, number);
  budget.spend(kFoldUnits * plan_.list_values);
  if (is_ordered(list)) {
    if (const Result<void> put = put_in_order(list, number, budget); !put) {
      return put;
    }
  }
  const auto states = groups_.states(values_[list].owner(number));
  for (size_t place = 0; place < plan_.aggregates.size(); ++place) {
    const MergeAggregate& aggregate = plan_.aggregates[place];
    if (aggregate.list != list || aggregate.function == AggregateFunction::kStringAgg) {
      continue;
    }
    if (!entry_of(aggregate.function).is_ordered_set) {
      states[place].add(argument(list, 0));
    } else if (aggregate.function != AggregateFunction::kMode) {
      states[place].expect(argument(list, 0), values_[list].rows(number));
    }
  }
  return {};
}

/// By the values of the order, then by all values in theirs, so that the same list always makes the same text.
Result<void> ListFold::put_in_order(uint32_t list, uint32_t number, WorkBudget& budget) {
  const ValueList& wanted = plan_.lists[list];
  const size_t arguments = wanted.values.size() - wanted.order.size();
  key_.clear();
  for (size_t turn = 0; turn < wanted.order.size() + arguments; ++turn) {
    const bool is_order = turn < wanted.order.size();
    const size_t place = is_order ? arguments + turn : turn - wanted.order.size();
    const Value& value = argument(list, place);
    const Type& type = plan_.partial_types[plan_.key_count() + wanted.values[place]];
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
  sorters_[list].add(0, key_, number, {}, budget);
  return {};
}

Result<void> ListFold::add_in_order(uint32_t list, uint32_t number) {
  read(list, number);
  const auto states = groups_.states(values_[list].owner(number));
  for (size_t place = 0; place < plan_.aggregates.size(); ++place) {
    const MergeAggregate& aggregate = plan_.aggregates[place];
    if (aggregate.list != list) {
      continue;
    }
    if (aggregate.function == AggregateFunction::kStringAgg) {
      append_texts(list, number, states[place]);
    } else if (entry_of(aggregate.function).is_ordered_set) {
      const int64_t rows = values_[list].rows(number);
      if (auto taken = states[place].take_in_order(argument(list, 0), argument(list, 1), rows); !taken) {
        return taken;
      }
    }
  }
  return {};
}

void ListFold::append_texts(uint32_t list, uint32_t number, AggregateState& state) {
  // More than the longest text are as good as one more.
  const int64_t times =
      plan_.lists[list].is_distinct ? 1 : std::min<int64_t>(values_[list].rows(number), kStringAggBytesMax + 2);
  const Value& text = argument(list, 0);
  const Value& between = argument(list, 1);
  for (int64_t time = 0; time < times; ++time) {
    state.append(text, between);
  }
  text_bytes_ += static_cast<uint64_t>(times) * (size_of(text) + size_of(between));
}

uint64_t ListFold::memory_bytes() const {
  uint64_t bytes = text_bytes_ + values_bytes_;
  for (const RowSorter& sorter : sorters_) {
    bytes += sorter.memory_bytes();
  }
  return bytes;
}

bool ListFold::drop(WorkBudget& budget) {
  const auto drop_values = [&](ListValues& values) {
    const uint64_t bytes_before = values.memory_bytes();
    const bool is_gone = values.drop(budget);
    values_bytes_ -= bytes_before - values.memory_bytes();
    return is_gone;
  };
  return std::all_of(values_.begin(), values_.end(), drop_values) &&
         std::all_of(sorters_.begin(), sorters_.end(), [&](RowSorter& sorter) { return sorter.drop(budget); });
}

}  // namespace daedalus::semantics
