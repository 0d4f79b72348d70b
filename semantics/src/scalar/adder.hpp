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
    functions_.push_back({FunctionId{next_++}, name, true, std::move(arguments), result, evaluate, can_fail, type});
  }
  void add(std::string_view name, std::vector<TypeKind> arguments, TypeKind result, ScalarFunction::Evaluate evaluate,
           ScalarFunction::ResultType type = nullptr, bool can_fail = true) {
    functions_.push_back({FunctionId{next_++}, name, false, std::move(arguments), result, evaluate, can_fail, type});
  }
  /// An overload that PostgreSQL has, so that no other one is taken for it; it is refused by name.
  void refuse(std::string_view name, std::vector<TypeKind> arguments, TypeKind result) {
    add(name, std::move(arguments), result, nullptr);
  }

 private:
  Functions& functions_;
  uint16_t next_ = 0;
};

}  // namespace daedalus::semantics::scalar
