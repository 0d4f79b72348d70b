#include "aggregate_states.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

using semantics::AggregateFunction;

bool is_count_rows(AggregateFunction function) { return function == AggregateFunction::kCountRows; }

bool is_sum(AggregateFunction function) {
  return function == AggregateFunction::kSum || function == AggregateFunction::kAvg;
}

}  // namespace

AggregateStates::AggregateStates(std::vector<PlannedAggregate> aggregates, bool is_grouped) {
  for (PlannedAggregate& aggregate : aggregates) {
    has_computed_ = has_computed_ || aggregate.source.is_computed();
    const bool is_exact = is_sum(aggregate.function) && aggregate.source.exact_scale().has_value();
    Accumulator states = is_exact ? ExactSums(aggregate.function, aggregate.source.layout().type,
                                              *aggregate.source.exact_scale(), is_grouped)
                                  : make_accumulator(aggregate.function, aggregate.source.layout());
    state_bytes_ += std::visit([](const auto& kind) { return kind.state_bytes(); }, states);
    aggregates_.push_back({aggregate.function, std::move(aggregate.source), std::move(states), is_exact});
  }
  if (!is_grouped) {
    resize(1);
  }
}

void AggregateStates::resize(uint32_t groups) {
  for (Aggregate& aggregate : aggregates_) {
    std::visit([&](auto& states) { states.resize(groups); }, aggregate.states);
  }
}

Result<void> AggregateStates::take(const RowBatch& batch, const uint32_t* groups, BatchScratch& scratch) {
  for (Aggregate& aggregate : aggregates_) {
    GroupedValues values = {.vector = {}, .batch = &batch, .groups = groups};
    ExactVector exact;
    if (aggregate.is_exact) {
      const Result<ExactVector> numbers = aggregate.source.read_exact(batch);
      if (!numbers) {
        return numbers.error();
      }
      exact = *numbers;
      values.exact = &exact;
    } else if (!is_count_rows(aggregate.function)) {
      const Result<ColumnVector> vector = aggregate.source.read(batch, scratch.room);
      if (!vector) {
        return vector.error();
      }
      values.vector = *vector;
    }
    std::visit([&](auto& states) { states.take(values); }, aggregate.states);
  }
  return {};
}

bool AggregateStates::can_take(const RowBatch& batch, BatchScratch& scratch) const {
  return std::all_of(aggregates_.begin(), aggregates_.end(), [&](const Aggregate& aggregate) {
    return !aggregate.source.is_computed() || (aggregate.is_exact ? bool{aggregate.source.read_exact(batch)}
                                                                  : bool{aggregate.source.read(batch, scratch.room)});
  });
}

void AggregateStates::take_columns(const ChunkView& chunk, const uint64_t* selection, BatchScratch& scratch) {
  const uint32_t words = chunk.word_count();
  const uint32_t selected = count_bits(selection, words);
  if (selected == 0) {
    return;
  }
  for (Aggregate& aggregate : aggregates_) {
    SelectedValues values = {.selection = selection, .word_count = words, .count = selected};
    if (!is_count_rows(aggregate.function)) {
      const ColumnVector vector = aggregate.source.read_plane(whole_chunk(chunk), scratch.room);
      values.values = vector.values;
      values.tails = vector.tails;
      if (vector.nulls != nullptr) {
        std::vector<uint64_t>& selected_values = scratch.selected_values;
        selected_values.assign(selection, selection + words);
        and_not_into(selected_values.data(), vector.nulls, words);
        values.selection = selected_values.data();
        values.count = count_bits(selected_values.data(), words);
      }
    }
    if (values.count == chunk.row_count) {
      values.selection = nullptr;
    }
    if (values.count > 0) {
      std::visit([&](auto& states) { states.take(values); }, aggregate.states);
    }
  }
}

bool AggregateStates::can_merge() const {
  return std::all_of(aggregates_.begin(), aggregates_.end(), [](const Aggregate& aggregate) {
    return std::visit([](const auto& states) { return states.can_merge(); }, aggregate.states);
  });
}

void AggregateStates::merge(uint32_t group, const AggregateStates& other, std::span<const uint32_t> groups) {
  DCHECK(aggregates_.size() == other.aggregates_.size());
  for (size_t number = 0; number < aggregates_.size(); ++number) {
    std::visit([&]<typename States>(
                   States& states) { states.merge(group, std::get<States>(other.aggregates_[number].states), groups); },
               aggregates_[number].states);
  }
}

uint32_t AggregateStates::columns() const {
  uint32_t columns = 0;
  for (const Aggregate& aggregate : aggregates_) {
    columns +=
        static_cast<uint32_t>(semantics::partial_types(aggregate.function, aggregate.source.layout().type).size());
  }
  return columns;
}

uint32_t AggregateStates::append_bytes_max() const {
  uint32_t bytes = 0;
  for (const Aggregate& aggregate : aggregates_) {
    bytes += std::visit([](const auto& kind) { return kind.append_bytes_max(); }, aggregate.states);
  }
  return bytes;
}

void AggregateStates::append(uint32_t group, PartialRow& row) const {
  for (const Aggregate& aggregate : aggregates_) {
    std::visit([&](const auto& states) { states.append(group, row); }, aggregate.states);
  }
}

}  // namespace daedalus::engine
