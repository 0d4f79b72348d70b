// The engine with a ticket table in it, asked in whole cycles.
#pragma once

#include <memory>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "plain_model.hpp"
#include "row_store.hpp"
#include "ticket_mixes.hpp"

namespace daedalus::engine::bench {

/// A statement as a node has it: what queries of one shape share, and its own condition, if it is not the shape's.
struct Statement {
  std::shared_ptr<const semantics::Selection> selection;
  std::shared_ptr<const semantics::Predicate> bound = nullptr;
};
using Selections = std::vector<Statement>;

/// When queries see the table that ride a cycle with updates.
enum class Moment : uint8_t { kAfterUpdates, kBeforeUpdates };

/// Queries that differ in nothing but constants share a selection, as those that reach a node do.
[[nodiscard]] Selections to_selections(const TicketTable& table, const std::vector<TicketQuery>& queries);

class EngineUnderTest {
 public:
  /// Empty.
  explicit EngineUnderTest(const TicketTable& table, AccessPaths paths = AccessPaths::kByCost);

  /// Loads all rows of a table into engines that were made for it; making the rows costs as much as loading them.
  static void load(const TicketTable& table, const std::vector<EngineUnderTest*>& engines);

  /// One cycle with these updates and queries, every output taken: enqueueing, planning, the sweep, encoding and
  /// hand-over. The queries' answers, in their order.
  std::vector<QueryOutput> cycle(const Selections& queries, const std::vector<UpdatePart>& updates = {},
                                 Moment moment = Moment::kAfterUpdates);

  /// From now on queries whose rows pass as they come have this Query::piece_bytes.
  void ask_for_pieces(uint64_t piece_bytes) { piece_bytes_ = piece_bytes; }

  /// Lets the engine learn the table: it makes statistics and sketches in the first cycles that want them, a bounded
  /// part in each. What is measured is the state after that.
  void settle();

  [[nodiscard]] SegmentStatistics statistics() const { return segment_.statistics(); }

 private:
  void insert(const InsertRows& rows);

  const TicketTable* table_;
  semantics::GenericRowCodec codec_;
  Segment segment_;
  uint64_t timestamp_ = 0;
  uint64_t piece_bytes_ = 0;
};

/// Rows and ids of an answer, whose first column is the id.
[[nodiscard]] Answer answer_of(const QueryOutput& output);

/// SELECT SUM(column).
[[nodiscard]] std::shared_ptr<const semantics::Selection> sum_of_column(const semantics::Schema& schema,
                                                                        uint32_t column);

}  // namespace daedalus::engine::bench
