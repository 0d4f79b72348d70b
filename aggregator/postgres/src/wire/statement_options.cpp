#include "statement_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "lower.hpp"

namespace daedalus::postgres {

using aggregator::StatementOption;

Error error_at(Error error, const StatementOption& option) {
  error.position = option.position;
  return error;
}

Result<std::string> text_of(const StatementOption& option) {
  if (option.kind == StatementOption::Kind::kNone) {
    return rejected("42601", fmt::format("{} requires a parameter", option.name));
  }
  std::string text = option.text;
  for (const std::string& name : option.names) {
    text += (text.empty() ? "" : ".") + name;
  }
  return text;
}

std::optional<bool> boolean_of(const StatementOption& option) {
  if (option.kind == StatementOption::Kind::kNone) {
    return true;
  }
  const std::string text = lower(option.text);
  if (option.kind == StatementOption::Kind::kNumber) {
    return text == "1" ? std::optional(true) : text == "0" ? std::optional(false) : std::nullopt;
  }
  if (text == "true" || text == "on") {
    return true;
  }
  return text == "false" || text == "off" ? std::optional(false) : std::nullopt;
}

}  // namespace daedalus::postgres
