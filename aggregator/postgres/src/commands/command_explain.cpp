// EXPLAIN and its options, as PostgreSQL reads them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "client_text.hpp"
#include "command_words.hpp"

namespace daedalus::postgres {

namespace {

/// One option in parentheses.
struct ExplainOption {
  std::string name;
  std::optional<std::string> value;
  uint32_t position = 0;  ///< Character of the statement, from 1.
};

/// The options that have been read: some have no meaning here, and some are refused by name once all are known.
struct ExplainState {
  ExplainOptions shown;
  std::optional<Error> mistake;  ///< The first one in the options.
  bool runs = false;
  bool has_buffers = false;
  bool has_wal = false;
  bool has_timing = false;
  bool has_settings = false;  ///< There is no setting that changes a plan, so none is shown.
};

Error error_at(std::string sqlstate, std::string message, uint32_t position) {
  Error error = rejected(std::move(sqlstate), std::move(message));
  error.position = position;
  return error;
}

/// Returns where the next token begins: a character of the statement, from 1.
uint32_t position_of(const Words& words, std::string_view statement) {
  return characters_in(statement.substr(0, words.offset())) + 1;
}

RefusedCommand syntax_error_in(const Words& words, std::string_view statement) {
  RefusedCommand refused = syntax_error(words);
  refused.error.position = position_of(words, statement);
  return refused;
}

/// As defGetBoolean() of PostgreSQL reads it; nothing for what is none.
std::optional<bool> truth_of(const ExplainOption& option) {
  if (!option.value) {
    return true;
  }
  std::string value = *option.value;
  std::transform(value.begin(), value.end(), value.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (value == "true" || value == "on" || value == "1") {
    return true;
  }
  return value == "false" || value == "off" || value == "0" ? std::optional(false) : std::nullopt;
}

std::optional<Error> set_format(const ExplainOption& option, ExplainState& state) {
  if (option.value == "xml" || option.value == "yaml") {
    return refuse(fmt::format("EXPLAIN (FORMAT {})", option.value == "xml" ? "XML" : "YAML"),
                  "use FORMAT TEXT or FORMAT JSON")
        .error;
  }
  if (option.value != "text" && option.value != "json") {
    return error_at("22023", fmt::format("unrecognized value for EXPLAIN option \"format\": \"{}\"", *option.value),
                    option.position);
  }
  state.shown.is_json = option.value == "json";
  return std::nullopt;
}

std::optional<Error> set_option(const ExplainOption& option, ExplainState& state) {
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
    return error_at("42601", fmt::format("unrecognized EXPLAIN option \"{}\"", option.name), option.position);
  }
  const auto truth = truth_of(option);
  if (!truth) {
    return error_at("42601", fmt::format("{} requires a Boolean value", option.name), 0);
  }
  *found->second = *truth;
  return std::nullopt;
}

/// Refuses options that tell of a statement that runs.
std::optional<Error> check(const ExplainState& state) {
  if (state.has_wal && !state.runs) {
    return error_at("22023", "EXPLAIN option WAL requires ANALYZE", 0);
  }
  if (state.has_timing && !state.runs) {
    return error_at("22023", "EXPLAIN option TIMING requires ANALYZE", 0);
  }
  if (state.runs) {
    return refuse("EXPLAIN ANALYZE", "it would run the statement: use EXPLAIN without ANALYZE, which does not").error;
  }
  if (state.has_buffers) {
    return refuse("EXPLAIN (BUFFERS)", "leave it out: rows are in memory, and no buffers are between").error;
  }
  return std::nullopt;
}

/// One option; nothing where something else stands there.
std::optional<ExplainOption> take_option(Words& words, std::string_view statement) {
  if (!words.is_name()) {
    return std::nullopt;
  }
  ExplainOption option;
  option.position = position_of(words, statement);
  option.name = words.take_text();
  option.name = option.name == "analyse" ? "analyze" : option.name;
  if (words.is_at_end() || words.is_symbol(",") || words.is_symbol(")")) {
    return option;
  }
  const std::string sign = words.take_symbol("-") ? "-" : "";
  if (words.is_at_end() || words.word().kind == aggregator::StatementWord::Kind::kSymbol) {
    return std::nullopt;
  }
  option.value = sign + words.take_text();
  return option;
}

/// Options in parentheses, or the words of the old syntax.
std::optional<RefusedCommand> read_options(Words& words, std::string_view statement, ExplainState& state) {
  Words ahead = words;
  if (ahead.take_symbol("(") && !begins_query(ahead)) {
    words = ahead;
    do {
      const auto option = take_option(words, statement);
      if (!option) {
        return syntax_error_in(words, statement);
      }
      if (option->name == "format" && !option->value) {
        return RefusedCommand{rejected("42601", "format requires a parameter")};
      }
      auto mistake = set_option(*option, state);
      state.mistake = state.mistake ? std::move(state.mistake) : std::move(mistake);
    } while (words.take_symbol(","));
    return words.take_symbol(")") ? std::nullopt : std::optional(syntax_error_in(words, statement));
  }
  state.runs = words.take("analyze") || words.take("analyse");
  state.shown.is_verbose = words.take("verbose");
  return std::nullopt;
}

bool may_be_explained(const Words& words) {
  return begins_query(words) || words.is("insert") || words.is("update") || words.is("delete") || words.is("merge") ||
         words.is("declare") || words.is("execute") || words.is("create") || words.is("refresh");
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

Command explain_command(std::string_view statement) {
  Words words(statement);
  words.skip();
  ExplainState state;
  if (auto wrong = read_options(words, statement, state)) {
    return *wrong;
  }
  if (!may_be_explained(words)) {
    return syntax_error_in(words, statement);
  }
  ExplainCommand command{state.shown, QueryCommand{}, words.offset()};
  if (auto mistake = state.mistake ? std::move(state.mistake) : check(state)) {
    command.mistake = std::make_shared<const Error>(std::move(*mistake));
  }
  Command explained = command_of(statement.substr(command.query_at));
  if (auto* refused = std::get_if<RefusedCommand>(&explained)) {
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
