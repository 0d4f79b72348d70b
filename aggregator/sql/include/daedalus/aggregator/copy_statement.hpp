// COPY as PostgreSQL's grammar reads it: what is copied where, and which options were given.
//
// Decides nothing about options, tables and columns: their names are as they stand there. Whoever carries the statement
// out says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator {

/// Most bytes of a COPY: it is parsed where it is asked for, and a query of this size takes a millisecond.
constexpr size_t kCopyTextSizeMax = 64u << 10;

/// One option of COPY or EXPLAIN, of the old syntax or of the new one.
struct StatementOption {
  enum class Kind : uint8_t { kNone, kText, kNumber, kStar, kNames };
  std::string name;
  Kind kind = Kind::kNone;
  std::string text;                ///< A word, a string, a number, or * as it stands there.
  std::vector<std::string> names;  ///< The members of a list.
  uint32_t position = 0;           ///< Character of the text, from 1.
};

struct CopyStatement {
  std::string database;  ///< Empty: none was named.
  std::string schema;    ///< Empty: none was named.
  std::string table;     ///< Empty: a query is copied.
  std::vector<std::string> columns;
  std::string query;           ///< Its text, without the parentheses.
  uint32_t query_at = 0;       ///< Characters before it.
  bool is_query_read = false;  ///< It is a SELECT or VALUES.
  bool is_from = false;
  bool is_program = false;
  std::optional<std::string> file;  ///< Or the program; none: the client.
  bool has_where = false;
  uint32_t where_position = 0;  ///< Character of WHERE, from 1.
  std::vector<StatementOption> options;
};

/// Errors: 42601 syntax, with its position; 54000 longer than kCopyTextSizeMax; 54001 too complex; 22021 not UTF-8.
/// Cost: of PostgreSQL's parser, microseconds but for a long query. Thread-safe.
[[nodiscard]] Result<CopyStatement> read_copy(std::string_view text);

}  // namespace daedalus::aggregator
