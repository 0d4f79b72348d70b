// Logarithms and powers of numerics, digit for digit as PostgreSQL's numeric.c shows them.
//
// Decides how many digits a result has, by PostgreSQL's estimates, and computes it to more than that before it is
// rounded. Refuses to know what an argument may be: callers have checked.
#pragma once

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics::scalar {

/// ln(value). Precondition: value > 0. Cost: some microseconds, growing with the square of the digits.
[[nodiscard]] Decimal natural_logarithm(const Decimal& value);
/// The logarithm of value to a base. Preconditions: both > 0. Error 22012: the base is 1.
[[nodiscard]] Result<Decimal> logarithm_to(const Decimal& base, const Decimal& value);
/// e to the power of value. Error 22003: more digits than a numeric may have.
[[nodiscard]] Result<Decimal> exponential_of(const Decimal& value);
/// base to the power of exponent. Errors: 2201F where there is none, 22003.
[[nodiscard]] Result<Decimal> power_of(const Decimal& base, const Decimal& exponent);

}  // namespace daedalus::semantics::scalar
