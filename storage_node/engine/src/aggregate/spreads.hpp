// States of bit_and, bit_or and bit_xor, and of variances and standard deviations.
//
// Decides what they add up: integers and numerics of up to eighteen digits exactly, floating values by their moments.
// Refuses to know what becomes of them: semantics does.
#pragma once

#include <cstdint>
#include <span>

#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/floating_moments.hpp"
#include "grouped_values.hpp"
#include "kernels_aggregate.hpp"
#include "large_memory.hpp"

namespace daedalus::engine {

// For the members see grouped_values.hpp.

/// bit_and(x), bit_or(x) and bit_xor(x).
class Bits {
 public:
  Bits(const ColumnLayout& layout, semantics::AggregateFunction function)
      : layout_(&layout), packed_(semantics::packed_column(layout.type)), function_(function) {}
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(State); }
  void resize(uint32_t groups) { states_.resize(groups, State{is_and() ? ~int64_t{0} : int64_t{0}}); }
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  [[nodiscard]] static bool can_merge() { return true; }
  void merge(uint32_t group, const Bits& other, std::span<const uint32_t> groups);
  [[nodiscard]] uint32_t append_bytes_max() const { return semantics::packed_size_max(packed_); }
  void append(uint32_t group, PartialRow& row) const;

 private:
  struct State {
    int64_t bits = 0;
    bool has_value = false;
  };
  [[nodiscard]] bool is_and() const { return function_ == semantics::AggregateFunction::kBitAnd; }
  void take_number(State& state, int64_t number) const {
    const bool is_xor = function_ == semantics::AggregateFunction::kBitXor;
    state.bits = is_and() ? state.bits & number : is_xor ? state.bits ^ number : state.bits | number;
    state.has_value = true;
  }

  const ColumnLayout* layout_;
  semantics::PackedColumn packed_;
  semantics::AggregateFunction function_;
  LargeArray<State> states_;
};

/// Variances and standard deviations of integers and of numerics up to 18 digits: 2^32 squares of them, all there are
/// slots for, cannot overflow 192 bits.
class ExactSpreads {
 public:
  explicit ExactSpreads(const ColumnLayout& layout) : layout_(&layout) {}
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(State); }
  void resize(uint32_t groups) { states_.resize(groups); }  // All begin with zeros: memory comes with them.
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  [[nodiscard]] static bool can_merge() { return true; }
  void merge(uint32_t group, const ExactSpreads& other, std::span<const uint32_t> groups);
  [[nodiscard]] static uint32_t append_bytes_max();
  void append(uint32_t group, PartialRow& row) const;

 private:
  struct State {
    Int128 sum = 0;
    ExactSum squares;
    int64_t count = 0;
  };
  static void take_number(State& state, int64_t number) {
    state.sum += number;
    state.squares.add(Int128{number} * number);
    ++state.count;
  }

  const ColumnLayout* layout_;
  LargeArray<State> states_;
};

/// Does the same for real and double precision.
class FloatingSpreads {
 public:
  explicit FloatingSpreads(const ColumnLayout& layout) : layout_(&layout) {}
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(semantics::FloatingMoments); }
  void resize(uint32_t groups) { states_.resize(groups); }  // All begin with zeros: memory comes with them.
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  [[nodiscard]] static bool can_merge() { return true; }
  void merge(uint32_t group, const FloatingSpreads& other, std::span<const uint32_t> groups);
  [[nodiscard]] static uint32_t append_bytes_max();
  void append(uint32_t group, PartialRow& row) const;

 private:
  const ColumnLayout* layout_;
  LargeArray<semantics::FloatingMoments> states_;
};

}  // namespace daedalus::engine
