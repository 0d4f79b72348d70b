#include "describe_machine.hpp"

#include <algorithm>
#include <utility>

#include "catalogue_machine.hpp"
#include "catalogue_refusals.hpp"
#include "cursor_machine.hpp"

namespace daedalus::postgres {

Result<void> DescribeMachine::check_room(std::string_view name, size_t sql_size) {
  if (auto fits = core_.statements.check_room(name, sql_size); !fits) {
    return fits;
  }
  return core_.reserve(sql_size + name.size());
}

void DescribeMachine::prepare(const PrepareCommand& command) {
  const std::string& sql = core_.portals.executed()->statement->sql;
  if (auto fits = check_room(command.name, sql.size()); !fits) {
    return core_.fail(fits.error());
  }
  auto run =
      std::make_unique<DescriptionRun>(DescriptionRun{DescriptionRun::For::kPrepare, command.name, command.types, {}});
  Prepared& prepared = run->statement;
  prepared.sql = query_of(sql, command.query_at);
  prepared.command = command_of(prepared.sql);
  if (const auto* refused = std::get_if<RefusedCommand>(&prepared.command)) {
    return core_.fail(refused->error);
  }
  auto declared = run->declared_kinds();
  if (!declared) {
    return std::holds_alternative<QueryCommand>(prepared.command)
               ? core_.locate(std::move(run), prepared.sql, {declared.error(), {}})
               : core_.fail(declared.error());
  }
  if (std::holds_alternative<SessionQuery>(prepared.command)) {
    prepared.columns = columns_of(prepared.command);
    return keep_described(*run);
  }
  describe(std::move(run), *declared);
}

void DescribeMachine::declare(Portal& portal) {
  const auto& command = std::get<DeclareCommand>(portal.statement->command);
  if (!portal.statement->cursor_columns.empty()) {  // The protocol's Parse has described it.
    if (portal.statement->mistake) {
      return core_.fail(*portal.statement->mistake);
    }
    return CursorMachine(core_).open_cursor(portal, portal.statement->sql, portal.statement->cursor_columns);
  }
  if (portal.statement->is_catalogue_cursor) {
    return CursorMachine(core_).ask_for_cursor(portal, portal.statement->sql);
  }
  auto run = std::make_unique<DescriptionRun>();
  run->statement.sql = query_of(portal.statement->sql, command.query_at);
  run->declares = &portal;
  describe(std::move(run), {});
}

void DescribeMachine::describe(std::unique_ptr<DescriptionRun> run, const DescriptionRun::Kinds& declared) {
  run->declare(declared);
  run->statement.dates = core_.settings->date_order();
  if (!core_.entrance.has_table()) {
    const std::string& sql = run->statement.sql;
    return core_.locate(std::move(run), sql, {});  // Whatever is read or written there is the catalogue's.
  }
  describe_by_compiler(std::move(run));
}

void DescribeMachine::describe_by_compiler(std::unique_ptr<DescriptionRun> run) {
  const Prepared& statement = run->statement;
  DescriptionRun::Kinds declared = declared_of(statement);
  const auto* const known = has_usual_order(statement) ? core_.descriptions.find(statement.sql, declared) : nullptr;
  if (known != nullptr) {
    return on_described(std::move(run), *known);
  }
  Work::Describe work{compiled_text(statement.command, statement.sql), std::move(declared),
                      core_.settings->date_order()};
  core_.start_work(awaited::Description{std::move(run)}, std::move(work));
}

void DescribeMachine::describe_by_catalogue(std::unique_ptr<DescriptionRun> run) {
  if (run->declares != nullptr) {
    return CursorMachine(core_).ask_for_cursor(*run->declares, std::move(run->statement.sql));
  }
  catalogue::Statement statement;
  statement.sql = run->statement.sql;
  statement.parameter_types = run->declared_oids;
  statement.is_described_only = true;
  CatalogueMachine(core_).ask_catalogue(awaited::CatalogueDescription{std::move(run)}, std::move(statement));
}

void DescribeMachine::on_described(std::unique_ptr<DescriptionRun> run,
                                   Result<aggregator::StatementDescription> description) {
  Prepared& statement = run->statement;
  if (!description) {
    Error error = description.error();
    return !is_of_write(statement.command) && may_be_of_catalogue(error)
               ? core_.locate(std::move(run), compiled_text(statement.command, statement.sql), {std::move(error), {}})
               : core_.fail(std::move(error));
  }
  run->take(std::move(*description));
  if (run->declares == nullptr) {
    return keep_described(*run);
  }
  if (statement.mistake) {
    return core_.fail(*statement.mistake);
  }
  CursorMachine(core_).open_cursor(*run->declares, std::move(statement.sql), statement.columns);
}

void DescribeMachine::keep_described(DescriptionRun& run) {
  core_.pipeline.on_prepared();
  core_.statements.keep(run.name, std::move(run.statement));
  if (run.for_whom == DescriptionRun::For::kPrepare) {
    return append_command_complete("PREPARE", core_.out());
  }
  append_plain('1', core_.out());
}

void DescribeMachine::keep_catalogue_description(DescriptionRun& run, catalogue::Answer answer) {
  Prepared& statement = run.statement;
  statement.parameters.clear();
  if (!std::holds_alternative<DeclareCommand>(statement.command)) {
    statement.catalogue = std::make_shared<const catalogue::Answer>(std::move(answer));
  } else if (answer.parameter_types.empty()) {
    statement.is_catalogue_cursor = true;
  } else {
    return core_.fail(catalogue_refusal("a cursor with parameters"));
  }
  keep_described(run);
}

}  // namespace daedalus::postgres
