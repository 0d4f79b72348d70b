// The plain twin of COPY's parsers: all bytes at once, one character after the other, lines that end in a newline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copy_options.hpp"

namespace daedalus::postgres::testing {

/// Rows of fields; and the first mistake, behind which there are none.
struct CopyLinesSeen {
  std::vector<std::vector<std::optional<std::string>>> rows;
  std::string mistake;

  friend bool operator==(const CopyLinesSeen&, const CopyLinesSeen&) = default;
};

/// Precondition: text or CSV; no carriage return, no byte beyond ASCII.
CopyLinesSeen plain_copy(const CopyOptions& options, std::string_view bytes);
/// Splits by the parsers, given so many bytes at a time.
CopyLinesSeen split_copy(const CopyOptions& options, std::string_view bytes, size_t piece);

}  // namespace daedalus::postgres::testing
