// One thing that a client of PostgreSQL's protocol does: what it says, what it has to hear, and what it heard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_messages.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "workload.hpp"

namespace daedalus::testing {

/// How something is asked or written.
enum class ActKind : uint8_t {
  kSimple,    ///< Queries in one message of the simple protocol.
  kExtended,  ///< A query by the extended one.
  kPipeline,  ///< Several, with fewer Syncs than queries.
  kPortal,    ///< A query whose rows are fetched a few at a time.
  kChange,    ///< A write on its own.
  kGroup,     ///< Writes that become one update: up to one Sync, or in one message.
  kBlock,     ///< INSERTs from BEGIN to COMMIT or ROLLBACK.
};

struct ActStatement {
  enum class Kind : uint8_t { kQuery, kInsert, kModify, kCommand, kWrong };

  // ---- what is said ----
  Kind kind = Kind::kQuery;
  std::string sql;
  std::optional<Workload::Query> query;
  std::string tag;                  ///< How it has to end; of a kModify the first word of it.
  std::vector<uint32_t> returning;  ///< Columns that an INSERT gives back.
  std::vector<Row> inserted;
  size_t part = 0;            ///< Which one of the act's update a kModify is.
  std::string sqlstate;       ///< With which a kWrong has to fail.
  bool is_abandoned = false;  ///< Its portal is closed before the end.

  // ---- what has been heard ----
  bool is_asked = false;
  std::optional<std::vector<FieldSeen>> fields;
  std::vector<std::vector<ValueText>> rows;
  uint64_t rows_changed = 0;  ///< By a kModify.
  bool was_suspended = false;
  bool is_complete = false;
  bool was_in_failed_block = false;  ///< When its error came.
  std::optional<ErrorSeen> error;
  Timestamp prefix_promised{};
  Instant asked_at{};
  Instant ended_at{};
};

/// The message that comes next.
struct Expected {
  enum class Kind : uint8_t { kParsed, kBound, kDescribed, kExecuted, kSimple, kClosed, kReady };

  Kind kind = Kind::kReady;
  size_t statement = 0;   ///< The statement that it is of; of none for kReady.
  uint32_t rows_max = 0;  ///< The most rows of kExecuted; 0: all.
};

/// Messages that are sent at once.
struct ActStep {
  std::string bytes;
  std::vector<size_t> statements;  ///< That begin with it.
  std::vector<Expected> expected;
  bool waits = true;     ///< The next step, for all of this.
  bool decides = false;  ///< From here on what is written may take effect.
};

struct Act {
  ActKind kind = ActKind::kSimple;
  std::vector<ActStatement> statements;
  std::vector<ActStep> steps;
  std::optional<uint64_t> submission;  ///< The submission that all its writes together are.
  bool is_rolled_back = false;         ///< In the end, on purpose.
  bool has_bound = false;              ///< Parameters.
  bool has_several_syncs = false;

  // ---- what became of it ----
  rpc::PeerId session{};
  std::string aggregator;
  bool may_be_cancelled = false;  ///< Some request to was under way.
  bool is_decided = false;        ///< See ActStep::decides: that step was said.
  bool is_lost = false;           ///< The connection went first.
};

}  // namespace daedalus::testing
