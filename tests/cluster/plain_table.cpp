#include "plain_table.hpp"

#include <algorithm>
#include <optional>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::testing {

using semantics::Assignment;
using semantics::Value;

namespace {

/// The value after one assignment, or nothing when it leaves the column's range. Integer columns only, for kAdd.
std::optional<Value> assigned(const semantics::Column& column, const Assignment& assignment, const Value& before) {
  if (assignment.kind == Assignment::Kind::kSet) {
    return assignment.value;
  }
  if (semantics::is_null(before)) {
    return before;
  }
  CHECK(column.type.kind == semantics::TypeKind::kInt);
  const int64_t sum = std::get<int64_t>(before) + std::get<int64_t>(assignment.value);
  if (sum < INT32_MIN || sum > INT32_MAX) {
    return std::nullopt;
  }
  return Value{sum};
}

}  // namespace

PlainTable::PlainTable(const semantics::Schema& schema, const contract::PartitionMap& map,
                       uint32_t segments_per_partition)
    : schema_(schema), map_(map), segments_(segments_per_partition), history_{std::make_shared<const Rows>()} {}

PlainOutcome PlainTable::apply(const std::string& body) {
  const auto parts = contract::to_update(schema_, map_.placement_columns(), body);
  CHECK(parts.has_value());
  Rows rows = *history_.back();
  PlainOutcome outcome;
  for (const auto& part : *parts) {
    std::visit([&](const auto& kind) { apply(kind, rows, outcome); }, part);
  }
  history_.push_back(std::make_shared<const Rows>(std::move(rows)));
  return outcome;
}

void PlainTable::apply(const contract::InsertPart& part, Rows& rows, PlainOutcome& outcome) const {
  const auto types = semantics::column_types(schema_);
  const Timestamp timestamp{history_.size()};
  semantics::PackedRows packed(part.rows);
  for (uint32_t index = 0; index < part.row_count; ++index) {
    const auto row = packed.next();
    CHECK(row.has_value() && row->has_value());
    auto values = semantics::read_packed_row(types, **row);
    CHECK(values.has_value());
    const semantics::RowIdentity identity{timestamp, part.first_ordinal + index};
    const SegmentKey place{raw(map_.partition_of(schema_, *values, identity)),
                           map_.segment_of(schema_, *values, identity, segments_)};
    rows.push_back({place, std::move(*values)});
  }
  outcome.rows_matched += part.row_count;
  outcome.rows_applied += part.row_count;
}

void PlainTable::apply(const semantics::ModifyPart& part, Rows& rows, PlainOutcome& outcome) const {
  for (PlainRow& row : rows) {
    if (!semantics::evaluate(schema_, part.predicate, row.values)) {
      continue;
    }
    ++outcome.rows_matched;
    auto changed = row.values;
    bool fits = true;
    for (const Assignment& assignment : part.assignments) {
      auto value = assigned(schema_.columns[assignment.column], assignment, row.values[assignment.column]);
      fits = fits && value.has_value();
      if (value) {
        changed[assignment.column] = std::move(*value);
      }
    }
    if (fits) {
      row.values = std::move(changed);
      ++outcome.rows_applied;
    } else {
      ++outcome.rows_overflowed;
    }
  }
}

void PlainTable::apply(const semantics::DeletePart& part, Rows& rows, PlainOutcome& outcome) const {
  const auto gone = std::erase_if(
      rows, [&](const PlainRow& row) { return semantics::evaluate(schema_, part.predicate, row.values); });
  outcome.rows_matched += gone;
  outcome.rows_applied += gone;
}

std::vector<std::string> PlainTable::select(const semantics::Predicate& predicate,
                                            const std::map<SegmentKey, Timestamp>& prefixes) const {
  const auto types = semantics::column_types(schema_);
  std::vector<std::string> selected;
  for (const auto& [place, prefix] : prefixes) {
    CHECK(raw(prefix) < history_.size());
    for (const PlainRow& row : *history_[raw(prefix)]) {
      if (row.place == place && semantics::evaluate(schema_, predicate, row.values)) {
        semantics::append_packed_row(types, row.values, selected.emplace_back());
      }
    }
  }
  std::sort(selected.begin(), selected.end());
  return selected;
}

bool PlainTable::changed(SegmentKey place, Timestamp from, Timestamp to) const {
  return select({}, {{place, from}}) != select({}, {{place, to}});
}

std::vector<std::string> PlainTable::select(const semantics::Predicate& predicate, Timestamp prefix) const {
  std::map<SegmentKey, Timestamp> prefixes;
  for (uint32_t partition = 0; partition < map_.partition_count(); ++partition) {
    for (uint32_t segment = 0; segment < segments_; ++segment) {
      prefixes[{partition, segment}] = prefix;
    }
  }
  return select(predicate, prefixes);
}

}  // namespace daedalus::testing
