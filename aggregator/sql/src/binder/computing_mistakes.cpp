#include "computing_mistakes.hpp"

#include <algorithm>
#include <iterator>

namespace daedalus::aggregator::sql {

bool is_of_computing(const Error& error) {
  // NULL where there may be none, limits, a template, a function that takes less than there is.
  static constexpr std::string_view kCodes[] = {"23502", "54000", "42601", "0A000"};
  return error.sqlstate.starts_with("22") ||
         std::find(std::begin(kCodes), std::end(kCodes), error.sqlstate) != std::end(kCodes);
}

}  // namespace daedalus::aggregator::sql
