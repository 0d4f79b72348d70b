// Texts of statements as clients send them.
//
// Decides what is text at all, and where its statements begin. Refuses to know what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/postgres/session_owner.hpp"

namespace daedalus::postgres {

/// A text taken apart; more than `count_max` pieces are too many.
[[nodiscard]] TextPieces pieces_of(std::string_view text, size_t count_max);

/// Errors: 22021 it is no UTF-8.
[[nodiscard]] Result<void> check_text(std::string_view text);

[[nodiscard]] uint32_t characters_in(std::string_view text);

/// A statement from one of its bytes on, with blanks in place of the characters before: places in it stay what they
/// are.
[[nodiscard]] std::string query_of(std::string_view statement, uint32_t at);

}  // namespace daedalus::postgres
