#include "like_pattern.hpp"

#include <fmt/format.h>

namespace daedalus::aggregator::sql {

Result<LikePattern> read_like_pattern(std::string_view pattern) {
  LikePattern result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    const bool is_wildcard = c == '%' || c == '_';
    if (c == '_' || (result.is_prefix && !is_wildcard)) {
      return rejected("0A000", fmt::format("LIKE pattern \"{}\" is not supported", pattern),
                      "only 'prefix%' is: % at the end, no _");
    }
    if (is_wildcard) {
      result.is_prefix = true;
      continue;
    }
    if (c == '\\') {
      if (++i == pattern.size()) {
        return rejected("0A000", fmt::format("LIKE pattern \"{}\" is not supported", pattern),
                        "it must not end with the escape character");
      }
      c = pattern[i];
    }
    result.text.push_back(c);
  }
  return result;
}

}  // namespace daedalus::aggregator::sql
