// What a session is in the middle of: a message of several statements, a block, an EXECUTE.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/semantics/types.hpp"
#include "portal.hpp"
#include "savepoints.hpp"
#include "settings.hpp"

namespace daedalus::postgres {

/// An EXECUTE that waits for its values, which the aggregator computes.
struct ExecuteValues {
  uint64_t sequence = 0;
  std::shared_ptr<const Prepared> statement;
  std::vector<semantics::Type> types;  ///< As they come.
  std::string row;
  uint32_t rows_max = 0;
};

/// The texts of one Query message, and how far it has come.
struct SimpleRun {
  std::shared_ptr<const std::string> text;
  TextPieces pieces;
  size_t next = 0;
};

/// Of BEGIN to COMMIT or ROLLBACK.
struct Block {
  BlockState state = BlockState::kIdle;
  bool is_repeatable = false;
  bool is_read_only = false;
  bool has_queried = false;
  Settings::Values values;                                   ///< When it began.
  std::map<std::string, std::optional<std::string>> locals;  ///< What SET LOCAL replaced.
  Savepoints savepoints;
};

}  // namespace daedalus::postgres
