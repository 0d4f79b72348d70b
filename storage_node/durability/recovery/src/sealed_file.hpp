// A small file that is replaced as a whole and whose damage shows: sixteen hexadecimal digits (XXH3-64 of the rest), a
// line feed, the rest.
#pragma once

#include <optional>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

/// Nothing where there is no such file. Errors: XX001 damaged, 58030 unreadable.
[[nodiscard]] Result<std::optional<std::string>> read_sealed(Disk& disk, const std::string& name);
[[nodiscard]] Result<void> write_sealed(Disk& disk, const std::string& name, const std::string& content);
[[nodiscard]] Error damaged_file(const Disk& disk, const std::string& name);

}  // namespace daedalus::durability
