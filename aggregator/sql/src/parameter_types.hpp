// What the places of a statement's parameters ask of their types, while the statement is described without values.
//
// Decides as PostgreSQL does for parameters of undeclared type: the first place that asks gives a parameter its type,
// which it then has in every later place. Refuses to know places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "daedalus/semantics/types.hpp"

namespace daedalus::aggregator::sql {

/// The highest number of a parameter: PostgreSQL's protocol counts them in 16 bits.
constexpr int32_t kParametersMax = UINT16_MAX;

class ParameterTypes {
 public:
  struct Parameter {
    int32_t location = -1;  ///< Where it was seen first: a byte offset in the text.
    std::optional<semantics::TypeKind> kind;
  };

  /// The parameter stands at this place. Precondition: 1 <= number <= kParametersMax.
  const Parameter& see(int32_t number, int32_t location) { return seen_.try_emplace(number, location).first->second; }
  /// A place asks for this type; ignored when an earlier one has asked. Precondition: it was seen.
  void ask(int32_t number, semantics::TypeKind kind) {
    if (auto& known = seen_.at(number).kind; !known) {
      known = kind;
    }
  }
  /// By number, ascending; numbers that the statement does not use are missing.
  [[nodiscard]] const std::map<int32_t, Parameter>& seen() const { return seen_; }

 private:
  std::map<int32_t, Parameter> seen_;  ///< Bounded by the text.
};

}  // namespace daedalus::aggregator::sql
