// The MD5 digest (RFC 1321): for whoever compares with digests made elsewhere, not for secrets.
#pragma once

#include <string>
#include <string_view>

namespace daedalus::semantics::scalar {

/// Appends it as 32 hexadecimal digits in lower case.
void append_md5(std::string_view text, std::string& out);

}  // namespace daedalus::semantics::scalar
