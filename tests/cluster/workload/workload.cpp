#include "workload.hpp"

#include <fmt/format.h>

#include "bodies.hpp"
#include "daedalus/base/check.hpp"

namespace daedalus::testing {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

constexpr uint32_t kWideLength = 4096;

Expression integer(int64_t value) { return Expression::make_constant(Type{.kind = TypeKind::kInt}, value); }

Expression compare(uint32_t column, Operator op, int64_t value) {
  return Expression::make_call(op, {Expression::make_column(column), integer(value)});
}

Expression both(Expression left, Expression right) {
  return Expression::make_call(Operator::kAnd, {std::move(left), std::move(right)});
}

Expression either(Expression left, Expression right) {
  return Expression::make_call(Operator::kOr, {std::move(left), std::move(right)});
}

Expression is_null(uint32_t column) {
  return Expression::make_call(Operator::kIsNull, {Expression::make_column(column)});
}

}  // namespace

semantics::Schema simulated_schema(TableShape shape) {
  semantics::Schema schema;
  schema.table_name = "small";
  schema.fingerprint = std::string(64, '5');
  schema.columns = {{"id", Type{.kind = TypeKind::kBigint}, false, {}},
                    {"place", Type{.kind = TypeKind::kInt}, false, {}},
                    {"amount", Type{.kind = TypeKind::kInt}, true, {}},
                    {"note", Type{.kind = TypeKind::kVarchar, .length = 8}, true, {}}};
  const Type wide{.kind = TypeKind::kVarchar, .length = kWideLength};
  const Type narrow[] = {{.kind = TypeKind::kInt},
                         {.kind = TypeKind::kSmallint},
                         {.kind = TypeKind::kBigint},
                         {.kind = TypeKind::kVarchar, .length = 12}};
  const uint32_t more = shape == TableShape::kWide ? 3 : shape == TableShape::kManyColumns ? 80 : 0;
  for (uint32_t column = 0; column < more; ++column) {
    const Type& type = shape == TableShape::kWide ? wide : narrow[column % std::size(narrow)];
    schema.columns.push_back({fmt::format("more_{}", column), type, true, {}});
  }
  return schema;
}

contract::PartitionMap small_map(uint32_t node_count, Placement placement) {
  contract::PartitionMap map;
  map.version = 1;
  for (uint32_t node = 0; node < node_count; ++node) {
    map.partitions.push_back({NodeId{node}});
  }
  if (placement == Placement::kHash) {
    map.distribution = semantics::Distribution::kHash;
    map.columns = {kPlace};
    map.grid = {node_count};
    map.segment_distribution = semantics::Distribution::kHash;
    map.segment_columns = {kId};
  }
  return map;
}

// ---- updates ----

Workload::Update Workload::next_update() {
  Update update;
  const uint64_t parts = random_.chance(0.2) ? 2 : 1;
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t kind = random_.below(10);
    if (kind < 5) {
      update.parts.emplace_back(draw_insert());
    } else if (kind < 8) {
      update.parts.emplace_back(draw_modify());
    } else {
      update.parts.emplace_back(draw_delete());
    }
  }
  update.body = update_body(schema_, update.parts);
  const auto checked = contract::to_update(schema_, map_.placement_columns(), update.body);
  CHECK(checked.has_value());
  update.routes = contract::routes_of(schema_, map_, *checked);
  return update;
}

PlainInsert Workload::draw_insert() {
  PlainInsert part;
  for (int64_t rows = random_.between(1, 5); rows > 0; --rows) {
    part.rows.push_back(draw_row());
  }
  return part;
}

Row Workload::draw_row() {
  Row row = {Value{next_id_++}, Value{draw_place()},
             random_.chance(0.2) ? Value{} : Value{random_.between(-3, 3) * 700'000'000},
             random_.chance(0.3) ? Value{} : Value{std::string(random_.below(4), 'x')}};
  for (size_t column = row.size(); column < schema_.columns.size(); ++column) {
    row.push_back(draw_value(schema_.columns[column].type));
  }
  return row;
}

Value Workload::draw_value(const Type& type) {
  if (random_.chance(0.3)) {
    return Value{};
  }
  if (type.kind != TypeKind::kVarchar) {
    return Value{random_.between(-9, 9)};
  }
  const bool is_full = random_.chance(type.length == kWideLength ? 0.1 : 0.5);
  std::string text(is_full ? type.length - random_.below(8) : random_.below(8), 'x');
  if (!text.empty()) {
    text[random_.below(text.size())] = 'y';
  }
  return Value{std::move(text)};
}

PlainModify Workload::draw_modify() {
  const int64_t amount = random_.between(-2, 2) * 700'000'000;  // Sums leave the range of int now and then.
  PlainModify part{.column = kAmount, .is_sum = random_.chance(0.7), .value = Value{amount}, .filter = draw_filter()};
  if (schema_.columns.size() > kNote + 1 && random_.chance(0.3)) {
    const auto last = static_cast<uint32_t>(schema_.columns.size() - 1);
    part = {.column = last, .is_sum = false, .value = draw_value(schema_.columns[last].type), .filter = part.filter};
  }
  return part;
}

PlainDelete Workload::draw_delete() {
  return {.filter = both(compare(kPlace, Operator::kEqual, draw_place()), draw_filter())};
}

// ---- filters ----

Expression Workload::draw_filter() {
  switch (random_.below(6)) {
    case 0:
      return draw_pinned();
    case 1:
      return compare(kId, Operator::kGreaterOrEqual, random_.between(0, next_id_));
    case 2:
      return is_null(kNote);
    case 3:
      return either(compare(kAmount, Operator::kLess, 0),
                    Expression::make_call(Operator::kIn, {Expression::make_column(kPlace), integer(1), integer(5)}));
    case 4:
      return is_null(static_cast<uint32_t>(schema_.columns.size() - 1));
    default:
      return Expression::make_call(Operator::kNot,
                                   {compare(kAmount, Operator::kGreater, random_.between(-1, 1) * 700'000'000)});
  }
}

/// Filters that leave few places, each said in another way.
Expression Workload::draw_pinned() {
  const auto is_at = [&] { return compare(kPlace, Operator::kEqual, draw_place()); };
  switch (random_.below(6)) {
    case 0:
      return either(is_at(), is_at());
    case 1:
      return Expression::make_call(Operator::kIn,
                                   {Expression::make_column(kPlace), integer(draw_place()), integer(draw_place())});
    case 2:
      return compare(kId, Operator::kEqual, random_.between(1, next_id_));
    case 3:
      return both(is_at(), compare(kId, Operator::kEqual, random_.between(1, next_id_)));
    case 4:
      return both(compare(kPlace, Operator::kLess, 3), compare(kPlace, Operator::kGreater, 0));
    default:
      return is_at();
  }
}

// ---- questions ----

Workload::Query Workload::next_query() {
  Question question;
  question.filter = draw_filter();
  const uint64_t kind = random_.below(6);
  if (kind == 0) {
    question.kind = Question::Kind::kGrouped;
  } else if (kind == 1) {
    question.kind = Question::Kind::kOrdered;
    question.limit = random_.below(60);
    question.offset = random_.below(10);
  }
  return query(std::move(question));
}

Workload::Query Workload::too_wide_query() {
  return query({.kind = Question::Kind::kTooWide, .filter = draw_filter()});
}

Workload::Query Workload::whole_table() const { return query({}); }

Workload::Query Workload::query(Question question) const {
  Query query;
  query.body = select_body(schema_, question);
  if (question.filter) {
    const auto predicate = semantics::normalise(schema_, *question.filter);
    CHECK(predicate.has_value());
    query.routes = contract::routes_of(schema_, map_, *predicate);
  }
  query.question = std::move(question);
  return query;
}

}  // namespace daedalus::testing
