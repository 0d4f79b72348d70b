// The value that a parameter came with, as a constant of the one type that it has.
#pragma once

#include <optional>

#include "constant.hpp"

namespace daedalus::aggregator::sql {

/// True when the parameter came without a type.
[[nodiscard]] bool is_untyped(const wire::v1::Constant& given);
/// The type that it came with; nothing: it came without, or with none that there is.
[[nodiscard]] std::optional<ParameterKind> declared_by(const wire::v1::Constant& given);

/// `kind`: what the statement makes of a value that comes without a type; nothing: it stays a quoted literal. An array
/// is a text, which parse_array() reads. Errors: 08P01 it is none of its type, and those of parse_text().
[[nodiscard]] Result<Constant> given_constant(const Scope& scope, const wire::v1::Constant& given,
                                              std::optional<ParameterKind> kind);

/// A parameter of a described statement, whose value is not known yet.
[[nodiscard]] Constant constant_without_value(ParameterKind kind);

}  // namespace daedalus::aggregator::sql
