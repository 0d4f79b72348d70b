#include "daedalus/semantics/uuid.hpp"

#include <optional>

#include "daedalus/base/check.hpp"
#include "int128.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

constexpr Uint128 kHalf = Uint128{1} << 127;

std::optional<uint32_t> digit_of(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<uint32_t>(c - '0');
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? std::optional(static_cast<uint32_t>(lower - 'a') + 10) : std::nullopt;
}

/// Appends the bytes at the front of `rest`, which are cut off it, to what is empty. False: there are not enough.
bool take_bytes(std::string_view& rest, std::string& bytes) {
  while (bytes.size() < kUuidSize) {
    const std::optional<uint32_t> high = rest.size() >= 2 ? digit_of(rest[0]) : std::nullopt;
    const std::optional<uint32_t> low = rest.size() >= 2 ? digit_of(rest[1]) : std::nullopt;
    if (!high || !low) {
      return false;
    }
    bytes.push_back(static_cast<char>(static_cast<uint8_t>(*high << 4 | *low)));
    rest.remove_prefix(2);
    if (rest.starts_with('-') && bytes.size() % 2 == 0 && bytes.size() < kUuidSize) {
      rest.remove_prefix(1);
    }
  }
  return true;
}

}  // namespace

Result<Value> parse_uuid(std::string_view text, std::string room) {
  std::string_view rest = text;
  const bool is_braced = rest.starts_with('{');
  rest.remove_prefix(is_braced ? 1 : 0);
  if (!take_bytes(rest, room) || rest != (is_braced ? "}" : "")) {
    return invalid_syntax(Type{TypeKind::kUuid}, text);
  }
  return Value(std::move(room));
}

void append_uuid(std::string_view bytes, std::string& out) {
  DCHECK(bytes.size() == kUuidSize);
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t at = 0; at < kUuidSize; ++at) {
    if (at == 4 || at == 6 || at == 8 || at == 10) {
      out.push_back('-');
    }
    const auto byte = static_cast<uint8_t>(bytes[at]);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 0xf]);
  }
}

__int128 uuid_number(std::string_view bytes) {
  DCHECK(bytes.size() == kUuidSize);
  Uint128 number = 0;
  for (const char byte : bytes) {
    number = number << 8 | static_cast<uint8_t>(byte);
  }
  return static_cast<Int128>(number ^ kHalf);
}

std::string uuid_bytes(__int128 number) {
  std::string bytes;
  write_uuid_bytes(number, bytes);
  return bytes;
}

void write_uuid_bytes(__int128 number, std::string& bytes) {
  Uint128 bits = static_cast<Uint128>(number) ^ kHalf;
  bytes.resize(kUuidSize);
  for (size_t at = kUuidSize; at-- > 0; bits >>= 8) {
    bytes[at] = static_cast<char>(static_cast<uint8_t>(bits));
  }
}

}  // namespace daedalus::semantics
