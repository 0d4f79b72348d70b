// UUIDs as text, as bytes and as numbers.
//
// A value has the sixteen bytes in the order in which they are written; packed and in planes it is a number, whose
// order is that of the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

constexpr size_t kUuidSize = 16;

/// Hexadecimal digits of either case, hyphens behind any four of them, all in braces or not. `room`: of the value.
/// Error 22P02.
[[nodiscard]] Result<Value> parse_uuid(std::string_view text, std::string room = {});
/// 8-4-4-4-12 digits in lower case. Precondition: kUuidSize bytes.
void append_uuid(std::string_view bytes, std::string& out);

/// The number that the bytes are, the most significant one first, less 2^127. Precondition: kUuidSize bytes.
[[nodiscard]] __int128 uuid_number(std::string_view bytes);
[[nodiscard]] std::string uuid_bytes(__int128 number);
/// Writes them in place of what `bytes` was.
void write_uuid_bytes(__int128 number, std::string& bytes);

}  // namespace daedalus::semantics
