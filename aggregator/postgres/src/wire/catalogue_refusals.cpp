#include "catalogue_refusals.hpp"

#include <fmt/format.h>

namespace daedalus::postgres {

bool may_be_of_catalogue(const Error& error) {
  const std::string_view state = error.sqlstate;
  return state != "42501" && state != "42P02" &&
         (state.starts_with("42") || state == "0A000" || state == "54001" || state == "3F000");
}

Error catalogue_refusal(std::string_view what) {
  return rejected("0A000", fmt::format("{} over the catalogue (pg_catalog, information_schema) is not supported", what),
                  "SELECT from it");
}

}  // namespace daedalus::postgres
