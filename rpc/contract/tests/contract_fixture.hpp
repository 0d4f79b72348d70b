// One small table for the contract's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "random_values.hpp"

namespace daedalus::contract {

class ContractTest : public ::testing::Test {
 protected:
  enum : uint32_t { kId, kName, kPrice, kFlag, kDay, kSpeed, kSmall, kAt };

  ContractTest() {
    using semantics::TypeKind;
    schema_.table_name = "items";
    schema_.columns = {{"id", {TypeKind::kInt}, false, {}},
                       {"name", {TypeKind::kVarchar, 0, 0, 5}, true, {}},
                       {"price", {TypeKind::kNumeric, 5, 2}, true, {}},
                       {"flag", {TypeKind::kBool}, true, {}},
                       {"day", {TypeKind::kDate}, true, {}},
                       {"speed", {TypeKind::kReal}, true, {}},
                       {"small", {TypeKind::kSmallint}, false, {}},
                       {"at", {TypeKind::kTimestamp}, true, {}},
                       {"clock", {TypeKind::kTime}, true, {}},
                       {"tag", {TypeKind::kUuid}, true, {}}};
  }

  static wire::v1::Expression constant(const semantics::Type& type, std::string_view text) {
    wire::v1::Expression made;
    const Result<semantics::Value> value = semantics::parse_text(type, text);
    EXPECT_TRUE(value) << text;
    *made.mutable_constant() = from_value(type, *value);
    return made;
  }

  static wire::v1::Expression null(const semantics::Type& type) {
    wire::v1::Expression made;
    *made.mutable_constant() = from_value(type, semantics::Value());
    return made;
  }

  static wire::v1::Expression column(uint32_t position) {
    wire::v1::Expression made;
    made.set_column(position);
    return made;
  }

  static wire::v1::Expression call(wire::v1::Operator op, const wire::v1::Expression& left,
                                   const wire::v1::Expression& right) {
    wire::v1::Expression made;
    made.mutable_call()->set_operator_(op);
    *made.mutable_call()->add_arguments() = left;
    *made.mutable_call()->add_arguments() = right;
    return made;
  }

  static wire::v1::Expression equals(uint32_t position, int64_t value) {
    return call(wire::v1::OPERATOR_EQUAL, column(position),
                constant({semantics::TypeKind::kBigint}, std::to_string(value)));
  }

  semantics::Schema schema_;
};

}  // namespace daedalus::contract
