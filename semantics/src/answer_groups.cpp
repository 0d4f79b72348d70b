// Merging partial aggregates: groups of one key become one, in the order of parts, so that floating-point sums repeat.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

struct Group {
  std::vector<Value> plain;            ///< By output; NULL for aggregates.
  std::vector<AggregateState> states;  ///< Of the aggregates, in order.
};

class GroupMerge final : public Merge {
 public:
  explicit GroupMerge(const MergePlan& plan) : plan_(plan) {}

  /// Rows wait, packed, until all parts are there: the order of merging must not depend on the order of arrival.
  Result<void> add(uint32_t part, std::string_view row) override {
    const Result<std::vector<Value>> checked = read_packed_row(plan_.partial_types, row);
    if (!checked) {
      return checked.error();
    }
    for (const MergeOutput& output : plan_.outputs) {
      const bool is_count = output.is_aggregate && (output.function == AggregateFunction::kCountRows ||
                                                    output.function == AggregateFunction::kCount);
      if (is_count && is_null((*checked)[output.first_partial])) {
        return rejected("08P01", "malformed partial answer: a count is NULL");
      }
    }
    bytes_ += sizeof(uint32_t) + row.size();
    if (bytes_ > kAnswerBytesMax) {
      return answer_too_large();
    }
    std::string& rows = parts_[part];
    append(static_cast<uint32_t>(row.size()), rows);
    rows.append(row);
    return {};
  }

  Result<MergedRows> finish(bool is_final) override {
    if (plan_.selection.group_by.empty()) {
      find_group(std::string(), {});  // No rows at all still make one answer.
    }
    for (auto& [number, rows] : parts_) {
      PackedRows split(rows);
      while (true) {
        const auto row = split.next();
        CHECK(row.has_value());
        if (!row->has_value()) {
          break;
        }
        const Result<std::vector<Value>> values = read_packed_row(plan_.partial_types, **row);
        CHECK(values.has_value());
        merge_row(*values);
        if (groups_.size() > kGroupsMax) {
          return rejected("54000", fmt::format("the answer has more than {} groups", kGroupsMax),
                          "restrict the rows or group by fewer columns");
        }
      }
      rows = std::string();
    }
    return is_final ? write_final() : write_partial();
  }

 private:
  /// The group's identity as bytes: NULL equals NULL, −0.0 equals 0.0, every NaN is one.
  std::string group_key(const std::vector<Value>& values) const {
    std::string key;
    if (plan_.selection.group_by.empty()) {
      return key;
    }
    for (const MergeOutput& output : plan_.outputs) {
      if (output.is_aggregate) {
        continue;
      }
      const Value& value = values[output.first_partial];
      key.push_back(is_null(value) ? '\0' : '\1');
      if (is_null(value)) {
        continue;
      }
      const auto* number = std::get_if<double>(&value);
      append_packed(output.type, number != nullptr && *number == 0.0 ? Value(0.0) : value, key);
    }
    return key;
  }

  Group& find_group(const std::string& key, const std::vector<Value>& values) {
    const auto [place, is_new] = index_.try_emplace(key, groups_.size());
    if (is_new) {
      Group group;
      for (const MergeOutput& output : plan_.outputs) {
        if (output.is_aggregate) {
          group.plain.emplace_back();
          group.states.emplace_back(output.function, output.argument);
        } else {
          group.plain.push_back(values.empty() ? Value() : values[output.first_partial]);
        }
      }
      groups_.push_back(std::move(group));
    }
    return groups_[place->second];
  }

  void merge_row(const std::vector<Value>& values) {
    Group& group = find_group(group_key(values), values);
    size_t state = 0;
    for (const MergeOutput& output : plan_.outputs) {
      if (output.is_aggregate) {
        group.states[state++].merge({values.data() + output.first_partial, output.partial_count});
      }
    }
  }

  Result<MergedRows> write_partial() {
    AnswerWriter writer;
    for (const Group& group : groups_) {
      std::vector<Value> row;
      size_t state = 0;
      for (size_t i = 0; i < plan_.outputs.size(); ++i) {
        if (plan_.outputs[i].is_aggregate) {
          std::vector<Value> partial = group.states[state++].partial();
          std::move(partial.begin(), partial.end(), std::back_inserter(row));
        } else {
          row.push_back(group.plain[i]);
        }
      }
      if (const Result<void> written = writer.append_values(plan_.partial_types, row); !written) {
        return written.error();
      }
    }
    return writer.take();
  }

  Result<std::vector<Value>> finish_group(Group& group) const {
    std::vector<Value> row = std::move(group.plain);
    size_t state = 0;
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (plan_.outputs[i].is_aggregate) {
        Result<Value> value = group.states[state++].finish();
        if (!value) {
          return std::move(value).error();
        }
        row[i] = std::move(*value);
      }
    }
    group.states.clear();
    return row;
  }

  Result<MergedRows> write_final() {
    std::vector<std::vector<Value>> rows;
    rows.reserve(groups_.size());
    for (Group& group : groups_) {
      Result<std::vector<Value>> row = finish_group(group);
      if (!row) {
        return std::move(row).error();
      }
      rows.push_back(std::move(*row));
    }
    const std::vector<OrderKey>& order_by = plan_.selection.order_by;
    // Groups stand in the order in which the parts brought them, which stable sorting keeps among equals.
    std::stable_sort(rows.begin(), rows.end(), [&](const std::vector<Value>& left, const std::vector<Value>& right) {
      for (const OrderKey& key : order_by) {
        const std::strong_ordering ordering = compare_ordered(left[key.output], right[key.output], key.order);
        if (ordering != 0) {
          return ordering < 0;
        }
      }
      return false;
    });
    AnswerWriter writer;
    const uint64_t end = std::min<uint64_t>(rows.size(), plan_.rows_wanted);
    for (uint64_t i = plan_.selection.offset; i < end; ++i) {
      const std::span<const Value> visible(rows[i].data(), plan_.final_types.size());
      if (const Result<void> written = writer.append_values(plan_.final_types, visible); !written) {
        return written.error();
      }
    }
    return writer.take();
  }

  const MergePlan& plan_;
  std::map<uint32_t, std::string> parts_;
  std::unordered_map<std::string, size_t> index_;
  std::vector<Group> groups_;
  uint64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Merge> make_group_merge(const MergePlan& plan) { return std::make_unique<GroupMerge>(plan); }

}  // namespace daedalus::semantics
