// COPY … FROM STDIN makes rows as they will be stored of a client's bytes.
//
// Decides which bytes are which row, what each field is to its column, and what is said of the first thing that is
// wrong. Refuses to know sessions and updates; how many rows go together is told.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "copy_binary.hpp"
#include "copy_fields.hpp"
#include "copy_lines.hpp"
#include "copy_options.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/semantics/types.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// Rows go to these columns.
struct CopyTarget {
  std::shared_ptr<const semantics::Schema> schema;
  std::vector<uint32_t> columns;  ///< Each field's.
  CopyOptions options;
  SessionZone zone = nullptr;                                        ///< In which an SQL timestamp without a zone is.
  semantics::DateOrder dates = semantics::DateOrder::kMonthDayYear;  ///< In which texts are read.
};

/// All rows of one COPY together may be so many.
struct CopyBound {
  uint64_t rows_max = UINT64_MAX;
  uint64_t bytes_max = UINT64_MAX;  ///< Packed.
};

/// Positions of these columns, of all if none is named. Errors: 42703, 42701.
[[nodiscard]] Result<std::vector<uint32_t>> copy_columns(const semantics::Schema& schema,
                                                         const std::vector<std::string>& names);

/// Whose bytes are given to it in any pieces, and whose rows are taken from it in any portions.
class CopyReader {
 public:
  /// Errors: 42703, 42701 and 42P10 of a column that an option names.
  [[nodiscard]] static Result<std::shared_ptr<CopyReader>> make(CopyTarget target, CopyBound bound);

  /// Bytes that are no text in the COPY's encoding are told by next().
  void feed(std::string_view bytes);
  void end();
  /// Rows of what has been fed, some kPortionBytes of them: is_drained says whether that was all. `now_us`, of the
  /// first call, is what `now` means. After a failure nothing is to be asked any more.
  [[nodiscard]] CopyRows next(int64_t now_us);

  static constexpr uint32_t kPortionRows = 16'384;
  static constexpr uint64_t kPortionBytes = 1u << 20;

 private:
  /// A column's fields are held against this.
  struct Forced {
    bool is_never_null = false;
    bool is_null_if_it_says_so = false;
  };

  CopyReader(CopyTarget target, CopyBound bound);
  [[nodiscard]] Result<void> take_forced();
  [[nodiscard]] Result<void> mark(const CopyColumns& columns, const char* option, bool Forced::*flag);
  /// The next row's fields are in fields_; false: there is none yet.
  [[nodiscard]] Result<bool> next_fields();
  [[nodiscard]] Result<bool> next_line();
  [[nodiscard]] Result<void> check_header() const;
  [[nodiscard]] Result<void> take_row(CopyRows& rows);
  [[nodiscard]] Result<semantics::Value> value_of(size_t field);
  [[nodiscard]] CopyField forced(size_t field) const;
  [[nodiscard]] Result<void> check_nulls() const;
  [[nodiscard]] Result<void> check_bound(uint64_t row_bytes) const;
  [[nodiscard]] uint64_t line_number() const;
  /// PostgreSQL's CONTEXT of what has just failed.
  [[nodiscard]] std::string context() const;

  const CopyTarget target_;
  const CopyBound bound_;
  const std::vector<semantics::Type> types_;
  std::vector<Forced> forced_;            ///< Each field's.
  std::vector<semantics::Value> values_;  ///< The row's; defaults where there is no field.
  std::variant<CopyLines, CopyBinary> source_;
  CopyFields fields_;
  std::optional<Error> undecoded_;  ///< Why what was fed is no text.
  bool owes_header_ = false;
  std::optional<int64_t> now_us_;
  uint64_t row_count_ = 0;
  uint64_t row_bytes_ = 0;
  // For the context of an error.
  std::optional<std::string_view> line_;
  std::optional<size_t> field_;
};

}  // namespace daedalus::postgres
