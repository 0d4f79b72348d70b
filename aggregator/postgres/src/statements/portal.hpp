// What a session keeps of statements that run, with what has come of their answers.
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
#include "prepared_statements.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// What the catalogue has given, and how much of it the client has.
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
  uint64_t sequence = 0;  ///< Of its operation, while that is in flight.
  std::shared_ptr<const RowEncoder> encoder;
  Fifo<std::pair<std::string, uint32_t>> rows;  ///< That wait for an Execute, and how many.
  bool has_ended = false;
  std::optional<Failure> failure;
  std::shared_ptr<CopyOut> copy_out = nullptr;  ///< Of a COPY … TO STDOUT that runs.
  std::optional<uint32_t> inserted;             ///< Of an INSERT whose RETURNING gives the rows: for its tag.
  std::unique_ptr<Cursor> cursor;               ///< Its rows are there, not in `rows`.
  std::optional<FetchRun> fetch;                ///< Of a FETCH or MOVE that has begun.
  std::unique_ptr<catalogue::Statement> asked;  ///< Of the catalogue: parameters and formats, as they were bound.
  std::unique_ptr<CatalogueRows> catalogue;     ///< Once it has answered.
  bool is_first_query = false;                  ///< Of its block.
  bool is_cancelled = false;
  size_t level = 0;  ///< How many savepoints there were when it was made.

  /// What the core is asked.
  [[nodiscard]] const std::string& sql() const { return copy_out != nullptr ? copy_out->sql() : statement->sql; }
};

}  // namespace daedalus::postgres
