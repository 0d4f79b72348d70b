#include "daedalus/semantics/plain_answer.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::semantics {
namespace {

using Row = std::vector<Value>;

struct KeyLess {
  bool operator()(const Row& left, const Row& right) const {
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                        [](const Value& a, const Value& b) { return compare_ordered(a, b, {}) < 0; });
  }
};

/// Groups of one set.
class PlainGroups {
 public:
  PlainGroups(const Grouping& grouping, GroupSet set, int64_t number)
      : grouping_(grouping), set_(std::move(set)), number_(number) {
    if (set_.keys.empty()) {
      static_cast<void>(group_of({}));
    }
  }

  Result<void> take(const Row& row) {
    Row key;
    for (const uint32_t place : set_.keys) {
      const bool is_own = place < grouping_.keys.size();
      Result<Value> value =
          evaluate(is_own ? grouping_.keys[place] : grouping_.list_values[place - grouping_.keys.size()], row);
      if (!value) {
        return value.error();
      }
      key.push_back(std::move(*value));
    }
    Group& group = group_of(std::move(key));
    ++group.rows;
    for (size_t number = 0; number < group.states.size() && !set_.list; ++number) {
      const BoundAggregate& aggregate = grouping_.aggregates[number];
      if (state_types(aggregate).empty()) {
        continue;
      }
      const Result<Value> value = aggregate.argument ? evaluate(*aggregate.argument, row) : Result<Value>(Value());
      if (!value) {
        return value.error();
      }
      group.states[number].add(*value);
    }
    return {};
  }

  void append_to(std::span<const Type> types, MergedRows& out) const {
    for (const auto& [key, group] : groups_) {
      append_packed_row(types, row_of(key, group), out.rows);
      ++out.row_count;
    }
  }

 private:
  struct Group {
    std::vector<AggregateState> states;
    int64_t rows = 0;
  };

  Group& group_of(Row key) {
    const auto [entry, is_new] = groups_.try_emplace(std::move(key));
    for (size_t number = 0; is_new && number < grouping_.aggregates.size(); ++number) {
      const BoundAggregate& aggregate = grouping_.aggregates[number];
      entry->second.states.emplace_back(aggregate.function, aggregate.argument_type());
    }
    return entry->second;
  }

  [[nodiscard]] Row row_of(const Row& key, const Group& group) const {
    Row row;
    if (grouping_.has_sets()) {
      row.emplace_back(number_);
    }
    const size_t first = row.size();
    row.resize(first + grouping_.keys.size() + grouping_.list_values.size());
    for (size_t number = 0; number < set_.keys.size(); ++number) {
      row[first + set_.keys[number]] = key[number];
    }
    for (size_t number = 0; number < group.states.size(); ++number) {
      if (!state_types(grouping_.aggregates[number]).empty()) {
        const Row partial = group.states[number].partial();
        row.insert(row.end(), partial.begin(), partial.end());
      }
    }
    if (grouping_.has_sets()) {
      row.push_back(set_.list ? Value(group.rows) : Value());
    }
    return row;
  }

  const Grouping& grouping_;
  GroupSet set_;
  int64_t number_;
  std::map<Row, Group, KeyLess> groups_;
};

std::vector<PlainGroups> groups_of(const Selection& selection) {
  std::vector<PlainGroups> made;
  if (!selection.grouping) {
    return made;
  }
  for (GroupSet& set : group_sets(*selection.grouping)) {
    const auto number = static_cast<int64_t>(made.size());
    made.emplace_back(*selection.grouping, std::move(set), number);
  }
  return made;
}

Result<bool> qualifies(const Selection& selection, const Row& row) {
  for (const BoundExpression& residual : selection.residuals) {
    const Result<Value> truth = evaluate(residual, row);
    if (!truth) {
      return truth.error();
    }
    if (*truth != Value(true)) {
      return false;
    }
  }
  return true;
}

Result<Row> outputs_of(const Selection& selection, const Row& row) {
  Row outputs;
  for (const OutputColumn& output : selection.outputs) {
    Result<Value> value = evaluate(output.expression, row);
    if (!value) {
      return value.error();
    }
    outputs.push_back(std::move(*value));
  }
  return outputs;
}

}  // namespace

Result<MergedRows> plain_answer(const Selection& selection, std::span<const std::vector<Value>> rows) {
  const std::vector<Type> types = partial_row_types(selection);
  std::vector<PlainGroups> sets = groups_of(selection);
  MergedRows made;
  for (const Row& row : rows) {
    const Result<bool> is_wanted = qualifies(selection, row);
    if (!is_wanted) {
      return is_wanted.error();
    }
    if (!*is_wanted) {
      continue;
    }
    for (PlainGroups& set : sets) {
      if (const Result<void> taken = set.take(row); !taken) {
        return taken.error();
      }
    }
    if (!selection.grouping) {
      const Result<Row> outputs = outputs_of(selection, row);
      if (!outputs) {
        return outputs.error();
      }
      append_packed_row(types, *outputs, made.rows);
      ++made.row_count;
    }
  }
  for (const PlainGroups& set : sets) {
    set.append_to(types, made);
  }
  return made;
}

Result<MergedRows> finished_answer(const Selection& selection, std::span<const std::vector<Value>> rows) {
  Result<MergedRows> partial = plain_answer(selection, rows);
  if (!partial) {
    return partial.error();
  }
  AnswerMerger merger(selection, AnswerForm::kFinal);
  if (const Result<void> added = merger.add(0, std::move(*partial)); !added) {
    return added.error();
  }
  return merge_all(merger);
}

}  // namespace daedalus::semantics
