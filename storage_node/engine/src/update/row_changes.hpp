// Defines what modifications do to rows: all assignments of one take effect on a row, or none when one fails.
//
// Decides what the bytes of a changed row are. The assignments of all modifications of a cycle lie in a few arrays that
// are kept from cycle to cycle, so that compiling one allocates nothing. Refuses to know predicates and chunks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "computed_row.hpp"
#include "daedalus/semantics/update.hpp"
#include "native.hpp"
#include "prefetch.hpp"

namespace daedalus::engine {

/// One assignment. Small: those of thousands of modifications, applied in turn, stay in the second-level cache.
struct Write {
  uint32_t column = 0;
  uint32_t place = 0;  ///< Numbers an addition or a computation. Else it says where what `value` cannot hold begins.
  uint64_t value = 0;  ///< The bytes in its plane, up to eight, zeros behind them.
  uint16_t tail_width = 0;
  uint16_t tail_size = 0;    ///< Bytes of the tail up to its last that is not zero: the others need no place.
  uint8_t width = 0;         ///< Bytes of a value in its plane.
  bool is_null : 1 = false;  ///< An assignment of NULL.
  bool is_addition : 1 = false;
  bool is_computed : 1 = false;
  bool is_nullable : 1 = false;

  [[nodiscard]] bool depends_on_row() const { return is_addition || is_computed; }
};
static_assert(semantics::kStringLengthMax <= UINT16_MAX && sizeof(Write) == 24);

class Modifications {
 public:
  /// The assignments of one modification.
  struct Part {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  explicit Modifications(const TableLayout& layout) : layout_(&layout), computed_row_(layout) {}

  /// Precondition: the assignments were checked against the layout's schema.
  [[nodiscard]] Part compile(const std::vector<semantics::Assignment>& assignments);

  [[nodiscard]] std::span<const Write> writes(Part part) const {
    return std::span(writes_).subspan(part.first, part.count);
  }

  void prefetch(Part part) const { fetch_ahead(writes_.data() + part.first); }

  /// Computes what the row at `row` of the chunk with these planes becomes. The SQLSTATE of the first assignment that
  /// fails on it. NULL plus a constant stays NULL and is no overflow.
  [[nodiscard]] std::optional<std::string> prepare(Part part, uint8_t* const* planes, uint64_t* const* nulls,
                                                   uint32_t row);
  /// Changes the row to what prepare() made of it. Precondition: that was the last that was prepared, without an error.
  void write(Part part, uint8_t* const* planes, uint64_t* const* nulls, uint32_t row) const;

  /// Returns whether a row's new values depend on its old ones, so that apply_all() cannot be used.
  [[nodiscard]] bool depends_on_row(Part part) const;

  /// Changes all rows of a bitmap. Precondition: !depends_on_row(). Cost: a column at a time, NULLs a word at a time.
  void apply_all(Part part, uint8_t* const* planes, uint64_t* const* nulls, std::span<const uint64_t> rows) const;

  /// Bytes of what is kept of all that was compiled: not more than a few times those of the constants as they came.
  [[nodiscard]] uint64_t kept_bytes() const {
    return writes_.size() * sizeof(Write) + additions_.size() * sizeof(Addition) +
           computations_.size() * sizeof(Computation) + long_values_.size();
  }

  /// Forgets all, keeps the memory.
  void clear();

 private:
  struct Addition {
    ColumnLayout layout;
    double floating_addend = 0.0;
    std::array<Int128, 2> addend{};  ///< Both are added: a numeric(38) constant may need more than one holds.
    bool never_fits = false;         ///< The addend takes every value out of range.
    Int128 low = 0;                  ///< Range of the sum, both ends included.
    Int128 high = 0;
    bool stays_null = false;              ///< After prepare().
    std::array<uint8_t, 16> new_value{};  ///< After prepare().
  };

  struct Computation {
    std::shared_ptr<const semantics::BoundExpression> expression;
    bool is_null = false;            ///< After prepare().
    std::vector<uint8_t> new_value;  ///< After prepare(), unless it is NULL: its bytes, its tail behind them.
  };

  static Addition compile_addition(const ColumnLayout& layout, const semantics::Value& value);
  [[nodiscard]] static bool prepare(Addition& addition, const uint8_t* old_value);
  [[nodiscard]] std::optional<std::string> prepare(const Write& write, const RowPlace& place);
  void put_computed(const Write& write, uint8_t* const* planes, uint64_t* const* nulls, uint32_t row) const;
  /// Returns where the bytes lie that are to be written to the column's plane.
  [[nodiscard]] const uint8_t* value_of(const Write& write) const {
    return write.width <= sizeof write.value ? reinterpret_cast<const uint8_t*>(&write.value)
                                             : long_values_.data() + write.place;
  }
  void keep_value(const ColumnLayout& layout, const semantics::Value& value, Write& write);
  void put_tail(const Write& write, uint8_t* tails, uint32_t row) const;

  const TableLayout* layout_;
  std::vector<Write> writes_;
  std::vector<Addition> additions_;
  std::vector<Computation> computations_;
  ComputedRow computed_row_;
  std::vector<uint8_t> long_values_;
  NativeBytes native_;  ///< Reused from value to value.
};

}  // namespace daedalus::engine
