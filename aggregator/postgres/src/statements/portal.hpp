// A portal is a statement that runs, with what has come of its answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copy_out.hpp"
#include "cursor_rows.hpp"
#include "daedalus/base/fifo.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "failure.hpp"
#include "fetch_run.hpp"
#include "held_moments.hpp"
#include "prepared_statements.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// The catalogue has given this answer, and the client has a part of it.
struct CatalogueRows {
  catalogue::Answer answer;
  size_t begin = 0;
};

/// A portal that DECLARE made.
struct Cursor {
  bool may_go_back = true;
  bool is_binary = false;
  bool is_holdable = false;
  bool is_held = false;                    ///< The transaction that made it is over.
  HeldMoment moment = {};                  ///< Until its whole answer has come, also behind its block's end.
  std::vector<semantics::Column> columns;  ///< As they came.
  CursorRows rows;
};

/// A statement with its parameters, and how far its answer has come.
struct Portal {
  std::shared_ptr<const Prepared> statement;
  std::vector<wire::v1::Constant> parameters;
  size_t parameter_bytes = 0;
  std::vector<int16_t> formats;  ///< As given by Bind, one for each column.
  bool is_simple = false;        ///< Its columns are told when they come.
  bool has_started = false;
  uint64_t sequence = 0;  ///< Its operation's, while that is in flight.
  std::shared_ptr<const RowEncoder> encoder;
  Fifo<std::pair<std::string, uint32_t>> rows;  ///< That wait for an Execute, and how many.
  bool has_ended = false;
  std::optional<Failure> failure;
  std::shared_ptr<CopyOut> copy_out = nullptr;  ///< Its COPY … TO STDOUT, while that runs.
  std::optional<uint32_t> inserted;             ///< The count for the tag of an INSERT whose RETURNING gives the rows.
  std::unique_ptr<Cursor> cursor;               ///< Its rows are there, not in `rows`.
  std::optional<FetchRun> fetch;                ///< Its FETCH or MOVE, once that has begun.
  std::unique_ptr<catalogue::Statement> asked;  ///< The catalogue's parameters and formats, as they were bound.
  std::unique_ptr<CatalogueRows> catalogue;     ///< Once it has answered.
  bool is_first_query = false;                  ///< It is the first of its block.
  bool is_cancelled = false;
  size_t level = 0;  ///< How many savepoints there were when it was made.

  /// The core is asked with this text.
  [[nodiscard]] const std::string& sql() const { return copy_out != nullptr ? copy_out->sql() : statement->sql; }
};

}  // namespace daedalus::postgres
