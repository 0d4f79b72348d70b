// How a family lists its functions.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "families.hpp"

namespace daedalus::semantics::scalar {

/// A kind that several functions are there for; `number` is the first one's.
struct NumberedKind {
  uint16_t number;
  TypeKind kind;
};

/// Each entry has a number that its author writes down and that never changes: numbers travel, and are kept in logs.
/// rpc/vectors/language.tsv pins them.
class Adder {
 public:
  explicit Adder(Functions& functions) : functions_(functions) {}

  void add_operator(size_t number, std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                    ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type = nullptr,
                    bool can_fail = true) {
    push(number, name, true, std::move(arguments), result, evaluate, type, can_fail);
  }
  void add(size_t number, std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
           ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type = nullptr, bool can_fail = true) {
    push(number, name, false, std::move(arguments), result, evaluate, type, can_fail);
  }
  /// A function that also takes NULLs and, behind its arguments, values of any kinds.
  void add_any(size_t number, std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
               ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type, bool is_stable) {
    push(number, name, false, std::move(arguments), result, evaluate, type, true);
    functions_.back().takes_any = true;
    functions_.back().takes_nulls = true;
    functions_.back().is_stable = is_stable;
  }
  /// The one added last came with this version of the language, which is not the first one.
  void since(uint16_t version) { functions_.back().since = version; }
  /// The one added last is stable in PostgreSQL.
  void is_stable() { functions_.back().is_stable = true; }
  /// The one added last makes NULL of some arguments that are not NULL.
  void may_be_null() { functions_.back().may_be_null = true; }
  /// The one added last is asked about NULLs, too.
  void takes_nulls() { functions_.back().takes_nulls = true; }
  /// Functions that are added from here on stand behind something that users write, and are not listed with it.
  void start_helpers() { are_helpers_ = true; }
  /// The one added last takes a time zone at this place.
  void takes_zone(int8_t place, bool or_offset = false) {
    functions_.back().zone_place = place;
    functions_.back().zone_may_be_offset = or_offset;
  }
  /// The entry of this name without the zone, which is its last argument, in sessions of other zones than UTC.
  void add_at_zone(size_t number, std::string_view name, bool is_operator, std::vector<TypeKind> arguments,
                   TypeKind result, ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type = nullptr) {
    push(number, name, is_operator, std::move(arguments), result, evaluate, type, true);
    functions_.back().is_stable = true;
    functions_.back().is_at_zone = true;
  }
  /// An overload that PostgreSQL has, so that no other one is taken for it; it is refused by name.
  void refuse(size_t number, std::string_view name, std::vector<TypeKind> arguments, TypeKind result) {
    add(number, name, std::move(arguments), result, nullptr);
  }

 private:
  void push(size_t number, std::string_view name, bool is_operator, std::vector<TypeKind> arguments, TypeKind result,
            ScalarFunction::Evaluate evaluate, ScalarFunction::ResultType type, bool can_fail) {
    ScalarFunction& made = functions_.emplace_back();
    made.id = FunctionId{static_cast<uint16_t>(number)};
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
  bool are_helpers_ = false;
};

}  // namespace daedalus::semantics::scalar
