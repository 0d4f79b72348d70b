// Which run-time parameters there are.
//
// Decides which are honoured, which are kept because they change no answer, and which are about PostgreSQL's own server
// and are refused by name. A parameter that PostgreSQL 15 does not know is in neither table.
#pragma once

#include <span>
#include <string_view>

#include "setting_entry.hpp"

namespace daedalus::postgres {

/// In the order of their names, whatever their case.
[[nodiscard]] std::span<const SettingEntry> setting_entries();

/// Returns the parameter of this name, which is in lower case; null: there is none.
[[nodiscard]] const SettingEntry* find_setting(std::string_view key);

/// Returns whether PostgreSQL has a parameter of this name, in lower case, that says how its own server works.
[[nodiscard]] bool is_server_setting(std::string_view key);

}  // namespace daedalus::postgres
