// Statements over the catalogue: found out once the compiler has refused them, and run by PostgreSQL itself.
//
// So a statement that the table's own answer costs nothing of this; one over the catalogue is compiled in vain first.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_refusals.hpp"
#include "daedalus/catalogue/script.hpp"
#include "message_encoding.hpp"
#include "row_descriptions.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

/// What of a session's settings changes what a statement over the catalogue gives.
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

/// What was bound has been described: the compiler knows it.
void PgSession::fail_or_locate(Portal& portal, Failure failure) {
  const bool is_text = portal.is_simple && portal.statement->parameters.empty() && !portal.fetch;
  return (is_text || portal.copy_out != nullptr) && !group_.is_holding() && may_be_of_catalogue(failure.error)
             ? locate(&portal, compiled_text(portal.statement->command, portal.sql()), std::move(failure))
             : fail(std::move(failure));
}

void PgSession::locate(awaited::Home::Statement statement, std::string sql, Failure refusal) {
  start_work(awaited::Home{std::move(statement), std::make_unique<Failure>(std::move(refusal))},
             Work::Locate{std::move(sql), entrance_.has_table()});
}

void PgSession::on_located(awaited::Home awaited, const aggregator::StatementHome& home) {
  Failure& refusal = *awaited.refusal;
  auto* const run = std::get_if<std::unique_ptr<DescriptionRun>>(&awaited.statement);
  Portal* const portal = run == nullptr ? std::get<Portal*>(awaited.statement) : nullptr;
  if (home.refusal) {
    refusal.error = *home.refusal;
    if (portal != nullptr && portal->copy_out != nullptr) {
      portal->copy_out->place(refusal.error);
    }
  }
  const Command& command = portal != nullptr ? portal->statement->command : (*run)->statement.command;
  const bool is_write_elsewhere = !entrance_.has_table() && std::holds_alternative<WriteCommand>(command);
  if (!home.refusal && !home.is_catalogue && !is_write_elsewhere && refusal.error.sqlstate.empty()) {
    // The compiler has not seen it yet, and says what it is.
    return portal != nullptr ? start_rows(*portal, 0) : describe_by_compiler(std::move(*run));
  }
  if (home.refusal || (!home.is_catalogue && !is_write_elsewhere)) {
    return fail(std::move(refusal));
  }
  if (std::holds_alternative<CopyCommand>(command)) {
    return fail(catalogue_refusal("COPY"));
  }
  if (portal == nullptr) {
    return describe_by_catalogue(std::move(*run));
  }
  if (portal->is_first_query) {
    block_.forget_query();
  }
  start_catalogue(*portal, 0);
}

void PgSession::describe_by_catalogue(std::unique_ptr<DescriptionRun> run) {
  if (run->declares != nullptr) {
    return ask_for_cursor(*run->declares, std::move(run->statement.sql));
  }
  catalogue::Statement statement;
  statement.sql = run->statement.sql;
  statement.parameter_types = run->declared_oids;
  statement.is_described_only = true;
  ask_catalogue(awaited::CatalogueDescription{std::move(run)}, std::move(statement));
}

Result<void> PgSession::check_catalogue() const {
  if (auto may = group_.is_holding() ? check_query() : entrance_.check_role(Role::kReader, "SELECT"); !may) {
    return may;
  }
  if (answers_.bytes() > catalogue::kAnswerBytesMax) {
    return rejected("54000", "portals of this connection hold more rows of the catalogue than it may have",
                    "fetch their rows, or close them");
  }
  return {};
}

void PgSession::start_catalogue(Portal& portal, uint32_t rows_max) {
  if (auto may = check_catalogue(); !may) {
    return fail(may.error());
  }
  portal.has_started = true;
  catalogue::Statement statement = portal.asked ? std::move(*portal.asked) : catalogue::Statement();
  statement.sql = portal.statement->sql;
  ask_catalogue(awaited::CatalogueRows{{portal, rows_max}}, std::move(statement));
}

void PgSession::ask_catalogue(Awaited awaited, catalogue::Statement statement) {
  statement.user = entrance_.user();
  statement.settings = catalogue_settings(settings_->values());
  statement.settings.emplace_back(catalogue::kBackendSetting, fmt::format("{}", identity_.key.process_id));
  statement.timeout_ns = time_left();
  statement.is_elsewhere = !entrance_.has_table();
  awaited_ = std::move(awaited);
  requests_.ask_catalogue(std::move(statement));
}

void PgSession::on_catalogue(uint64_t id, catalogue::Outcome outcome, Instant /*now*/) {
  if (!is_of_catalogue(awaited_) || !requests_.is_latest_catalogue(id)) {
    return;
  }
  Awaited awaited = std::exchange(awaited_, awaited::Message{});
  auto* const answer = std::get_if<catalogue::Answer>(&outcome);
  if (auto* failure = std::get_if<catalogue::Failure>(&outcome)) {
    fail(Failure{std::move(failure->error), std::move(failure->detail)});
  } else if (const auto* const described = std::get_if<awaited::CatalogueDescription>(&awaited)) {
    keep_catalogue_description(*described->run, std::move(*answer));
  } else if (const auto* const cursor = std::get_if<awaited::CatalogueCursor>(&awaited)) {
    open_catalogue_cursor(*cursor->portal, std::move(*answer));
  } else {
    begin_catalogue_rows(std::get<awaited::CatalogueRows>(awaited).execution, std::move(*answer));
  }
  process();
}

void PgSession::keep_catalogue_description(DescriptionRun& run, catalogue::Answer answer) {
  Prepared& statement = run.statement;
  statement.parameters.clear();
  if (!std::holds_alternative<DeclareCommand>(statement.command)) {
    statement.catalogue = std::make_shared<const catalogue::Answer>(std::move(answer));
  } else if (answer.parameter_types.empty()) {
    statement.is_catalogue_cursor = true;
  } else {
    return fail(catalogue_refusal("a cursor with parameters"));
  }
  keep_described(run);
}

void PgSession::begin_catalogue_rows(const Execution& execution, catalogue::Answer answer) {
  Portal& portal = *execution.portal;
  if (auto encoded = encode_rows(answer, settings_->encoding()); !encoded) {
    return fail(encoded.error());
  }
  if (portal.is_simple) {
    if (!answer.columns.empty()) {
      const std::vector<int16_t> all_text;
      if (auto told = append_catalogue_columns(answer, {all_text, settings_->encoding()}, out()); !told) {
        return fail(told.error());
      }
    }
  } else if (const auto& described = portal.statement->catalogue;
             catalogue::column_count(described->columns) != catalogue::column_count(answer.columns)) {
    return fail(rejected("0A000", "cached plan must not change result type"));
  }
  answers_.add_catalogue(portal, std::move(answer));
  pump_catalogue(execution);
}

void PgSession::pump_catalogue(const Execution& execution) {
  Portal& portal = *execution.portal;
  uint64_t count = execution.rows_max();
  out() += answers_.take_catalogue(portal, count);
  if (execution.rows_left == count) {
    append_plain('s', out());
  } else {
    append_command_complete(portal.catalogue->answer.tag == "EXPLAIN" ? "EXPLAIN" : fmt::format("SELECT {}", count),
                            out());
  }
}

}  // namespace daedalus::postgres
