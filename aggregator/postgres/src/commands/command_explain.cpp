// EXPLAIN: what its options mean, and what it is about.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "client_text.hpp"
#include "command.hpp"
#include "statement_options.hpp"

namespace daedalus::postgres {

using aggregator::StatementOption;

namespace {

/// The options that have been read: some have no meaning here, and some are refused by name once all are known.
struct ExplainState {
  ExplainOptions shown;
  bool runs = false;
  bool has_buffers = false;
  bool has_wal = false;
  bool has_timing = false;
  bool has_settings = false;  ///< There is no setting that changes a plan, so none is shown.
};

Error not_supported(std::string_view what, std::string hint) {
  return rejected("0A000", fmt::format("{} is not supported", what), std::move(hint));
}

/// Precondition: the option has a value.
std::optional<Error> set_format(const StatementOption& option, ExplainState& state) {
  const Result<std::string> format = text_of(option);
  if (*format == "xml" || *format == "yaml") {
    return not_supported(fmt::format("EXPLAIN (FORMAT {})", *format == "xml" ? "XML" : "YAML"),
                         "use FORMAT TEXT or FORMAT JSON");
  }
  if (*format != "text" && *format != "json") {
    return error_at(rejected("22023", fmt::format("unrecognized value for EXPLAIN option \"format\": \"{}\"", *format)),
                    option);
  }
  state.shown.is_json = *format == "json";
  return std::nullopt;
}

std::optional<Error> set_option(const StatementOption& option, ExplainState& state) {
  if (option.name == "format") {
    return set_format(option, state);
  }
  const std::pair<std::string_view, bool*> switches[] = {
      {"analyze", &state.runs},          {"verbose", &state.shown.is_verbose},  {"costs", &state.shown.has_costs},
      {"settings", &state.has_settings}, {"buffers", &state.has_buffers},       {"wal", &state.has_wal},
      {"timing", &state.has_timing},     {"summary", &state.shown.has_summary},
  };
  const auto* const found = std::find_if(std::begin(switches), std::end(switches),
                                         [&](const auto& known) { return known.first == option.name; });
  if (found == std::end(switches)) {
    return error_at(rejected("42601", fmt::format("unrecognized EXPLAIN option \"{}\"", option.name)), option);
  }
  const auto truth = boolean_of(option);
  if (!truth) {
    return rejected("42601", fmt::format("{} requires a Boolean value", option.name));
  }
  *found->second = *truth;
  return std::nullopt;
}

/// Refuses options that tell of a statement that runs.
std::optional<Error> check(const ExplainState& state) {
  if (state.has_wal && !state.runs) {
    return rejected("22023", "EXPLAIN option WAL requires ANALYZE");
  }
  if (state.has_timing && !state.runs) {
    return rejected("22023", "EXPLAIN option TIMING requires ANALYZE");
  }
  if (state.runs) {
    return not_supported("EXPLAIN ANALYZE", "it would run the statement: use EXPLAIN without ANALYZE, which does not");
  }
  if (state.has_buffers) {
    return not_supported("EXPLAIN (BUFFERS)", "leave it out: rows are in memory, and no buffers are between");
  }
  return std::nullopt;
}

template <typename Wanted>
bool is_of(const Command& command) {
  const auto* const explain = std::get_if<ExplainCommand>(&command);
  return std::holds_alternative<Wanted>(command) ||
         (explain != nullptr && std::holds_alternative<Wanted>(explain->explained));
}

}  // namespace

bool is_of_query(const Command& command) { return is_of<QueryCommand>(command); }

bool is_of_write(const Command& command) { return is_of<WriteCommand>(command); }

std::string compiled_text(const Command& command, const std::string& sql) {
  const auto* const explain = std::get_if<ExplainCommand>(&command);
  return explain != nullptr ? query_of(sql, explain->query_at) : sql;
}

Command explain_command(const aggregator::ExplainStatement& read, std::string_view statement) {
  const auto bare = std::find_if(read.options.begin(), read.options.end(), [](const StatementOption& option) {
    return option.name == "format" && option.kind == StatementOption::Kind::kNone;
  });
  if (bare != read.options.end()) {
    return RefusedCommand{text_of(*bare).error()};  // Its columns hang on it, so PostgreSQL looks at it first of all.
  }
  ExplainState state;
  std::optional<Error> mistake;
  for (auto option = read.options.begin(); option != read.options.end() && !mistake; ++option) {
    mistake = set_option(*option, state);
  }
  mistake = mistake ? std::move(mistake) : check(state);
  ExplainCommand command{state.shown, QueryCommand{}, read.query_at};
  if (mistake) {
    command.mistake = std::make_shared<const Error>(std::move(*mistake));
  }
  Command explained = command_of(statement.substr(command.query_at));
  if (auto* refused = std::get_if<RefusedCommand>(&explained)) {
    refused->error.position += refused->error.position == 0 ? 0 : characters_in(statement.substr(0, command.query_at));
    return std::move(*refused);
  }
  if (const auto* cursor = std::get_if<DeclareCommand>(&explained)) {
    command.query_at += cursor->query_at;
  } else if (const auto* write = std::get_if<WriteCommand>(&explained)) {
    command.explained = *write;
  } else if (auto* query = std::get_if<SessionQuery>(&explained)) {
    command.explained = std::move(*query);
  } else if (auto* execute = std::get_if<ExecuteCommand>(&explained)) {
    command.explained = std::move(*execute);
  }
  return command;
}

}  // namespace daedalus::postgres
