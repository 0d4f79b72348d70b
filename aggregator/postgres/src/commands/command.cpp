#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "daedalus/semantics/text.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

namespace {

struct TypeName {
  std::string_view name;
  uint32_t oid;
};

/// PostgreSQL's own names of the types that parameters may have.
constexpr TypeName kTypeNames[] = {
    {"bool", 16},        {"name", 19},          {"int8", 20},       {"int2", 21},      {"int4", 23},
    {"regproc", 24},     {"text", 25},          {"oid", 26},        {"float4", 700},   {"float8", 701},
    {"unknown", 705},    {"bpchar", 1042},      {"varchar", 1043},  {"date", 1082},    {"time", 1083},
    {"timestamp", 1114}, {"timestamptz", 1184}, {"interval", 1186}, {"numeric", 1700}, {"regclass", 2205},
    {"regtype", 2206},   {"uuid", 2950},
};

/// SET TIME ZONE INTERVAL: the value is the interval as PostgreSQL shows it.
SetCommand with_interval(SetCommand command) {
  const semantics::Type type{semantics::TypeKind::kInterval};
  const auto interval = semantics::parse_text(type, *command.value);
  command.value = fmt::format("INTERVAL '{}'", interval ? semantics::format_text(type, *interval) : *command.value);
  return command;
}

Result<uint32_t> oid_of(const aggregator::PrepareStatement::Type& type) {
  const auto* const found = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                         [&](const TypeName& known) { return known.name == type.name; });
  if (found == std::end(kTypeNames)) {
    Error error = rejected("42704", fmt::format("type \"{}\" does not exist", type.name));
    error.position = type.position;
    return error;
  }
  const auto oid = type.is_array ? array_oid_of(found->oid) : found->oid;
  return oid ? Result<uint32_t>(*oid)
             : rejected("0A000", fmt::format("a parameter that is an array of {} is not supported", type.name),
                        "leave its type to the server");
}

Command prepare_command(aggregator::PrepareStatement&& read) {
  PrepareCommand command{std::move(read.name), {}, read.query_at};
  for (const auto& type : read.types) {
    const auto oid = oid_of(type);
    if (!oid) {
      return RefusedCommand{oid.error()};
    }
    command.types.push_back(*oid);
  }
  return command;
}

}  // namespace

Command command_of(std::string_view statement) {
  auto read = aggregator::read_session_command(statement);
  if (!read) {
    return RefusedCommand{read.error()};
  }
  return std::visit(
      [&](auto&& command) -> Command {
        using Kind = std::decay_t<decltype(command)>;
        if constexpr (std::is_same_v<Kind, aggregator::PrepareStatement>) {
          return prepare_command(std::move(command));
        } else if constexpr (std::is_same_v<Kind, aggregator::ExplainStatement>) {
          return explain_command(command, statement);
        } else if constexpr (std::is_same_v<Kind, SetCommand>) {
          return command.is_interval ? with_interval(std::move(command)) : std::move(command);
        } else {
          return std::move(command);
        }
      },
      std::move(*read));
}

bool ends_failure(const Command& command) {
  const auto* savepoint = std::get_if<SavepointCommand>(&command);
  return std::holds_alternative<EndCommand>(command) || std::holds_alternative<EmptyCommand>(command) ||
         (savepoint != nullptr && savepoint->what == SavepointCommand::What::kGoBack);
}

}  // namespace daedalus::postgres
