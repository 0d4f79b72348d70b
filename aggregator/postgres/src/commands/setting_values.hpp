// How the text of a run-time parameter is read, checked and shown, by the type of its values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/session_zone.hpp"
#include "setting_entry.hpp"

namespace daedalus::postgres {

/// Returns a value as it is kept and shown. `current`: the value that it takes the place of, of which DateStyle keeps
/// what the new one leaves out. `zones`: what TimeZone may be; null: UTC and what POSIX spells. Errors: 22023 no value
/// of the parameter, 55P02 it cannot be changed, 0A000 PostgreSQL takes the value and Daedalus does not.
[[nodiscard]] Result<std::string> read_setting(const SettingEntry& entry, std::string_view value,
                                               std::string_view current, const semantics::TimeZones* zones);

/// Returns the order in a DateStyle that read_setting() made.
[[nodiscard]] semantics::DateOrder order_of_date_style(std::string_view shown);

/// Returns the timestamp that read_setting() made; 0: none.
[[nodiscard]] uint64_t read_at_of(std::string_view shown);

/// Returns the milliseconds of a duration that read_setting() made.
[[nodiscard]] int64_t milliseconds_of(std::string_view shown);

}  // namespace daedalus::postgres
