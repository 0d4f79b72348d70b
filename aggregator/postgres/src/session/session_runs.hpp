// Runs that a session is in the middle of: a message of several statements, an EXECUTE, an EXPLAIN.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/aggregator/plan.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/semantics/types.hpp"
#include "portal.hpp"

namespace daedalus::postgres {

/// An EXECUTE that waits for its values, which the aggregator computes.
struct ExecuteValues {
  uint64_t sequence = 0;
  std::shared_ptr<const Prepared> statement;
  std::vector<semantics::Type> types;  ///< As they come.
  std::string row;
  uint32_t rows_max = 0;
};

/// An EXPLAIN that waits for what the nodes say of the table's rows.
struct ExplainRun {
  aggregator::Plan plan;
  uint64_t sequence = 0;
};

/// The texts of one Query message, and how far it has come.
struct SimpleRun {
  std::shared_ptr<const std::string> text;
  TextPieces pieces;
  size_t next = 0;
};

}  // namespace daedalus::postgres
