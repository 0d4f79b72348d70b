// One query on its way through one cycle: it takes the rows that qualify and ends in one output.
//
// Decides when a query has enough, has too much, or is no longer wanted. Refuses to know how rows were found.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>

#include "aggregation.hpp"
#include "compiled_predicate.hpp"
#include "daedalus/engine/segment.hpp"
#include "row_encoder.hpp"
#include "top_rows.hpp"

namespace daedalus::engine {

class QueryRun {
 public:
  /// Starts ended, with an error, when the query's deadline has passed at `now` or it was aborted.
  /// `memory` outlives this object; `groupings` are those of its cycle.
  QueryRun(const TableLayout& layout, const ChunkStore& store, Query query, uint64_t answer_bytes_max, Instant now,
           std::pmr::memory_resource& memory, Groupings& groupings);

  /// Whether more rows can change the answer.
  [[nodiscard]] bool is_active() const { return active_; }
  [[nodiscard]] const CompiledPredicate& predicate() const { return predicate_; }

  /// Ends the query when it has been aborted.
  void check_aborted();

  /// Fetches what take() will read of a row.
  void prefetch(const ChunkView& chunk, uint32_t row) const {
    if (encoder_.has_value() && !top_.has_value()) {
      encoder_->prefetch(chunk, row);
    }
  }

  /// Takes qualifying rows of one chunk, ascending; chunks ascend too. Precondition: active.
  void take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);

  /// Whether take_selection() spares a list of rows.
  [[nodiscard]] bool takes_selections() const { return aggregation_ != nullptr || top_.has_value(); }
  /// Takes the rows of one chunk that a bitmap marks. Precondition: active, and takes_selections().
  void take_selection(uint32_t chunk, const uint64_t* selection);

  /// The answer. Ends this object's use.
  [[nodiscard]] QueryOutput finish(Timestamp prefix);

 private:
  void fail(Error error);
  void take_encoded(uint32_t chunk, uint32_t row);
  [[nodiscard]] Result<semantics::MergedRows> finish_rows();

  const ChunkStore* store_;
  Query query_;
  CompiledPredicate predicate_;
  uint64_t answer_bytes_max_;
  uint64_t rows_max_ = UINT64_MAX;  ///< Enough rows: more cannot change the answer.
  bool active_ = true;
  std::optional<Error> error_;
  std::unique_ptr<Aggregation> aggregation_;  ///< Large, and rare.
  std::optional<TopRows> top_;
  std::optional<RowEncoder> encoder_;
};

}  // namespace daedalus::engine
