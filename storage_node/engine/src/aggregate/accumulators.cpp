#include "accumulators.hpp"

#include <algorithm>

#include "accumulator_parts.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"
#include "expression_column.hpp"
#include "kernels_floating_sum.hpp"

namespace daedalus::engine {
namespace {

using semantics::AggregateFunction;

/// Words of rows whose best code is found before a string is looked at: what the first of a chunk teach serves the
/// rest.
constexpr uint32_t kTextBlockWords = 16;

/// Calls use(std::type_identity<T>) with the type of the numbers that a `Sum` adds up.
template <typename Sum, typename Use>
void with_numbers(Native native, Use&& use) {
  if constexpr (std::is_same_v<Sum, ExactSum>) {
    use(std::type_identity<Int128>{});
  } else if constexpr (std::is_same_v<Sum, semantics::FloatingSum>) {
    native == Native::kFloat ? use(std::type_identity<float>{}) : use(std::type_identity<double>{});
  } else if constexpr (std::is_same_v<Sum, Int128>) {
    use(std::type_identity<int64_t>{});
  } else {
    native == Native::kInt16 ? use(std::type_identity<int16_t>{}) : use(std::type_identity<int32_t>{});
  }
}

template <typename T>
void add(int64_t& sum, T number) {
  sum += number;
}
template <typename T>
void add(Int128& sum, T number) {
  sum += number;
}
template <typename T>
void add(semantics::FloatingSum& sum, T number) {
  sum.add(static_cast<double>(number));
}
void add(ExactSum& sum, Int128 number) { sum.add(number); }

template <typename T>
void add_selected(int64_t& sum, const T* numbers, const SelectedValues& values) {
  sum += static_cast<int64_t>(sum_selected(numbers, values.selection, values.word_count));
}
template <typename T>
void add_selected(Int128& sum, const T* numbers, const SelectedValues& values) {
  sum += sum_selected(numbers, values.selection, values.word_count);
}
void add_selected(ExactSum& sum, const Int128* numbers, const SelectedValues& values) {
  sum.add(sum_wide(numbers, values.selection, values.word_count));
}
template <typename T>
void add_selected(semantics::FloatingSum& sum, const T* numbers, const SelectedValues& values) {
  add_to_sum(numbers, values.selection, values.word_count, sum);
}

/// Columns of a partial row that a sum takes.
template <typename Sum>
constexpr uint32_t kSumColumns = std::is_same_v<Sum, semantics::FloatingSum> ? semantics::FloatingSum::kColumns : 1;

/// The value with this exact code, as it lies in a plane, zeros behind it.
uint64_t raw_value(const CodeRule& rule, uint64_t code) {
  if (!rule.is_floating) {
    return raw_of(rule, code);
  }
  constexpr uint64_t kSign = uint64_t{1} << 63;
  return ((code & kSign) != 0 ? code ^ kSign : ~code) >> rule.shift;
}

/// Both 0.0 and −0.0 have this code.
constexpr uint64_t kFloatingZeroCode = uint64_t{1} << 63;

/// Returns whether a floating value has its sign bit set.
bool has_sign(const CodeRule& rule, const uint8_t* value) { return (load<uint64_t>(value) << rule.shift) >> 63 != 0; }

/// Returns whether codes of the column decide every comparison.
bool has_exact_codes(const ColumnLayout& layout) { return layout.code.is_exact; }

Accumulator make_spreads(AggregateFunction function, const ColumnLayout& layout) {
  if (layout.native == Native::kFloat || layout.native == Native::kDouble) {
    return FloatingSpreads(layout);
  }
  return layout.native == Native::kInt128 ? Accumulator(BoxedStates(function, layout)) : ExactSpreads(layout);
}

}  // namespace

void Counts::take(const GroupedValues& values) {
  for_each_state(values, counts_, [](uint32_t, int64_t& count) { ++count; });
}

void Counts::append(uint32_t group, PartialRow& row) const { put_number(counts_[group], false, row); }

void Counts::merge(uint32_t group, const Counts& other, std::span<const uint32_t> groups) {
  for (const uint32_t from : groups) {
    counts_[group] += other.counts_[from];
  }
}

template <typename Sum>
void Sums<Sum>::take(const GroupedValues& values) {
  with_numbers<Sum>(layout_->native, [&]<typename T>(std::type_identity<T>) {
    const T* numbers = typed<T>(values.vector.values);
    for_each_state(values, states_, [&](uint32_t position, State& state) {
      add(state.sum, numbers[position]);
      ++state.count;
    });
  });
}

template <typename Sum>
void Sums<Sum>::take(const SelectedValues& values) {
  with_numbers<Sum>(layout_->native, [&]<typename T>(std::type_identity<T>) {
    add_selected(states_[0].sum, typed<T>(values.values), values);
  });
  states_[0].count += values.count;
}

template <typename Sum>
void Sums<Sum>::merge(uint32_t group, const Sums& other, std::span<const uint32_t> groups) {
  State& state = states_[group];
  for (const uint32_t from : groups) {
    const State& more = other.states_[from];
    if constexpr (std::is_integral_v<Sum> || std::is_same_v<Sum, Int128>) {
      state.sum += more.sum;
    } else {
      state.sum.add(more.sum);
    }
    state.count += more.count;
  }
}

template <typename Sum>
void Sums<Sum>::append(uint32_t group, PartialRow& row) const {
  const State& state = states_[group];
  append_counted(state.count, kSumColumns<Sum>, with_count_, row, [&] { append_sum(*layout_, state.sum, row); });
}

template class Sums<int64_t>;
template class Sums<Int128>;
template class Sums<ExactSum>;
template class Sums<semantics::FloatingSum>;

template <typename Better>
void CodeExtremes::take_grouped(const GroupedValues& values, Better better) {
  const CodeRule rule = layout_->code;
  const uint8_t* at = values.vector.values;
  const uint32_t stride = layout_->stride;
  for_each_state(values, states_, [&](uint32_t position, State& state) {
    const uint64_t code = code_of(rule, at + size_t{position} * stride);
    state.code = better(state.code, code);
    state.has_value = true;
    if (rule.is_floating && code == kFloatingZeroCode) {
      state.is_minus_zero = has_sign(rule, at + size_t{position} * stride);
    }
  });
}

void CodeExtremes::take(const GroupedValues& values) {
  is_max_ ? take_grouped(values, [](uint64_t left, uint64_t right) { return std::max(left, right); })
          : take_grouped(values, [](uint64_t left, uint64_t right) { return std::min(left, right); });
}

/// Finds the last zero, from behind: where zero is the extreme, it mostly is not far.
void CodeExtremes::note_zero(const SelectedValues& values, State& state) const {
  for (uint32_t word = values.word_count; word-- > 0;) {
    uint64_t bits = values.selection == nullptr ? ~uint64_t{0} : values.selection[word];
    while (bits != 0) {
      const auto bit = 63 - static_cast<uint32_t>(__builtin_clzll(bits));
      const uint8_t* value = values.values + size_t{word * 64 + bit} * layout_->stride;
      if (code_of(layout_->code, value) == kFloatingZeroCode) {
        state.is_minus_zero = has_sign(layout_->code, value);
        return;
      }
      bits ^= uint64_t{1} << bit;
    }
  }
}

void CodeExtremes::take(const SelectedValues& values) {
  State& state = states_[0];
  const BytesPlane plane = {values.values, layout_->stride};
  state.code = is_max_ ? std::max(state.code, highest_code(plane, layout_->code, values.selection, values.word_count))
                       : std::min(state.code, lowest_code(plane, layout_->code, values.selection, values.word_count));
  state.has_value = true;
  if (layout_->code.is_floating && state.code == kFloatingZeroCode) {
    note_zero(values, state);
  }
}

void CodeExtremes::merge(uint32_t group, const CodeExtremes& other, std::span<const uint32_t> groups) {
  State& state = states_[group];
  for (const uint32_t from : groups) {
    const State& more = other.states_[from];
    state.code = is_max_ ? std::max(state.code, more.code) : std::min(state.code, more.code);
    state.has_value = state.has_value || more.has_value;
  }
}

void CodeExtremes::append(uint32_t group, PartialRow& row) const {
  const State& state = states_[group];
  uint64_t raw = raw_value(layout_->code, state.code);
  if (layout_->code.is_floating && state.code == kFloatingZeroCode && state.is_minus_zero) {
    raw = (uint64_t{1} << 63) >> layout_->code.shift;
  }
  row.put(packed_, reinterpret_cast<const uint8_t*>(&raw), !state.has_value);
}

void LongExtremes::resize(uint32_t groups) {
  states_.resize(groups, State{is_max_ ? 0 : UINT64_MAX, 0});
  values_.resize(size_t{groups} * layout_->width);
}

void LongExtremes::take_value(uint32_t group, StoredValue value) {
  State& state = states_[group];
  const uint64_t code = code_of(layout_->code, value.bytes);
  if (state.count++ > 0 && (is_max_ ? code < state.code : code > state.code)) {
    return;
  }
  uint8_t* best = values_.data() + size_t{group} * layout_->width;
  if (state.count > 1 && code == state.code) {
    const int order = compare_native(*layout_, value, contiguous(*layout_, best));
    if (is_max_ ? order <= 0 : order >= 0) {
      return;
    }
  }
  state.code = code;
  copy_value(*layout_, value, best);
}

void LongExtremes::take(const GroupedValues& values) {
  for_each_position(
      values, [&](uint32_t position) { take_value(values.groups[position], values.vector.at(*layout_, position)); });
}

void LongExtremes::take(const SelectedValues& values) {
  layout_->native == Native::kInt128 ? take_numbers(values) : take_texts(values);
}

void LongExtremes::take_numbers(const SelectedValues& values) {
  const auto* numbers = typed<Int128>(values.values);
  constexpr auto kMost = static_cast<Int128>(~UInt128{0} >> 1);
  Int128 best = is_max_ ? -kMost - 1 : kMost;
  const auto use = [&](auto better) {
    for (uint32_t word = 0; word < values.word_count; ++word) {
      for_each_of_word(values, word, [&](uint32_t row) { best = better(best, numbers[row]); });
    }
  };
  is_max_ ? use([](Int128 left, Int128 right) { return left < right ? right : left; })
          : use([](Int128 left, Int128 right) { return right < left ? right : left; });
  take_value(0, {reinterpret_cast<const uint8_t*>(&best), nullptr});
  states_[0].count += values.count - 1;
}

void LongExtremes::take_texts(const SelectedValues& values) {
  const CodeRule& rule = layout_->code;
  const uint32_t stride = layout_->stride;
  const ColumnVector all = {.values = values.values, .tails = values.tails};
  State& state = states_[0];
  for (uint32_t first = 0; first < values.word_count; first += kTextBlockWords) {
    // The best code of a block is found by vectors; strings are looked at only where it is as good as the best so far,
    // and of those only the ones that have it.
    const uint32_t words = std::min(kTextBlockWords, values.word_count - first);
    const uint64_t* selection = values.selection == nullptr ? nullptr : values.selection + first;
    const uint32_t count = selection == nullptr ? words * 64 : count_bits(selection, words);
    if (count == 0) {
      continue;
    }
    const BytesPlane block = {values.values + size_t{first} * 64 * stride, stride};
    const uint64_t best =
        is_max_ ? highest_code(block, rule, selection, words) : lowest_code(block, rule, selection, words);
    uint32_t taken = 0;
    if (state.count == 0 || (is_max_ ? best >= state.code : best <= state.code)) {
      for (uint32_t word = first; word < first + words; ++word) {
        for_each_of_word(values, word, [&](uint32_t row) {
          if (code_of(rule, values.values + size_t{row} * stride) == best) {
            take_value(0, all.at(*layout_, row));
            ++taken;
          }
        });
      }
    }
    state.count += count - taken;
  }
}

void LongExtremes::append(uint32_t group, PartialRow& row) const {
  row.put(packed_, values_.data() + size_t{group} * layout_->width, states_[group].count == 0);
}

void BoxedStates::take(const GroupedValues& values) {
  for_each_position(values, [&](uint32_t position) {
    states_[values.groups[position]].add(value_at(*layout_, values.vector, position, bytes_));
  });
}

void BoxedStates::take(const SelectedValues& values) {
  const ColumnVector vector = {.values = values.values, .nulls = nullptr, .tails = values.tails};
  for (uint32_t word = 0; word < values.word_count; ++word) {
    for_each_of_word(values, word, [&](uint32_t row) { states_[0].add(value_at(*layout_, vector, row, bytes_)); });
  }
}

uint32_t BoxedStates::append_bytes_max() const {
  constexpr uint32_t kValueBytes = 3 + semantics::kDecimalBytesMax;
  return kValueBytes * static_cast<uint32_t>(types_.size());
}

void BoxedStates::append(uint32_t group, PartialRow& row) const {
  const std::vector<semantics::Value> partial = states_[group].partial();
  std::string packed;
  for (size_t number = 0; number < partial.size(); ++number) {
    if (semantics::is_null(partial[number])) {
      row.put_null();
      continue;
    }
    packed.clear();
    semantics::append_packed(types_[number], partial[number], packed);
    row.put_packed(reinterpret_cast<const uint8_t*>(packed.data()), static_cast<uint32_t>(packed.size()));
  }
}

Accumulator make_accumulator(AggregateFunction function, const ColumnLayout& layout) {
  const semantics::AggregateStateKind kind = semantics::entry_of(function).state;
  const bool is_boxed = layout.native == Native::kDecimal || layout.native == Native::kInterval;
  if (is_boxed && kind != semantics::AggregateStateKind::kCount) {
    return BoxedStates(function, layout);
  }
  switch (kind) {
    case semantics::AggregateStateKind::kCount:
      return Counts();
    case semantics::AggregateStateKind::kExtreme:
      if (has_exact_codes(layout)) {
        return CodeExtremes(layout, function == AggregateFunction::kMax);
      }
      return LongExtremes(layout, function == AggregateFunction::kMax);
    case semantics::AggregateStateKind::kCombined:
      if (function == AggregateFunction::kBoolAnd || function == AggregateFunction::kBoolOr) {
        return CodeExtremes(layout, function == AggregateFunction::kBoolOr);
      }
      return Bits(layout, function);
    case semantics::AggregateStateKind::kSpread:
      return make_spreads(function, layout);
    case semantics::AggregateStateKind::kNone:
      check_failed("an aggregate with states", __FILE__, __LINE__);
    case semantics::AggregateStateKind::kSum:
    case semantics::AggregateStateKind::kAverage:
      break;
  }
  const bool with_count = kind == semantics::AggregateStateKind::kAverage;
  if (layout.native == Native::kFloat || layout.native == Native::kDouble) {
    return FloatingSums(layout, with_count);
  }
  if (layout.native == Native::kInt128) {
    return WideSums(layout, with_count);
  }
  if (layout.native == Native::kInt16 || layout.native == Native::kInt32) {
    return NarrowSums(layout, with_count);
  }
  return IntegerSums(layout, with_count);
}

}  // namespace daedalus::engine
