// The text that statements share which differ in nothing but literals.
//
// Decides which literals may be parameters: whole numbers and plain strings that are compared with something. Refuses
// to know what they are compared with: whether values change anything is seen when the shared text is compiled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/wire/v1/values.pb.h"

namespace daedalus::aggregator::sql {

struct SharedText {
  std::string text;                            ///< With $1, $2, … in the places of literals.
  std::vector<wire::v1::Constant> parameters;  ///< The literals, as compiling would read them.
};

/// Longer texts are not looked at.
constexpr size_t kSharedTextSizeMax = 16u << 10;

/// Nothing for what is no SELECT, has parameters of its own, or no such literal. Cost: one pass over the tokens.
[[nodiscard]] std::optional<SharedText> share_literals(std::string_view sql);

}  // namespace daedalus::aggregator::sql
