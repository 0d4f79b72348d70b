// Options of COPY as PostgreSQL 15 takes them.
//
// Decides which go together, and what is said of those that do not. Refuses to know the table: lists of columns are
// names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client_encoding.hpp"
#include "daedalus/aggregator/copy_statement.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

enum class CopyFormat : uint8_t { kText, kCsv, kBinary };

/// Columns that an option is for.
struct CopyColumns {
  bool is_all = false;
  std::vector<std::string> names;

  [[nodiscard]] bool has_any() const { return is_all || !names.empty(); }
};

struct CopyOptions {
  CopyFormat format = CopyFormat::kText;
  std::optional<ClientEncoding> encoding;  ///< Nothing: the client's.
  char delimiter = '\t';
  std::string null_text = "\\N";
  bool has_header = false;
  bool checks_header = false;  ///< HEADER MATCH.
  char quote = '"';
  char escape = '"';
  bool is_freeze = false;
  CopyColumns force_quote;
  CopyColumns force_not_null;
  CopyColumns force_null;
};

/// Errors: 42601, 22023 and 0A000 with PostgreSQL's words, with the option's position where PostgreSQL tells one; 0A000
/// an encoding that clients may not have either.
[[nodiscard]] Result<CopyOptions> read_copy_options(const aggregator::CopyStatement& copy);

}  // namespace daedalus::postgres
