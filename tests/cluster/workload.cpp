#include "workload.hpp"

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::testing {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

constexpr uint32_t kId = 0;
constexpr uint32_t kPlace = 1;
constexpr uint32_t kAmount = 2;
constexpr uint32_t kNote = 3;
constexpr int64_t kPlaces = 12;

Expression integer(int64_t value) { return Expression::make_constant(Type{.kind = TypeKind::kInt}, value); }

Expression compare(uint32_t column, Operator op, int64_t value) {
  return Expression::make_call(op, {Expression::make_column(column), integer(value)});
}

}  // namespace

semantics::Schema small_schema() {
  semantics::Schema schema;
  schema.table_name = "small";
  schema.fingerprint = std::string(64, '5');
  schema.columns = {{"id", Type{.kind = TypeKind::kBigint}, false, {}},
                    {"place", Type{.kind = TypeKind::kInt}, false, {}},
                    {"amount", Type{.kind = TypeKind::kInt}, true, {}},
                    {"note", Type{.kind = TypeKind::kVarchar, .length = 8}, true, {}}};
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

Workload::Update Workload::next_update() {
  wire::v1::UpdateBody body;
  uint32_t ordinal = 0;
  const uint64_t parts = random_.chance(0.2) ? 2 : 1;
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t kind = random_.below(10);
    if (kind < 5) {
      add_insert(body, ordinal);
    } else if (kind < 8) {
      add_modify(body);
    } else {
      add_delete(body);
    }
  }
  Update update{body.SerializeAsString(), {}};
  const auto checked = contract::to_update(schema_, map_.placement_columns(), update.body);
  CHECK(checked.has_value());
  update.routes = contract::routes_of(schema_, map_, *checked);
  return update;
}

void Workload::add_insert(wire::v1::UpdateBody& body, uint32_t& ordinal) {
  wire::v1::InsertPart& part = *body.add_parts()->mutable_insert();
  part.set_first_ordinal(ordinal);
  part.set_row_count(static_cast<uint32_t>(random_.between(1, 5)));
  ordinal += part.row_count();
  const auto types = semantics::column_types(schema_);
  for (uint32_t row = 0; row < part.row_count(); ++row) {
    const std::vector<Value> values = {Value{next_id_++}, Value{random_.between(0, kPlaces - 1)},
                                       random_.chance(0.2) ? Value{} : Value{random_.between(-3, 3) * 700'000'000},
                                       random_.chance(0.3) ? Value{} : Value{std::string(random_.below(4), 'x')}};
    semantics::append_packed_row(types, values, *part.mutable_rows());
  }
}

void Workload::add_modify(wire::v1::UpdateBody& body) {
  wire::v1::ModifyPart& part = *body.add_parts()->mutable_modify();
  wire::v1::Assignment& assignment = *part.add_assignments();
  assignment.set_column(kAmount);
  const int64_t value = random_.between(-2, 2) * 700'000'000;  // Sums leave the range of int now and then.
  const Expression sum = Expression::make_call(Operator::kAdd, {Expression::make_column(kAmount), integer(value)});
  *assignment.mutable_value() = contract::from_expression(random_.chance(0.7) ? sum : integer(value));
  *part.mutable_filter() = contract::from_expression(filter());
}

void Workload::add_delete(wire::v1::UpdateBody& body) {
  const Expression few = Expression::make_call(
      Operator::kAnd, {compare(kPlace, Operator::kEqual, random_.between(0, kPlaces - 1)), filter()});
  *body.add_parts()->mutable_delete_()->mutable_filter() = contract::from_expression(few);
}

Expression Workload::filter() {
  switch (random_.below(5)) {
    case 0:
      return compare(kPlace, Operator::kEqual, random_.between(0, kPlaces - 1));
    case 1:
      return compare(kId, Operator::kGreaterOrEqual, random_.between(0, next_id_));
    case 2:
      return Expression::make_call(Operator::kIsNull, {Expression::make_column(kNote)});
    case 3:
      return Expression::make_call(
          Operator::kOr,
          {compare(kAmount, Operator::kLess, 0),
           Expression::make_call(Operator::kIn, {Expression::make_column(kPlace), integer(1), integer(5)})});
    default:
      return Expression::make_call(Operator::kNot,
                                   {compare(kAmount, Operator::kGreater, random_.between(-1, 1) * 700'000'000)});
  }
}

Workload::Query Workload::next_query() {
  const Expression expression = filter();
  return query(&expression);
}

Workload::Query Workload::whole_table() const { return query(nullptr); }

Workload::Query Workload::query(const Expression* filter) const {
  wire::v1::SelectBody body;
  for (uint32_t column = 0; column < schema_.columns.size(); ++column) {
    wire::v1::Output& output = *body.add_outputs();
    output.set_name(schema_.columns[column].name);
    output.mutable_expression()->set_column(column);
  }
  body.set_visible_outputs(static_cast<uint32_t>(schema_.columns.size()));
  body.set_form(wire::v1::RESULT_FORM_FINAL);
  Query query;
  if (filter != nullptr) {
    *body.mutable_filter() = contract::from_expression(*filter);
    const auto predicate = semantics::normalise(schema_, *filter);
    CHECK(predicate.has_value());
    query.predicate = *predicate;
  }
  query.body = body.SerializeAsString();
  query.routes = contract::routes_of(schema_, map_, query.predicate);
  return query;
}

}  // namespace daedalus::testing
