// What a session is in the middle of: a message of several statements, a block, a login, an EXECUTE.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/semantics/types.hpp"
#include "frontend.hpp"
#include "portal.hpp"
#include "savepoints.hpp"
#include "scram.hpp"
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

/// A login under way.
struct LoginRun {
  StartupMessage message;
  std::optional<ScramExchange> exchange;  ///< Once a password is needed.
  bool is_mock = false;                   ///< There is no such user; nobody is told.
  bool has_begun = false;                 ///< The client's first message has come.
  ScramExchange::Outcome outcome;         ///< Once its final one has.
  Instant told_at{};
};

}  // namespace daedalus::postgres
