#include "aggregation.hpp"

#include <algorithm>

#include "daedalus/semantics/packed.hpp"
#include "kernels_aggregate.hpp"

namespace daedalus::engine {
namespace {

using semantics::AggregateFunction;
using semantics::BigInt;
using semantics::Value;

/// Keys and states of groups may take this many times the bytes of an answer.
constexpr uint64_t kGroupMemoryFactor = 4;

uint32_t key_size_of(const TableLayout& layout, const semantics::Selection& selection) {
  uint32_t size = 0;
  for (const uint32_t column : selection.group_by) {
    size += 1 + layout.columns[column].width;
  }
  return size;
}

Error too_many_groups(uint32_t groups_max) {
  return rejected("54000", "a segment would hold more than " + std::to_string(groups_max) + " groups for one query",
                  "Group by fewer columns, or restrict the rows.");
}

bool is_extreme(AggregateFunction function) {
  return function == AggregateFunction::kMin || function == AggregateFunction::kMax;
}

}  // namespace

void add_exact(AggregateCell& cell, Int128 value) {
  const auto addend = static_cast<UInt128>(value);
  cell.low += addend;
  cell.high += (value < 0 ? -1 : 0) + (cell.low < addend ? 1 : 0);
}

BigInt exact_sum(const AggregateCell& cell) {
  BigInt sum = cell.high;
  sum <<= 64;
  sum += static_cast<uint64_t>(cell.low >> 64);
  sum <<= 64;
  sum += static_cast<uint64_t>(cell.low);
  return sum;
}

Aggregation::Aggregation(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection,
                         uint64_t answer_bytes_max)
    : layout_(&layout),
      store_(&store),
      selection_(&selection),
      answer_bytes_max_(answer_bytes_max),
      key_size_(key_size_of(layout, selection)),
      groups_(key_size_) {
  for (const semantics::OutputColumn& output : selection.outputs) {
    if (output.is_aggregate) {
      aggregates_.push_back({output.function, output.column});
    }
  }
  const uint64_t group_bytes = key_size_ + aggregates_.size() * sizeof(AggregateCell) + 1;
  const uint64_t memory_max = std::min(answer_bytes_max, UINT64_MAX / kGroupMemoryFactor) * kGroupMemoryFactor;
  groups_max_ =
      static_cast<uint32_t>(std::clamp<uint64_t>(memory_max / group_bytes, 1, uint64_t{semantics::kGroupsMax}));
  key_.resize(key_size_);
  if (selection.group_by.empty()) {
    cells_.resize(aggregates_.size());
  }
}

Result<void> Aggregation::take(uint32_t chunk, const uint32_t* rows, uint32_t row_count) {
  if (Result<void> found = find_groups(store_->view(chunk), rows, row_count); !found.has_value()) {
    return found;
  }
  for (uint32_t index = 0; index < aggregates_.size(); ++index) {
    accumulate(aggregates_[index], index, chunk, rows, row_count);
  }
  return {};
}

Result<void> Aggregation::take_selection(uint32_t chunk, const uint64_t* selection) {
  const ChunkView view = store_->view(chunk);
  const uint32_t words = view.word_count();
  uint32_t row_count = 0;
  const auto list = [&] {
    if (selected_rows_.empty()) {
      selected_rows_.resize(view.row_count);
    }
    row_count = list_rows(selection, words, selected_rows_.data());
  };
  if (!selection_->group_by.empty()) {
    list();
    return take(chunk, selected_rows_.data(), row_count);
  }
  bool is_listed = false;
  for (uint32_t index = 0; index < aggregates_.size(); ++index) {
    if (accumulate_selection(aggregates_[index], index, view, selection)) {
      continue;
    }
    if (!is_listed) {
      list();
      group_of_row_.assign(row_count, 0);
      is_listed = true;
    }
    accumulate(aggregates_[index], index, chunk, selected_rows_.data(), row_count);
  }
  return {};
}

bool Aggregation::accumulate_selection(const Aggregate& aggregate, uint32_t index, const ChunkView& chunk,
                                       const uint64_t* selection) {
  const uint32_t words = chunk.word_count();
  AggregateCell& state = cell(0, index);
  if (aggregate.function == AggregateFunction::kCountRows) {
    state.count += count_bits(selection, words);
    return true;
  }
  selected_values_.assign(selection, selection + words);
  and_not_into(selected_values_.data(), chunk.nulls[aggregate.column], words);
  const uint32_t count = count_bits(selected_values_.data(), words);
  const auto use = [&]<typename T>(std::type_identity<T>) {
    const T* values = reinterpret_cast<const T*>(chunk.planes[aggregate.column]);
    if (!is_extreme(aggregate.function)) {
      add_exact(state, sum_selected<T>(values, selected_values_.data(), words));
    } else if (count > 0) {
      const bool is_max = aggregate.function == AggregateFunction::kMax;
      const Int128 value = is_max ? max_selected<T>(values, selected_values_.data(), words)
                                  : min_selected<T>(values, selected_values_.data(), words);
      const auto best = static_cast<Int128>(state.low);
      if (state.count == 0 || (is_max ? value > best : value < best)) {
        state.low = static_cast<UInt128>(value);
      }
    }
  };
  if (aggregate.function != AggregateFunction::kCount) {
    switch (layout_->columns[aggregate.column].native) {
      case Native::kInt16:
        use(std::type_identity<int16_t>{});
        break;
      case Native::kInt32:
        use(std::type_identity<int32_t>{});
        break;
      case Native::kInt64:
        use(std::type_identity<int64_t>{});
        break;
      default:
        return false;
    }
  }
  state.count += count;
  return true;
}

Result<void> Aggregation::find_groups(const ChunkView& chunk, const uint32_t* rows, uint32_t row_count) {
  group_of_row_.assign(row_count, 0);
  if (selection_->group_by.empty()) {
    return {};
  }
  for (uint32_t position = 0; position < row_count; ++position) {
    const uint32_t row = rows[position];
    uint8_t* next = key_.data();
    for (const uint32_t column : selection_->group_by) {
      const ColumnLayout& layout = layout_->columns[column];
      const bool null = test_bit(chunk.nulls[column], row);
      *next++ = static_cast<uint8_t>(null);
      if (null) {
        std::memset(next, 0, layout.width);
      } else {
        copy_canonical(layout, chunk.planes[column] + size_t{row} * layout.width, next);
      }
      next += layout.width;
    }
    const uint32_t group = groups_.find_or_add(key_.data());
    if (group >= groups_max_) {
      return too_many_groups(groups_max_);
    }
    if (groups_.size() * aggregates_.size() > cells_.size()) {
      cells_.resize(groups_.size() * aggregates_.size());
    }
    group_of_row_[position] = group;
  }
  return {};
}

void Aggregation::accumulate(const Aggregate& aggregate, uint32_t index, uint32_t chunk, const uint32_t* rows,
                             uint32_t row_count) {
  if (aggregate.function == AggregateFunction::kCountRows) {
    for (uint32_t position = 0; position < row_count; ++position) {
      ++cell(group_of_row_[position], index).count;
    }
    return;
  }
  const ChunkView view = store_->view(chunk);
  const ColumnLayout& layout = layout_->columns[aggregate.column];
  const uint8_t* plane = view.planes[aggregate.column];
  const uint64_t* nulls = view.nulls[aggregate.column];
  const auto for_each_value = [&](auto&& use) {
    for (uint32_t position = 0; position < row_count; ++position) {
      if (!test_bit(nulls, rows[position])) {
        AggregateCell& state = cell(group_of_row_[position], index);
        use(state, rows[position]);
        ++state.count;
      }
    }
  };
  if (aggregate.function == AggregateFunction::kCount) {
    return for_each_value([](AggregateCell&, uint32_t) {});
  }
  const bool is_max = aggregate.function == AggregateFunction::kMax;
  if (layout.native == Native::kBytes) {
    const uint32_t chunk_rows = store_->chunk_rows();
    return for_each_value([&](AggregateCell& state, uint32_t row) {
      const uint8_t* best = store_->view(state.slot / chunk_rows).planes[aggregate.column] +
                            size_t{state.slot % chunk_rows} * layout.width;
      const int order = std::memcmp(plane + size_t{row} * layout.width, best, layout.width);
      if (state.count == 0 || (is_max ? order > 0 : order < 0)) {
        state.slot = chunk * chunk_rows + row;
      }
    });
  }
  with_native(layout.native, [&]<typename T>(std::type_identity<T>) {
    const T* values = reinterpret_cast<const T*>(plane);
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, Int128>;
    for_each_value([&](AggregateCell& state, uint32_t row) {
      const Wide value = values[row];
      if constexpr (std::is_floating_point_v<T>) {
        if (!is_extreme(aggregate.function)) {
          state.floating += value;
        } else if (const int order = compare_scalars(value, state.floating);
                   state.count == 0 || (is_max ? order > 0 : order < 0)) {
          state.floating = value;
        }
      } else {
        if (!is_extreme(aggregate.function)) {
          add_exact(state, value);
        } else if (const auto best = static_cast<Int128>(state.low);
                   state.count == 0 || (is_max ? value > best : value < best)) {
          state.low = static_cast<UInt128>(value);
        }
      }
    });
  });
}

void Aggregation::append_partial(const Aggregate& aggregate, const AggregateCell& state,
                                 std::vector<Value>& row) const {
  if (aggregate.function == AggregateFunction::kCountRows || aggregate.function == AggregateFunction::kCount) {
    row.emplace_back(state.count);
    return;
  }
  const ColumnLayout& layout = layout_->columns[aggregate.column];
  const bool is_floating = layout.native == Native::kFloat || layout.native == Native::kDouble;
  if (state.count == 0) {
    row.emplace_back();
  } else if (is_floating) {
    row.emplace_back(state.floating);
  } else if (!is_extreme(aggregate.function)) {
    const uint32_t scale = layout.type.kind == semantics::TypeKind::kNumeric ? layout.type.scale : 0;
    row.emplace_back(semantics::Decimal{exact_sum(state), static_cast<int32_t>(scale)});
  } else if (layout.native == Native::kBytes) {
    const uint32_t chunk_rows = store_->chunk_rows();
    const uint8_t* plane = store_->view(state.slot / chunk_rows).planes[aggregate.column];
    row.push_back(to_value(layout, plane + size_t{state.slot % chunk_rows} * layout.width));
  } else {
    row.push_back(with_native(layout.native, [&]<typename T>(std::type_identity<T>) {
      const T value = static_cast<T>(static_cast<Int128>(state.low));
      uint8_t bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      return to_value(layout, bytes);
    }));
  }
  if (aggregate.function == AggregateFunction::kAvg) {
    row.emplace_back(state.count);
  }
}

Value Aggregation::group_value(uint32_t group, uint32_t column) const {
  const uint8_t* next = groups_.key(group);
  for (const uint32_t key_column : selection_->group_by) {
    if (key_column == column) {
      return *next != 0 ? Value{} : to_value(layout_->columns[column], next + 1);
    }
    next += 1 + layout_->columns[key_column].width;
  }
  check_failed("every plain output of an aggregating query is a group column", __FILE__, __LINE__);
}

Result<semantics::MergedRows> Aggregation::finish() const {
  const std::vector<semantics::Type> types = semantics::partial_row_types(*layout_->schema, *selection_);
  const uint32_t group_count = selection_->group_by.empty() ? 1 : groups_.size();
  semantics::MergedRows merged;
  std::vector<Value> row;
  for (uint32_t group = 0; group < group_count; ++group) {
    row.clear();
    uint32_t index = 0;
    for (const semantics::OutputColumn& output : selection_->outputs) {
      if (output.is_aggregate) {
        append_partial(aggregates_[index], cells_[group * aggregates_.size() + index], row);
        ++index;
      } else {
        row.push_back(group_value(group, output.column));
      }
    }
    semantics::append_packed_row(types, row, merged.rows);
    if (merged.rows.size() > answer_bytes_max_) {
      return rejected("54000", "the groups of one segment exceed " + std::to_string(answer_bytes_max_) + " bytes",
                      "Group by fewer columns, or restrict the rows.");
    }
  }
  merged.row_count = group_count;
  return merged;
}

}  // namespace daedalus::engine
