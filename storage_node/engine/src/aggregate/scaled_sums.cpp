#include "scaled_sums.hpp"

#include <algorithm>
#include <array>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine {
namespace {

constexpr uint32_t kBatchWords = 16;

/// Positions whose value counts, and bits behind the last that are 0; returns how many count.
uint32_t select(const ExactVector& values, uint32_t count, std::array<uint64_t, kBatchWords>& selection) {
  uint32_t selected = 0;
  for (uint32_t first = 0; first < count; first += 64) {
    const uint64_t all = count - first >= 64 ? ~uint64_t{0} : (uint64_t{1} << (count - first)) - 1;
    const uint64_t word = all & ~(values.nulls != nullptr ? values.nulls[first / 64] : 0);
    selection[first / 64] = word;
    selected += static_cast<uint32_t>(__builtin_popcountll(word));
  }
  return selected;
}

}  // namespace

template <typename T>
void ScaledSums::take_grouped(const T* numbers, const ExactVector& values, const uint32_t* groups, uint32_t count) {
  State* const states = states_.data();
  if (values.nulls == nullptr && !values.is_constant) {
    for (uint32_t position = 0; position < count; ++position) {
      State& state = states[groups[position]];
      state.sum.add(Int128{numbers[position]});
      ++state.count;
    }
    return;
  }
  for (uint32_t position = 0; position < count; ++position) {
    if (values.nulls == nullptr || !test_bit(values.nulls, position)) {
      State& state = states[groups[position]];
      state.sum.add(Int128{numbers[values.is_constant ? 0 : position]});
      ++state.count;
    }
  }
}

void ScaledSums::take_all(const ExactVector& values, uint32_t count) {
  std::array<uint64_t, kBatchWords> selection{};
  State& state = states_.data()[0];
  const uint32_t words = (count + 63) / 64;
  state.count += select(values, count, selection);
  if (values.words != nullptr) {
    state.sum.add(sum_selected(values.words, selection.data(), words));
  } else {
    state.sum.add(sum_wide(values.wides, selection.data(), words));
  }
}

void ScaledSums::take(const ExactVector& values, const uint32_t* groups, uint32_t count) {
  DCHECK(count <= kBatchWords * 64);
  if (!is_grouped_ && !values.is_constant) {
    take_all(values, count);
  } else if (values.words != nullptr) {
    take_grouped(values.words, values, groups, count);
  } else {
    take_grouped(values.wides, values, groups, count);
  }
  for (const ExactVector::Beyond& beyond : values.beyond) {
    take_beyond(groups[beyond.position], std::get<semantics::Decimal>(beyond.value));
  }
}

void ScaledSums::take_beyond(uint32_t group, const semantics::Decimal& number) {
  ++states_.data()[group].count;
  add_beyond(group, number);
}

void ScaledSums::add_beyond(uint32_t group, const semantics::Decimal& number) {
  const auto place = std::lower_bound(beyond_.begin(), beyond_.end(), group,
                                      [](const Beyond& each, uint32_t wanted) { return each.group < wanted; });
  if (place != beyond_.end() && place->group == group) {
    place->sum = semantics::add(place->sum, number);
  } else {
    beyond_.insert(place, {group, number});
  }
}

void ScaledSums::merge(uint32_t group, const ScaledSums& other, std::span<const uint32_t> groups) {
  State& state = states_.data()[group];
  for (const uint32_t from : groups) {
    const State& more = other.states_.data()[from];
    state.sum.add(more.sum);
    state.count += more.count;
  }
  for (const Beyond& beyond : other.beyond_) {
    if (std::find(groups.begin(), groups.end(), beyond.group) != groups.end()) {
      add_beyond(group, beyond.sum);
    }
  }
}

semantics::Decimal ScaledSums::sum_of(uint32_t group) const {
  const ExactSum& exact = states_.data()[group].sum;
  const semantics::BigInt low =
      (semantics::BigInt(static_cast<uint64_t>(exact.low >> 64)) << 64) + static_cast<uint64_t>(exact.low);
  const semantics::Decimal sum{(semantics::BigInt(exact.high) << 128) + low, scale_};
  const auto place = std::lower_bound(beyond_.begin(), beyond_.end(), group,
                                      [](const Beyond& each, uint32_t wanted) { return each.group < wanted; });
  return place != beyond_.end() && place->group == group ? semantics::add(sum, place->sum) : sum;
}

uint32_t ScaledSums::append_bytes_max() const {
  constexpr uint32_t kValueBytes = 3 + semantics::kDecimalBytesMax;
  return kValueBytes * static_cast<uint32_t>(types_.size());
}

void ScaledSums::append(uint32_t group, semantics::PackedRowWriter& row) const {
  const int64_t count = states_.data()[group].count;
  const auto put = [&](const semantics::Type& type, const semantics::Value& value) {
    std::string packed;
    semantics::append_packed(type, value, packed);
    row.put_packed(reinterpret_cast<const uint8_t*>(packed.data()), static_cast<uint32_t>(packed.size()));
  };
  if (count == 0) {
    row.put_null();
  } else {
    put(types_[0], sum_of(group));
  }
  if (function_ == semantics::AggregateFunction::kAvg) {
    put(types_[1], count);
  }
}

}  // namespace daedalus::engine
