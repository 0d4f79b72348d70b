#include "catalogue_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/catalogue/script.hpp"
#include "message_encoding.hpp"
#include "query_machine.hpp"
#include "row_descriptions.hpp"

namespace daedalus::postgres {

namespace {

/// A statement over the catalogue may give something else where one of these settings changes.
constexpr std::string_view kSettings[] = {"application_name",   "bytea_output",  "client_min_messages", "datestyle",
                                          "extra_float_digits", "intervalstyle", "search_path",         "timezone"};

std::vector<std::pair<std::string, std::string>> catalogue_settings(const Settings::Values& values) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& [name, value] : values) {
    if (std::find(std::begin(kSettings), std::end(kSettings), name) != std::end(kSettings)) {
      settings.emplace_back(name, value);
    }
  }
  return settings;
}

}  // namespace

Result<void> CatalogueMachine::check_catalogue() const {
  if (auto may = core_.group.is_holding() ? QueryMachine(core_).check_query()
                                          : core_.entrance.check_role(Role::kReader, "SELECT");
      !may) {
    return may;
  }
  if (core_.answers.bytes() > catalogue::kAnswerBytesMax) {
    return rejected("54000", "portals of this connection hold more rows of the catalogue than it may have",
                    "fetch their rows, or close them");
  }
  return {};
}

void CatalogueMachine::ask_catalogue(Awaited awaited, catalogue::Statement statement) {
  statement.user = core_.entrance.user();
  statement.settings = catalogue_settings(core_.settings->values());
  statement.settings.emplace_back(catalogue::kBackendSetting, fmt::format("{}", core_.identity.key.process_id));
  statement.timeout_ns = core_.time_left();
  statement.is_elsewhere = !core_.entrance.has_table();
  core_.awaited = std::move(awaited);
  core_.requests.ask_catalogue(std::move(statement));
}

void CatalogueMachine::start_catalogue(Portal& portal, uint32_t rows_max) {
  if (auto may = check_catalogue(); !may) {
    return core_.fail(may.error());
  }
  portal.has_started = true;
  catalogue::Statement statement = portal.asked ? std::move(*portal.asked) : catalogue::Statement();
  statement.sql = portal.statement->sql;
  ask_catalogue(awaited::CatalogueRows{{portal, rows_max}}, std::move(statement));
}

void CatalogueMachine::begin_catalogue_rows(const Execution& execution, catalogue::Answer answer) {
  Portal& portal = *execution.portal;
  if (auto encoded = encode_rows(answer, core_.settings->encoding()); !encoded) {
    return core_.fail(encoded.error());
  }
  if (portal.is_simple) {
    if (!answer.columns.empty()) {
      const std::vector<int16_t> all_text;
      if (auto told = append_catalogue_columns(answer, {all_text, core_.settings->encoding()}, core_.out()); !told) {
        return core_.fail(told.error());
      }
    }
  } else if (const auto& described = portal.statement->catalogue;
             catalogue::column_count(described->columns) != catalogue::column_count(answer.columns)) {
    return core_.fail(rejected("0A000", "cached plan must not change result type"));
  }
  core_.answers.add_catalogue(portal, std::move(answer));
  pump_catalogue(execution);
}

void CatalogueMachine::pump_catalogue(const Execution& execution) {
  Portal& portal = *execution.portal;
  uint64_t count = execution.rows_max();
  core_.out() += core_.answers.take_catalogue(portal, count);
  if (execution.rows_left == count) {
    append_plain('s', core_.out());
  } else {
    append_command_complete(portal.catalogue->answer.tag == "EXPLAIN" ? "EXPLAIN" : fmt::format("SELECT {}", count),
                            core_.out());
  }
}

}  // namespace daedalus::postgres
