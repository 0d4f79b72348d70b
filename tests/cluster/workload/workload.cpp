#include "workload.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "bodies.hpp"
#include "daedalus/base/check.hpp"
#include "sql_text.hpp"

namespace daedalus::testing {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

constexpr uint32_t kWideLength = 4096;
constexpr uint32_t kManyColumnCount = 400;

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
                    {"note", Type{.kind = TypeKind::kVarchar, .length = kNoteLength}, true, {}}};
  const Type wide{.kind = TypeKind::kVarchar, .length = kWideLength};
  const Type narrow[] = {{.kind = TypeKind::kInt},
                         {.kind = TypeKind::kSmallint},
                         {.kind = TypeKind::kBigint},
                         {.kind = TypeKind::kVarchar, .length = 12}};
  if (shape != TableShape::kSmall) {
    schema.columns.push_back({"weight", Type{.kind = TypeKind::kDouble}, true, {}});
  }
  const uint32_t more = shape == TableShape::kWide ? 3 : shape == TableShape::kManyColumns ? kManyColumnCount : 0;
  for (uint32_t column = 0; column < more; ++column) {
    const Type& type = shape == TableShape::kWide ? wide : narrow[column % std::size(narrow)];
    schema.columns.push_back({fmt::format("more_{}", column), type, true, {}});
  }
  return schema;
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
  draw_returning(update);
  update.text = update_text(schema_, update.parts, update.returning);
  const auto checked = contract::to_update(schema_, map_.placement_columns(), update.body);
  CHECK(checked.has_value());
  update.routes = contract::routes_of(schema_, map_, *checked);
  return update;
}

Workload::Update Workload::next_insert() {
  Update update;
  update.parts.emplace_back(draw_insert());
  draw_returning(update);
  update.text = update_text(schema_, update.parts, update.returning);
  return update;
}

Workload::Update Workload::next_modify(int64_t mark) {
  const auto marked = [&](Expression filter) {
    return both(std::move(filter), compare(kId, Operator::kGreaterOrEqual, -mark));  // As every id is.
  };
  Update update;
  if (random_.chance(0.6)) {
    PlainModify part = draw_modify();
    part.filter = marked(std::move(part.filter));
    update.parts.emplace_back(std::move(part));
  } else {
    PlainDelete part = draw_delete();
    part.filter = marked(std::move(part.filter));
    update.parts.emplace_back(std::move(part));
  }
  update.text = update_text(schema_, update.parts, {});
  return update;
}

Workload::Update Workload::next_update_by_clock(int64_t before_us) {
  const PlainInsert before = draw_insert();
  PlainInsert otherwise = before;
  for (Row& row : otherwise.rows) {
    row[kAmount] = random_.chance(0.2) ? Value{} : Value{random_.between(-9, 9)};
    row[kNote] = Value{std::string("late")};  // No other row has it: the two cases are never the same.
  }
  const int64_t second_us = before_us / 1'000'000 * 1'000'000;  // As the text says it.
  Update update;
  update.parts.emplace_back(before);
  update.body = update_body(schema_, update.parts);
  draw_returning(update);
  update.text = insert_by_clock_text(schema_, before, otherwise, second_us) + returning_text(schema_, update.returning);
  update.by_clock = {.before_us = second_us, .otherwise = {otherwise}, .otherwise_body = {}};
  update.by_clock->otherwise_body = update_body(schema_, update.by_clock->otherwise);
  return update;
}

/// Draws RETURNING for an update that is one INSERT.
void Workload::draw_returning(Update& update) {
  if (update.parts.size() > 1 || !std::holds_alternative<PlainInsert>(update.parts.front()) || random_.chance(0.5)) {
    return;
  }
  for (int64_t columns = random_.between(1, 3); columns > 0; --columns) {
    update.returning.push_back(draw_column());
  }
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
  if (type.kind == TypeKind::kDouble) {
    return Value{
        std::ldexp(static_cast<double>(random_.between(-9, 9)) / 10, static_cast<int>(random_.between(-4, 4)))};
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
  using Form = PlainModify::Form;
  PlainModify part{.column = kAmount,
                   .form = random_.chance(0.7) ? Form::kSum : Form::kConstant,
                   .value = Value{amount},
                   .filter = draw_filter()};
  part.asks_quotient = part.form == Form::kConstant && amount > 0;
  if (amount == 0 && part.form == Form::kSum) {
    part.form = Form::kQuotient;  // Most amounts are 0, which another one divides by.
    part.value = Value{kDividend};
  }
  if (schema_.columns.size() > kNote + 1 && random_.chance(0.3)) {
    const auto last = static_cast<uint32_t>(schema_.columns.size() - 1);
    part = {.column = last, .value = draw_value(schema_.columns[last].type), .filter = part.filter};
  }
  return part;
}

PlainDelete Workload::draw_delete() {
  return {.filter = both(compare(kPlace, Operator::kEqual, draw_place()), draw_filter()),
          .asks_quotient = next_id_ % 2 == 0};
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
  Question question = draw_question();
  question.filter = draw_filter();
  if (random_.chance(0.2)) {
    question.remainder = PlainRemainder{random_.between(0, PlainRemainder::kDivisor - 1)};
  }
  return query(std::move(question));
}

Workload::Query Workload::until(const Query& query, int64_t before_us) const {
  Question question = query.question;
  question.before_us = before_us / 1'000'000 * 1'000'000;  // As the text says it.
  return this->query(std::move(question));
}

Question Workload::draw_question() {
  Question question;
  switch (random_.below(6)) {
    case 0:
      draw_groups(question);
      draw_aggregates(question);
      break;
    case 1:
      random_.chance(0.5) ? draw_groups(question) : draw_aggregates(question);
      break;
    case 2:
      draw_list(question);
      break;
    default:
      question = everything_of(schema_);
  }
  question.visible_outputs = static_cast<uint32_t>(question.outputs.size());
  if (random_.chance(0.4)) {
    draw_order(question);
  }
  if (!question.has_ties && random_.chance(0.3)) {
    draw_limit(question);
  }
  return question;
}

uint32_t Workload::draw_column() {
  const bool is_early = random_.chance(0.7);
  return static_cast<uint32_t>(random_.below(is_early ? kNote + 1 : schema_.columns.size()));
}

void Workload::draw_list(Question& question) {
  for (int64_t columns = random_.between(1, 4); columns > 0; --columns) {
    question.outputs.push_back({.function = {}, .column = draw_column()});
  }
}

void Workload::draw_groups(Question& question) {
  const uint32_t by[] = {kPlace, kNote, kAmount};
  const uint64_t first = random_.below(std::size(by));
  question.group_by.push_back(by[first]);
  if (random_.chance(0.3)) {
    question.group_by.push_back(by[(first + 1) % std::size(by)]);
  }
  for (const uint32_t column : question.group_by) {
    question.outputs.push_back({.function = {}, .column = column});
  }
  if (random_.chance(0.3)) {
    draw_sets(question);
  }
  if (random_.chance(0.2)) {
    question.having_more_than = random_.between(0, 3);
  }
}

/// Different ones, so that a row's set is known from what GROUPING() says of it; that of all keys is among them,
/// because a column of no set could not be shown.
void Workload::draw_sets(Question& question) {
  const size_t subsets = size_t{1} << question.group_by.size();
  for (size_t subset = 0; subset < subsets; ++subset) {
    if (subset + 1 == subsets || random_.chance(0.6)) {
      std::vector<uint32_t>& set = question.grouping_sets.emplace_back();
      for (uint32_t key = 0; key < question.group_by.size(); ++key) {
        if ((subset >> key & 1) != 0) {
          set.push_back(key);
        }
      }
    }
  }
  question.outputs.push_back({.function = semantics::AggregateFunction::kGrouping});
}

void Workload::draw_aggregates(Question& question) {
  for (int64_t aggregates = random_.between(1, 4); aggregates > 0; --aggregates) {
    question.outputs.push_back(draw_aggregate());
  }
}

PlainOutput Workload::draw_aggregate() {
  using Function = semantics::AggregateFunction;
  constexpr Function kOfAnything[] = {Function::kCountRows, Function::kCount, Function::kMin, Function::kMax};
  constexpr Function kOfNumbers[] = {Function::kSum,    Function::kAvg,     Function::kBitAnd, Function::kBitOr,
                                     Function::kBitXor, Function::kVarSamp, Function::kVarPop};
  if (random_.chance(0.1)) {
    return {.function = Function::kStringAgg, .column = kNote};
  }
  constexpr Function kOfFloats[] = {Function::kSum, Function::kAvg, Function::kVarSamp, Function::kVarPop};
  const uint32_t column = schema_.columns.size() > kWeight && random_.chance(0.3) ? kWeight : draw_column();
  const TypeKind kind = schema_.columns[column].type.kind;
  const bool is_of_numbers = kind != TypeKind::kVarchar && random_.chance(0.6);
  PlainOutput output{.function = !is_of_numbers              ? kOfAnything[random_.below(std::size(kOfAnything))]
                                 : kind == TypeKind::kDouble ? kOfFloats[random_.below(std::size(kOfFloats))]
                                                             : kOfNumbers[random_.below(std::size(kOfNumbers))],
                     .column = column};
  output.is_distinct = output.function != Function::kCountRows && random_.chance(0.25);
  return output;
}

/// By anything that is shown, then by what tells rows apart: the id, or what they are grouped by.
void Workload::draw_order(Question& question) {
  std::vector<uint32_t> outputs;
  if (question.visible_outputs > 0 && random_.chance(0.7)) {
    outputs.push_back(static_cast<uint32_t>(random_.below(question.visible_outputs)));
  }
  if (question.is_aggregated()) {
    for (uint32_t group = 0; group < question.group_by.size(); ++group) {
      outputs.push_back(group);  // They come first among the outputs.
    }
    if (!question.grouping_sets.empty()) {
      outputs.push_back(static_cast<uint32_t>(question.group_by.size()));  // GROUPING().
    }
  } else {
    question.outputs.push_back({.function = {}, .column = kId});  // Hidden, whether it is shown, too, or not.
    outputs.push_back(static_cast<uint32_t>(question.outputs.size() - 1));
  }
  std::set<uint32_t> seen;
  for (const uint32_t output : outputs) {
    if (seen.insert(output).second) {
      question.order_by.push_back(
          {.output = output, .descending = random_.chance(0.5), .nulls_first = random_.chance(0.5)});
    }
  }
  if (question.order_by.size() > 1 && random_.chance(0.3)) {
    draw_equals(question);
  }
}

/// Rows that are equal in the first keys of the order: all of them belong to the answer, or one.
void Workload::draw_equals(Question& question) {
  if (random_.chance(0.5)) {
    question.distinct_on = 1;
    return;
  }
  question.order_by.resize(1);
  question.limit = random_.between(1, 10);  // Whose ties are many: the answer stays one that there is only one of.
  question.has_ties = true;
}

void Workload::draw_limit(Question& question) {
  question.limit = random_.below(30);
  question.offset = random_.chance(0.5) ? random_.below(10) : 0;
}

Workload::Query Workload::too_wide_query() {
  Question question;
  question.is_too_wide = true;
  question.filter = draw_filter();
  const uint32_t wide = kWeight + 1;
  for (uint64_t size = 0; size <= semantics::kRowSizeMax; size += schema_.columns.at(wide).type.length) {
    question.outputs.push_back({.function = {}, .column = wide});
  }
  question.visible_outputs = static_cast<uint32_t>(question.outputs.size());
  return query(std::move(question));
}

Workload::Query Workload::whole_table() const { return query(everything_of(schema_)); }

Workload::Query Workload::rows_at(int64_t place) const {
  Question question = everything_of(schema_);
  question.filter = compare(kPlace, Operator::kEqual, place);
  return query(std::move(question));
}

Workload::Query Workload::query(Question question) const {
  Query query;
  query.body = select_body(schema_, question);
  query.text = select_text(schema_, question);
  query.prepared_text = select_text(schema_, question, &query.parameters);
  if (question.filter) {
    const auto predicate = semantics::normalise(schema_, *question.filter);
    CHECK(predicate.has_value());
    query.routes = contract::routes_of(schema_, map_, *predicate);
  }
  if (const auto selection = contract::to_selection(schema_, query.body, nullptr);
      selection && contract::has_shape(*selection)) {
    query.shape =
        std::make_shared<const contract::ShapeBytes>(contract::shape_of(*selection, wire::v1::RESULT_FORM_FINAL));
    query.shape_values = contract::values_of(schema_, selection->predicate);
  }
  query.question = std::move(question);
  return query;
}

}  // namespace daedalus::testing
