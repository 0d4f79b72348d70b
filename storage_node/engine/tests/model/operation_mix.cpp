#include "operation_mix.hpp"

#include <algorithm>
#include <numeric>

#include "expression_mix.hpp"
#include "operation_values.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::AggregateFunction;
using semantics::Clause;
using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;
using semantics::TypeKind;

constexpr size_t kHotMax = 24;

uint32_t column_count() { return static_cast<uint32_t>(test_schema().columns.size()); }

/// From one value up to more than a histogram has buckets for.
uint32_t random_pool_size(Random& random) {
  constexpr uint32_t kSizes[] = {1, 3, 8, 20, 60, 150, 600};
  return kSizes[below(random, std::size(kSizes))];
}

std::vector<Value> random_pool(Random& random, uint32_t column) {
  std::vector<Value> pool;
  const uint32_t size = random_pool_size(random);
  const bool has_edges = one_in(random, 2);
  for (uint32_t number = 0; number < size; ++number) {
    if (has_edges && one_in(random, 5)) {
      pool.push_back(random_value(random, column));
    } else if (one_in(random, 5)) {
      pool.push_back(number_value(column, static_cast<int64_t>(below(random, 5))));
    } else {
      pool.push_back(spread_value(random, column, size * 2));
    }
  }
  return pool;
}

/// Members as a list has them: ascending, each once.
void make_members(std::vector<Value>& values) {
  const auto less = [](const Value& left, const Value& right) { return semantics::compare(left, right) < 0; };
  const auto equal = [](const Value& left, const Value& right) { return semantics::compare(left, right) == 0; };
  std::sort(values.begin(), values.end(), less);
  values.erase(std::unique(values.begin(), values.end(), equal), values.end());
}

bool is_day(uint32_t column) {
  const TypeKind kind = test_schema().columns[column].type.kind;
  return semantics::is_datetime(kind);
}

}  // namespace

OperationMix::OperationMix(Random& random) : random_(&random), is_clustered_(one_in(random, 3)) {
  for (uint32_t column = 0; column < column_count(); ++column) {
    pools_.push_back(random_pool(random, column));
    if (is_clustered_ && is_day(column)) {
      make_members(pools_.back());
    }
    constexpr uint32_t kNullChances[] = {0, 0, 2, 4, 16, 1};
    null_chances_.push_back(test_schema().columns[column].nullable ? kNullChances[below(random, 6)] : 0);
  }
  for (uint32_t liked = 0; liked < 4; ++liked) {
    liked_columns_.push_back(static_cast<uint32_t>(1 + below(random, column_count() - 1)));
  }
  constexpr uint32_t kSharedClauses[] = {4, 30, 200, 900};
  for (uint32_t count = kSharedClauses[below(random, 4)]; count > 0; --count) {
    clauses_.push_back(fresh_clause());
  }
  add_same_number_clauses();
  constexpr uint32_t kClausesMax[] = {2, 2, 3, 3, 4, 12};
  clauses_max_ = kClausesMax[below(random, 6)];
}

void OperationMix::crowd() {
  constexpr uint32_t kValues = 600;
  constexpr size_t kClauses = 1200;
  liked_columns_.clear();
  for (uint32_t column = kKey; column < column_count(); ++column) {
    liked_columns_.push_back(column);
    pools_[column].clear();
    for (uint32_t number = 0; number < kValues; ++number) {
      pools_[column].push_back(spread_value(*random_, column, 2 * kValues));
    }
  }
  while (clauses_.size() < kClauses) {
    clauses_.push_back(fresh_clause());
  }
  clauses_max_ = 12;
}

void OperationMix::herd() {
  pools_[kKey].resize(std::min<size_t>(pools_[kKey].size(), 4));
  key_chance_ = 1;
  clauses_max_ = 2;
}

Value OperationMix::pooled_value(uint32_t column) {
  const std::vector<Value>& pool = pools_[column];
  // Low numbers are common: some buckets are full and some keys have many rows.
  const uint64_t place =
      one_in(*random_, 2) ? below(*random_, 1 + below(*random_, pool.size())) : below(*random_, pool.size());
  return pool[place];
}

Value OperationMix::value_or_null(uint32_t column) {
  const uint32_t chance = null_chances_[column];
  return chance > 0 && one_in(*random_, chance) ? Value{} : pooled_value(column);
}

Row OperationMix::row() {
  Row row;
  for (uint32_t column = 0; column < column_count(); ++column) {
    row.push_back(value_or_null(column));
    if (is_clustered_ && is_day(column) && !is_null(row.back())) {
      const std::vector<Value>& pool = pools_[column];
      row.back() = pool[static_cast<size_t>(next_id_ / 16) % pool.size()];
    }
  }
  row[kId] = next_id_++;
  return row;
}

InsertRows OperationMix::insertion(uint64_t row_count) {
  std::vector<Row> rows;
  while (rows.size() < row_count) {
    rows.push_back(row());
    if (rows.size() < row_count && one_in(*random_, 6)) {
      rows.push_back(rows.back());  // Duplicates are rows in their own right.
    }
  }
  return insert_rows(test_schema(), rows);
}

uint32_t OperationMix::some_column() {
  return one_in(*random_, 3) ? static_cast<uint32_t>(below(*random_, column_count()))
                             : liked_columns_[below(*random_, liked_columns_.size())];
}

Value OperationMix::constant(uint32_t column) {
  switch (below(*random_, 8)) {
    case 0:
      return as_constant(random_value(*random_, column));
    case 1:
    case 2:
      return as_constant(neighbour(*random_, column, pooled_value(column)));
    case 3:
      if (one_in(*random_, 3)) {
        return beyond_value(*random_, column);
      }
      return as_constant(spread_value(*random_, column, 2000));
    default:
      return as_constant(pooled_value(column));
  }
}

Literal OperationMix::list_literal(uint32_t of_column) {
  Literal literal{.column = of_column, .kind = one_in(*random_, 3) ? Literal::Kind::kNotIn : Literal::Kind::kIn};
  // Up to more members than an index takes.
  constexpr uint32_t kSizes[] = {1, 3, 6, 12, 40, 150, 700};
  for (uint64_t count = 1 + below(*random_, kSizes[below(*random_, one_in(*random_, 4) ? 7 : 6)]); count > 0; --count) {
    literal.values.push_back(constant(of_column));
  }
  make_members(literal.values);
  return literal;
}

Literal OperationMix::prefix_literal(uint32_t of_column) {
  Literal literal{.column = of_column,
                  .kind = one_in(*random_, 3) ? Literal::Kind::kNotStartsWith : Literal::Kind::kStartsWith};
  std::string prefix = std::get<std::string>(constant(of_column));
  prefix.resize(std::min<size_t>(prefix.size(), below(*random_, 12)));
  prefix += std::string(one_in(*random_, 3) ? below(*random_, 3) : 0, ' ');
  prefix.resize(std::min<size_t>(prefix.size(), test_schema().columns[of_column].type.length));
  literal.values = {prefix};
  return literal;
}

Literal OperationMix::literal(uint32_t of_column) {
  const semantics::Type& type = test_schema().columns[of_column].type;
  switch (below(*random_, semantics::is_string(type.kind) ? 14 : 12)) {
    case 0:
    case 1:
      return list_literal(of_column);
    case 2:
      return {.column = of_column, .kind = one_in(*random_, 2) ? Literal::Kind::kIsNull : Literal::Kind::kIsNotNull};
    case 3:
      return one_in(*random_, 8) ? Literal{.column = of_column, .kind = Literal::Kind::kNever}
                                 : Literal{.column = of_column, .kind = Literal::Kind::kIsNull};
    case 12:
    case 13:
      return prefix_literal(of_column);
    default:
      break;
  }
  const auto op = one_in(*random_, 3) ? Operator::kEqual : static_cast<Operator>(1 + below(*random_, 6));
  Value value = constant(of_column);
  if (auto* text = std::get_if<std::string>(&value);
      text != nullptr && op != Operator::kEqual && op != Operator::kNotEqual && one_in(*random_, 6)) {
    *text += std::string(type.length, 'x');
  }
  return compare_literal(of_column, op, std::move(value));
}

Clause OperationMix::fresh_clause() {
  Clause clause = {literal(some_column())};
  // Disjunctions up to more than a shared predicate has ranges; often of one column.
  constexpr uint32_t kLengths[] = {1, 1, 1, 1, 1, 2, 3, 12};
  for (uint64_t more = below(*random_, kLengths[below(*random_, 8)]); more > 0; --more) {
    clause.push_back(literal(one_in(*random_, 2) ? clause[0].column : some_column()));
  }
  return clause;
}

void OperationMix::add_same_number_clauses() {
  const auto number = static_cast<int64_t>(below(*random_, 4));
  const auto op = static_cast<Operator>(1 + below(*random_, 6));
  for (uint32_t column = kKey; column < column_count(); ++column) {
    clauses_.push_back({compare_literal(column, op, number_value(column, number))});
  }
}

Clause OperationMix::clause() {
  if (!hot_.empty() && one_in(*random_, 4)) {
    return hot_[below(*random_, hot_.size())];
  }
  if (one_in(*random_, 5)) {
    clauses_[below(*random_, clauses_.size())] = fresh_clause();
  }
  return clauses_[below(*random_, clauses_.size())];
}

Clause OperationMix::equality(uint32_t of_column) {
  if (one_in(*random_, 6)) {
    Literal list = list_literal(of_column);
    list.kind = Literal::Kind::kIn;
    return {list};
  }
  return {compare_literal(of_column, Operator::kEqual, constant(of_column))};
}

void OperationMix::add_key(Predicate& predicate, uint32_t column) {
  if (!one_in(*random_, 5)) {
    predicate.clauses.push_back(equality(column));
    return;
  }
  // A range of few values, or of none.
  Value low = as_constant(pooled_value(column));
  Value high = low;
  for (uint64_t steps = below(*random_, 40); steps > 0; --steps) {
    high = as_constant(neighbour(*random_, column, high));
  }
  const auto at_least = one_in(*random_, 3) ? Operator::kGreater : Operator::kGreaterOrEqual;
  const auto at_most = one_in(*random_, 3) ? Operator::kLess : Operator::kLessOrEqual;
  predicate.clauses.push_back({compare_literal(column, at_least, std::move(low))});
  predicate.clauses.push_back({compare_literal(column, at_most, std::move(high))});
}

Predicate OperationMix::query_predicate() {
  Predicate predicate;
  if (one_in(*random_, key_chance_)) {
    add_key(predicate, kKey);
  }
  if (one_in(*random_, 5)) {
    add_key(predicate, some_column());
  }
  if (one_in(*random_, 6)) {
    const uint32_t ranged = some_column();
    predicate.clauses.push_back({compare_literal(ranged, Operator::kGreaterOrEqual, constant(ranged))});
    predicate.clauses.push_back({compare_literal(ranged, Operator::kLess, constant(ranged))});
  }
  for (uint64_t count = below(*random_, clauses_max_); count > 0; --count) {
    predicate.clauses.push_back(clause());
  }
  if (one_in(*random_, 6)) {
    add_tree(predicate);
  }
  if (one_in(*random_, 6)) {
    add_disjunction(predicate);
  }
  std::shuffle(predicate.clauses.begin(), predicate.clauses.end(), *random_);
  return predicate;
}

Predicate OperationMix::update_predicate() {
  Predicate predicate;
  if (!one_in(*random_, 12)) {
    add_key(predicate, one_in(*random_, 2) ? static_cast<uint32_t>(kKey) : some_column());
  }
  if (one_in(*random_, 3)) {
    predicate.clauses.push_back({compare_literal(
        kId, Operator::kEqual, static_cast<int64_t>(below(*random_, static_cast<uint64_t>(next_id_))))});
  }
  for (uint64_t count = below(*random_, 3); count > 0; --count) {
    predicate.clauses.push_back(clause());
  }
  if (one_in(*random_, 6)) {
    add_tree(predicate);
  }
  std::shuffle(predicate.clauses.begin(), predicate.clauses.end(), *random_);
  return predicate;
}

std::vector<semantics::Assignment> OperationMix::assignments() {
  using semantics::Assignment;
  std::vector<Assignment> assigned;
  for (uint32_t column = kKey; column < column_count(); ++column) {
    const bool is_liked = std::find(liked_columns_.begin(), liked_columns_.end(), column) != liked_columns_.end();
    if (!one_in(*random_, is_liked ? 2 : 8)) {
      continue;
    }
    const semantics::Column& target = test_schema().columns[column];
    if (one_in(*random_, 6)) {
      assigned.push_back(computed_assignment(*random_, column));
      continue;
    }
    const bool can_add = target.type.kind != TypeKind::kBool && !semantics::is_timestamp(target.type.kind) &&
                         target.type.kind != TypeKind::kTime && target.type.kind != TypeKind::kUuid &&
                         !semantics::is_string(target.type.kind);
    if (can_add && column != kKey && one_in(*random_, 3)) {
      assigned.push_back({column, Assignment::Kind::kAdd,
                          one_in(*random_, 2) ? number_value(column, 1) : random_value(*random_, column)});
    } else {
      const bool is_null = target.nullable && one_in(*random_, 6);
      assigned.push_back({column, Assignment::Kind::kSet,
                          is_null               ? Value{}
                          : one_in(*random_, 4) ? random_value(*random_, column)
                                                : pooled_value(column)});
    }
  }
  if (assigned.empty()) {
    assigned.push_back({kBig, Assignment::Kind::kAdd, int64_t{1}});
  }
  note(assigned);
  return assigned;
}

void OperationMix::note(const std::vector<semantics::Assignment>& assigned) {
  for (const semantics::Assignment& assignment : assigned) {
    const uint32_t column = assignment.column;
    if (assignment.kind == semantics::Assignment::Kind::kCompute) {
      hot_.push_back({literal(column)});
    } else if (is_null(assignment.value)) {
      hot_.push_back({{.column = column, .kind = Literal::Kind::kIsNull}});
      hot_.push_back({{.column = column, .kind = Literal::Kind::kIsNotNull}});
    } else if (assignment.kind == semantics::Assignment::Kind::kSet) {
      const auto op = one_in(*random_, 2) ? Operator::kEqual : static_cast<Operator>(1 + below(*random_, 6));
      hot_.push_back({compare_literal(column, op, as_constant(assignment.value))});
    } else {
      hot_.push_back({literal(column)});
    }
  }
  while (hot_.size() > kHotMax) {
    hot_.pop_front();
  }
}

UpdatePart OperationMix::part() {
  switch (below(*random_, 8)) {
    case 0:
    case 1:
      return insertion(1 + below(*random_, one_in(*random_, 10) ? 60 : 6));
    case 2: {
      Predicate predicate = update_predicate();
      predicate.clauses.push_back(equality(kKey));
      return removal(std::move(predicate));
    }
    default: {
      // The predicate first: what is assigned is asked for by others, and seldom by this very part.
      Predicate predicate = update_predicate();
      semantics::ModifyPart made{assignments(), std::move(predicate)};
      made.residuals = some_residuals();
      return std::make_shared<const semantics::ModifyPart>(std::move(made));
    }
  }
}

semantics::Residuals OperationMix::some_residuals() {
  return one_in(*random_, 6) ? computed_condition(*random_) : nullptr;
}

UpdatePart OperationMix::removal(Predicate predicate) {
  return std::make_shared<const semantics::DeletePart>(semantics::DeletePart{std::move(predicate), some_residuals()});
}

std::vector<UpdatePart> OperationMix::chain() {
  using semantics::Assignment;
  std::vector<UpdatePart> parts;
  const uint32_t moved = one_in(*random_, 2) ? static_cast<uint32_t>(kKey) : some_column();
  Value from = as_constant(pooled_value(moved));
  for (uint64_t links = 2 + below(*random_, 4); links > 0; --links) {
    Value to = as_constant(pooled_value(moved));
    Predicate predicate = where(moved, Operator::kEqual, from);
    switch (below(*random_, 6)) {
      case 0:
        parts.push_back(insertion(1 + below(*random_, 3)));
        break;
      case 1:
        predicate.clauses.push_back(equality(some_column()));
        parts.push_back(remove(predicate));
        break;
      case 2:
        parts.push_back(modify(assignments(), predicate));
        break;
      default:
        if (moved == kId) {
          break;  // Names rows for update_predicate(); left as it is.
        }
        parts.push_back(modify({{moved, Assignment::Kind::kSet, to}}, predicate));
        from = to;
    }
  }
  hot_.push_back({compare_literal(moved, Operator::kEqual, from)});
  return parts;
}

UpdatePart OperationMix::purge() {
  if (one_in(*random_, 4)) {
    return remove({});
  }
  const uint32_t day = one_in(*random_, 2) ? kDay : kTime;
  return removal(where(day, one_in(*random_, 3) ? Operator::kGreater : Operator::kLess, constant(day)));
}

semantics::SelectItem OperationMix::some_aggregate() {
  while (true) {
    const auto function = static_cast<AggregateFunction>(1 + below(*random_, semantics::kAggregates.size()));
    const auto column = static_cast<uint32_t>(below(*random_, test_schema().columns.size()));
    if (semantics::entry_of(function).state == semantics::AggregateStateKind::kNone) {
      continue;
    }
    if (function == AggregateFunction::kCountRows ||
        semantics::aggregate_type(function, test_schema().columns[column].type).has_value()) {
      return aggregate_of(function, column);
    }
  }
}

semantics::Selection OperationMix::groups() {
  std::vector<uint32_t> group_by;
  std::vector<semantics::SelectItem> items;
  for (uint64_t groups = below(*random_, 3); groups > 0; --groups) {
    group_by.push_back(static_cast<uint32_t>(1 + below(*random_, test_schema().columns.size() - 1)));
    if (!one_in(*random_, 4)) {
      items.push_back({.name = "g", .column = group_by.back()});
    }
  }
  for (uint64_t aggregates = below(*random_, 4) + (items.empty() ? 1 : 0); aggregates > 0; --aggregates) {
    items.push_back(some_aggregate());
  }
  std::shuffle(items.begin(), items.end(), *random_);
  return selection_of(std::move(items), group_by);
}

semantics::Selection OperationMix::rows() {
  std::vector<uint32_t> columns;
  if (one_in(*random_, 27)) {
    columns.resize(column_count());
    std::iota(columns.begin(), columns.end(), 0);
  } else {
    for (uint64_t outputs = 1 + below(*random_, 5); outputs > 0; --outputs) {
      columns.push_back(static_cast<uint32_t>(below(*random_, test_schema().columns.size())));
    }
  }
  return select(columns);
}

semantics::Selection OperationMix::selection() {
  if (!last_ || !one_in(*random_, 8)) {
    last_ = another_selection();
  }
  return *last_;
}

semantics::Selection OperationMix::another_selection() {
  semantics::Predicate predicate = query_predicate();
  semantics::Selection selection = one_in(*random_, 3) ? groups() : rows();
  selection.predicate = std::move(predicate);
  if (one_in(*random_, 3)) {
    selection.limit = below(*random_, one_in(*random_, 3) ? 200 : 10);
    selection.offset = below(*random_, 3);
  }
  if (!selection.grouping && one_in(*random_, 3)) {
    for (uint64_t keys = 1 + below(*random_, 2); keys > 0; --keys) {
      selection.order_by.push_back({static_cast<uint32_t>(below(*random_, selection.outputs.size())),
                                    {.descending = one_in(*random_, 2), .nulls_first = one_in(*random_, 2)}});
    }
    if (selection.limit.value_or(0) > 0 && one_in(*random_, 3)) {
      selection.ties_by = static_cast<uint32_t>(1 + below(*random_, selection.order_by.size()));
    }
  }
  if (one_in(*random_, 5)) {
    add_expressions(*random_, selection);
  }
  if (selection.grouping && one_in(*random_, 4)) {
    add_sets(*random_, selection);
  }
  return selection;
}

}  // namespace daedalus::engine::test
