// Which build of Daedalus a program is.
#pragma once

namespace daedalus {

/// "0.1.0, commit 0123456789ab, release build": the commit ends with "+" where files differed from it, and is "unknown"
/// of a build outside of git.
[[nodiscard]] const char* build_text();

}  // namespace daedalus
