// Values as PostgreSQL's clients know them: the OIDs of their types, and their text and binary forms, both ways.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend.hpp"
#include "client_encoding.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/interval_style.hpp"
#include "daedalus/semantics/session_zone.hpp"
#include "daedalus/semantics/types.hpp"
#include "daedalus/wire/v1/values.pb.h"

namespace daedalus::postgres {

/// The zone of a session's clocks; null: UTC.
using SessionZone = std::shared_ptr<const semantics::SessionZone>;

[[nodiscard]] const semantics::BoundZone* bound_zone(const SessionZone& zone);

/// How a session's texts show values, and are read.
struct ValueStyle {
  SessionZone zone;
  semantics::IntervalStyle intervals = semantics::IntervalStyle::kPostgres;
  semantics::DateOrder dates = semantics::DateOrder::kMonthDayYear;  ///< In which texts are read.
  ClientEncoding encoding = ClientEncoding::kUtf8;

  friend bool operator==(const ValueStyle&, const ValueStyle&) = default;
};

constexpr int16_t kTextFormat = 0;
constexpr int16_t kBinaryFormat = 1;
constexpr uint32_t kTextOid = 25;

[[nodiscard]] uint32_t oid_of(semantics::TypeKind kind);

/// The type that has this number in pg_type.
[[nodiscard]] std::optional<semantics::TypeKind> kind_of(uint32_t oid);

/// The number that pg_type gives to arrays of the type with this number; nothing where there are none here.
[[nodiscard]] std::optional<uint32_t> array_oid_of(uint32_t element_oid);

/// The type a parameter is declared with. Nothing for 0 and `unknown`: it is not. Errors: 0A000 a type that is not
/// supported.
[[nodiscard]] Result<std::optional<aggregator::ParameterKind>> declared_kind(uint32_t oid);

/// PostgreSQL's type of names, which travel as text.
constexpr uint32_t kNameOid = 19;
/// That of type json, as which EXPLAIN (FORMAT JSON) gives its plan.
constexpr uint32_t kJsonOid = 114;
constexpr int16_t kNameSize = 64;

/// A column of an answer in this format.
[[nodiscard]] Field field_of(const semantics::Column& column, int16_t format);

/// The formats of so many columns or parameters: none given means text, one is for all. Errors: 08P01 another count, or
/// another format than 0 and 1.
[[nodiscard]] Result<std::vector<int16_t>> formats_of(std::span<const int16_t> given, size_t count);

/// The value as append_value() and append_styled_text() take it for a client whose texts are not in UTF8. Errors: 22P05
/// a character that its encoding does not have.
[[nodiscard]] Result<semantics::Value> encoded(const semantics::Type& type, semantics::Value value,
                                               ClientEncoding encoding);

/// Appends the length and the value, or −1 for NULL.
void append_value(const semantics::Type& type, const semantics::Value& value, int16_t format, std::string& out,
                  const ValueStyle& style = {});
/// Appends the text of a value that is not NULL.
void append_styled_text(const semantics::Type& type, const semantics::Value& value, const ValueStyle& style,
                        std::string& out);

/// A parameter's type, and who has said it.
struct ParameterType {
  aggregator::ParameterKind type;
  bool is_declared = false;  ///< By the client; otherwise its place asks for it.
};
[[nodiscard]] uint32_t oid_of(aggregator::ParameterKind type);

/// A parameter as it came; nothing: NULL. A text that may name the time or a zone stays one. Errors: 08P01 fewer bytes
/// than the type has in binary form, 22P03 none of its values, 22021 no UTF-8, 54000 a text that no packed value may
/// have, 0A000 an interval that the session's style reads otherwise, and those of semantics::parse_text().
[[nodiscard]] Result<wire::v1::Constant> read_parameter(aggregator::ParameterKind type, int16_t format,
                                                        std::optional<std::string_view> bytes,
                                                        const ValueStyle& style = {});

/// A value in binary form. Errors: 22P03 it is none of the type; those of the type's range; 0A000 infinity of an SQL
/// timestamp.
[[nodiscard]] Result<semantics::Value> read_binary_value(semantics::TypeKind kind, std::string_view bytes);
/// Reads a binary value as its text, which says infinity, too. Precondition: no string.
[[nodiscard]] Result<std::string> read_binary_as_text(semantics::TypeKind kind, std::string_view bytes);

/// Packed rows (docs/wire.md) become messages: DataRows, unless it is for a COPY (CopyEncoder).
class RowEncoder {
 public:
  /// Precondition: as many formats as columns.
  RowEncoder(std::span<const semantics::Column> columns, std::vector<int16_t> formats, ValueStyle style = {});
  virtual ~RowEncoder() = default;
  RowEncoder(const RowEncoder&) = delete;
  RowEncoder& operator=(const RowEncoder&) = delete;

  /// Takes rows off the front of `rows` and appends them until `out` has `size_max` bytes; at least one. Errors: 08P01
  /// they are no rows of these columns; 22P05 a character that the client's encoding does not have.
  [[nodiscard]] Result<void> encode(std::string_view& rows, size_t size_max, std::string& out) const;

  /// How texts show values.
  [[nodiscard]] const ValueStyle& style() const { return style_; }

 protected:
  [[nodiscard]] const std::vector<semantics::Type>& types() const { return types_; }
  /// One packed row, without its size, as a message. Errors: those of encode().
  [[nodiscard]] virtual Result<void> append_message(std::string_view row, std::string& out) const;

 private:
  [[nodiscard]] bool append_column(size_t column, std::string_view bytes, std::string& out) const;
  [[nodiscard]] Result<void> append_encoded_message(std::string_view row, std::string& out) const;

  std::vector<semantics::Type> types_;
  std::vector<int16_t> formats_;
  ValueStyle style_;
};

/// Bytes of the first `count` packed rows, all of them where there are fewer. Errors: 08P01.
[[nodiscard]] Result<size_t> size_of_rows(std::string_view rows, uint32_t count);

}  // namespace daedalus::postgres
