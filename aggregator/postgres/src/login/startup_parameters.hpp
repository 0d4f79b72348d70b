// A client's startup packet asks for settings and options besides entering.
//
// Decides which parameters are settings, and what is said of those that are not. Refuses to know who may enter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "frontend.hpp"
#include "settings.hpp"

namespace daedalus::postgres {

/// The value of a parameter; empty: it is not there.
[[nodiscard]] std::string_view find_parameter(const StartupMessage& message, std::string_view name);

/// Takes options of the protocol's out of it, which this side does not know. Returns their names.
[[nodiscard]] std::vector<std::string> take_protocol_options(StartupMessage& message);

/// The settings that a client starts with. Errors: of Settings::start_with(); 42601 `options` that are none; 0A000 a
/// replication connection.
[[nodiscard]] Result<void> take_settings(const StartupMessage& message, Settings& settings);

}  // namespace daedalus::postgres
