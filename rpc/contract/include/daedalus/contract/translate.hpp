// The border: wire messages become checked semantics types here, once, and cannot be wrong afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/contract/partitions.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/placement_rule.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/update.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::contract {

// ---- values ----
[[nodiscard]] Result<semantics::Type> to_type(const wire::v1::Type& type);
[[nodiscard]] wire::v1::Type from_type(const semantics::Type& type);
[[nodiscard]] Result<semantics::Value> to_value(const wire::v1::Constant& constant, semantics::Type* type_out);
[[nodiscard]] wire::v1::Constant from_value(const semantics::Type& type, const semantics::Value& value);
[[nodiscard]] Result<semantics::Expression> to_expression(const wire::v1::Expression& expression);
[[nodiscard]] wire::v1::Expression from_expression(const semantics::Expression& expression);
/// An expression that is computed of rows of the schema. Errors: 08P01 no such function, or not of these arguments;
/// 42703 no such column, 54001 too deep or too large, and those of make_aggregate().
[[nodiscard]] Result<semantics::BoundExpression> to_bound(const semantics::Schema& schema,
                                                          const wire::v1::Expression& expression);
/// Precondition: over columns of a table.
void write_bound(const semantics::BoundExpression& expression, wire::v1::Expression* written);
/// Precondition: an aggregate.
void write_aggregate(const semantics::BoundExpression& expression, wire::v1::Aggregate* written);
[[nodiscard]] wire::v1::Column from_column(const semantics::Column& column);
/// Writes the column to this place. Precondition: nothing has been written there.
void write_column(const semantics::Column& column, wire::v1::Column* written);
[[nodiscard]] wire::v1::Error from_error(const Error& error);
[[nodiscard]] Error to_error(const wire::v1::Error& error);

// ---- queries ----
/// Parses and checks a SelectBody. Errors: 08P01 does not parse, otherwise what the check of its part says.
[[nodiscard]] Result<semantics::Selection> to_selection(const semantics::Schema& schema, std::string_view body,
                                                        wire::v1::ResultForm* form_out);
/// As above, of a body that has been parsed already.
[[nodiscard]] Result<semantics::Selection> to_selection(const semantics::Schema& schema,
                                                        const wire::v1::SelectBody& body,
                                                        wire::v1::ResultForm* form_out);
/// The condition that a body's filter is; one that every row meets where there is none.
[[nodiscard]] Result<semantics::Condition> to_condition(const semantics::Schema& schema,
                                                        const wire::v1::SelectBody& body);
[[nodiscard]] semantics::Slice to_slice(const wire::v1::Slice& slice);
/// Errors: 08P01.
[[nodiscard]] Result<wire::v1::SelectBody> parse_select(std::string_view body);

/// Checks a bound selection however it came: it must put out something, have no rows or lists that are too long, and no
/// order by what is not there. Errors: 08P01, 54000, 54011, 0A000.
[[nodiscard]] Result<void> check_selection(const semantics::Selection& selection);

// ---- updates ----
/// Bounds of one update: rows over all its insert parts (and, apart from them, parts), and bytes of its body.
constexpr uint32_t kUpdateRowsMax = 65'536;
constexpr uint32_t kUpdateBytesMax = 8u << 20;

struct InsertPart {
  std::string_view rows;  ///< Borrowed from the body; checked against the schema, row by row.
  uint32_t row_count = 0;
  uint32_t first_ordinal = 0;
};

using semantics::DeletePart;
using semantics::ModifyPart;
using UpdatePart = std::variant<InsertPart, ModifyPart, DeletePart>;

/// Columns whose values decide where a row lives: they must not be assigned.
struct PlacementColumns {
  std::vector<uint32_t> partition;
  std::vector<uint32_t> segment;
};

/// Parses and checks an UpdateBody: everything that can be decided from operation, schema and map alone. `body` must
/// outlive the result. Errors name part and column: 08P01, 42703, 22003, 22001, 23502, 42601 (column assigned twice),
/// 0A000 (placement column assigned), 54000 (too many rows).
[[nodiscard]] Result<std::vector<UpdatePart>> to_update(const semantics::Schema& schema,
                                                        const PlacementColumns& placement, std::string_view body);

// ---- partition map ----
struct PartitionMap {
  uint64_t version = 0;
  semantics::Distribution distribution = semantics::Distribution::kRoundRobin;
  std::vector<uint32_t> columns;
  std::vector<uint32_t> grid;
  std::vector<std::vector<NodeId>> partitions;  ///< Index is the partition; today exactly one node each.
  semantics::Distribution segment_distribution = semantics::Distribution::kRoundRobin;
  std::vector<uint32_t> segment_columns;

  [[nodiscard]] PlacementColumns placement_columns() const;
  [[nodiscard]] uint32_t partition_count() const { return static_cast<uint32_t>(partitions.size()); }
  /// How rows are spread over the partitions, and over so many segments of each.
  [[nodiscard]] semantics::PlacementRule partition_rule() const;
  [[nodiscard]] semantics::PlacementRule segment_rule(uint32_t segment_count) const;
  /// Partition of one row to insert; `values` are all columns of the row.
  [[nodiscard]] PartitionId partition_of(const semantics::Schema& schema, const std::vector<semantics::Value>& values,
                                         semantics::RowIdentity row) const;
  [[nodiscard]] uint32_t segment_of(const semantics::Schema& schema, const std::vector<semantics::Value>& values,
                                    semantics::RowIdentity row, uint32_t segment_count) const;
};

[[nodiscard]] wire::v1::PartitionMap from_partition_map(const PartitionMap& map);

/// Partitions that routes concern, ascending; every partition when there are no routes. `timestamp` is used for inserts
/// under round_robin. Errors: 08P01 for a route that names a wrong column or type.
[[nodiscard]] Result<std::vector<PartitionId>> route(const semantics::Schema& schema, const PartitionMap& map,
                                                     const google::protobuf::RepeatedPtrField<wire::v1::Route>& routes,
                                                     Timestamp timestamp);

/// Partitions that may hold rows that the predicate selects, ascending; `rule` is the map's partition_rule().
[[nodiscard]] Partitions partitions_of(const semantics::Schema& schema, const semantics::PlacementRule& rule,
                                       const semantics::Predicate& predicate);
/// The clauses of a predicate that pin partitioning columns: places_of() finds the same partitions by them.
[[nodiscard]] semantics::Predicate routing_of(const PartitionMap& map, const semantics::Predicate& predicate);
/// The routes of a SELECT with this predicate (at most one entry).
[[nodiscard]] std::vector<wire::v1::Route> routes_of(const semantics::Schema& schema, const PartitionMap& map,
                                                     const semantics::Predicate& predicate);
/// The routes of an update, one per part. Under hash, an insert part's route lists the distinct values of its rows.
[[nodiscard]] std::vector<wire::v1::Route> routes_of(const semantics::Schema& schema, const PartitionMap& map,
                                                     const std::vector<UpdatePart>& parts);

}  // namespace daedalus::contract
