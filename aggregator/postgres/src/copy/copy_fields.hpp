// A line of COPY's text or CSV format, taken apart into fields.
//
// Decides what escapes and quotes mean, and which fields are NULL. Refuses to know columns and types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copy_options.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// Nothing: NULL.
using CopyField = std::optional<std::string_view>;

/// Kept from line to line, so that no line allocates.
struct CopyFields {
  std::vector<CopyField> fields;
  std::string unescaped;  ///< Fields that do not stand in the line as they are meant.
};

/// Fields are valid as long as the line and `out` are. Errors: 22021 what escapes make is no UTF-8, 22P04 a quote that
/// does not end. Precondition: the format is text or CSV.
[[nodiscard]] Result<void> split_line(const CopyOptions& options, std::string_view line, CopyFields& out);

/// The bytes of the first wrong character as PostgreSQL names them, with its words. Precondition: semantics::
/// is_valid_text() says that there is one.
[[nodiscard]] Error wrong_encoding(std::string_view text);

/// As much of a text as PostgreSQL shows in a context: 100 bytes, whole characters.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace daedalus::postgres
