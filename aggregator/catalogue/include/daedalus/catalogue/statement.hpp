// The question that the catalogue is asked, and its answer: a statement that PostgreSQL itself runs.
//
// Refuses to know what a statement means: its text, its parameters and its answer pass through as PostgreSQL's protocol
// has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::catalogue {

/// Most bytes of an answer's rows.
constexpr size_t kAnswerBytesMax = 16u << 20;

struct Statement {
  std::string sql;
  std::string user;                       ///< Who asks; each may have a share of the connections.
  std::vector<uint32_t> parameter_types;  ///< OIDs; 0: PostgreSQL is to find out.
  /// The settings of the client's session, each as SET would take it.
  std::vector<std::pair<std::string, std::string>> settings;
  int64_t timeout_ns = 0;
  bool is_elsewhere = false;       ///< It runs in the database without a table.
  bool is_described_only = false;  ///< Nothing is executed, and what is below does not matter.
  std::vector<std::optional<std::string>> parameters;
  std::vector<int16_t> parameter_formats;
  std::vector<int16_t> result_formats;
};

struct Answer {
  std::vector<uint32_t> parameter_types;  ///< OIDs, of one that was described only.
  std::string columns;                    ///< Body of a RowDescription; empty: it gives no rows.
  std::string rows;                       ///< Whole DataRow messages.
  std::string tag;                        ///< The tag of CommandComplete; empty: the text was.
};

struct Failure {
  Error error;
  std::string detail;
};

using Outcome = std::variant<Answer, Failure>;

/// How many columns a RowDescription's body has; 0 for an empty one.
[[nodiscard]] size_t column_count(const std::string& columns);
/// Returns the same body with these formats: one for each column.
[[nodiscard]] std::string with_formats(std::string columns, std::span<const int16_t> formats);
/// Takes up to `count` whole DataRow messages off the front of `rows`, from `begin` on: where they end. `count` becomes
/// how many they are.
[[nodiscard]] size_t end_of_rows(const std::string& rows, size_t begin, uint64_t& count);

}  // namespace daedalus::catalogue
