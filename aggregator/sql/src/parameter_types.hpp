// What the places of a statement's parameters ask of their types, while the statement is described without values.
//
// Decides as PostgreSQL does: a parameter has the type that the client declared; of one of undeclared type the first
// place that asks gives a parameter its type, which it then has in every later place. Refuses to know places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/semantics/types.hpp"

namespace daedalus::aggregator::sql {

/// The highest number of a parameter: PostgreSQL's protocol counts them in 16 bits.
constexpr int32_t kParametersMax = UINT16_MAX;

class ParameterTypes {
 public:
  struct Parameter {
    int32_t location = -1;  ///< Where it was seen first: a byte offset in the text.
    std::optional<semantics::TypeKind> kind;
    bool is_array = false;  ///< Of such.
  };

  ParameterTypes() = default;
  /// What the client declares $1, $2, ... to be, before any place asks; nothing where it leaves that to the places.
  explicit ParameterTypes(std::span<const std::optional<semantics::TypeKind>> declared)
      : declared_(declared.begin(), declared.end()) {}

  /// The parameter stands at this place. Precondition: 1 <= number <= kParametersMax.
  const Parameter& see(int32_t number, int32_t location) {
    const auto [seen, is_new] = seen_.try_emplace(number, location);
    if (const auto index = static_cast<size_t>(number) - 1; is_new && index < declared_.size()) {
      seen->second.kind = declared_[index];
    }
    return seen->second;
  }
  /// A place asks for this type; ignored when an earlier one has asked. Precondition: it was seen.
  void ask(int32_t number, semantics::TypeKind kind) {
    if (auto& known = seen_.at(number).kind; !known) {
      known = kind;
    }
  }
  /// A place asks for an array of them.
  void ask_array(int32_t number, semantics::TypeKind kind) {
    ask(number, kind);
    seen_.at(number).is_array = true;
  }
  /// By number, ascending; numbers that the statement does not use are missing.
  [[nodiscard]] const std::map<int32_t, Parameter>& seen() const { return seen_; }

 private:
  std::vector<std::optional<semantics::TypeKind>> declared_;
  std::map<int32_t, Parameter> seen_;  ///< Bounded by the text.
};

}  // namespace daedalus::aggregator::sql
