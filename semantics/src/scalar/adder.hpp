// How a family lists its functions.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "families.hpp"

namespace daedalus::semantics::scalar {

/// Ids follow each other from where start() puts them.
class Adder {
 public:
  explicit Adder(Functions& functions) : functions_(functions) {}

  void start(uint16_t id) { next_ = id; }
  void add_operator(std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                    ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type = nullptr,
                    bool can_fail = true) {
    push(name, true, std::move(arguments), result, evaluate, type, can_fail);
  }
  void add(std::string_view name, std::vector<TypeKind> arguments, TypeKind result, ScalarFunction::Evaluate evaluate,
           ScalarFunction::ResultType type = nullptr, bool can_fail = true) {
    push(name, false, std::move(arguments), result, evaluate, type, can_fail);
  }
  /// A function that also takes NULLs and, behind its arguments, values of any kinds.
  void add_any(std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
               ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type, bool is_stable) {
    push(name, false, std::move(arguments), result, evaluate, type, true);
    functions_.back().takes_any = true;
    functions_.back().takes_nulls = true;
    functions_.back().is_stable = is_stable;
  }
  /// The one added last is stable in PostgreSQL.
  void is_stable() { functions_.back().is_stable = true; }
  /// The one added last makes NULL of some arguments that are not NULL.
  void may_be_null() { functions_.back().may_be_null = true; }
  /// The one added last is asked about NULLs, too.
  void takes_nulls() { functions_.back().takes_nulls = true; }
  /// What is added from here on stands behind something that users write, and is not listed with it.
  void start_helpers(uint16_t id) {
    start(id);
    are_helpers_ = true;
  }
  /// The one added last takes a time zone at this place.
  void takes_zone(int8_t place, bool or_offset = false) {
    functions_.back().zone_place = place;
    functions_.back().zone_may_be_offset = or_offset;
  }
  /// The entry of this name without the zone, which is its last argument, in sessions of other zones than UTC.
  void add_at_zone(std::string_view name, bool is_operator, std::vector<TypeKind> arguments, TypeKind result,
                   ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type = nullptr) {
    push(name, is_operator, std::move(arguments), result, evaluate, type, true);
    functions_.back().is_stable = true;
    functions_.back().is_at_zone = true;
  }
  /// An overload that PostgreSQL has, so that no other one is taken for it; it is refused by name.
  void refuse(std::string_view name, std::vector<TypeKind> arguments, TypeKind result) {
    add(name, std::move(arguments), result, nullptr);
  }

 private:
  void push(std::string_view name, bool is_operator, std::vector<TypeKind> arguments, TypeKind result,
            ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type, bool can_fail) {
    ScalarFunction& made = functions_.emplace_back();
    made.id = FunctionId{next_++};
    made.name = name;
    made.is_operator = is_operator;
    made.arguments = std::move(arguments);
    made.result = result;
    made.evaluate = evaluate;
    made.can_fail = can_fail;
    made.result_type = type;
    made.is_helper = are_helpers_;
  }

  Functions& functions_;
  uint16_t next_ = 0;
  bool are_helpers_ = false;
};

}  // namespace daedalus::semantics::scalar
