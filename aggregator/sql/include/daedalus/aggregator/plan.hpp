// How a statement would be carried out: what EXPLAIN tells of it.
//
// Decides which conditions a sweep may look up, which partitions and segments are concerned, and how the estimates are
// computed (docs/postgres.md, "EXPLAIN"). Refuses to know what it looks like in a client's format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/contract/partitions.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::aggregator {

/// The one step that a statement takes. Texts are SQL, as PostgreSQL's EXPLAIN writes it.
struct Plan {
  enum class Node : uint8_t {
    kResult,  ///< Its rows are in the statement itself.
    kSweep,   ///< Rows are found by sweeps over segments.
    kInsert,
    kUpdate,
    kDelete,
  };

  Node node = Node::kResult;
  std::vector<std::string> output;   ///< Expressions of the answer's columns; none: it gives no rows.
  std::vector<std::string> lookups;  ///< Conditions that name values of one column: a sweep's index may look them up.
  std::vector<std::string> filters;  ///< Conditions that are checked row by row.
  bool is_grouped = false;
  std::vector<std::string> group_keys;  ///< None, and grouped: all rows are one group.
  std::optional<std::string> having;    ///< Checked of each group.
  std::vector<std::string> sort_keys;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  contract::Partitions partitions;  ///< That are concerned.
  uint32_t partition_count = 0;
  bool is_one_segment = false;  ///< It sweeps one segment of each partition; otherwise all.
  double share = 1;             ///< The conditions leave this share of the swept rows, as estimated.
  uint64_t given_rows = 0;      ///< The number of rows that a kResult gives or a kInsert inserts.
  uint32_t width = 0;           ///< Bytes of a row of the answer.
  int64_t planning_us = 0;      ///< How long it took to find this out.

  /// Returns whether the number of rows in the table counts.
  [[nodiscard]] bool reads_table() const { return node != Node::kResult && node != Node::kInsert; }
};

/// Says what a compiled statement would do. Precondition: it was not bound but compiled, so that a SELECT has its
/// predicate. Errors: none of a statement that leaves the compiler; those of contract::to_update() otherwise.
[[nodiscard]] Result<Plan> plan_of(const semantics::Schema& schema, const contract::PartitionMap& map,
                                   const Compiled& compiled);

/// The plan of a SELECT without FROM: it gives one row, whatever it is compiled to.
[[nodiscard]] Plan without_table(Plan plan);

/// Rows of a table of which nobody knows how many it has.
constexpr uint64_t kUnknownTableRows = 1000;

/// The cost of a plan, in PostgreSQL's units: a row that is swept or put out costs its cpu_tuple_cost.
struct PlanEstimate {
  double startup_cost = 0;
  double total_cost = 0;
  uint64_t rows = 0;
};

/// swept_rows  how many rows there are in the partitions and segments that are concerned
[[nodiscard]] PlanEstimate estimate(const Plan& plan, uint64_t swept_rows);

/// Bytes of a value of this type; of a string so many as it may have, kStringWidthMax at most.
[[nodiscard]] uint32_t width_of(const semantics::Type& type);
constexpr uint32_t kStringWidthMax = 32;

}  // namespace daedalus::aggregator
