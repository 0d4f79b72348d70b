// The packed layout of values and rows (docs/wire.md), descriptor-driven: the plain twin of generated row codecs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Appends one value that is not NULL. Precondition: it fits the type.
void append_packed(const Type& type, const Value& value, std::string& out);

/// Reads one packed value of `type` that takes all of `bytes`. Error 08P01 when it does not.
[[nodiscard]] Result<Value> read_packed(const Type& type, std::string_view bytes);

/// Reads one packed value off the front of `bytes`, which are what follows it afterwards. Error 08P01 when they are cut
/// short or no value of the type.
[[nodiscard]] Result<Value> take_packed(const Type& type, std::string_view& bytes);

/// Appends one packed row, u32 size included. Precondition: values.size() == types.size(); each NULL or fitting.
void append_packed_row(std::span<const Type> types, std::span<const Value> values, std::string& out);

/// Splits concatenated packed rows. Bounded by the input; allocates nothing.
class PackedRows {
 public:
  explicit PackedRows(std::string_view rows) : rest_(rows) {}

  /// The next row's bytes after its u32 size, an empty optional at the end, or an error (08P01) when rows are cut
  /// short.
  [[nodiscard]] Result<std::optional<std::string_view>> next();

 private:
  std::string_view rest_;
};

/// Decodes a row (bytes after the u32 size). Errors: 08P01 malformed.
[[nodiscard]] Result<std::vector<Value>> read_packed_row(std::span<const Type> types, std::string_view row);

/// Decodes one column of a row; the other columns' bytes are stepped over. Errors: 08P01 malformed up to that column.
[[nodiscard]] Result<Value> read_packed_column(std::span<const Type> types, std::string_view row, uint32_t column);

/// The types of a schema's columns, in order.
[[nodiscard]] std::vector<Type> column_types(const Schema& schema);

/// Checks a row to insert against the schema: shape, NULLs, lengths, booleans, precision, ranges of dates, encoding.
/// Errors name the column: 08P01, 23502, 22001, 22003, 22008, 22021. Cost: one pass; no allocation unless it fails.
[[nodiscard]] Result<void> check_packed_row(const Schema& schema, std::string_view row);

}  // namespace daedalus::semantics
