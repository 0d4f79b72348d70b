// A COPY … TO STDOUT, as its portal has it: what the core is asked, and how rows leave.
//
// Decides which query a table's copy is, where an error of it lies in what the client has sent, and what stands before
// and behind the rows. Refuses to know how the query runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "copy_encoder.hpp"
#include "copy_options.hpp"
#include "daedalus/aggregator/copy_statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"
#include "output.hpp"

namespace daedalus::postgres {

class CopyOut {
 public:
  /// Errors: those of read_copy_options(); 0A000 no query; 42703 and 42701 of columns that are named.
  [[nodiscard]] static Result<std::shared_ptr<CopyOut>> make(const aggregator::CopyStatement& copy,
                                                             const semantics::Schema& schema);

  /// The core is asked with this text.
  [[nodiscard]] const std::string& sql() const { return sql_; }
  /// An error of that text is where it is in the statement, if it is there at all.
  void place(Error& error) const;

  /// Rows of these columns come. Errors: those of CopyEncoder::make().
  [[nodiscard]] Result<std::shared_ptr<const RowEncoder>> begin(const std::vector<semantics::Column>& columns,
                                                                const semantics::Schema& schema, ValueStyle style,
                                                                std::string& out);
  /// Errors: 08P01.
  [[nodiscard]] Result<void> send(std::string rows, Output& output);
  /// All have been sent.
  void end(std::string& out) const;

 private:
  CopyOut(const aggregator::CopyStatement& copy, CopyOptions options);

  std::string sql_;
  uint32_t sql_at_ = 0;  ///< Characters before it in the statement, where it stands in it.
  bool is_table_ = false;
  CopyOptions options_;
  std::shared_ptr<const CopyEncoder> encoder_;  ///< Once columns are known.
  bool has_begun_ = false;                      ///< The first row has left.
};

}  // namespace daedalus::postgres
