// Defines what rows of an answer are made of, by the shape of its query: queries that differ in their constants share
// it.
//
// Decides where each output comes from and how large a row may be. Refuses to know rows.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "daedalus/semantics/packed_writer.hpp"
#include "daedalus/semantics/selection.hpp"
#include "deadline_check.hpp"
#include "expression_column.hpp"

namespace daedalus::engine {

class RowOutputs {
 public:
  /// A column of the table; behind those the computed ones. Small, because there are dozens of them and all are read
  /// for each row.
  using Output = uint16_t;
  struct Computed {
    ColumnSource source;
    semantics::PackedColumn packed;  ///< Nothing of a numeric without bound.
  };

  /// layout: outlives this object. memory: for what is made here once.
  RowOutputs(const TableLayout& layout, const std::vector<ColumnSource>& outputs, std::pmr::memory_resource& memory);

  [[nodiscard]] const std::pmr::vector<Output>& all() const { return outputs_; }
  [[nodiscard]] const std::vector<Computed>& computed() const { return computed_; }
  [[nodiscard]] bool is_computed(Output output) const { return output >= layout_->packed.size(); }
  [[nodiscard]] size_t place_of(Output output) const { return output - layout_->packed.size(); }

  /// Returns what one row may take, and its writer behind it.
  [[nodiscard]] uint32_t row_size_max() const { return row_size_max_; }

 private:
  void add(const ColumnSource& output);

  const TableLayout* layout_;
  std::pmr::vector<Output> outputs_;
  std::vector<Computed> computed_;
  uint32_t row_size_max_;
};

/// Shares the outputs of one cycle.
class SharedRowOutputs {
 public:
  /// All outlive this object.
  SharedRowOutputs(const TableLayout& layout, std::pmr::memory_resource& memory, DeadlineCheck& deadline_check)
      : layout_(&layout), memory_(&memory), deadline_check_(&deadline_check) {}

  /// Stays where it is until clear(). Cost: of a selection that was asked for before, a look into a hash table.
  /// Precondition: the selection lives until clear().
  [[nodiscard]] const RowOutputs& of(const semantics::Selection& selection);
  void clear() { known_.clear(); }

 private:
  const TableLayout* layout_;
  std::pmr::memory_resource* memory_;
  DeadlineCheck* deadline_check_;
  std::unordered_map<const semantics::Selection*, RowOutputs> known_;
};

}  // namespace daedalus::engine
