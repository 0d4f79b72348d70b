// What a modification does to one row: all of its assignments, or none when one overflows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "daedalus/semantics/update.hpp"
#include "native.hpp"

namespace daedalus::engine {

class CompiledModification {
 public:
  /// Precondition: the assignments were checked against the layout's schema.
  CompiledModification(const TableLayout& layout, const std::vector<semantics::Assignment>& assignments);

  /// Changes the row at `row` of the chunk with these planes. False when a sum leaves its column's range: the row is as
  /// it was. NULL plus a constant stays NULL and is no overflow.
  [[nodiscard]] bool apply(uint8_t* const* planes, uint64_t* const* nulls, uint32_t row);

  /// Calls use(column) for every column that is assigned to.
  template <typename Use>
  void for_each_column(Use&& use) const {
    for (const Step& step : steps_) {
      use(step.column);
    }
  }

 private:
  struct Step {
    uint32_t column = 0;
    ColumnLayout layout;
    bool is_addition = false;
    bool is_null = false;  ///< The new value: of an assignment always, of an addition after prepare().
    NativeBytes value;     ///< The new value in native form.
    double floating_addend = 0.0;
    std::array<Int128, 2> addend{};  ///< Both are added: a numeric(38) constant may need more than one holds.
    bool never_fits = false;         ///< The addend takes every value out of range.
    Int128 low = 0;                  ///< Range of the sum, both ends included.
    Int128 high = 0;
  };

  static void compile_addition(const semantics::Value& value, Step& step);
  [[nodiscard]] static bool prepare(Step& step, const uint8_t* old_value);

  std::vector<Step> steps_;
};

}  // namespace daedalus::engine
