// Aggregates of one cycle that differ only in the bounds of their conditions: each row is added up once, for all.
//
// The bounds of all these queries cut each column into intervals, and an interval of every column is a cell. Rows are
// added to their cell's states, as to a group's; what a query has asked for is whole cells, which it puts together when
// the sweep has ended. So a row costs the same for five hundred queries as for one.
//
// Decides which queries share cells, and whether that is cheaper than each taking its own rows. Refuses to know other
// queries' plans.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "aggregate_states.hpp"
#include "answer_memory.hpp"
#include "cut_column.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "group_finder.hpp"
#include "query_run.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

class SharedCells {
 public:
  /// All outlive this object.
  SharedCells(const TableLayout& layout, const Sketches& sketches, Groupings& groupings, AccessPaths paths);

  /// For one cycle: takes the queries that are better off here. They stay where they are until end().
  /// Cost: that of their conditions' bounds, and of the cells that they ask for.
  void begin(std::vector<QueryRun>& queries);

  /// Adds the rows of a chunk to their cells.
  void sweep(const ChunkView& view);

  /// Calls take(query) for every query that shares cells and may still want rows, to take those of a recent chunk by
  /// itself: what queries see there depends on their moments.
  template <typename Take>
  void for_each_active(Take&& take) {
    for (const Set& set : sets_) {
      for (const Member& member : set.members) {
        if (QueryRun& query = (*queries_)[member.query]; query.is_active()) {
          take(query);
        }
      }
    }
  }

  /// Gives every query what its cells have come to. Once, when all chunks were swept.
  void hand_over();

  /// Forgets queries and cells.
  void end() { sets_.clear(); }

 private:
  struct Bound {
    uint32_t column = 0;
    CodeRange codes;
  };
  struct Member {
    uint32_t query = 0;
    std::vector<Bound> bounds;         ///< None of a column twice.
    std::vector<IntervalRange> wants;  ///< By column of the set: what they come to.
    double share = 1;                  ///< Counts the share of all rows that it takes.
  };
  /// Queries that aggregate the same.
  struct Set {
    std::vector<CutColumn> columns;
    std::vector<Member> members;
    uint32_t cell_count = 1;
    std::vector<uint8_t> is_wanted;  ///< By cell.
    std::optional<AggregateStates> states;
    std::optional<MemoryShare> memory;
    ComputeTime time;  ///< Counts the time of them all together; it may be as long as the most patient of them allows.
  };

  /// Returns what it asks of a column; null: nothing.
  [[nodiscard]] static const Bound* bound_of(const Member& member, uint32_t column);
  [[nodiscard]] static IntervalRange intervals_of(const Member& member, const CutColumn& column);
  [[nodiscard]] const semantics::Grouping& grouping_of(const Set& set) const {
    return *(*queries_)[set.members.front().query].grouping();
  }
  /// Nothing: it cannot share cells.
  [[nodiscard]] std::optional<Member> member_of(uint32_t query) const;
  void add(Member member);
  /// Cells of the set if this member is in it, too.
  [[nodiscard]] uint64_t cells_with(const Set& set, const Member& member) const;
  /// Cuts the columns where the member wants it. False: there would be too many cells.
  [[nodiscard]] bool add(Set& set, const Member& member) const;
  [[nodiscard]] bool is_worthwhile(const Set& set) const;
  /// Makes what a set needs to sweep. False: there is no memory for it.
  [[nodiscard]] bool complete(Set& set);
  /// In listed_.
  void list_cells(const Set& set, const Member& member);
  void sweep(Set& set, const ChunkView& view);
  /// Writes rows that some query wants, and their cells. Returns how many there are.
  [[nodiscard]] uint32_t list_rows(const Set& set, const ChunkView& view, uint32_t first, uint32_t count);
  void take(Set& set, RowBatch batch);
  /// False: something cannot be computed for some row, and nothing was taken.
  [[nodiscard]] bool take_together(Set& set, const RowBatch& batch);
  void fail(const Set& set, const Error& error);
  /// The last deadline of the set's queries.
  [[nodiscard]] Instant waits_until(const Set& set) const;
  void take_by_query(const Set& set, const RowBatch& batch);

  const TableLayout* layout_;
  const Sketches* sketches_;
  Groupings* groupings_;
  AccessPaths paths_;
  std::vector<QueryRun>* queries_ = nullptr;
  std::list<Set> sets_;
  std::vector<uint32_t> numbers_;  ///< Holds, of a batch and by position, the numbers of one column,
  std::vector<uint32_t> all_;      ///< and the sum of all columns'.
  std::vector<uint32_t> rows_;     ///< Holds the rows that are wanted,
  std::vector<uint32_t> cells_;    ///< and their cells.
  std::vector<uint32_t> listed_;   ///< Cells of a query, or rows.
};

}  // namespace daedalus::engine
