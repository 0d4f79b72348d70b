// Messages whose texts are in the client's encoding: those that come, and those whose texts nobody has encoded before.
//
// Decides which parts of a message are texts. Rows of the table are encoded where they become messages (RowEncoder).
#pragma once

#include <string>

#include "backend.hpp"
#include "client_encoding.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "frontend.hpp"

namespace daedalus::postgres {

/// The body of a message of the client's with its texts in UTF8. What is cut short stays as it is: whoever reads it
/// says so. Errors: 22P05.
[[nodiscard]] Result<std::string> decoded_body(const Frame& frame, ClientEncoding encoding);

struct ToldError {
  Severity severity;
  const Error& error;
  ErrorTexts texts = {};
};
/// As append_error(). Where the encoding lacks a character of it, that is told in its place.
void append_encoded_error(ClientEncoding encoding, const ToldError& told, std::string& out);

/// A RowDescription's body with its names encoded. Errors: 22P05.
[[nodiscard]] Result<std::string> encoded_columns(const std::string& columns, ClientEncoding encoding);

/// Encodes the texts in rows of the catalogue: all values in text form, and strings in binary. Errors: 22P05.
[[nodiscard]] Result<void> encode_rows(catalogue::Answer& answer, ClientEncoding encoding);

}  // namespace daedalus::postgres
