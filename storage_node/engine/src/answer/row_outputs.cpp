#include "row_outputs.hpp"

#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"

namespace daedalus::engine {
namespace {

/// Before the digits of a numeric without bound.
constexpr uint32_t kDecimalHead = 3;

}  // namespace

RowOutputs::RowOutputs(const TableLayout& layout, const std::vector<ColumnSource>& outputs,
                       std::pmr::memory_resource& memory)
    : layout_(&layout),
      outputs_(&memory),
      row_size_max_(semantics::packed_head_size(static_cast<uint32_t>(outputs.size())) + semantics::kPackedSlack) {
  CHECK(layout.packed.size() + outputs.size() <= std::numeric_limits<Output>::max());
  outputs_.reserve(outputs.size());
  for (const ColumnSource& output : outputs) {
    add(output);
  }
}

void RowOutputs::add(const ColumnSource& output) {
  if (!output.is_computed()) {
    outputs_.push_back(static_cast<Output>(output.column()));
    row_size_max_ += semantics::packed_size_max(layout_->packed[output.column()]);
    return;
  }
  outputs_.push_back(static_cast<Output>(layout_->packed.size() + computed_.size()));
  if (output.layout().native == Native::kDecimal) {
    computed_.push_back({output, {}});
    row_size_max_ += kDecimalHead + semantics::kDecimalBytesMax;
    return;
  }
  computed_.push_back({output, semantics::packed_column(output.layout().type)});
  row_size_max_ += semantics::packed_size_max(computed_.back().packed);
}

const RowOutputs& SharedRowOutputs::of(const semantics::Selection& selection) {
  if (const auto found = known_.find(&selection); found != known_.end()) {
    return found->second;
  }
  std::vector<ColumnSource> sources;
  sources.reserve(selection.outputs.size());
  for (const semantics::OutputColumn& output : selection.outputs) {
    ExpressionPool pool(deadline_check_);
    sources.push_back(source_of(*layout_, output.expression, &pool));
  }
  return known_.try_emplace(&selection, *layout_, sources, *memory_).first->second;
}

}  // namespace daedalus::engine
