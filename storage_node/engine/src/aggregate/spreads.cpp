#include "spreads.hpp"

#include "accumulator_parts.hpp"
#include "kernels_floating_sum.hpp"

namespace daedalus::engine {
namespace {

/// Calls use(numbers) with the values as integers of their width. Precondition: they are integers of at most 64 bits.
template <typename Use>
void with_integers(Native native, const uint8_t* values, Use&& use) {
  switch (native) {
    case Native::kInt16:
      return use(typed<int16_t>(values));
    case Native::kInt32:
      return use(typed<int32_t>(values));
    default:
      return use(typed<int64_t>(values));
  }
}

template <typename Use>
void with_floats(Native native, const uint8_t* values, Use&& use) {
  native == Native::kFloat ? use(typed<float>(values)) : use(typed<double>(values));
}

/// Calls use(row) for every value that counts, ascending.
template <typename Use>
void for_each_selected(const SelectedValues& values, Use&& use) {
  for (uint32_t word = 0; word < values.word_count; ++word) {
    for_each_of_word(values, word, use);
  }
}

}  // namespace

void Bits::take(const GroupedValues& values) {
  with_integers(layout_->native, values.vector.values, [&](const auto* numbers) {
    for_each_state(values, states_, [&](uint32_t position, State& state) { take_number(state, numbers[position]); });
  });
}

void Bits::take(const SelectedValues& values) {
  with_integers(layout_->native, values.values, [&](const auto* numbers) {
    for_each_selected(values, [&](uint32_t row) { take_number(states_[0], numbers[row]); });
  });
}

void Bits::merge(uint32_t group, const Bits& other, std::span<const uint32_t> groups) {
  for (const uint32_t from : groups) {
    if (other.states_[from].has_value) {
      take_number(states_[group], other.states_[from].bits);
    }
  }
}

void Bits::append(uint32_t group, PartialRow& row) const {
  const State& state = states_[group];
  row.put(packed_, reinterpret_cast<const uint8_t*>(&state.bits), !state.has_value);
}

void ExactSpreads::take(const GroupedValues& values) {
  with_integers(layout_->native, values.vector.values, [&](const auto* numbers) {
    for_each_state(values, states_, [&](uint32_t position, State& state) { take_number(state, numbers[position]); });
  });
}

void ExactSpreads::take(const SelectedValues& values) {
  with_integers(layout_->native, values.values, [&](const auto* numbers) {
    for_each_selected(values, [&](uint32_t row) { take_number(states_[0], numbers[row]); });
  });
}

void ExactSpreads::merge(uint32_t group, const ExactSpreads& other, std::span<const uint32_t> groups) {
  State& state = states_[group];
  for (const uint32_t from : groups) {
    const State& more = other.states_[from];
    state.sum += more.sum;
    state.squares.add(more.squares);
    state.count += more.count;
  }
}

uint32_t ExactSpreads::append_bytes_max() { return 2 * kSumBytesMax; }

void ExactSpreads::append(uint32_t group, PartialRow& row) const {
  const State& state = states_[group];
  constexpr uint32_t kColumns = 2;
  append_counted(state.count, kColumns, /*with_count=*/true, row, [&] {
    const int32_t scale = scale_of(*layout_);
    put_exact(scale, static_cast<UInt128>(state.sum), state.sum < 0 ? -1 : 0, row);
    put_exact(2 * scale, state.squares.low, state.squares.high, row);
  });
}

void FloatingSpreads::take(const GroupedValues& values) {
  with_floats(layout_->native, values.vector.values, [&](const auto* numbers) {
    for_each_state(values, states_, [&](uint32_t position, semantics::FloatingMoments& state) {
      state.add(static_cast<double>(numbers[position]));
    });
  });
}

void FloatingSpreads::take(const SelectedValues& values) {
  semantics::FloatingMoments& state = states_[0];
  state.count += values.count;
  with_floats(layout_->native, values.values, [&](const auto* numbers) {
    add_to_sum(numbers, values.selection, values.word_count, state.sum);
    for_each_selected(values, [&](uint32_t row) { state.add_square(static_cast<double>(numbers[row])); });
  });
}

void FloatingSpreads::merge(uint32_t group, const FloatingSpreads& other, std::span<const uint32_t> groups) {
  for (const uint32_t from : groups) {
    states_[group].add(other.states_[from]);
  }
}

uint32_t FloatingSpreads::append_bytes_max() { return semantics::FloatingMoments::kColumns * kWordBytes; }

void FloatingSpreads::append(uint32_t group, PartialRow& row) const {
  const semantics::FloatingMoments& state = states_[group];
  append_counted(state.count, semantics::FloatingMoments::kColumns - 1, /*with_count=*/true, row, [&] {
    put_number(state.head(), false, row);
    append_counters(state.sum.counters(), row);
    append_counters(state.squares.counters(), row);
  });
}

}  // namespace daedalus::engine
