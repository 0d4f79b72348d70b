// A Bind message becomes a portal's parameters, and a format for each column that it gives.
#pragma once

#include <cstddef>
#include <string>

#include "daedalus/base/result.hpp"
#include "frontend.hpp"
#include "portal.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// Errors: 08P01 there are more or fewer parameters than the statement has.
[[nodiscard]] Result<void> check_parameter_count(const BindMessage& message, const Prepared& statement);

/// Binds a portal of a statement that is not the catalogue's, and gives so many columns. Errors: those of
/// read_parameter() and formats_of(); `context` is PostgreSQL's CONTEXT of it then, where it has one.
[[nodiscard]] Result<void> bind_parameters(const BindMessage& message, size_t column_count, const ValueStyle& style,
                                           Portal& portal, std::string& context);
/// Binds a portal of the catalogue's. Errors: those of formats_of().
[[nodiscard]] Result<void> bind_catalogue(const BindMessage& message, Portal& portal);

}  // namespace daedalus::postgres
