// The log of a process: lines on standard error.
#pragma once

#include <string>

namespace daedalus {

/// From now on spdlog writes lines with time and level to standard error, each at once. Where that is a file which `up`
/// has opened, it is bounded (LogFile): 16 MiB, and as much of what was before.
void log_to_standard_error(const std::string& program);

}  // namespace daedalus
