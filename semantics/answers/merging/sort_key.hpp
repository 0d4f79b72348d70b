// Values as bytes that compare, byte by byte, as ORDER BY orders the values: what thousands of comparisons need to know
// of a row, made once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Appends the key of one value, packed as take_packed() gives it, or of NULL (nothing).
///
/// Keys of one type and one order compare by memcmp as compare_ordered() compares the values, and none is the beginning
/// of another: keys of several columns may stand behind each other. Error 08P01: an unbounded numeric is malformed.
/// Cost: some ns; an unbounded numeric takes a few hundred.
[[nodiscard]] Result<void> append_sort_key(const Type& type, std::optional<std::string_view> packed, SortOrder order,
                                           std::string& out);

}  // namespace daedalus::semantics
