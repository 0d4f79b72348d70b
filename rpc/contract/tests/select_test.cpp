#include <gtest/gtest.h>

#include "contract_fixture.hpp"
#include "daedalus/contract/normal_form.hpp"

namespace daedalus::contract {
namespace {

using semantics::TypeKind;

class SelectTest : public ContractTest {
 protected:
  wire::v1::SelectBody body_of(const std::vector<uint32_t>& columns) {
    wire::v1::SelectBody body;
    body.set_form(wire::v1::RESULT_FORM_PARTIAL);
    for (const uint32_t column : columns) {
      wire::v1::Output* output = body.add_outputs();
      output->set_name(schema_.columns[column].name);
      output->mutable_expression()->set_column(column);
    }
    body.set_visible_outputs(static_cast<uint32_t>(columns.size()));
    return body;
  }

  static void add_aggregate(wire::v1::SelectBody& body, wire::v1::AggregateFunction function, int column) {
    wire::v1::Output* output = body.add_outputs();
    output->mutable_aggregate()->set_function(function);
    if (column >= 0) {
      output->mutable_aggregate()->mutable_argument()->set_column(static_cast<uint32_t>(column));
    }
    body.set_visible_outputs(static_cast<uint32_t>(body.outputs_size()));
  }

  std::string code(const wire::v1::SelectBody& body) {
    const Result<semantics::Selection> selection = to_selection(schema_, body.SerializeAsString(), nullptr);
    return selection ? "fine" : selection.error().sqlstate;
  }
};

TEST_F(SelectTest, ReadsASliceOfWhatPassesAsItIsAlone) {
  wire::v1::SelectBody body = body_of({kName, kId});
  body.mutable_slice()->set_partition(3);
  body.mutable_slice()->set_segment(2);
  body.mutable_slice()->set_first_slot(1u << 20);
  const Result<semantics::Selection> selection = to_selection(schema_, body.SerializeAsString(), nullptr);
  ASSERT_TRUE(selection) << selection.error().message;
  ASSERT_TRUE(selection->slice.has_value());
  EXPECT_EQ(selection->slice->partition, 3u);
  EXPECT_EQ(selection->slice->segment, 2u);
  EXPECT_EQ(selection->slice->first_slot, 1u << 20);
  EXPECT_EQ(selection->slice->answer_bytes, semantics::kSliceBytesDefault);
  wire::v1::SelectBody limited = body;
  limited.set_has_limit(true);
  limited.set_limit(1);
  EXPECT_EQ(code(limited), "0A000");
  wire::v1::SelectBody ordered = body;
  ordered.add_order_by()->set_output(0);
  EXPECT_EQ(code(ordered), "0A000");
  wire::v1::SelectBody aggregated = body_of({});
  add_aggregate(aggregated, wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS, -1);
  *aggregated.mutable_slice() = body.slice();
  EXPECT_EQ(code(aggregated), "0A000");
}

TEST_F(SelectTest, ReadsEverythingASelectSays) {
  wire::v1::SelectBody body = body_of({kName, kId});
  body.set_visible_outputs(1);
  *body.mutable_filter() = equals(kId, 7);
  wire::v1::OrderKey* key = body.add_order_by();
  key->set_output(1);
  key->set_descending(true);
  key->set_nulls_first(true);
  body.set_has_limit(true);
  body.set_limit(0);
  body.set_offset(5);
  wire::v1::ResultForm form{};
  const Result<semantics::Selection> selection = to_selection(schema_, body.SerializeAsString(), &form);
  ASSERT_TRUE(selection) << selection.error().message;
  EXPECT_EQ(form, wire::v1::RESULT_FORM_PARTIAL);
  EXPECT_EQ(selection->outputs.size(), 2u);
  EXPECT_EQ(selection->outputs[0].name, "name");
  EXPECT_EQ(selection->visible_outputs, 1u);
  EXPECT_FALSE(selection->grouping);
  EXPECT_EQ(selection->limit, 0u);
  EXPECT_EQ(selection->offset, 5u);
  ASSERT_EQ(selection->order_by.size(), 1u);
  EXPECT_TRUE(selection->order_by[0].order.descending && selection->order_by[0].order.nulls_first);
  EXPECT_EQ(selection->predicate.clauses.size(), 1u);
}

TEST_F(SelectTest, OutputsBesideGroupsAreKeysOrAggregates) {
  wire::v1::SelectBody body = body_of({kName});
  body.add_group_by()->set_column(kName);
  body.add_group_by()->set_column(kName);
  add_aggregate(body, wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS, -1);
  const Result<semantics::Selection> selection = to_selection(schema_, body.SerializeAsString(), nullptr);
  ASSERT_TRUE(selection) << selection.error().message;
  ASSERT_TRUE(selection->grouping);
  ASSERT_EQ(selection->grouping->keys.size(), 1u);
  EXPECT_EQ(selection->grouping->keys[0].input, kName);

  body.add_group_by()->set_column(kId);
  EXPECT_EQ(code(body), "fine");
  wire::v1::SelectBody ungrouped = body_of({kName});
  add_aggregate(ungrouped, wire::v1::AGGREGATE_FUNCTION_MAX, kId);
  const Error error = to_selection(schema_, ungrouped.SerializeAsString(), nullptr).error();
  EXPECT_EQ(error.sqlstate, "42803");
  EXPECT_EQ(error.message,
            "column \"items.name\" must appear in the GROUP BY clause or be used in an aggregate function");
}

TEST_F(SelectTest, RefusesEveryMalformedPart) {
  EXPECT_EQ(to_selection(schema_, "\xff\xff", nullptr).error().sqlstate, "08P01");
  EXPECT_EQ(code(body_of({})), "08P01");
  EXPECT_EQ(code(body_of({kId})), "fine");

  wire::v1::SelectBody body = body_of({kId});
  body.clear_form();
  EXPECT_EQ(code(body), "08P01");
  body = body_of({kId});
  body.set_visible_outputs(0);
  EXPECT_EQ(code(body), "08P01");
  body.set_visible_outputs(2);
  EXPECT_EQ(code(body), "08P01");
  body = body_of({kId});
  body.mutable_outputs(0)->mutable_expression()->set_column(99);
  EXPECT_EQ(code(body), "42703");
  *body.mutable_outputs(0)->mutable_expression() = equals(kId, 1);
  EXPECT_EQ(code(body), "08P01");  // An operator is not a function.
  body.mutable_outputs(0)->clear_source();
  EXPECT_EQ(code(body), "08P01");
  body = body_of({kId});
  body.add_order_by()->set_output(1);
  EXPECT_EQ(code(body), "08P01");
  body = body_of({kId});
  body.set_limit(uint64_t{1} << 63);
  EXPECT_EQ(code(body), "2201W");
  body.set_limit(0);
  body.set_offset(uint64_t{1} << 63);
  EXPECT_EQ(code(body), "2201X");
  body = body_of({});
  add_aggregate(body, wire::v1::AGGREGATE_FUNCTION_MIN, kFlag);
  EXPECT_EQ(code(body), "42883");
  body = body_of({});
  add_aggregate(body, wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS, kId);
  EXPECT_EQ(code(body), "08P01");
  body = body_of({});
  add_aggregate(body, wire::v1::AGGREGATE_FUNCTION_UNSPECIFIED, kId);
  EXPECT_EQ(code(body), "08P01");
}

TEST_F(SelectTest, BoundsOutputsAndSortKeys) {
  EXPECT_EQ(code(body_of(std::vector<uint32_t>(1'664, kId))), "fine");
  EXPECT_EQ(code(body_of(std::vector<uint32_t>(1'665, kId))), "54011");
  wire::v1::SelectBody body = body_of({kId});
  for (int i = 0; i < 1'664; ++i) {
    body.add_order_by();
  }
  EXPECT_EQ(code(body), "fine");
  body.add_order_by();
  EXPECT_EQ(code(body), "54011");
}

TEST_F(SelectTest, RefusesFiltersThatAreTooDeepOrOfUnknownWords) {
  wire::v1::SelectBody body = body_of({kId});
  wire::v1::Expression deep = equals(kId, 1);
  for (uint32_t i = 0; i < semantics::kExpressionDepthMax; ++i) {
    wire::v1::Expression outer;
    outer.mutable_call()->set_operator_(wire::v1::OPERATOR_NOT);
    *outer.mutable_call()->add_arguments() = deep;
    deep = outer;
  }
  *body.mutable_filter() = deep;
  const std::string refused = code(body);
  EXPECT_TRUE(refused == "54001" || refused == "08P01") << refused;  // The parser has a bound of its own.
  *body.mutable_filter() = equals(kId, 1);
  body.mutable_filter()->mutable_call()->set_operator_(static_cast<wire::v1::Operator>(99));
  EXPECT_EQ(code(body), "08P01");
  *body.mutable_filter() = wire::v1::Expression();
  EXPECT_EQ(code(body), "08P01");
  *body.mutable_filter() = equals(kId, 1);
  body.mutable_filter()->mutable_call()->mutable_arguments(1)->mutable_constant()->set_packed("x");
  EXPECT_EQ(code(body), "08P01");
}

TEST_F(SelectTest, ConstantsAndExpressionsTravelBothWays) {
  semantics::testing::Random random(71);
  for (int i = 0; i < 2'000; ++i) {
    const semantics::Schema schema = random.schema();
    const std::vector<semantics::Value> row = random.row(schema);
    const semantics::Expression expression = random.condition(schema, row, 3);
    const Result<semantics::Expression> back = to_expression(from_expression(expression));
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(from_expression(*back).SerializeAsString(), from_expression(expression).SerializeAsString());
  }
}

TEST_F(SelectTest, ConditionsTravelInTheColumnsOwnTypesAndCannotFail) {
  semantics::testing::Random random(72);
  uint32_t sent = 0;
  for (int i = 0; i < 4'000; ++i) {
    const semantics::Schema schema = random.schema();
    const std::vector<semantics::Value> row = random.row(schema);
    const Result<semantics::Condition> read = semantics::to_condition(schema, random.condition(schema, row, 4));
    if (!read) {
      continue;
    }
    const semantics::Condition simple = semantics::simplified(*read);
    const std::optional<semantics::Expression> expression = to_expression(schema, simple);
    if (!expression) {
      ASSERT_EQ(simple.kind, semantics::Condition::Kind::kAlways);
      continue;
    }
    ++sent;
    const Result<semantics::Expression> back = to_expression(from_expression(*expression));
    ASSERT_TRUE(back) << back.error().message;
    const Result<semantics::Predicate> predicate = semantics::normalise(schema, *back);
    ASSERT_TRUE(predicate) << predicate.error().message;
    const semantics::Predicate direct = semantics::normal_form(simple);
    ASSERT_EQ(predicate->clauses.size(), direct.clauses.size()) << semantics::testing::describe(*expression);
    ASSERT_EQ(predicate->has_tree(), direct.has_tree()) << semantics::testing::describe(*expression);
    for (int each = 0; each < 4; ++each) {
      const std::vector<semantics::Value> other = each == 0 ? row : random.row(schema);
      ASSERT_EQ(semantics::evaluate(schema, *predicate, other), semantics::evaluate(schema, direct, other))
          << semantics::testing::describe(*expression) << " on " << semantics::testing::describe(schema, other);
    }
  }
  EXPECT_GT(sent, 2'000u);
}

TEST_F(SelectTest, TypesOutOfBoundsAreRefused) {
  wire::v1::Type type;
  EXPECT_EQ(to_type(type).error().sqlstate, "08P01");
  type.set_kind(wire::v1::TYPE_KIND_NUMERIC);
  type.set_precision(39);
  EXPECT_EQ(to_type(type).error().sqlstate, "08P01");
  type.set_kind(wire::v1::TYPE_KIND_CHAR);
  type.set_length(4097);
  EXPECT_EQ(to_type(type).error().sqlstate, "08P01");
  type.set_length(4096);
  EXPECT_EQ(to_type(type)->length, 4096u);
}

TEST_F(SelectTest, ErrorsTravelBothWays) {
  const Error error{ErrorCategory::kRetry, "53000", "too much", "later", 7};
  EXPECT_EQ(to_error(from_error(error)), error);
  EXPECT_EQ(to_error(wire::v1::Error()).category, ErrorCategory::kUnknown);
}

}  // namespace
}  // namespace daedalus::contract
