// The MD5 digest (RFC 1321): for whoever compares with digests made elsewhere, not for secrets.
#pragma once

#include <string>
#include <string_view>

namespace daedalus::semantics::scalar {

/// As 32 hexadecimal digits in lower case.
[[nodiscard]] std::string md5_of(std::string_view text);

}  // namespace daedalus::semantics::scalar
