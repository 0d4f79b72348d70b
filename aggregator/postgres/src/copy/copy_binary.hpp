// Rows of COPY's binary format, out of bytes that come in any pieces.
//
// Decides where header, rows and fields begin and end, with PostgreSQL's words for what is wrong. Refuses to know what
// the bytes of a field mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copy_fields.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// The format begins with this: signature, flags, and the length of an extension, which is 0.
[[nodiscard]] std::string_view binary_header();

class CopyBinary {
 public:
  explicit CopyBinary(size_t column_count) : column_count_(column_count) {}

  /// More bytes; fields that were given are not valid any longer.
  void feed(std::string_view bytes);
  /// No more will come.
  void end() { has_ended_ = true; }

  /// The next row's fields, valid until feed(); false: more bytes are needed, or it is all over. Errors: 22P04 with
  /// PostgreSQL's words, 54000 a row of more than CopyLines::kLineSizeMax.
  [[nodiscard]] Result<bool> next(std::vector<CopyField>& fields);
  /// The row that was given last, or that an error is about; from 1, 0 for the header.
  [[nodiscard]] uint64_t row_number() const { return row_number_; }
  /// Returns the field that an error is about, from 0; as many as columns: none.
  [[nodiscard]] size_t column() const { return column_; }
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  enum class Part : uint8_t { kHeader, kExtension, kRows, kTrailer };

  [[nodiscard]] std::string_view rest() const { return std::string_view(bytes_).substr(begin_); }
  /// Takes header and extension; false: they are not whole yet.
  [[nodiscard]] Result<bool> take_header();
  [[nodiscard]] Result<bool> take_extension();
  [[nodiscard]] Result<bool> take_row(std::vector<CopyField>& fields);
  [[nodiscard]] Result<bool> take_fields(std::string_view bytes, std::vector<CopyField>& fields);
  /// Bytes are missing: they may still come, or it is an error.
  [[nodiscard]] Result<bool> missing(const char* message) const;

  const size_t column_count_;
  std::string bytes_;
  size_t begin_ = 0;
  Part part_ = Part::kHeader;
  uint32_t extension_left_ = 0;
  bool has_ended_ = false;
  bool is_over_ = false;
  uint64_t row_number_ = 0;
  size_t column_ = 0;
};

}  // namespace daedalus::postgres
