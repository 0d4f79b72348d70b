// Parts of strings, as functions of strings cut them out: views of what is given. Text is well-formed UTF-8, and what
// is counted are characters.
#pragma once

#include <cstdint>
#include <string_view>

namespace daedalus::semantics {

/// Characters `first` to `end - 1`, from 1; what lies outside is left out.
[[nodiscard]] std::string_view piece_of(std::string_view text, int64_t first, int64_t end);
/// The first so many; a negative count leaves out so many at the other end.
[[nodiscard]] std::string_view left_of(std::string_view text, int64_t count);
[[nodiscard]] std::string_view right_of(std::string_view text, int64_t count);

/// Without characters of `set` at its beginning; at its end.
[[nodiscard]] std::string_view trimmed_left(std::string_view text, std::string_view set);
[[nodiscard]] std::string_view trimmed_right(std::string_view text, std::string_view set);

/// Field `wanted` of those between separators, from 1, or from the end, from -1; empty where there is none. An empty
/// separator parts nothing. Precondition: it is not 0.
[[nodiscard]] std::string_view field_of(std::string_view text, std::string_view separator, int64_t wanted);

/// Says where `wanted` begins, from 1; 0: nowhere.
[[nodiscard]] int64_t position_of(std::string_view text, std::string_view wanted);

}  // namespace daedalus::semantics
