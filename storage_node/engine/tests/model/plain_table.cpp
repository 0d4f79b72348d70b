#include "plain_table.hpp"

#include <algorithm>
#include <cmath>

#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::AggregateFunction;
using semantics::BigInt;
using semantics::Decimal;
using semantics::TypeKind;

/// A text that is the same for values that are the same, −0.0 and 0.0 apart.
std::string text_of(const std::vector<semantics::Type>& types, const Row& row) {
  std::string text;
  semantics::append_packed_row(types, row, text);
  return text;
}

/// PostgreSQL's col + constant; no value when it is out of range.
std::optional<Value> sum_of(const semantics::Type& type, const Value& old_value, const Value& addend) {
  if (type.kind == TypeKind::kReal || type.kind == TypeKind::kDouble) {
    const double left = std::get<double>(old_value);
    const double right = std::get<double>(addend);
    const double sum = type.kind == TypeKind::kReal
                           ? static_cast<double>(static_cast<float>(left) + static_cast<float>(right))
                           : left + right;
    if (std::isinf(sum) && !std::isinf(left) && !std::isinf(right)) {
      return std::nullopt;
    }
    return sum;
  }
  if (type.kind == TypeKind::kNumeric) {
    const BigInt sum = std::get<Decimal>(old_value).unscaled + std::get<Decimal>(addend).unscaled;
    if (boost::multiprecision::abs(sum) >= boost::multiprecision::pow(BigInt{10}, type.precision)) {
      return std::nullopt;
    }
    return Decimal{sum, static_cast<int32_t>(type.scale)};
  }
  if (type.kind == TypeKind::kDate && semantics::is_infinite_date(std::get<int64_t>(old_value))) {
    return old_value;
  }
  const BigInt sum = BigInt{std::get<int64_t>(old_value)} + std::get<int64_t>(addend);
  BigInt low = semantics::kDateDaysMin;
  BigInt high = semantics::kDateDaysMax;
  if (type.kind != TypeKind::kDate) {
    const uint32_t bits = type.kind == TypeKind::kSmallint ? 15 : type.kind == TypeKind::kInt ? 31 : 63;
    low = -(BigInt{1} << bits);
    high = (BigInt{1} << bits) - 1;
  }
  if (sum < low || sum > high) {
    return std::nullopt;
  }
  return static_cast<int64_t>(sum);
}

/// Returns whether two columns of states agree, −0.0 and 0.0 among them.
bool agree(const Value& left, const Value& right) {
  return left.index() == right.index() && (semantics::is_null(left) || semantics::compare(left, right) == 0);
}

std::vector<std::string> sorted_texts(const std::vector<semantics::Type>& types, const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  std::transform(rows.begin(), rows.end(), std::back_inserter(texts),
                 [&](const Row& row) { return text_of(types, row); });
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string count_fault(const std::string& what, uint64_t actual, uint64_t expected) {
  return what + ": " + std::to_string(actual) + ", expected " + std::to_string(expected);
}

/// Columns of a partial row before the states of aggregates.
size_t key_columns(const semantics::Grouping& grouping) {
  return (grouping.has_sets() ? 1 : 0) + grouping.keys.size() + grouping.list_values.size();
}

}  // namespace

bool PlainTable::KeyLess::operator()(const Row& left, const Row& right) const {
  return std::lexicographical_compare(
      left.begin(), left.end(), right.begin(), right.end(),
      [](const Value& one, const Value& other) { return semantics::compare_ordered(one, other, {}) < 0; });
}

std::vector<Row> PlainTable::matching(const semantics::Selection& selection) const {
  std::vector<Row> rows = matching(selection.predicate);
  for (const semantics::BoundExpression& residual : selection.residuals) {
    std::erase_if(rows, [&](const Row& row) { return *semantics::evaluate(residual, row) != Value(true); });
  }
  return rows;
}

std::vector<Row> PlainTable::matching(const semantics::Predicate& predicate) const {
  std::vector<Row> found;
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(found),
               [&](const Row& row) { return semantics::evaluate(*schema_, predicate, row); });
  return found;
}

std::optional<std::string> PlainTable::modify_row(const std::vector<semantics::Assignment>& assignments,
                                                  Row& row) const {
  Row changed = row;
  for (const semantics::Assignment& assignment : assignments) {
    Value& target = changed[assignment.column];
    if (assignment.kind == semantics::Assignment::Kind::kSet) {
      target = assignment.value;
    } else if (assignment.kind == semantics::Assignment::Kind::kCompute) {
      Result<Value> value = semantics::evaluate_for(schema_->columns[assignment.column], *assignment.expression, row);
      if (!value) {
        return value.error().sqlstate;
      }
      target = std::move(*value);
    } else if (!semantics::is_null(target)) {
      const std::optional<Value> sum = sum_of(schema_->columns[assignment.column].type, target, assignment.value);
      if (!sum.has_value()) {
        return "22003";
      }
      target = *sum;
    }
  }
  row = std::move(changed);
  return std::nullopt;
}

bool PlainTable::selects(const semantics::Predicate& predicate, const semantics::Residuals& residuals, const Row& row,
                         UpdateOutput& output) const {
  if (!semantics::evaluate(*schema_, predicate, row)) {
    return false;
  }
  for (size_t at = 0; residuals != nullptr && at < residuals->size(); ++at) {
    const Result<Value> truth = semantics::evaluate((*residuals)[at], row);
    if (!truth) {
      ++output.rows_matched;
      count_refused(output, truth.error().sqlstate);
      return false;
    }
    if (*truth != Value(true)) {
      return false;
    }
  }
  return true;
}

UpdateOutput PlainTable::apply(const Update& update) {
  UpdateOutput output{.timestamp = update.timestamp};
  uint64_t room = rows_max_ - rows_.size();
  std::vector<uint64_t> part_rows;
  for (const UpdatePart& part : update.parts) {
    const uint64_t before = output.rows_applied;
    apply(part, room, output);
    part_rows.push_back(output.rows_applied - before);
  }
  if (part_rows.size() > 1) {
    output.part_rows = std::move(part_rows);
  }
  return output;
}

void PlainTable::apply(const UpdatePart& part, uint64_t& room, UpdateOutput& output) {
  if (const auto* inserted = std::get_if<InsertRows>(&part)) {
    for (const std::string_view row : inserted->rows) {
      ++output.rows_matched;
      if (room == 0) {
        ++output.refused_no_room;
        continue;
      }
      --room;
      ++output.rows_applied;
      rows_.push_back(semantics::read_packed_row(semantics::column_types(*schema_), row).value());
    }
  } else if (const auto* change = std::get_if<std::shared_ptr<const semantics::ModifyPart>>(&part)) {
    for (Row& row : rows_) {
      if (selects((*change)->predicate, (*change)->residuals, row, output)) {
        ++output.rows_matched;
        if (const auto failed = modify_row((*change)->assignments, row)) {
          count_refused(output, *failed);
        } else {
          ++output.rows_applied;
        }
      }
    }
  } else {
    const auto& removal = std::get<std::shared_ptr<const semantics::DeletePart>>(part);
    const size_t removed = std::erase_if(
        rows_, [&](const Row& row) { return selects(removal->predicate, removal->residuals, row, output); });
    output.rows_matched += removed;
    output.rows_applied += removed;
  }
}

std::string PlainTable::fault(const semantics::Selection& selection, const QueryOutput& output) const {
  if (output.error.has_value()) {
    return "error: " + output.error->message;
  }
  return selection.grouping ? fault_of_groups(selection, output) : fault_of_rows(selection, output);
}

std::string PlainTable::fault_of_rows(const semantics::Selection& selection, const QueryOutput& output) const {
  const std::vector<semantics::Type> types = semantics::partial_row_types(selection);
  std::vector<Row> expected;
  for (const Row& row : matching(selection)) {
    Row projected;
    for (const semantics::OutputColumn& column : selection.outputs) {
      projected.push_back(*semantics::evaluate(column.expression, row));
    }
    expected.push_back(std::move(projected));
  }
  std::vector<Row> actual = decode(types, output.rows);
  if (actual.size() != output.row_count) {
    return count_fault("rows announced", output.row_count, actual.size());
  }
  const std::vector<std::string> expected_texts = sorted_texts(types, expected);
  const std::vector<std::string> actual_texts = sorted_texts(types, actual);
  if (!selection.limit.has_value()) {
    return actual_texts == expected_texts ? "" : count_fault("other rows", actual.size(), expected.size());
  }
  if (!std::includes(expected_texts.begin(), expected_texts.end(), actual_texts.begin(), actual_texts.end())) {
    return "a row that does not qualify";
  }
  const auto is_before = [&](const Row& left, const Row& right, size_t keys) {
    for (size_t number = 0; number < keys; ++number) {
      const semantics::OrderKey& key = selection.order_by[number];
      const auto compared = semantics::compare_ordered(left[key.output], right[key.output], key.order);
      if (compared != 0) {
        return compared < 0;
      }
    }
    return false;
  };
  const auto before = [&](const Row& left, const Row& right) {
    return is_before(left, right, selection.order_by.size());
  };
  std::stable_sort(actual.begin(), actual.end(), before);
  std::stable_sort(expected.begin(), expected.end(), before);
  const uint64_t limit = *selection.limit == 0 ? 0 : *selection.limit + selection.offset;
  uint64_t wanted = std::min<uint64_t>(limit, expected.size());
  while (selection.ties_by > 0 && wanted > 0 && wanted < expected.size() &&
         !is_before(expected[wanted - 1], expected[wanted], selection.ties_by)) {
    ++wanted;
  }
  if (actual.size() != wanted) {
    return count_fault("limited rows", actual.size(), wanted);
  }
  for (size_t row = 0; row < actual.size(); ++row) {
    if (before(actual[row], expected[row]) || before(expected[row], actual[row])) {
      return "not the first rows of the order";
    }
  }
  return "";
}

std::map<Row, std::vector<Row>, PlainTable::KeyLess> PlainTable::groups(const semantics::Selection& selection) const {
  std::map<Row, std::vector<Row>, KeyLess> groups;
  const semantics::Grouping& grouping = *selection.grouping;
  const std::vector<Row> rows = matching(selection);
  const std::vector<semantics::GroupSet> sets = semantics::group_sets(grouping);
  for (size_t number = 0; number < sets.size(); ++number) {
    Row empty;
    if (grouping.has_sets()) {
      empty.emplace_back(static_cast<int64_t>(number));
    }
    const size_t first = empty.size();
    empty.resize(first + grouping.keys.size() + grouping.list_values.size());
    if (sets[number].keys.empty()) {
      groups[empty] = {};
    }
    for (const Row& row : rows) {
      Row key = empty;
      for (const uint32_t place : sets[number].keys) {
        const bool is_own = place < grouping.keys.size();
        const semantics::BoundExpression& column =
            is_own ? grouping.keys[place] : grouping.list_values[place - grouping.keys.size()];
        key[first + place] = *semantics::evaluate(column, row);
      }
      groups[key].push_back(row);
    }
  }
  return groups;
}

std::string PlainTable::fault_of_groups(const semantics::Selection& selection, const QueryOutput& output) const {
  auto expected = groups(selection);
  const std::vector<Row> actual = decode(semantics::partial_row_types(selection), output.rows);
  if (actual.size() != expected.size() || output.row_count != expected.size()) {
    return count_fault("groups", actual.size(), expected.size());
  }
  for (const Row& row : actual) {
    const auto key_end = row.begin() + static_cast<std::ptrdiff_t>(key_columns(*selection.grouping));
    const Row key(row.begin(), key_end);
    const auto group = expected.find(key);
    if (group == expected.end()) {
      return "a group that is not there, or there twice";
    }
    if (std::string fault = fault_of_states(selection, row, group->second); !fault.empty()) {
      return fault;
    }
    expected.erase(group);
  }
  return "";
}

std::string PlainTable::fault_of_states(const semantics::Selection& selection, const Row& row,
                                        const std::vector<Row>& members) const {
  const semantics::Grouping& grouping = *selection.grouping;
  size_t place = key_columns(grouping);
  if (grouping.has_sets()) {
    const auto set = static_cast<size_t>(std::get<int64_t>(row[0]));
    const bool is_list = semantics::group_sets(grouping)[set].list.has_value();
    if (row.back() != (is_list ? Value(static_cast<int64_t>(members.size())) : Value())) {
      return "the number of rows of a list";
    }
    if (is_list) {
      const auto has_value = [](const Value& value) { return !semantics::is_null(value); };
      const bool has_state = std::any_of(row.begin() + static_cast<std::ptrdiff_t>(place), row.end() - 1, has_value);
      return has_state ? "a list with states" : "";
    }
  }
  for (const semantics::BoundAggregate& aggregate : grouping.aggregates) {
    if (semantics::state_types(aggregate).empty()) {
      continue;
    }
    semantics::AggregateState state(aggregate.function, aggregate.argument_type());
    for (const Row& member : members) {
      state.add(aggregate.argument ? *semantics::evaluate(*aggregate.argument, member) : Value());
    }
    const std::vector<Value> partial = state.partial();
    if (!std::equal(partial.begin(), partial.end(), row.begin() + static_cast<std::ptrdiff_t>(place), agree)) {
      return "aggregate " + std::to_string(static_cast<int>(aggregate.function)) + ", state column " +
             std::to_string(place);
    }
    place += partial.size();
  }
  return "";
}

}  // namespace daedalus::engine::test
