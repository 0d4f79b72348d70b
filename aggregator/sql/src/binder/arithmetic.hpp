// Sums and differences of constants, with PostgreSQL's result types and overflows; and comparing them.
#pragma once

#include "constant.hpp"
#include "daedalus/semantics/expression.hpp"

namespace daedalus::aggregator::sql {

enum class Sign : uint8_t { kPlus, kMinus };

/// +x or −x. Errors: 42883 not a number, 22003.
[[nodiscard]] Result<Constant> apply_sign(const Scope& scope, Sign sign, const Constant& operand, int32_t location);

/// left + right or left − right, for numbers, and days on dates. `location` is the operator's.
/// Errors: 42883 no such operator, 42725 both untyped, 22003, 22008.
[[nodiscard]] Result<Constant> add(const Scope& scope, const Constant& left, Sign sign, const Constant& right,
                                   int32_t location);

/// The comparison of this sign; nothing for any other operator.
[[nodiscard]] std::optional<semantics::Operator> comparison_of(std::string_view sign);

/// left op right, op being kEqual .. kGreaterOrEqual; nothing when it is NULL. Errors: 42883, those of parse_text().
[[nodiscard]] Result<std::optional<bool>> compare_constants(const Scope& scope, semantics::Operator op,
                                                            const Constant& left, const Constant& right,
                                                            int32_t location);

}  // namespace daedalus::aggregator::sql
