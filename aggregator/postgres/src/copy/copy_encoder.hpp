// Rows as COPY … TO STDOUT shows them: text, CSV or binary, a CopyData message each.
//
// Decides what is escaped and quoted, as PostgreSQL 15 does. Refuses to know when rows come.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copy_options.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// Appends one value of a line. A NULL has no text.
void append_copy_text(const CopyOptions& options, std::string_view text, std::string& out);
/// A value's place in a line of CSV. `is_alone`: the line has no other value.
struct CsvPlace {
  bool is_quoted = false;  ///< Whatever it is.
  bool is_alone = false;
};
void append_copy_csv(const CopyOptions& options, std::string_view text, CsvPlace place, std::string& out);

class CopyEncoder final : public RowEncoder {
 public:
  /// Errors: 42703, 42701 and 42P10 of a column that FORCE QUOTE names. `relation`: of whose columns that is said;
  /// empty for those of a query.
  [[nodiscard]] static Result<std::shared_ptr<const CopyEncoder>> make(std::span<const semantics::Column> columns,
                                                                       CopyOptions options, std::string_view relation,
                                                                       ValueStyle style = {});

  /// CopyOutResponse, and the line of names if that was asked for.
  /// Errors: 22P05 a name that the client's encoding does not have.
  [[nodiscard]] Result<void> begin(std::string& out) const;
  /// As encode(), but of the first row: with what the binary format begins with.
  [[nodiscard]] Result<void> encode_first(std::string_view& rows, std::string& out) const;
  /// Appends the end of the format, and CopyDone. `has_begun`: there was a first row.
  void end(bool has_begun, std::string& out) const;

 protected:
  [[nodiscard]] Result<void> append_message(std::string_view row, std::string& out) const override;

 private:
  CopyEncoder(std::span<const semantics::Column> columns, CopyOptions options, ValueStyle style);
  [[nodiscard]] Result<void> force_quotes(std::string_view relation);
  [[nodiscard]] Result<void> append_row(const std::vector<semantics::Value>& values, std::string& out) const;
  void append_line(const std::vector<semantics::Value>& values, std::string& out) const;
  void append_line_value(size_t column, std::string_view text, std::string& out) const;

  const CopyOptions options_;
  std::vector<std::string> names_;
  std::vector<bool> is_quoted_;
};

/// CopyInResponse ('G') or CopyOutResponse ('H').
void append_copy_response(char type, CopyFormat format, size_t column_count, std::string& out);

}  // namespace daedalus::postgres
