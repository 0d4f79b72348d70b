// SQL's three truth values over typed constants.
#pragma once

#include <cstdint>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/expression.hpp"

namespace daedalus::semantics {

enum class Truth : uint8_t { kFalse, kUnknown, kTrue };

/// Evaluates a comparison, list, prefix or NULL test whose arguments are all constants. Errors: 42883, those of
/// parse_text(), 22003.
[[nodiscard]] Result<Truth> evaluate_constants(const Expression& leaf);

}  // namespace daedalus::semantics
