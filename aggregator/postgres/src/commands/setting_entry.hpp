// One run-time parameter as its table describes it: the type of its values, its default, and which values are taken.
//
// Refuses to know which parameters there are (setting_entries.cpp) and what a session has set (settings.cpp).
#pragma once

#include <cstdint>
#include <string_view>

namespace daedalus::postgres {

/// The type of a parameter's values. A `kMoment` is a timestamp of the total order, and 0 is none. A `kIdentity` is the
/// session's own user, or nobody else's role; `kFixed` can be shown and never be set.
enum class SettingKind : uint8_t {
  kText,
  kChoice,
  kEncoding,
  kBool,
  kInteger,
  kReal,
  kMoment,
  kTimeZone,
  kLocale,
  kDateStyle,
  kIdentity,
  kFixed,
};

/// The unit in which a number is counted when its text names none.
enum class SettingUnit : uint8_t { kNone, kMilliseconds, kSeconds, kBytes, kKilobytes, kBlocks };

struct SettingEntry {
  std::string_view name;  ///< PostgreSQL's spelling.
  std::string_view description;
  SettingKind kind;
  std::string_view value;         ///< The default, as it is shown.
  std::string_view choices = {};  ///< The values of a kChoice, separated by '|', in lower case.
  std::string_view refused = {};  ///< Values that PostgreSQL has and that are not honoured here, separated by '|'.
  double low = 0;                 ///< The least number.
  double high = 0;                ///< The greatest number.
  SettingUnit unit = SettingUnit::kNone;
  bool is_reported = false;  ///< Clients are told its value whenever it changes.
};

/// Returns whether `value` is one of `choices`, which are separated by '|'.
[[nodiscard]] constexpr bool is_choice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    const size_t end = choices.find('|') < choices.size() ? choices.find('|') : choices.size();
    if (choices.substr(0, end) == value) {
      return true;
    }
    choices.remove_prefix(end < choices.size() ? end + 1 : end);
  }
  return false;
}

}  // namespace daedalus::postgres
