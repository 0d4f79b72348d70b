#include "explain_machine.hpp"

#include <utility>

#include "explain_answer.hpp"
#include "query_machine.hpp"

namespace daedalus::postgres {

namespace {

/// The plan of a SELECT of functions that the session answers itself.
aggregator::Plan plan_of(const SessionQuery& query) {
  aggregator::Plan plan;
  plan.given_rows = 1;
  for (const auto& column : columns_of(query)) {
    plan.output.push_back(column.name);
    plan.width += aggregator::width_of(column.type);
  }
  return plan;
}

}  // namespace

void ExplainMachine::explain(Portal& portal, const ExplainCommand& command) {
  if (const auto* query = std::get_if<SessionQuery>(&command.explained)) {
    return tell_plan(portal, plan_of(*query), {});
  }
  const auto* const write = std::get_if<WriteCommand>(&command.explained);
  start_explain(portal, compiled_text(portal.statement->command, portal.statement->sql), write);
}

void ExplainMachine::explain_executed(Portal& portal, const Prepared& statement) {
  if (const auto* query = std::get_if<SessionQuery>(&statement.command)) {
    return tell_plan(portal, plan_of(*query), {});
  }
  const auto* const write = std::get_if<WriteCommand>(&statement.command);
  if (statement.catalogue != nullptr ||
      (write == nullptr && !std::holds_alternative<QueryCommand>(statement.command))) {
    return core_.fail(rejected("0A000", "EXPLAIN of an EXECUTE of such a statement is not supported",
                               "EXPLAIN the statement itself"));
  }
  start_explain(portal, statement.sql, write);
}

void ExplainMachine::start_explain(Portal& portal, std::string sql, const WriteCommand* write) {
  if (auto may = write != nullptr ? core_.entrance.check_role(Role::kWriter, write->word)
                                  : core_.entrance.check_role(Role::kReader, "SELECT");
      !may) {
    return core_.fail(may.error());
  }
  Work::Explain work;
  work.statement = core_.statement_body();
  work.statement.set_sql(std::move(sql));
  work.statement.mutable_parameters()->Add(portal.parameters.begin(),
                                           portal.parameters.end() - portal.statement->parameters_unused);
  core_.start_work(awaited::Plan{&portal}, std::move(work));
}

void ExplainMachine::on_explained(Portal& portal, Result<aggregator::Plan> plan) {
  const auto& command = std::get<ExplainCommand>(portal.statement->command);
  if (!plan) {
    Failure failure{plan.error(), {}};
    if (std::holds_alternative<ExecuteCommand>(command.explained)) {
      failure.error.position = 0;  // In the text of its PREPARE.
    }
    return std::holds_alternative<QueryCommand>(command.explained) ? core_.fail_or_locate(portal, std::move(failure))
                                                                   : core_.fail(std::move(failure));
  }
  if (!plan->reads_table()) {
    return tell_plan(portal, *plan, {});
  }
  wire::v1::Operation operation;
  auto& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_STATUS);
  header.set_remaining_ns(static_cast<uint64_t>(core_.time_left()));
  header.set_principal(core_.entrance.user());
  core_.awaited = awaited::TableSize{&portal, std::make_unique<const aggregator::Plan>(std::move(*plan)),
                                     core_.requests.ask(std::move(operation))};
}

void ExplainMachine::on_table_size(const wire::v1::Result& result) {
  const auto table = std::get<awaited::TableSize>(std::exchange(core_.awaited, awaited::Message{}));
  if (table.is_cancelled) {
    return core_.fail(cancelled_by_user());
  }
  tell_plan(*table.portal, *table.plan, result.has_status() ? swept_rows(*table.plan, result.status()) : SweptRows());
}

void ExplainMachine::tell_plan(Portal& portal, const aggregator::Plan& plan, const SweptRows& swept) {
  const auto& command = std::get<ExplainCommand>(portal.statement->command);
  std::vector<OwnRow> rows;
  for (std::string& line : explain_lines(plan, command.options, core_.options.database, swept)) {
    rows.push_back({semantics::Value(std::move(line))});
  }
  QueryMachine(core_).answer(portal, rows, "EXPLAIN");
}

}  // namespace daedalus::postgres
