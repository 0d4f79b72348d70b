#include "execute_machine.hpp"

#include <algorithm>
#include <utility>

#include "catalogue_machine.hpp"
#include "catalogue_refusals.hpp"
#include "command_machine.hpp"
#include "copy_machine.hpp"
#include "cursor_machine.hpp"
#include "describe_machine.hpp"
#include "explain_machine.hpp"
#include "moment_machine.hpp"
#include "pipeline_machine.hpp"
#include "query_machine.hpp"
#include "write_machine.hpp"

namespace daedalus::postgres {

void ExecuteMachine::execute(Portal& portal, uint32_t rows_max) {
  core_.portals.set_executed(&portal);
  const Command& command = portal.statement->command;
  if (auto may = core_.block.check(command); !may) {
    return core_.fail(may.error());
  }
  if (MomentMachine(core_).is_wanted(portal)) {
    return MomentMachine(core_).ask(portal, rows_max);
  }
  if (std::holds_alternative<DeclareCommand>(command)) {
    return DescribeMachine(core_).declare(portal);
  }
  if (std::holds_alternative<FetchCommand>(command)) {
    return CursorMachine(core_).fetch(portal, rows_max);
  }
  if (std::holds_alternative<ExecuteCommand>(command)) {
    return execute_prepared(portal, rows_max);
  }
  if (const auto* explained = std::get_if<ExplainCommand>(&command)) {
    if (explained->mistake) {
      return core_.fail(*explained->mistake);
    }
    if (std::holds_alternative<ExecuteCommand>(explained->explained)) {
      return execute_prepared(portal, 0);
    }
    if (portal.statement->catalogue == nullptr) {
      return ExplainMachine(core_).explain(portal, *explained);
    }
  }
  if (run_command(portal)) {
    return;
  }
  const bool is_of_catalogue = portal.statement->catalogue != nullptr;
  const bool is_statement =
      std::holds_alternative<QueryCommand>(command) || std::holds_alternative<WriteCommand>(command);
  if (!core_.entrance.has_table() && is_statement && !is_of_catalogue) {
    return core_.locate(&portal, portal.sql(), {});  // Its own answer would be the table's.
  }
  if (const auto* write = std::get_if<WriteCommand>(&command);
      write != nullptr && !portal.inserted && !is_of_catalogue) {
    if (auto may = WriteMachine(core_).check_write(*write); !may) {
      return core_.fail(may.error());
    }
    if (std::exchange(portal.has_started, true)) {
      return core_.fail(rejected("55000", "a write runs once for each Bind", "send Bind before each Execute"));
    }
    return WriteMachine(core_).start_write(portal, rows_max);
  }
  if (std::holds_alternative<CopyCommand>(command)) {
    const auto is_query = CopyMachine(core_).start_copy(portal);
    return !is_query ? core_.fail(is_query.error()) : *is_query ? start_rows(portal, /*rows_max=*/0) : void();
  }
  start_rows(portal, rows_max);
}

bool ExecuteMachine::run_command(Portal& portal) {
  const Command& command = portal.statement->command;
  if (const auto* closed = std::get_if<CloseCommand>(&command)) {
    CursorMachine(core_).close_cursor(*closed);
  } else if (const auto* prepared = std::get_if<PrepareCommand>(&command)) {
    DescribeMachine(core_).prepare(*prepared);
  } else if (const auto* deallocated = std::get_if<DeallocateCommand>(&command)) {
    deallocate(*deallocated);
  } else {
    return std::visit(
        [&](const auto& own) {
          if constexpr (requires(CommandMachine machine) { machine.run(own); }) {
            CommandMachine(core_).run(own);
            return true;
          } else if constexpr (requires(CommandMachine machine) { machine.run(own, portal); }) {
            CommandMachine(core_).run(own, portal);
            return true;
          }
          return false;
        },
        command);
  }
  return true;
}

void ExecuteMachine::start_rows(Portal& portal, uint32_t rows_max) {
  if (!portal.has_started) {
    if (portal.statement->catalogue != nullptr) {
      return CatalogueMachine(core_).start_catalogue(portal, rows_max);
    }
    if (auto may = QueryMachine(core_).check_query(); !may) {
      return core_.fail_or_locate(portal, {may.error(), {}});  // The catalogue may answer it, whatever the block.
    }
    portal.is_first_query = core_.block.note_query();
  }
  if (!portal.has_started && !portal.is_simple && portal.copy_out == nullptr && rows_max == 0) {
    return PipelineMachine(core_).start_entry(portal);
  }
  if (portal.catalogue != nullptr) {
    return CatalogueMachine(core_).pump_catalogue({portal, rows_max});
  }
  if (!portal.has_started) {
    QueryMachine(core_).start_query(portal);
  }
  QueryMachine(core_).pump(QueryMachine(core_).await_rows(portal, rows_max));
}

void ExecuteMachine::on_located(awaited::Home awaited, const aggregator::StatementHome& home) {
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
  const bool is_write_elsewhere = !core_.entrance.has_table() && std::holds_alternative<WriteCommand>(command);
  if (!home.refusal && !home.is_catalogue && !is_write_elsewhere && refusal.error.sqlstate.empty()) {
    // The compiler has not seen it yet, and says what it is.
    return portal != nullptr ? start_rows(*portal, 0) : DescribeMachine(core_).describe_by_compiler(std::move(*run));
  }
  if (home.refusal || (!home.is_catalogue && !is_write_elsewhere)) {
    return core_.fail(std::move(refusal));
  }
  if (std::holds_alternative<CopyCommand>(command)) {
    return core_.fail(catalogue_refusal("COPY"));
  }
  if (portal == nullptr) {
    return DescribeMachine(core_).describe_by_catalogue(std::move(*run));
  }
  if (portal->is_first_query) {
    core_.block.forget_query();
  }
  CatalogueMachine(core_).start_catalogue(*portal, 0);
}

}  // namespace daedalus::postgres
