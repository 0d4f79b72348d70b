// Rows of a chunk that satisfy one comparison: by the sketch of its column where that decides most of them.
//
// A byte a row is read instead of a value. Buckets that lie within a comparison's range decide their rows; of the
// buckets at its ends the rows' values are looked at. Decides when that is cheaper than a pass over the values. Refuses
// to know clauses and trees.
#pragma once

#include <cstdint>

#include "compiled_literal.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

/// The sketches of one chunk. Without any, values are read.
struct ChunkSketches {
  const Sketches* sketches = nullptr;
  uint32_t chunk = 0;
};

/// Testing a row costs about this many times as much as one row of a pass: over values, or over the bytes of sketches.
[[nodiscard]] constexpr uint32_t row_test_cost(ChunkSketches sketches) {
  return sketches.sketches == nullptr ? 16 : 128;
}

class LiteralMarker {
 public:
  /// Everything given outlives this object; the sketches are those of `chunk`.
  LiteralMarker(const TableLayout& layout, const uint8_t* constants, const ChunkView& chunk, ChunkSketches sketches)
      : layout_(&layout), constants_(constants), chunk_(&chunk), sketches_(sketches) {}

  /// As mark_rows(), for those of the rows `among`; what is marked of others means nothing. Cost: where the sketch
  /// decides, a byte a row and some ns for each row among them in a bucket at an end.
  void mark(const CompiledLiteral& literal, const uint64_t* among, uint64_t* matches) const;

 private:
  struct Spans;

  /// Drops from the open rows of a block, none of which is NULL, those where the comparison does not hold.
  void drop_others(const CompiledLiteral& positive, const uint64_t* open, uint32_t first, uint64_t* within) const;

  /// Returns what the sketch says of the comparison, negation disregarded. False: values are cheaper.
  [[nodiscard]] bool describe(const CompiledLiteral& literal, Spans& spans) const;
  void mark_spans(const CompiledLiteral& literal, const Spans& spans, const uint8_t* bytes, const uint64_t* among,
                  uint64_t* matches) const;

  const TableLayout* layout_;
  const uint8_t* constants_;
  const ChunkView* chunk_;
  ChunkSketches sketches_;
};

}  // namespace daedalus::engine
