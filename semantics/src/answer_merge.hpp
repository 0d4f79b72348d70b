// The three ways partial answers become one: laid end to end, sorted, grouped.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "daedalus/semantics/answer.hpp"

namespace daedalus::semantics {

/// One output as a merge sees it.
struct MergeOutput {
  bool is_aggregate = false;
  AggregateFunction function = AggregateFunction::kCountRows;
  Type argument;
  Type type;  ///< Of the finished value.
  uint32_t first_partial = 0;
  uint32_t partial_count = 1;
};

/// What a selection means for a merge, worked out once.
struct MergePlan {
  Selection selection;
  std::vector<Type> partial_types;
  std::vector<MergeOutput> outputs;
  std::vector<Type> final_types;
  uint64_t rows_wanted = UINT64_MAX;  ///< offset + limit: no more rows than these matter.
};

[[nodiscard]] MergePlan make_plan(const Schema& schema, const Selection& selection);

[[nodiscard]] std::strong_ordering compare_keys(const std::vector<OrderKey>& order_by, const std::vector<Value>& left,
                                                const std::vector<Value>& right);

[[nodiscard]] Error answer_too_large();

class Merge {
 public:
  virtual ~Merge() = default;
  /// Takes one partial row (bytes after its u32 size). Errors: 08P01, 54000.
  [[nodiscard]] virtual Result<void> add(uint32_t part, std::string_view row) = 0;
  [[nodiscard]] virtual Result<MergedRows> finish(bool is_final) = 0;
};

/// The plan outlives the merge.
[[nodiscard]] std::unique_ptr<Merge> make_concatenation(const MergePlan& plan);
[[nodiscard]] std::unique_ptr<Merge> make_sorted_merge(const MergePlan& plan);
[[nodiscard]] std::unique_ptr<Merge> make_group_merge(const MergePlan& plan);

/// Appends rows to an answer within its bound.
class AnswerWriter {
 public:
  [[nodiscard]] Result<void> append_bytes(std::string_view row);  ///< Bytes after the u32 size.
  [[nodiscard]] Result<void> append_values(std::span<const Type> types, std::span<const Value> values);
  [[nodiscard]] MergedRows take() { return std::move(rows_); }

 private:
  MergedRows rows_;
};

/// Cuts a row that is not aggregated to the visible outputs and appends it.
[[nodiscard]] Result<void> append_visible(const MergePlan& plan, std::string_view row, AnswerWriter& writer);

}  // namespace daedalus::semantics
