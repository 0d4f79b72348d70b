// PREPARE, EXECUTE and DEALLOCATE.
#include <algorithm>
#include <iterator>

#include "command_words.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

namespace {

/// Tokens of an EXECUTE with its values, and of a PREPARE with its types.
constexpr size_t kExecuteWordsMax = 64u << 10;
constexpr size_t kTypesWordsMax = 4096;

struct TypeSpelling {
  std::string_view name;
  uint32_t oid;
};

/// How types may be spelled in a list of parameters, modifiers left out.
constexpr TypeSpelling kSpellings[] = {
    {"bool", 16},
    {"boolean", 16},
    {"int8", 20},
    {"bigint", 20},
    {"int2", 21},
    {"smallint", 21},
    {"int4", 23},
    {"int", 23},
    {"integer", 23},
    {"text", 25},
    {"oid", 26},
    {"name", 19},
    {"regproc", 24},
    {"regclass", 2205},
    {"regtype", 2206},
    {"float4", 700},
    {"real", 700},
    {"float8", 701},
    {"float", 701},
    {"double precision", 701},
    {"unknown", 705},
    {"bpchar", 1042},
    {"char", 1042},
    {"character", 1042},
    {"varchar", 1043},
    {"character varying", 1043},
    {"char varying", 1043},
    {"date", 1082},
    {"time", 1083},
    {"time without time zone", 1083},
    {"timestamp", 1114},
    {"timestamp without time zone", 1114},
    {"timestamptz", 1184},
    {"timestamp with time zone", 1184},
    {"interval", 1186},
    {"numeric", 1700},
    {"decimal", 1700},
    {"dec", 1700},
    {"uuid", 2950},
};

/// Takes `[]`, `[3]`, `[][]` or `ARRAY` behind a type's name; false where something else stands in the brackets.
bool take_brackets(Words& words) {
  static_cast<void>(words.take("array"));
  while (words.take_symbol("[")) {
    static_cast<void>(words.take_integer());
    if (!words.take_symbol("]")) {
      return false;
    }
  }
  return true;
}

/// Takes the modifiers behind a type's name, which a parameter's type does not keep.
void skip_modifiers(Words& words) {
  while (!words.is_at_end() && !words.take_symbol(")")) {
    words.skip();
  }
}

/// The name of one type without its modifiers; empty where something else stands there.
std::string read_type_name(Words& words) {
  std::string name;
  while (words.is_name() && !words.is("as") && !words.is("array")) {
    if (words.take("pg_catalog") && words.take_symbol(".")) {
      continue;
    }
    name += (name.empty() ? "" : " ") + words.take_text();
    if (words.take_symbol("(")) {
      skip_modifiers(words);
    }
  }
  return name;
}

/// Reads one type, up to the comma or parenthesis behind it. Returns what is wrong with it.
std::optional<RefusedCommand> read_type(Words& words, std::vector<uint32_t>& types) {
  const std::string name = read_type_name(words);
  const bool is_array = words.is_symbol("[") || words.is("array");
  if (name.empty() || !take_brackets(words)) {
    return syntax_error(words);
  }
  const auto found = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                  [&](const TypeSpelling& spelling) { return spelling.name == name; });
  if (found == std::end(kSpellings)) {
    return RefusedCommand{rejected("42704", fmt::format("type \"{}\" does not exist", name.substr(0, 63)))};
  }
  const auto oid = is_array ? array_oid_of(found->oid) : found->oid;
  if (!oid) {
    return refuse(fmt::format("a parameter that is an array of {}", name), "leave its type to the server");
  }
  types.push_back(*oid);
  return std::nullopt;
}

std::optional<RefusedCommand> read_types(Words& words, std::vector<uint32_t>& types) {
  do {
    if (auto wrong = read_type(words, types)) {
      return wrong;
    }
  } while (words.take_symbol(","));
  return words.take_symbol(")") ? std::nullopt : std::optional(syntax_error(words));
}

bool opens(const Words& words) { return words.is_symbol("(") || words.is_symbol("["); }
bool closes(const Words& words) { return words.is_symbol(")") || words.is_symbol("]"); }

/// The text of one value, up to the comma or parenthesis behind it; empty: there is none.
std::string read_value(Words& words, std::string_view statement) {
  const uint32_t begin = words.offset();
  for (int depth = 0; !words.is_at_end() && (depth > 0 || (!words.is_symbol(",") && !closes(words))); words.skip()) {
    depth += opens(words) ? 1 : closes(words) ? -1 : 0;
  }
  return std::string(statement.substr(begin, words.offset() - begin));
}

}  // namespace

Command prepare_command(std::string_view statement) {
  Words words(statement, kTypesWordsMax);
  words.skip();
  if (words.is("transaction")) {
    return refuse("PREPARE TRANSACTION", "use COMMIT");
  }
  if (!words.is_name()) {
    return syntax_error(words);
  }
  PrepareCommand command;
  command.name = words.take_name();
  if (words.take_symbol("(")) {
    if (auto wrong = read_types(words, command.types)) {
      return *wrong;
    }
  }
  if (!words.take("as") || words.is_at_end()) {
    return syntax_error(words);
  }
  if (!begins_query(words) && !words.is("insert") && !words.is("update") && !words.is("delete")) {
    return syntax_error(words);
  }
  command.query_at = words.offset();
  return command;
}

Command execute_command(std::string_view statement) {
  Words words(statement, kExecuteWordsMax);
  words.skip();
  if (!words.is_name()) {
    return syntax_error(words);
  }
  ExecuteCommand command{words.take_name(), {}};
  if (words.take_symbol("(")) {
    do {
      command.values.push_back(read_value(words, statement));
      if (command.values.back().empty()) {
        return syntax_error(words);
      }
    } while (words.take_symbol(","));
    if (!words.take_symbol(")")) {
      return syntax_error(words);
    }
  }
  if (words.is_cut()) {
    return {
        RefusedCommand{rejected("54000", "EXECUTE has too many values", "use prepared statements of the protocol")}};
  }
  return words.is_at_end() ? Command(std::move(command)) : Command(syntax_error(words));
}

Command deallocate_command(Words& words) {
  if (words.left() > 1) {
    static_cast<void>(words.take("prepare"));
  }
  if (words.take("all")) {
    return DeallocateCommand{};
  }
  return words.is_name() ? Command(DeallocateCommand{words.take_name()}) : Command(syntax_error(words));
}

}  // namespace daedalus::postgres
