// Defines what accumulators take: values of rows, and the groups these belong to; and the members that all kinds have.
#pragma once

#include <algorithm>
#include <span>

#include "column_vector.hpp"
#include "daedalus/semantics/floating_sum.hpp"
#include "daedalus/semantics/packed_writer.hpp"

namespace daedalus::engine {

/// Values of a batch and the group of each position.
struct GroupedValues {
  ColumnVector vector;
  const RowBatch* batch = nullptr;
  const uint32_t* groups = nullptr;
  const ExactVector* exact = nullptr;  ///< In place of `vector`, for ScaledSums.
};

/// Values of consecutive rows, of which some count: those selected and not NULL.
struct SelectedValues {
  const uint8_t* values = nullptr;
  const uint8_t* tails = nullptr;
  const uint64_t* selection = nullptr;  ///< Null: all.
  uint32_t word_count = 0;
  uint32_t count = 0;  ///< That count; at least one.
};

// Each kind of states has the same members:
//
//   state_bytes()      what the state of one more group takes
//   resize(groups)     makes room; new states have seen nothing
//   take(grouped)      takes a batch
//   take(selected)     takes values into group 0
//   can_merge()        whether the order of rows leaves no trace in a state
//   merge(group, other, groups)
//                      puts groups of equal states to one of its own; precondition: can_merge()
//   append_bytes_max() of a partial aggregate, in a packed row
//   append(group, row) the partial aggregate, as docs/wire.md has it, to a PackedRowWriter

using PartialRow = semantics::PackedRowWriter;

/// One number takes so many bytes, and a sum with its count the next: an exact one has three bytes before up to 24, a
/// floating one is several numbers.
constexpr uint32_t kWordBytes = sizeof(int64_t);
constexpr uint32_t kSumBytesMax = std::max<uint32_t>(3 + 24, semantics::FloatingSum::kColumns* kWordBytes) + kWordBytes;

}  // namespace daedalus::engine
