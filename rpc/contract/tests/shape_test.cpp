#include "daedalus/contract/shape.hpp"

#include "contract_fixture.hpp"
#include "daedalus/contract/shape_handles.hpp"

namespace daedalus::contract {
namespace {

using semantics::Predicate;
using semantics::Selection;
using semantics::Value;
using semantics::testing::Random;

Selection selection_of(const semantics::Schema& schema, Predicate predicate) {
  std::vector<semantics::SelectItem> items;
  for (uint32_t column = 0; column < schema.columns.size(); ++column) {
    items.push_back({.name = schema.columns[column].name, .column = column});
  }
  Selection selection = *semantics::bind_items(schema, std::move(items));
  selection.order_by = {{0, {true, false}}};
  selection.limit = 5;
  selection.predicate = std::move(predicate);
  return selection;
}

Result<SelectShape> read(const semantics::Schema& schema, const ShapeBytes& shape) {
  wire::v1::ShapeBody body;
  EXPECT_TRUE(body.ParseFromString(shape.bytes()));
  return to_shape(schema, body.select());
}

TEST(ShapeProperty, ShapeAndValuesAreTheSelectionTheyWereMadeOf) {
  Random random(31);
  uint32_t made = 0;
  for (int round = 0; round < 20'000; ++round) {
    const semantics::Schema schema = random.schema();
    const auto expression = random.condition(schema, random.row(schema), static_cast<int>(random.between(0, 3)));
    auto predicate = semantics::normalise(schema, expression);
    if (!predicate) {
      continue;
    }
    const Selection selection = selection_of(schema, std::move(*predicate));
    if (!has_shape(selection)) {
      continue;
    }
    ++made;
    const ShapeBytes bytes = shape_of(selection, wire::v1::RESULT_FORM_PARTIAL);
    const auto shape = read(schema, bytes);
    ASSERT_TRUE(shape.has_value()) << shape.error().message;
    EXPECT_EQ(shape->form, wire::v1::RESULT_FORM_PARTIAL);
    const std::string values = values_of(schema, selection.predicate);
    const auto bound = bind_values(schema, *shape, values);
    ASSERT_TRUE(bound.has_value()) << bound.error().message;
    // By their bytes: NaN does not equal itself.
    ASSERT_EQ(values_of(schema, *bound), values);
    // Bound again, the values are of the same shape; values that are cut short or too many are refused.
    const auto again = bind_values(schema, bytes, values);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(values_of(schema, again->predicate), values);
    EXPECT_EQ(again->outputs.size(), selection.outputs.size());
    EXPECT_EQ(again->limit, selection.limit);
    EXPECT_EQ(shape_of(*again, wire::v1::RESULT_FORM_PARTIAL), bytes);
    EXPECT_FALSE(bind_values(schema, *shape, values + "x").has_value());
    if (!values.empty()) {
      const auto cut = static_cast<size_t>(random.between(0, static_cast<int64_t>(values.size()) - 1));
      EXPECT_FALSE(bind_values(schema, *shape, std::string_view(values).substr(0, cut)).has_value());
    }
    // A message that needs no shape says the same.
    const auto whole =
        to_selection(schema, from_selection(schema, selection, nullptr, wire::v1::RESULT_FORM_PARTIAL), nullptr);
    ASSERT_TRUE(whole.has_value()) << whole.error().message;
    for (int i = 0; i < 3; ++i) {
      const std::vector<Value> row = random.row(schema);
      ASSERT_EQ(evaluate(schema, whole->predicate, row), evaluate(schema, selection.predicate, row));
    }
  }
  EXPECT_GT(made, 5'000u);
}

class ShapeTest : public ContractTest {
 protected:
  wire::v1::SelectShape shape(uint32_t column, wire::v1::Operator op, uint32_t values) {
    wire::v1::SelectShape made;
    made.mutable_select()->set_form(wire::v1::RESULT_FORM_PARTIAL);
    wire::v1::Output* output = made.mutable_select()->add_outputs();
    output->set_name("id");
    output->mutable_expression()->set_column(0);
    made.mutable_select()->set_visible_outputs(1);
    wire::v1::ShapeLiteral* literal = made.add_clauses()->add_literals();
    literal->set_column(column);
    literal->set_operator_(op);
    literal->set_values(values);
    return made;
  }

  std::string refusal(const wire::v1::SelectShape& wrong) {
    const auto read = to_shape(schema_, wrong);
    return read ? "taken" : read.error().sqlstate;
  }

  std::string refusal(const wire::v1::SelectShape& fine, std::string_view values) {
    const auto read = to_shape(schema_, fine);
    EXPECT_TRUE(read);
    const auto bound = bind_values(schema_, *read, values);
    return bound ? "taken" : bound.error().sqlstate;
  }

  std::string packed(const semantics::Type& type, const std::vector<Value>& values) {
    std::string bytes;
    for (const Value& value : values) {
      semantics::append_packed(type, value, bytes);
    }
    return bytes;
  }
};

TEST_F(ShapeTest, WrongDefinitionsAreRefused) {
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_EQUAL, 1)), "taken");
  EXPECT_EQ(refusal(shape(99, wire::v1::OPERATOR_EQUAL, 1)), "42703");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_EQUAL, 2)), "08P01");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_LESS, 0)), "08P01");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_IN, 0)), "08P01");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_IS_NULL, 1)), "08P01");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_AND, 1)), "08P01");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_STARTS_WITH, 1)), "08P01");
  EXPECT_EQ(refusal(shape(kName, wire::v1::OPERATOR_STARTS_WITH, 1)), "taken");
  EXPECT_EQ(refusal(shape(kId, wire::v1::OPERATOR_IN, semantics::kLiteralsMax + 1)), "08P01");
  auto empty = shape(kId, wire::v1::OPERATOR_EQUAL, 1);
  empty.add_clauses();
  EXPECT_EQ(refusal(empty), "08P01");
  auto filtered = shape(kId, wire::v1::OPERATOR_EQUAL, 1);
  filtered.mutable_select()->mutable_filter()->set_column(kFlag);
  EXPECT_EQ(refusal(filtered), "08P01");
}

TEST_F(ShapeTest, ValuesThatNoLiteralHasAreRefused) {
  using semantics::Type;
  using semantics::TypeKind;
  const Type int_type{TypeKind::kInt};
  const Type text{TypeKind::kVarchar};
  const auto list = shape(kId, wire::v1::OPERATOR_IN, 2);
  EXPECT_EQ(refusal(list, packed(int_type, {Value(int64_t{1}), Value(int64_t{2})})), "taken");
  EXPECT_EQ(refusal(list, packed(int_type, {Value(int64_t{2}), Value(int64_t{1})})), "08P01");
  EXPECT_EQ(refusal(list, packed(int_type, {Value(int64_t{1}), Value(int64_t{1})})), "08P01");
  const std::string longer = packed(text, {Value(std::string("longer than five"))});
  EXPECT_EQ(refusal(shape(kName, wire::v1::OPERATOR_EQUAL, 1), longer), "08P01");
  EXPECT_EQ(refusal(shape(kName, wire::v1::OPERATOR_STARTS_WITH, 1), longer), "08P01");
  EXPECT_EQ(refusal(shape(kName, wire::v1::OPERATOR_LESS, 1), longer), "taken");
  EXPECT_EQ(refusal(shape(kName, wire::v1::OPERATOR_EQUAL, 1), packed(text, {Value(std::string("\xff"))})), "22021");
  EXPECT_EQ(refusal(shape(kSpeed, wire::v1::OPERATOR_EQUAL, 1), packed(Type{TypeKind::kReal}, {Value(-0.0)})), "08P01");
  EXPECT_EQ(refusal(shape(kFlag, wire::v1::OPERATOR_EQUAL, 1), "\x02"), "08P01");
}

// ---- handles ----

std::shared_ptr<const ShapeBytes> bytes(const std::string& text) { return std::make_shared<const ShapeBytes>(text); }

TEST(ShapeHandlesTest, TheReceiverFindsWhatTheSenderMeant) {
  Random random(32);
  for (const uint32_t handles_max : {1u, 2u, 5u, 64u}) {
    const HandleLimits limits{handles_max, 16};
    SentHandles sent(limits);
    ReceivedHandles<std::string> received(limits);
    uint32_t defined = 0;
    for (int i = 0; i < 5'000; ++i) {
      const std::string text = "shape " + std::to_string(random.between(0, random.chance(80) ? 4 : 40));
      const auto use = sent.use(bytes(text));
      ASSERT_TRUE(use.has_value());
      if (use->is_new) {
        ++defined;
        received.define(use->handle, text.size(), std::make_shared<const std::string>(text));
      }
      const auto& found = received.at(use->handle);
      ASSERT_TRUE(found.has_value()) << found.error().message;
      ASSERT_EQ(**found, text);
    }
    EXPECT_LT(defined, 5'000u);
    EXPECT_GE(defined, 41u);
  }
}

TEST(ShapeHandlesTest, SendsAQueryWholeThatASlotCannotTake) {
  EXPECT_FALSE(SentHandles({0, 16}).use(bytes("a")).has_value());
  EXPECT_FALSE(SentHandles({4, 16}).use(bytes("longer than sixteen bytes")).has_value());
}

TEST(ShapeHandlesTest, WrongDefinitionsAreSaidToWhoeverUsesThem) {
  ReceivedHandles<std::string> received({2, 16});
  EXPECT_EQ(received.at(1).error().sqlstate, "08P01");
  received.define(1, 3, std::make_shared<const std::string>("abc"));
  ASSERT_TRUE(received.at(1).has_value());
  received.define(1, 17, std::make_shared<const std::string>("too long"));
  EXPECT_EQ(received.at(1).error().message, "a shape of 17 bytes, a slot takes 16");
  received.define(1, 3, rejected("42703", "no such column"));
  EXPECT_EQ(received.at(1).error().sqlstate, "42703");
  received.define(3, 3, std::make_shared<const std::string>("abc"));
  EXPECT_EQ(received.at(3).error().sqlstate, "08P01");
  EXPECT_EQ(received.at(0).error().sqlstate, "08P01");
}

}  // namespace
}  // namespace daedalus::contract
