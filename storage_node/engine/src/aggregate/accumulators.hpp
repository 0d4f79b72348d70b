// The running states of one aggregate, one a group, fed by whole batches of values.
//
// Decides what a state is for each function and type. Refuses to know how groups are found and rows are selected.
// Integer and numeric sums are exact, floating ones the same to the last bit in whatever order rows were found.
#pragma once

#include <variant>
#include <vector>

#include "daedalus/semantics/aggregate.hpp"
#include "grouped_values.hpp"
#include "kernels_aggregate.hpp"
#include "large_memory.hpp"
#include "scaled_sums.hpp"
#include "spreads.hpp"

namespace daedalus::engine {

/// count(*) and count(x).
class Counts {
 public:
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(int64_t); }
  void resize(uint32_t groups) { counts_.resize(groups); }
  void take(const GroupedValues& values);
  void take(const SelectedValues& values) { counts_[0] += values.count; }
  [[nodiscard]] static bool can_merge() { return true; }
  void merge(uint32_t group, const Counts& other, std::span<const uint32_t> groups);
  [[nodiscard]] static uint32_t append_bytes_max() { return kWordBytes; }
  void append(uint32_t group, PartialRow& row) const;

 private:
  LargeArray<int64_t> counts_;
};

/// sum(x) and avg(x), added up in a `Sum`.
template <typename Sum>
class Sums {
 public:
  Sums(const ColumnLayout& layout, bool with_count) : layout_(&layout), with_count_(with_count) {}
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(State); }
  void resize(uint32_t groups) { states_.resize(groups); }  // All begin with zeros: memory comes with them.
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  [[nodiscard]] static bool can_merge() { return true; }
  void merge(uint32_t group, const Sums& other, std::span<const uint32_t> groups);
  [[nodiscard]] static uint32_t append_bytes_max() { return kSumBytesMax; }
  void append(uint32_t group, PartialRow& row) const;

 private:
  struct State {
    Sum sum{};
    int64_t count = 0;
  };
  const ColumnLayout* layout_;
  bool with_count_;
  LargeArray<State> states_;
};

/// Sums smallint and int: 2^32 rows, all there are slots for, cannot overflow 64 bits. Half as large as the next.
using NarrowSums = Sums<int64_t>;
/// Sums bigint and numeric up to 18 digits: 2^32 rows cannot overflow 128 bits.
using IntegerSums = Sums<Int128>;
/// Sums wider numerics.
using WideSums = Sums<ExactSum>;
/// Sums real and double precision.
using FloatingSums = Sums<semantics::FloatingSum>;

/// min(x) and max(x) of everything whose code is exact: numbers up to eight bytes, strings up to eight bytes;
/// bool_and(x) and bool_or(x), which are extremes of truths. Of the zeros, which have one code, the last counts: it is
/// 0.0 or −0.0.
class CodeExtremes {
 public:
  CodeExtremes(const ColumnLayout& layout, bool is_max)
      : layout_(&layout), packed_(semantics::packed_column(layout.type)), is_max_(is_max) {}
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(State); }
  void resize(uint32_t groups) { states_.resize(groups, {.code = is_max_ ? 0 : UINT64_MAX}); }
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  /// Which of the zeros was the last hangs on the order.
  [[nodiscard]] bool can_merge() const { return !layout_->code.is_floating; }
  void merge(uint32_t group, const CodeExtremes& other, std::span<const uint32_t> groups);
  [[nodiscard]] uint32_t append_bytes_max() const { return semantics::packed_size_max(packed_); }
  void append(uint32_t group, PartialRow& row) const;

 private:
  struct State {
    uint64_t code;
    bool has_value = false;
    bool is_minus_zero = false;  ///< Means something only while the code is that of zero.
  };
  template <typename Better>
  void take_grouped(const GroupedValues& values, Better better);
  void note_zero(const SelectedValues& values, State& state) const;

  const ColumnLayout* layout_;
  semantics::PackedColumn packed_;
  bool is_max_;
  LargeArray<State> states_;
};

/// min(x) and max(x) of what is longer: wide numerics and strings. A code decides mostly, the rest of the value where
/// codes are equal.
class LongExtremes {
 public:
  LongExtremes(const ColumnLayout& layout, bool is_max)
      : layout_(&layout), packed_(semantics::packed_column(layout.type)), is_max_(is_max) {}
  [[nodiscard]] uint64_t state_bytes() const { return sizeof(State) + layout_->width; }
  void resize(uint32_t groups);
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  [[nodiscard]] static bool can_merge() { return false; }
  void merge(uint32_t, const LongExtremes&, std::span<const uint32_t>) { CHECK(false); }
  [[nodiscard]] uint32_t append_bytes_max() const { return semantics::packed_size_max(packed_); }
  void append(uint32_t group, PartialRow& row) const;

 private:
  struct State {
    uint64_t code;
    int64_t count;
  };
  void take_value(uint32_t group, StoredValue value);
  void take_numbers(const SelectedValues& values);
  void take_texts(const SelectedValues& values);

  const ColumnLayout* layout_;
  semantics::PackedColumn packed_;
  bool is_max_;
  LargeArray<State> states_;
  LargeArray<uint8_t> values_;  ///< group · width
};

/// Holds what has no states of its own: aggregates of numerics without bound and of intervals, which are computed and
/// come by batches only, and spreads of wide ones. The plain states.
class BoxedStates {
 public:
  BoxedStates(semantics::AggregateFunction function, const ColumnLayout& layout)
      : function_(function), layout_(&layout), types_(semantics::partial_types(function, layout.type)) {}
  [[nodiscard]] static uint64_t state_bytes() { return sizeof(semantics::AggregateState) + kDigitBytes; }
  void resize(uint32_t groups) { states_.resize(groups, semantics::AggregateState(function_, layout_->type)); }
  void take(const GroupedValues& values);
  void take(const SelectedValues& values);
  [[nodiscard]] static bool can_merge() { return false; }
  void merge(uint32_t, const BoxedStates&, std::span<const uint32_t>) { CHECK(false); }
  [[nodiscard]] uint32_t append_bytes_max() const;
  void append(uint32_t group, PartialRow& row) const;

 private:
  static constexpr uint64_t kDigitBytes = 64;

  semantics::AggregateFunction function_;
  const ColumnLayout* layout_;
  std::vector<uint8_t> bytes_;          ///< Holds the bytes of one value.
  std::vector<semantics::Type> types_;  ///< The types of a partial aggregate's columns.
  std::vector<semantics::AggregateState> states_;
};

/// sum(x) and avg(x) of computed numerics of one scale, which come by batches only.
class ExactSums : public ScaledSums {
 public:
  using ScaledSums::ScaledSums;
  void take(const GroupedValues& values) { ScaledSums::take(*values.exact, values.groups, values.batch->count); }
  void take(const SelectedValues&) { CHECK(false); }
  [[nodiscard]] static bool can_merge() { return true; }
};

using Accumulator = std::variant<Counts, NarrowSums, IntegerSums, WideSums, FloatingSums, CodeExtremes, LongExtremes,
                                 Bits, ExactSpreads, FloatingSpreads, BoxedStates, ExactSums>;

/// Precondition: the function exists for the type (semantics::aggregate_type); `layout` outlives the result.
[[nodiscard]] Accumulator make_accumulator(semantics::AggregateFunction function, const ColumnLayout& layout);

}  // namespace daedalus::engine
