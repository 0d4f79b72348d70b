// \m and \M, the beginning and the end of a word, by what stands beside them.
#pragma once

#include "tree.hpp"

namespace daedalus::semantics::regular {

/// RE2 knows a word's edge and not which one. Where a letter or digit has to follow, or something else has to be
/// before, an edge is a beginning; and so for ends. Makes edges of those that are sure, and what never matches of those
/// that cannot be. False: of one it cannot be said.
[[nodiscard]] bool resolve_word_ends(Node& node);

}  // namespace daedalus::semantics::regular
