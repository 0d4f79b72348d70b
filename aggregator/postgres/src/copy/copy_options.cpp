#include "copy_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lower.hpp"
#include "statement_options.hpp"

namespace daedalus::postgres {

using aggregator::CopyStatement;
using aggregator::StatementOption;

namespace {

/// The statement has given these, before it is known what goes with what.
struct Given {
  std::optional<std::string> delimiter;
  std::optional<std::string> null_text;
  std::optional<std::string> quote;
  std::optional<std::string> escape;
  CopyOptions options;
};

Result<void> take_header(const StatementOption& option, bool is_from, CopyOptions& options) {
  if (const auto value = boolean_of(option)) {
    options.has_header = *value;
    return {};
  }
  if (option.kind != StatementOption::Kind::kText || lower(option.text) != "match") {
    return rejected("42601", fmt::format("{} requires a Boolean value or \"match\"", option.name));
  }
  if (!is_from) {
    return rejected("0A000", fmt::format("cannot use \"{}\" with HEADER in COPY TO", option.text));
  }
  options.has_header = options.checks_header = true;
  return {};
}

Result<void> take_format(const StatementOption& option, CopyOptions& options) {
  auto name = text_of(option);
  if (!name) {
    return name.error();
  }
  if (*name == "text") {
    options.format = CopyFormat::kText;
  } else if (*name == "csv") {
    options.format = CopyFormat::kCsv;
  } else if (*name == "binary") {
    options.format = CopyFormat::kBinary;
  } else {
    return error_at(rejected("22023", fmt::format("COPY format \"{}\" not recognized", *name)), option);
  }
  return {};
}

Result<void> take_encoding(const StatementOption& option, CopyOptions& options) {
  auto name = text_of(option);
  if (!name) {
    return name.error();
  }
  const auto shown = encoding_name(*name);
  if (!shown || *shown == "SQL_ASCII") {
    return error_at(rejected("0A000", fmt::format("COPY in encoding \"{}\" is not supported", *name),
                             "use UTF8, LATIN1 or WIN1252"),
                    option);
  }
  options.encoding = encoding_of(*shown);
  return {};
}

Result<void> take_columns(const StatementOption& option, bool may_be_all, CopyColumns& columns) {
  if (option.kind == StatementOption::Kind::kStar && may_be_all) {
    columns.is_all = true;
  } else if (option.kind == StatementOption::Kind::kNames) {
    columns.names = option.names;
  } else {
    return error_at(
        rejected("22023", fmt::format("argument to option \"{}\" must be a list of column names", option.name)),
        option);
  }
  return {};
}

Result<void> take_text(const StatementOption& option, std::optional<std::string>& text) {
  auto given = text_of(option);
  if (!given) {
    return given.error();
  }
  text = std::move(*given);
  return {};
}

Result<void> take(const StatementOption& option, bool is_from, Given& given) {
  if (option.name == "format") {
    return take_format(option, given.options);
  }
  if (option.name == "freeze") {
    const auto value = boolean_of(option);
    given.options.is_freeze = value.value_or(false);
    return value ? Result<void>() : rejected("42601", fmt::format("{} requires a Boolean value", option.name));
  }
  if (option.name == "delimiter") {
    return take_text(option, given.delimiter);
  }
  if (option.name == "null") {
    return take_text(option, given.null_text);
  }
  if (option.name == "quote") {
    return take_text(option, given.quote);
  }
  if (option.name == "escape") {
    return take_text(option, given.escape);
  }
  if (option.name == "header") {
    return take_header(option, is_from, given.options);
  }
  if (option.name == "force_quote") {
    return take_columns(option, /*may_be_all=*/true, given.options.force_quote);
  }
  if (option.name == "force_not_null") {
    return take_columns(option, /*may_be_all=*/false, given.options.force_not_null);
  }
  if (option.name == "force_null") {
    return take_columns(option, /*may_be_all=*/false, given.options.force_null);
  }
  if (option.name == "encoding") {
    return take_encoding(option, given.options);
  }
  return error_at(rejected("42601", fmt::format("option \"{}\" not recognized", option.name)), option);
}

bool has_newline(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }

Error unsupported(std::string message) { return rejected("0A000", std::move(message)); }

/// Delimiter, NULL and header, for whatever format.
Result<void> check_common(const Given& given, const std::string& delimiter, CopyOptions& options) {
  const bool is_csv = options.format == CopyFormat::kCsv;
  if (delimiter.size() != 1) {
    return unsupported("COPY delimiter must be a single one-byte character");
  }
  if (has_newline(delimiter)) {
    return rejected("22023", "COPY delimiter cannot be newline or carriage return");
  }
  options.delimiter = delimiter[0];
  options.null_text = given.null_text.value_or(is_csv ? "" : "\\N");
  if (has_newline(options.null_text)) {
    return rejected("22023", "COPY null representation cannot use newline or carriage return");
  }
  constexpr std::string_view kNoDelimiters = "\\.abcdefghijklmnopqrstuvwxyz0123456789";
  if (!is_csv && kNoDelimiters.find(delimiter[0]) != std::string_view::npos) {
    return rejected("22023", fmt::format("COPY delimiter cannot be \"{}\"", delimiter));
  }
  if (options.format == CopyFormat::kBinary && options.has_header) {
    return unsupported("cannot specify HEADER in BINARY mode");
  }
  return {};
}

Result<void> check_quoting(const Given& given, CopyOptions& options) {
  const bool is_csv = options.format == CopyFormat::kCsv;
  if (!is_csv && given.quote) {
    return unsupported("COPY quote available only in CSV mode");
  }
  const std::string quote = given.quote.value_or("\"");
  if (is_csv && quote.size() != 1) {
    return unsupported("COPY quote must be a single one-byte character");
  }
  if (is_csv && quote[0] == options.delimiter) {
    return rejected("22023", "COPY delimiter and quote must be different");
  }
  if (!is_csv && given.escape) {
    return unsupported("COPY escape available only in CSV mode");
  }
  const std::string escape = given.escape.value_or(quote);
  if (is_csv && escape.size() != 1) {
    return unsupported("COPY escape must be a single one-byte character");
  }
  if (is_csv) {
    options.quote = quote[0];
    options.escape = escape[0];
  }
  return {};
}

struct Forced {
  const char* name;
  const CopyColumns& columns;
  bool is_for_from;
};

Result<void> check_forced(const CopyOptions& options, bool is_from) {
  const Forced all[] = {{"quote", options.force_quote, false},
                        {"not null", options.force_not_null, true},
                        {"null", options.force_null, true}};
  for (const Forced& forced : all) {
    if (forced.columns.has_any() && options.format != CopyFormat::kCsv) {
      return unsupported(fmt::format("COPY force {} available only in CSV mode", forced.name));
    }
    if (forced.columns.has_any() && forced.is_for_from != is_from) {
      return unsupported(
          fmt::format("COPY force {} only available using COPY {}", forced.name, forced.is_for_from ? "FROM" : "TO"));
    }
  }
  return {};
}

Result<void> check_null_text(const CopyOptions& options) {
  if (options.null_text.find(options.delimiter) != std::string::npos) {
    return unsupported("COPY delimiter must not appear in the NULL specification");
  }
  if (options.format == CopyFormat::kCsv && options.null_text.find(options.quote) != std::string::npos) {
    return unsupported("CSV quote character must not appear in the NULL specification");
  }
  return {};
}

}  // namespace

Result<CopyOptions> read_copy_options(const CopyStatement& copy) {
  Given given;
  std::set<std::string_view> names;
  for (const StatementOption& option : copy.options) {
    if (!names.insert(option.name).second) {
      return error_at(rejected("42601", "conflicting or redundant options"), option);
    }
    if (auto taken = take(option, copy.is_from, given); !taken) {
      return taken.error();
    }
  }
  CopyOptions options = given.options;
  const bool is_binary = options.format == CopyFormat::kBinary;
  if (is_binary && given.delimiter) {
    return rejected("42601", "cannot specify DELIMITER in BINARY mode");
  }
  if (is_binary && given.null_text) {
    return rejected("42601", "cannot specify NULL in BINARY mode");
  }
  const std::string delimiter = given.delimiter.value_or(options.format == CopyFormat::kCsv ? "," : "\t");
  if (auto checked = check_common(given, delimiter, options); !checked) {
    return checked.error();
  }
  if (auto checked = check_quoting(given, options); !checked) {
    return checked.error();
  }
  if (auto checked = check_forced(options, copy.is_from); !checked) {
    return checked.error();
  }
  if (auto checked = check_null_text(options); !checked) {
    return checked.error();
  }
  return options;
}

}  // namespace daedalus::postgres
