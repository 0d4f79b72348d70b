// sum(x) and avg(x) of computed numerics that all have one scale: products and differences of columns.
//
// Decides that they are added as whole numbers, however many digits their type allows. What has no place in 128 bits is
// added beside, as a plain numeric.
#pragma once

#include <span>
#include <vector>

#include "column_vector.hpp"
#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/packed_writer.hpp"
#include "kernels_aggregate.hpp"
#include "large_memory.hpp"

namespace daedalus::engine {

class ScaledSums {
 public:
  ScaledSums(semantics::AggregateFunction function, const semantics::Type& argument, int32_t scale, bool is_grouped)
      : function_(function),
        argument_(argument),
        types_(semantics::partial_types(function, argument)),
        scale_(scale),
        is_grouped_(is_grouped) {}

  [[nodiscard]] static uint64_t state_bytes() { return sizeof(State); }
  void resize(uint32_t groups) { states_.resize(groups); }
  /// groups: of each of `count` positions.
  void take(const ExactVector& values, const uint32_t* groups, uint32_t count);
  /// See grouped_values.hpp.
  void merge(uint32_t group, const ScaledSums& other, std::span<const uint32_t> groups);
  [[nodiscard]] uint32_t append_bytes_max() const;
  void append(uint32_t group, semantics::PackedRowWriter& row) const;

 private:
  struct State {
    ExactSum sum;
    int64_t count = 0;
  };
  struct Beyond {
    uint32_t group = 0;
    semantics::Decimal sum;
  };

  template <typename T>
  void take_grouped(const T* numbers, const ExactVector& values, const uint32_t* groups, uint32_t count);
  void take_all(const ExactVector& values, uint32_t count);
  void take_beyond(uint32_t group, const semantics::Decimal& number);
  void add_beyond(uint32_t group, const semantics::Decimal& number);
  [[nodiscard]] semantics::Decimal sum_of(uint32_t group) const;

  semantics::AggregateFunction function_;
  semantics::Type argument_;
  std::vector<semantics::Type> types_;  ///< The types of a partial aggregate's columns.
  int32_t scale_;
  bool is_grouped_;
  LargeArray<State> states_;
  std::vector<Beyond> beyond_;  ///< By group, ascending; of few groups.
};

}  // namespace daedalus::engine
