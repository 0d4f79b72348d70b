#include "plain_table.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "may_select.hpp"

namespace daedalus::testing {

using semantics::Value;

namespace {

/// The value after one assignment, or nothing when it leaves the column's range or divides by zero. Sums and quotients
/// of int columns only.
std::optional<Value> assigned(const semantics::Column& column, const PlainModify& part, const Value& before) {
  if (part.form == PlainModify::Form::kConstant) {
    return part.value;
  }
  if (semantics::is_null(before)) {
    return before;
  }
  CHECK(column.type.kind == semantics::TypeKind::kInt);
  if (part.form == PlainModify::Form::kQuotient) {
    const int64_t divisor = std::get<int64_t>(before);
    return divisor == 0 ? std::nullopt : std::optional(Value{std::get<int64_t>(part.value) / divisor});
  }
  const int64_t sum = std::get<int64_t>(before) + std::get<int64_t>(part.value);
  if (sum < INT32_MIN || sum > INT32_MAX) {
    return std::nullopt;
  }
  return Value{sum};
}

/// Returns whether a row that the filter selects is to be changed; nothing where that cannot be computed.
std::optional<bool> qualifies(bool asks_quotient, const Row& row) {
  if (!asks_quotient) {
    return true;
  }
  const Value& amount = row[kAmount];
  if (semantics::is_null(amount)) {
    return false;
  }
  const int64_t divisor = std::get<int64_t>(amount);
  return divisor == 0 ? std::nullopt : std::optional(kDividend / divisor >= 0);
}

}  // namespace

uint64_t rows_applied(const PlainOutcome& outcome) {
  return std::accumulate(outcome.begin(), outcome.end(), uint64_t{0},
                         [](uint64_t sum, const auto& of) { return sum + of.second.rows_applied; });
}

PlainTable::PlainTable(const semantics::Schema& schema, const contract::PartitionMap& map,
                       uint32_t segments_per_partition)
    : schema_(schema),
      placement_(schema, map, segments_per_partition),
      history_{std::make_shared<const Rows>()},
      outcomes_(1),
      part_rows_(1) {}

void PlainTable::apply(const std::vector<PlainPart>& parts) {
  Rows rows = *history_.back();
  taken_.clear();
  for (const PlainRow& row : rows) {
    ++taken_[row.place];
  }
  PlainOutcome outcome;
  uint64_t ordinal = 0;
  std::vector<uint64_t>& part_rows = part_rows_.emplace_back();
  for (const PlainPart& part : parts) {
    const uint64_t before = rows_applied(outcome);
    if (const auto* insert = std::get_if<PlainInsert>(&part)) {
      apply(*insert, ordinal, rows, outcome);
    } else if (const auto* modify = std::get_if<PlainModify>(&part)) {
      apply(*modify, rows, outcome);
    } else {
      apply(std::get<PlainDelete>(part), rows, outcome);
    }
    part_rows.push_back(rows_applied(outcome) - before);
  }
  history_.push_back(std::make_shared<const Rows>(std::move(rows)));
  outcomes_.push_back(std::move(outcome));
}

bool PlainTable::take_room(SegmentKey place) {
  uint64_t& taken = taken_[place];
  const bool has_room = taken < room_;
  taken += has_room ? 1 : 0;
  return has_room;
}

void PlainTable::truncate(Timestamp last) {
  CHECK(last <= this->last());
  history_.resize(raw(last) + 1);
  outcomes_.resize(raw(last) + 1);
  part_rows_.resize(raw(last) + 1);
}

void PlainTable::apply(const PlainInsert& part, uint64_t& ordinal, Rows& rows, PlainOutcome& outcome) {
  for (const Row& values : part.rows) {
    const SegmentKey place = placement_.place_of(values, history_.size(), ordinal++);
    const PlainRow row{place, std::make_shared<const Row>(values)};
    inserted_.push_back(row);
    PlainCounts& counts = outcome[place.first];
    ++counts.rows_matched;
    if (take_room(place)) {
      rows.push_back(row);
      ++counts.rows_applied;
    } else {
      ++counts.rows_without_room;
    }
  }
}

void PlainTable::apply(const PlainModify& part, Rows& rows, PlainOutcome& outcome) const {
  add_concerned(part.filter, outcome);
  for (PlainRow& row : rows) {
    if (!semantics::evaluate(schema_, part.filter, *row.values)) {
      continue;
    }
    const std::optional<bool> is_asked = qualifies(part.asks_quotient, *row.values);
    if (is_asked == false) {
      continue;
    }
    PlainCounts& counts = outcome[row.place.first];
    ++counts.rows_matched;
    if (!is_asked) {
      ++counts.rows_failed;
    } else if (auto value = assigned(schema_.columns[part.column], part, (*row.values)[part.column])) {
      auto changed = std::make_shared<Row>(*row.values);
      (*changed)[part.column] = std::move(*value);
      row.values = std::move(changed);
      ++counts.rows_applied;
    } else {
      ++(part.form == PlainModify::Form::kQuotient ? counts.rows_failed : counts.rows_overflowed);
    }
  }
}

void PlainTable::apply(const PlainDelete& part, Rows& rows, PlainOutcome& outcome) const {
  add_concerned(part.filter, outcome);
  std::erase_if(rows, [&](const PlainRow& row) {
    if (!semantics::evaluate(schema_, part.filter, *row.values)) {
      return false;
    }
    const std::optional<bool> is_asked = qualifies(part.asks_quotient, *row.values);
    if (is_asked == false) {
      return false;
    }
    PlainCounts& counts = outcome[row.place.first];
    ++counts.rows_matched;
    ++(is_asked ? counts.rows_applied : counts.rows_failed);
    return is_asked.has_value();
  });
}

void PlainTable::add_concerned(const Filter& filter, PlainOutcome& outcome) const {
  for (const auto& [partition, segment] : concerned(filter)) {
    outcome.try_emplace(partition);
  }
}

std::vector<std::shared_ptr<const Row>> PlainTable::select(const Filter& filter,
                                                           const std::map<SegmentKey, Timestamp>& prefixes) const {
  std::vector<std::shared_ptr<const Row>> selected;
  for (const auto& [place, prefix] : prefixes) {
    CHECK(raw(prefix) < history_.size());
    for (const PlainRow& row : *history_[raw(prefix)]) {
      if (row.place == place && (!filter || semantics::evaluate(schema_, *filter, *row.values))) {
        selected.push_back(row.values);
      }
    }
  }
  return selected;
}

std::set<SegmentKey> PlainTable::concerned(const Filter& filter) const {
  std::set<uint32_t> known;
  for (const auto& column : {placement_.partition_column(), placement_.segment_column()}) {
    if (column) {
      known.insert(*column);
    }
  }
  const size_t all = static_cast<size_t>(placement_.partitions()) * placement_.segments();
  std::set<SegmentKey> found;
  for (auto row = inserted_.begin(); row != inserted_.end() && found.size() < all; ++row) {
    if (!may_select(schema_, filter, *row->values, known)) {
      continue;
    }
    for (uint32_t partition = 0; partition < placement_.partitions(); ++partition) {
      for (uint32_t segment = 0; segment < placement_.segments(); ++segment) {
        const bool is_its_partition = !placement_.partition_column() || partition == row->place.first;
        const bool is_its_segment = !placement_.segment_column() || segment == row->place.second;
        if (is_its_partition && is_its_segment) {
          found.emplace(partition, segment);
        }
      }
    }
  }
  return found;
}

std::map<SegmentKey, Timestamp> PlainTable::everything_at(Timestamp prefix) const {
  std::map<SegmentKey, Timestamp> prefixes;
  for (uint32_t partition = 0; partition < placement_.partitions(); ++partition) {
    for (uint32_t segment = 0; segment < placement_.segments(); ++segment) {
      prefixes[{partition, segment}] = prefix;
    }
  }
  return prefixes;
}

bool PlainTable::changed(SegmentKey place, Timestamp from, Timestamp to) const {
  const auto before = select({}, {{place, from}});
  const auto now = select({}, {{place, to}});
  return !std::equal(before.begin(), before.end(), now.begin(), now.end(),
                     [](const auto& left, const auto& right) { return left == right || *left == *right; });
}

}  // namespace daedalus::testing
