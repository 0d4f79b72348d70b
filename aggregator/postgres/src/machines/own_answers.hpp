// Answers that a session gives itself: SHOW, EXPLAIN, and functions that only it can answer.
//
// Decides their columns and values. Refuses to know how an answer is sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "block.hpp"
#include "command.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::postgres {

using OwnRow = std::vector<semantics::Value>;

/// The columns of such a statement; none of another.
[[nodiscard]] std::vector<semantics::Column> columns_of(const Command& command);

/// Functions tell this of a session.
struct SessionFacts {
  std::string_view database;
  std::string_view user;
  uint32_t process_id = 0;
};
/// Carries out set_config(), too. Errors: those of Settings.
[[nodiscard]] Result<semantics::Value> value_of(const SessionQuery::Item& item, const SessionFacts& facts,
                                                Block& block);
/// Returns the rows of SHOW ALL.
[[nodiscard]] std::vector<OwnRow> all_settings(const Block& block);

}  // namespace daedalus::postgres
