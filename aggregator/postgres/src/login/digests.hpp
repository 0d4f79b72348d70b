// SHA-256 and what goes with it, from OpenSSL. Texts are bytes; a digest has 32 of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace daedalus::postgres {

constexpr size_t kDigestSize = 32;

[[nodiscard]] std::string sha256(std::string_view text);
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);
/// Takes as long wherever the first difference is; different sizes are different at once.
[[nodiscard]] bool is_equal_in_constant_time(std::string_view a, std::string_view b);
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Nothing when it is not the base64 of any bytes, padding and all (RFC 4648).
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace daedalus::postgres
