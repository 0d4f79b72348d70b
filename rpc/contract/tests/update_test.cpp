#include <gtest/gtest.h>

#include "contract_fixture.hpp"

namespace daedalus::contract {
namespace {

using semantics::Assignment;
using semantics::Decimal;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

class UpdateTest : public ContractTest {
 protected:
  std::string row(int64_t id, Value name = Value(), Value small = int64_t{0}) {
    std::vector<Value> values(schema_.columns.size());
    values[kId] = id;
    values[kName] = std::move(name);
    values[kSmall] = std::move(small);
    std::string packed;
    semantics::append_packed_row(semantics::column_types(schema_), values, packed);
    return packed;
  }

  static void add_insert(wire::v1::UpdateBody& body, const std::string& rows, uint32_t row_count, uint32_t first) {
    wire::v1::InsertPart* insert = body.add_parts()->mutable_insert();
    insert->set_rows(rows);
    insert->set_row_count(row_count);
    insert->set_first_ordinal(first);
  }

  Result<std::vector<UpdatePart>> read(const wire::v1::UpdateBody& body) {
    bytes_ = body.SerializeAsString();
    return to_update(schema_, placement_, bytes_);
  }

  std::string refusal(const wire::v1::UpdateBody& body) {
    const auto parts = read(body);
    return parts ? "fine" : std::string(parts.error().sqlstate).append(" ").append(parts.error().message);
  }

  std::string refusal(uint32_t assigned, const wire::v1::Expression& value) {
    wire::v1::UpdateBody body;
    wire::v1::Assignment* assignment = body.add_parts()->mutable_modify()->add_assignments();
    assignment->set_column(assigned);
    *assignment->mutable_value() = value;
    return refusal(body);
  }

  /// The one assignment that is expected to be fine.
  Assignment assigned(uint32_t position, const wire::v1::Expression& value) {
    wire::v1::UpdateBody body;
    wire::v1::Assignment* assignment = body.add_parts()->mutable_modify()->add_assignments();
    assignment->set_column(position);
    *assignment->mutable_value() = value;
    const auto parts = read(body);
    EXPECT_TRUE(parts.has_value()) << parts.error().message;
    return parts ? std::get<ModifyPart>((*parts)[0]).assignments[0] : Assignment{};
  }

  wire::v1::Expression plus(uint32_t position, const wire::v1::Expression& value) {
    return call(wire::v1::OPERATOR_ADD, column(position), value);
  }
  wire::v1::Expression minus(uint32_t position, const wire::v1::Expression& value) {
    return call(wire::v1::OPERATOR_SUBTRACT, column(position), value);
  }

  PlacementColumns placement_;
  std::string bytes_;
};

TEST_F(UpdateTest, ReadsAllKindsOfPartsAndBorrowsRows) {
  wire::v1::UpdateBody body;
  add_insert(body, row(1) + row(2, std::string("abc")), 2, 0);
  *body.add_parts()->mutable_delete_()->mutable_filter() = equals(kId, 5);
  add_insert(body, row(3), 1, 2);
  body.add_parts()->mutable_delete_();
  const auto parts = read(body);
  ASSERT_TRUE(parts.has_value()) << parts.error().message;
  ASSERT_EQ(parts->size(), 4u);
  const auto& insert = std::get<InsertPart>((*parts)[0]);
  EXPECT_EQ(insert.row_count, 2u);
  EXPECT_EQ(insert.rows, row(1) + row(2, std::string("abc")));
  EXPECT_TRUE(insert.rows.data() >= bytes_.data() && insert.rows.data() < bytes_.data() + bytes_.size());
  EXPECT_EQ(std::get<InsertPart>((*parts)[2]).first_ordinal, 2u);
  EXPECT_EQ(std::get<DeletePart>((*parts)[1]).predicate.clauses.size(), 1u);
  EXPECT_TRUE(std::get<DeletePart>((*parts)[3]).predicate.clauses.empty());
}

TEST_F(UpdateTest, RefusesRowsThatDoNotFitAndSaysWhich) {
  wire::v1::UpdateBody body;
  add_insert(body, row(1) + row(2, std::string("too long")), 2, 0);
  EXPECT_EQ(refusal(body), "22001 row 2: value too long for column \"name\" of type character varying(5)");
  body.add_parts()->mutable_delete_();
  EXPECT_EQ(refusal(body), "22001 part 1: row 2: value too long for column \"name\" of type character varying(5)");
  body.Clear();
  add_insert(body, row(1, Value(), Value()), 1, 0);
  EXPECT_EQ(refusal(body), "23502 null value in column \"small\" violates not-null constraint");
}

TEST_F(UpdateTest, RefusesWrongCountsAndOrdinals) {
  wire::v1::UpdateBody body;
  EXPECT_EQ(refusal(body).substr(0, 5), "08P01");
  add_insert(body, row(1), 2, 0);
  EXPECT_EQ(refusal(body), "08P01 an insert of 1 rows says it has 2");
  body.mutable_parts(0)->mutable_insert()->set_row_count(1);
  EXPECT_EQ(refusal(body), "fine");
  add_insert(body, row(2), 1, 2);
  EXPECT_EQ(refusal(body), "08P01 part 2: rows are numbered from 2 instead of 1");
  body.Clear();
  add_insert(body, "", 0, 0);
  EXPECT_EQ(refusal(body).substr(0, 5), "08P01");
  body.Clear();
  add_insert(body, row(1).substr(0, 7), 1, 0);
  EXPECT_EQ(refusal(body).substr(0, 5), "08P01");
  body.Clear();
  body.add_parts();
  EXPECT_EQ(refusal(body).substr(0, 5), "08P01");
}

TEST_F(UpdateTest, RefusesTooManyRowsAndBytes) {
  std::string rows;
  for (uint32_t i = 0; i <= kUpdateRowsMax; ++i) {
    rows += row(1);
  }
  wire::v1::UpdateBody body;
  add_insert(body, rows, kUpdateRowsMax + 1, 0);
  EXPECT_EQ(refusal(body).substr(0, 5), "54000");
  body.Clear();
  add_insert(body, rows.substr(row(1).size()), kUpdateRowsMax, 0);
  EXPECT_EQ(refusal(body), "fine");
  body.Clear();
  add_insert(body, std::string(kUpdateBytesMax, 'x'), 1, 0);
  EXPECT_EQ(refusal(body).substr(0, 5), "54000");
}

TEST_F(UpdateTest, RefusesBytesThatSayThingsTwiceOrAreUnknown) {
  wire::v1::UpdateBody body;
  add_insert(body, row(1), 1, 0);
  const std::string good = body.SerializeAsString();
  const auto code = [&](const std::string& bytes) {
    const auto parts = to_update(schema_, {}, bytes);
    return parts ? std::string("fine") : parts.error().sqlstate;
  };
  EXPECT_EQ(code(good), "fine");
  EXPECT_EQ(code(good + "\x10\x01"), "08P01");                // An unknown field of the body.
  EXPECT_EQ(code(good + "\x08\x01"), "08P01");                // Parts that are a number.
  EXPECT_EQ(code(good.substr(0, good.size() - 1)), "08P01");  // Cut short.
  for (size_t cut = 1; cut < good.size(); ++cut) {
    EXPECT_EQ(code(good.substr(0, cut)), "08P01") << cut;
  }
  wire::v1::InsertPart insert = body.parts(0).insert();
  const std::string doubled = insert.SerializeAsString() + insert.SerializeAsString();
  const auto wrap = [](char tag, const std::string& inner) {
    std::string bytes(1, tag);
    size_t size = inner.size();
    for (; size >= 0x80; size >>= 7) {
      bytes.push_back(static_cast<char>((size & 0x7f) | 0x80));
    }
    bytes.push_back(static_cast<char>(size));
    return bytes.append(inner);
  };
  EXPECT_EQ(code(wrap('\x0a', wrap('\x0a', insert.SerializeAsString()))), "fine");
  EXPECT_EQ(code(wrap('\x12', wrap('\x0a', insert.SerializeAsString()))), "08P01");  // Another field of the body.
  EXPECT_EQ(code(wrap('\x0a', wrap('\x0a', doubled))), "08P01");
}

TEST_F(UpdateTest, SetsConstantsInTheColumnsDomain) {
  EXPECT_EQ(assigned(kSmall, constant({TypeKind::kBigint}, "7")).value, Value(int64_t{7}));
  EXPECT_EQ(assigned(kPrice, constant({TypeKind::kInt}, "7")).value, Value(Decimal{700, 2}));
  EXPECT_EQ(assigned(kPrice, constant({TypeKind::kVarchar}, "1.005")).value, Value(Decimal{101, 2}));
  EXPECT_EQ(assigned(kName, null({TypeKind::kVarchar})).value, Value());
  EXPECT_EQ(refusal(kSmall, constant({TypeKind::kInt}, "40000")), "22003 column \"small\": smallint out of range");
  EXPECT_EQ(refusal(kSmall, null({TypeKind::kInt})),
            "23502 null value in column \"small\" violates not-null constraint");
  EXPECT_EQ(refusal(kName, constant({TypeKind::kVarchar}, "abcdef")),
            "22001 column \"name\": value too long for type character varying(5)");
  EXPECT_EQ(refusal(kFlag, constant({TypeKind::kInt}, "1")),
            "42804 column \"flag\": a value of type integer cannot be assigned to type boolean");
  EXPECT_EQ(refusal(99, constant({TypeKind::kInt}, "1")).substr(0, 5), "42703");
}

TEST_F(UpdateTest, ComputesWhatIsOfATypeThatTheColumnTakes) {
  const Assignment computed = assigned(kId, column(kSmall));
  EXPECT_EQ(computed.kind, Assignment::Kind::kCompute);
  ASSERT_NE(computed.expression, nullptr);
  EXPECT_EQ(*computed.expression, semantics::column_of(schema_, kSmall));
  EXPECT_EQ(refusal(kFlag, column(kSmall)),
            "42804 column \"flag\" is of type boolean but expression is of type smallint");
  EXPECT_EQ(refusal(kId, column(99)), "42703 column \"id\": there is no column at position 99 in table \"items\"");
}

TEST_F(UpdateTest, AddsWhatTheColumnCanHold) {
  const Assignment added = assigned(kSmall, plus(kSmall, constant({TypeKind::kInt}, "5")));
  EXPECT_EQ(added.kind, Assignment::Kind::kAdd);
  EXPECT_EQ(added.value, Value(int64_t{5}));
  EXPECT_EQ(assigned(kSmall, minus(kSmall, constant({TypeKind::kInt}, "5"))).value, Value(int64_t{-5}));
  EXPECT_EQ(assigned(kSmall, call(wire::v1::OPERATOR_ADD, constant({TypeKind::kInt}, "5"), column(kSmall))).value,
            Value(int64_t{5}));
  EXPECT_EQ(assigned(kPrice, minus(kPrice, constant({TypeKind::kNumeric}, "1.500"))).value, Value(Decimal{-150, 2}));
  EXPECT_EQ(assigned(kPrice, plus(kPrice, constant({TypeKind::kInt}, "3"))).value, Value(Decimal{300, 2}));
  EXPECT_EQ(assigned(kDay, minus(kDay, constant({TypeKind::kInt}, "3"))).value, Value(int64_t{-3}));
  EXPECT_EQ(assigned(kSpeed, minus(kSpeed, constant({TypeKind::kNumeric}, "0.1"))).value, Value(-0.1));
  EXPECT_EQ(assigned(kDay, plus(kDay, constant({TypeKind::kVarchar}, "3"))).value, Value(int64_t{3}));
  const Assignment nothing = assigned(kPrice, plus(kPrice, null({TypeKind::kInt})));
  EXPECT_EQ(nothing.kind, Assignment::Kind::kSet);
  EXPECT_EQ(nothing.value, Value());
  EXPECT_EQ(refusal(kSmall, plus(kSmall, null({TypeKind::kInt}))).substr(0, 5), "23502");
}

TEST_F(UpdateTest, RefusesArithmeticThatItDoesNotKnow) {
  EXPECT_EQ(refusal(kPrice, plus(kPrice, constant({TypeKind::kNumeric}, "1.005"))),
            "0A000 1.005 has more fractional digits than column \"price\" of type numeric(5,2)");
  EXPECT_EQ(refusal(kPrice, plus(kPrice, constant({TypeKind::kNumeric}, "1000"))).substr(0, 5), "22003");
  EXPECT_EQ(refusal(kPrice, plus(kPrice, constant({TypeKind::kDouble}, "1"))).substr(0, 5), "0A000");
  EXPECT_EQ(refusal(kSmall, plus(kSmall, constant({TypeKind::kNumeric}, "1.5"))).substr(0, 5), "0A000");
  EXPECT_EQ(refusal(kSmall, plus(kSmall, constant({TypeKind::kInt}, "40000"))),
            "22003 the constant added to column \"small\" is out of range for type smallint");
  EXPECT_EQ(refusal(kFlag, plus(kFlag, constant({TypeKind::kInt}, "1"))),
            "42883 operator does not exist: boolean + integer");
  EXPECT_EQ(refusal(kAt, plus(kAt, constant({TypeKind::kInt}, "1"))),
            "42883 operator does not exist: timestamp without time zone + integer");
  EXPECT_EQ(refusal(kName, minus(kName, constant({TypeKind::kInt}, "1"))).substr(0, 5), "42883");
  EXPECT_EQ(refusal(kDay, plus(kDay, constant({TypeKind::kNumeric}, "1"))).substr(0, 5), "42883");
  EXPECT_EQ(refusal(kSmall, plus(kId, constant({TypeKind::kInt}, "1"))).substr(0, 5), "0A000");
  EXPECT_EQ(
      refusal(kSmall, call(wire::v1::OPERATOR_SUBTRACT, constant({TypeKind::kInt}, "1"), column(kSmall))).substr(0, 5),
      "0A000");
  EXPECT_EQ(refusal(kSmall, equals(kSmall, 1)).substr(0, 5), "0A000");
}

TEST_F(UpdateTest, RefusesPlacementColumnsAndDoubleAssignments) {
  placement_ = {{kId}, {kName}};
  EXPECT_EQ(refusal(kId, constant({TypeKind::kInt}, "1")),
            "0A000 column \"id\" decides where a row is stored and cannot be updated");
  EXPECT_EQ(refusal(kName, null({TypeKind::kVarchar})).substr(0, 5), "0A000");
  wire::v1::UpdateBody body;
  for (int i = 0; i < 2; ++i) {
    wire::v1::Assignment* assignment = body.add_parts()->mutable_modify()->add_assignments();
    assignment->set_column(kSmall);
    *assignment->mutable_value() = constant({TypeKind::kInt}, "1");
  }
  EXPECT_EQ(refusal(body), "fine");
  *body.mutable_parts(0)->mutable_modify()->add_assignments() = body.parts(1).modify().assignments(0);
  EXPECT_EQ(refusal(body), "42601 part 1: multiple assignments to same column \"small\"");
  body.Clear();
  body.add_parts()->mutable_modify();
  EXPECT_EQ(refusal(body).substr(0, 5), "08P01");
}

}  // namespace
}  // namespace daedalus::contract
