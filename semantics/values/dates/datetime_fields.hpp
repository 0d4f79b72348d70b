// A date or timestamp as text, cut into fields: the first half of reading it as PostgreSQL does.
//
// Decides where a field ends and what its characters make of it. Refuses to know what words and numbers mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "small_vector.hpp"

namespace daedalus::semantics {

/// One field; letters are in lower case.
struct DatetimeField {
  enum class Kind : uint8_t {
    kNumber,  ///< Digits, with at most one decimal point.
    kDate,    ///< Numbers and words joined by '-', '/' or '.': a date, or the name of a time zone.
    kTime,    ///< Digits with colons and points.
    kZone,    ///< A sign and a number.
    kWord,    ///< Letters, a sign before them or none.
  };
  Kind kind = Kind::kNumber;
  std::string text;
};

constexpr size_t kDatetimeFieldsMax = 25;
/// As many as nearly all texts have need no memory of their own.
using DatetimeFields = SmallVector<DatetimeField, 6>;
/// Characters that the fields of a date (or timestamp) may have together, an end for each but the last counted:
/// PostgreSQL refuses longer ones as malformed.
constexpr size_t kDateCharactersMax = 128;
constexpr size_t kTimestampCharactersMax = 152;

/// The fields; nothing when the text has a character that belongs to none, too many fields or too many characters.
[[nodiscard]] std::optional<DatetimeFields> split_datetime(std::string_view text, size_t characters_max);

}  // namespace daedalus::semantics
