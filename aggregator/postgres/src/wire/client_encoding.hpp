// The encodings that clients may have their texts in, beside UTF8: LATIN1 and WIN1252, a byte a character.
//
// Decides what each byte and each character is in the other encoding, and what is said of those that have no equivalent
// there. Refuses to know messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// SQL_ASCII counts as kUtf8: nothing is converted.
enum class ClientEncoding : uint8_t { kUtf8, kLatin1, kWin1252 };

/// Returns PostgreSQL's spelling of an encoding's name, of which letters and digits count; nothing: there is none here.
[[nodiscard]] std::optional<std::string_view> encoding_name(std::string_view name);

/// Returns the encoding that PostgreSQL calls so (SHOW client_encoding).
[[nodiscard]] ClientEncoding encoding_of(std::string_view name);

/// Returns a client's text in UTF8. Errors: 22P05 a byte that stands for no character.
[[nodiscard]] Result<std::string> decoded(ClientEncoding encoding, std::string_view bytes);

/// Appends a valid text as the client has it. Errors: 22P05 a character that is not there; nothing is appended then.
[[nodiscard]] Result<void> append_encoded(ClientEncoding encoding, std::string_view text, std::string& out);

}  // namespace daedalus::postgres
