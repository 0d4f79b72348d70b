// Selections back to messages: what is checked cannot fail any more.
#pragma once

#include "daedalus/semantics/answer.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::contract {

/// Everything of a selection but its condition and its slice.
void write_selection(const semantics::Selection& selection, wire::v1::ResultForm form, wire::v1::SelectBody* body);

}  // namespace daedalus::contract
