#include "binding.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

namespace daedalus::postgres {

Result<void> check_parameter_count(const BindMessage& message, const Prepared& statement) {
  const size_t count =
      statement.catalogue != nullptr ? statement.catalogue->parameter_types.size() : statement.parameters.size();
  if (message.parameters.size() == count) {
    return {};
  }
  return rejected("08P01", fmt::format("bind message supplies {} parameters, but prepared statement \"{}\" requires {}",
                                       message.parameters.size(), message.statement, count));
}

Result<void> bind_parameters(const BindMessage& message, size_t column_count, const ValueStyle& style, Portal& portal,
                             std::string& context) {
  const Prepared& statement = *portal.statement;
  const auto formats = formats_of(message.parameter_formats, message.parameters.size());
  if (!formats) {
    return formats.error();
  }
  for (size_t index = 0; index < message.parameters.size(); ++index) {
    auto value = read_parameter(statement.parameters[index].type, (*formats)[index], message.parameters[index], style);
    if (!value) {
      const bool is_text = (*formats)[index] == kTextFormat;
      context = fmt::format("{} parameter ${}{}",
                            message.portal.empty() ? "unnamed portal" : fmt::format("portal \"{}\"", message.portal),
                            index + 1, is_text ? " = '...'" : "");
      return value.error();
    }
    portal.parameters.push_back(std::move(*value));
  }
  auto result_formats = formats_of(message.result_formats, column_count);
  if (!result_formats) {
    return result_formats.error();
  }
  portal.formats = std::move(*result_formats);
  return {};
}

Result<void> bind_catalogue(const BindMessage& message, Portal& portal) {
  auto asked = std::make_unique<catalogue::Statement>();
  auto formats = formats_of(message.parameter_formats, message.parameters.size());
  if (!formats) {
    return formats.error();
  }
  auto result_formats =
      formats_of(message.result_formats, catalogue::column_count(portal.statement->catalogue->columns));
  if (!result_formats) {
    return result_formats.error();
  }
  for (const auto& parameter : message.parameters) {
    asked->parameters.push_back(parameter ? std::optional(std::string(*parameter)) : std::nullopt);
  }
  asked->parameter_types = portal.statement->catalogue->parameter_types;
  asked->parameter_formats = std::move(*formats);
  asked->result_formats = *result_formats;
  portal.formats = std::move(*result_formats);
  portal.asked = std::move(asked);
  return {};
}

}  // namespace daedalus::postgres
