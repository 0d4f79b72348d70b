// Prepared statements in SQL: EXECUTE and DEALLOCATE, over the same store as those of the protocol.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_refusals.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"
#include "execute_machine.hpp"
#include "explain_machine.hpp"
#include "row_descriptions.hpp"

namespace daedalus::postgres {

namespace {

Error no_such_statement(const std::string& name) {
  return rejected("26000", fmt::format("prepared statement \"{}\" does not exist", name));
}

/// The name of the type that a value is cast to before it becomes a parameter: it brings no length, and an array
/// stays the text that it is written as.
std::string_view cast_name(const aggregator::ParameterKind& type) {
  if (type.is_array) {
    return "text";
  }
  return type.kind == semantics::TypeKind::kChar ? "bpchar" : semantics::kind_name(type.kind);
}

using ValueKind = ExecuteCommand::Value::Kind;

/// Returns a statement for the catalogue with these values; null where one of them would have to be computed.
std::unique_ptr<catalogue::Statement> ask_with(const ExecuteCommand& command, const catalogue::Answer& described) {
  auto asked = std::make_unique<catalogue::Statement>();
  asked->parameter_types = described.parameter_types;
  for (const auto& value : command.values) {
    if (value.kind == ValueKind::kComputed) {
      return nullptr;
    }
    asked->parameters.push_back(value.kind == ValueKind::kNull ? std::nullopt : std::optional(value.literal));
    asked->parameter_formats.push_back(kTextFormat);
  }
  return asked;
}

/// The number of the first parameter that is an array and whose value is neither a string nor NULL; 0: there is none.
size_t computed_array(const ExecuteCommand& command, const Prepared& statement) {
  const size_t count = std::min(statement.parameters.size(), command.values.size());
  for (size_t index = 0; index < count; ++index) {
    const ValueKind kind = command.values[index].kind;
    if (statement.parameters[index].type.is_array && kind != ValueKind::kString && kind != ValueKind::kNull) {
      return index + 1;
    }
  }
  return 0;
}

}  // namespace

void ExecuteMachine::execute_prepared(Portal& portal, uint32_t rows_max) {
  const auto* const explain = std::get_if<ExplainCommand>(&portal.statement->command);
  const auto& command = explain != nullptr ? std::get<ExecuteCommand>(explain->explained)
                                           : std::get<ExecuteCommand>(portal.statement->command);
  const auto statement = core_.statements.find(command.name);
  if (statement == nullptr) {
    return core_.fail(no_such_statement(command.name));
  }
  if (const size_t count = parameter_oids(*statement).size(); count != command.values.size()) {
    return core_.fail(Failure{
        rejected("42601", fmt::format("wrong number of parameters for prepared statement \"{}\"", command.name)),
        fmt::format("Expected {} parameters but got {}.", count, command.values.size())});
  }
  if (std::holds_alternative<ExecuteCommand>(statement->command)) {
    return core_.fail(rejected("0A000", "EXECUTE of an EXECUTE is not supported"));
  }
  if (explain == nullptr && !portal.is_simple && portal.formats.size() != column_count(core_.shown_by(*statement))) {
    return core_.fail(rejected("0A000", "cached plan must not change result type"));
  }
  if (statement->catalogue != nullptr && !command.values.empty()) {
    portal.asked = ask_with(command, *statement->catalogue);
    if (portal.asked == nullptr) {
      return core_.fail(catalogue_refusal("EXECUTE with values that are no literals"));
    }
  }
  if (const size_t array = computed_array(command, *statement); array != 0) {
    return core_.fail(
        rejected("0A000", fmt::format("EXECUTE with an array that is computed is not supported (parameter ${})", array),
                 "write it as a string: '{1,2,3}'"));
  }
  if (command.values.empty() || statement->catalogue != nullptr) {
    return become(portal, statement, rows_max);
  }
  ask_for_values(portal, command, statement, rows_max);
}

void ExecuteMachine::ask_for_values(Portal& portal, const ExecuteCommand& command,
                                    std::shared_ptr<const Prepared> statement, uint32_t rows_max) {
  wire::v1::StatementBody body = core_.statement_body();
  std::string& sql = *body.mutable_sql();
  for (size_t index = 0; index < command.values.size(); ++index) {
    sql += fmt::format("{} CAST({} AS {})", index == 0 ? "SELECT" : ",", command.values[index].text,
                       cast_name(statement->parameters[index].type));
  }
  const uint64_t sequence = core_.send_statement(body, 0, core_.time_left());
  core_.awaited = awaited::Values{
      &portal, std::make_unique<awaited::Values::Run>(awaited::Values::Run{std::move(statement), rows_max, sequence})};
}

void ExecuteMachine::on_values(awaited::Values& awaited, wire::v1::Result&& result) {
  if (result.has_rows()) {
    for (const auto& column : result.rows().columns()) {
      const auto type = contract::to_type(column.type());
      awaited.run->types.push_back(type ? *type : semantics::Type{semantics::TypeKind::kText});
    }
    awaited.run->row += result.rows().rows();
    return;
  }
  Portal& portal = *awaited.portal;
  const bool was_cancelled = awaited.is_cancelled;
  const std::unique_ptr<awaited::Values::Run> values = std::move(awaited.run);
  core_.awaited = awaited::Message{};
  if (was_cancelled) {
    return core_.fail(cancelled_by_user());
  }
  if (!result.has_end()) {
    Failure failure = failure_of(result.error(), core_.has_timeout());
    failure.error.position = 0;  // In a text that nobody has sent.
    return core_.fail(std::move(failure));
  }
  const auto row = semantics::PackedRows(values->row).next();
  if (!row || !*row) {
    return core_.fail(rejected("XX000", "the values of an EXECUTE did not come"));
  }
  const auto read = semantics::read_packed_row(values->types, **row);
  if (!read) {
    return core_.fail(read.error());
  }
  portal.parameters.clear();
  for (size_t index = 0; index < read->size(); ++index) {
    std::optional<std::string> text;
    if (!semantics::is_null((*read)[index])) {
      text = semantics::format_text(values->types[index], (*read)[index]);
    }
    auto parameter =
        read_parameter(values->statement->parameters[index].type, kTextFormat, text, core_.settings->value_style());
    if (!parameter) {
      return core_.fail(parameter.error());
    }
    portal.parameters.push_back(std::move(*parameter));
  }
  become(portal, values->statement, values->rows_max);
}

void ExecuteMachine::become(Portal& portal, std::shared_ptr<const Prepared> statement, uint32_t rows_max) {
  if (auto may = check_dates(*statement, core_.settings->date_order()); !may) {
    return core_.fail(may.error());
  }
  if (std::holds_alternative<ExplainCommand>(portal.statement->command)) {
    return ExplainMachine(core_).explain_executed(portal, *statement);
  }
  portal.statement = std::move(statement);
  if (portal.is_simple) {
    portal.formats.assign(column_count(core_.shown_by(*portal.statement)), kTextFormat);
  } else if (portal.statement->catalogue != nullptr && portal.asked == nullptr) {
    portal.asked = std::make_unique<catalogue::Statement>();
  }
  if (portal.asked != nullptr) {
    portal.asked->result_formats = portal.formats;
  }
  execute(portal, rows_max);
}

void ExecuteMachine::deallocate(const DeallocateCommand& command) {
  if (command.name.empty()) {
    core_.statements.drop_all();
    return append_command_complete("DEALLOCATE ALL", core_.out());
  }
  if (core_.statements.find(command.name) == nullptr) {
    return core_.fail(no_such_statement(command.name));
  }
  core_.statements.drop(command.name);
  append_command_complete("DEALLOCATE", core_.out());
}

}  // namespace daedalus::postgres
