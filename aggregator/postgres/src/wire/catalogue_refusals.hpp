// The session refuses some statements over the catalogue, and finds out which refusals may be about it.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// Returns whether a statement with this error may be one over the catalogue, where its names are known.
[[nodiscard]] bool may_be_of_catalogue(const Error& error);

/// Returns the refusal of `what` over the catalogue: it runs SELECT alone.
[[nodiscard]] Error catalogue_refusal(std::string_view what);

}  // namespace daedalus::postgres
