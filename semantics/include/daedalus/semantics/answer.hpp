// What a SELECT asks for, and how partial answers become one: by nodes over their segments and by aggregators over
// nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/predicate.hpp"

namespace daedalus::semantics {

constexpr uint32_t kGroupsMax = 1u << 20;
constexpr uint64_t kAnswerBytesMax = 256u << 20;

/// One output column: a column of the table, or an aggregate over one.
struct OutputColumn {
  std::string name;
  bool is_aggregate = false;
  AggregateFunction function = AggregateFunction::kCountRows;
  uint32_t column = 0;  ///< Unused for kCountRows.
};

struct OrderKey {
  uint32_t output = 0;
  SortOrder order;
};

/// A checked SELECT.
struct Selection {
  std::vector<OutputColumn> outputs;
  uint32_t visible_outputs = 0;  ///< The rest serves the order (and the groups) only.
  Predicate predicate;
  std::vector<uint32_t> group_by;  ///< Table columns; each is also an output.
  bool is_aggregated = false;      ///< Some output is an aggregate, or group_by is not empty.
  std::vector<OrderKey> order_by;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
};

/// Types of the rows in a partial answer: all outputs, aggregates as their states.
[[nodiscard]] std::vector<Type> partial_row_types(const Schema& schema, const Selection& selection);
/// Names and types of the finished answer: visible outputs.
[[nodiscard]] Result<std::vector<Column>> final_columns(const Schema& schema, const Selection& selection);

/// Whether partial answers may be forwarded as they come, row bytes untouched: no aggregate, order, limit, offset, and
/// no hidden output.
[[nodiscard]] bool can_stream(const Selection& selection);

/// Rows of one merged answer, packed.
struct MergedRows {
  std::string rows;
  uint64_t row_count = 0;
};

/// Merges the partial answers of one query. Bounded: kAnswerBytesMax of rows, kGroupsMax groups (error 54000 names the
/// bound). Parts may arrive in any order; the result depends only on their `part` numbers.
class AnswerMerger {
 public:
  AnswerMerger(const Schema& schema, const Selection& selection);
  ~AnswerMerger();

  /// Takes packed partial rows of one part (say, partition · segments + segment, or a node). Errors: 08P01 malformed,
  /// 54000 too large. Rows of one part keep the order of the calls.
  [[nodiscard]] Result<void> add(uint32_t part, std::string_view rows);

  /// Rows in partial form (groups merged, sorted and cut to offset + limit) for the next level up. Ends this object's
  /// use.
  [[nodiscard]] Result<MergedRows> finish_partial();
  /// Finished rows: aggregates final, hidden outputs dropped, sorted, offset and limit applied. Ends this object's use.
  [[nodiscard]] Result<MergedRows> finish_final();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::semantics
