// The outer shape of an UpdateBody, read in place: rows to insert may be megabytes and are never copied.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {

/// One part, unchecked beyond its shape. Rows are borrowed from the body.
using RawPart = std::variant<InsertPart, wire::v1::ModifyPart, wire::v1::DeletePart>;

/// Splits an UpdateBody. Errors: 08P01 when it does not parse, says anything twice or has fields that the contract does
/// not know; 54000 beyond kUpdateRowsMax parts.
[[nodiscard]] Result<std::vector<RawPart>> split_update(std::string_view body);

}  // namespace daedalus::contract
