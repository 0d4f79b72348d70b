#include "extended_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "binding.hpp"
#include "describe_machine.hpp"
#include "execute_machine.hpp"
#include "row_descriptions.hpp"
#include "write_machine.hpp"

namespace daedalus::postgres {

void ExtendedMachine::on_parse(std::string_view body) {
  const auto message = read_parse(body);
  if (!message) {
    return core_.fatal(message.error());
  }
  for (const std::string_view text : {message->statement, message->sql}) {
    if (auto valid = check_text(text); !valid) {
      return core_.fail(valid.error());
    }
  }
  if (auto fits = DescribeMachine(core_).check_room(message->statement, message->sql.size()); !fits) {
    return core_.fail(fits.error());
  }
  auto run = std::make_unique<DescriptionRun>();
  run->name = message->statement;
  run->declared_oids = message->parameter_types;
  Prepared& prepared = run->statement;
  prepared.sql = message->sql;
  prepared.command = command_of(prepared.sql);
  if (auto may = core_.block.check(prepared.command); !may) {
    return core_.fail(may.error());
  }
  const bool is_query = is_of_query(prepared.command);
  auto declared = run->declared_kinds();
  if (!declared) {
    return is_query
               ? core_.locate(std::move(run), compiled_text(prepared.command, prepared.sql), {declared.error(), {}})
               : core_.fail(declared.error());
  }
  const auto* const cursor = std::get_if<DeclareCommand>(&prepared.command);
  if (cursor != nullptr) {
    prepared.sql = query_of(prepared.sql, cursor->query_at);
  }
  prepared.columns = columns_of(prepared.command);
  if (cursor != nullptr || is_query || is_of_write(prepared.command)) {
    return DescribeMachine(core_).describe(std::move(run), *declared);
  }
  DescribeMachine(core_).keep_described(*run);
}

void ExtendedMachine::on_bind(std::string_view body) {
  const auto message = read_bind(body);
  if (!message) {
    return core_.fatal(message.error());
  }
  std::string context;
  auto portal = bind(*message, context);
  if (!portal) {
    return core_.fail(Failure{portal.error(), {}, std::move(context)});
  }
  core_.portals.add(message->portal, std::move(*portal));
  append_plain('2', core_.out());
}

Result<Portal> ExtendedMachine::bind(const BindMessage& message, std::string& context) {
  Portal portal;
  portal.statement = core_.statements.find(message.statement);
  if (portal.statement == nullptr) {
    return rejected("26000", message.statement.empty()
                                 ? std::string("unnamed prepared statement does not exist")
                                 : fmt::format("prepared statement \"{}\" does not exist", message.statement));
  }
  if (!message.portal.empty() && core_.portals.find(message.portal) != nullptr) {
    return rejected("42P03", fmt::format("cursor \"{}\" already exists", message.portal));
  }
  const Prepared& statement = *portal.statement;
  if (auto may = core_.block.check(statement.command); !may) {
    return may.error();
  }
  if (auto may = check_dates(statement, core_.settings->date_order()); !may) {
    return may.error();
  }
  portal.level = core_.block.savepoint_count();
  if (auto checked = check_parameter_count(message, statement); !checked) {
    return checked.error();
  }
  for (const auto& parameter : message.parameters) {
    portal.parameter_bytes += parameter ? parameter->size() : 0;
  }
  if (auto fits = core_.portals.check_room(portal.parameter_bytes); !fits) {
    return fits.error();
  }
  if (auto fits = core_.reserve(portal.parameter_bytes); !fits) {
    return fits.error();
  }
  auto bound = statement.catalogue != nullptr ? bind_catalogue(message, portal)
                                              : bind_parameters(message, column_count(core_.shown_by(statement)),
                                                                core_.settings->value_style(), portal, context);
  if (!bound) {
    return bound.error();
  }
  if (statement.mistake && statement.cursor_columns.empty()) {
    return *statement.mistake;
  }
  return portal;
}

void ExtendedMachine::on_describe(std::string_view body) {
  const auto message = read_target(body);
  if (!message) {
    return core_.fatal(message.error());
  }
  if (message->kind == 'S') {
    const auto statement = core_.statements.find(message->name);
    if (statement == nullptr) {
      return core_.fail(rejected("26000", fmt::format("prepared statement \"{}\" does not exist", message->name)));
    }
    append_parameter_description(parameter_oids(*statement), core_.out());
    return describe_rows(core_.shown_by(*statement), {});
  }
  const Portal* const portal = core_.portals.find(message->name);
  if (portal == nullptr) {
    return core_.fail(rejected("34000", fmt::format("portal \"{}\" does not exist", message->name)));
  }
  describe_rows(core_.shown_by(*portal->statement), portal->formats);
}

void ExtendedMachine::describe_rows(const Prepared& prepared, const std::vector<int16_t>& formats) {
  const DescribedFor client{formats, core_.settings->encoding()};
  const uint32_t table = core_.descriptions.table_oid();
  if (prepared.catalogue != nullptr || client.encoding != ClientEncoding::kUtf8) {
    auto told = prepared.catalogue != nullptr ? append_catalogue_columns(*prepared.catalogue, client, core_.out())
                                              : append_columns_of(prepared, table, client, core_.out());
    return told ? void() : core_.fail(told.error());
  }
  if (const std::string* const known = PreparedStatements::find_description(prepared, formats, table)) {
    core_.out().append(*known);
    return;
  }
  const size_t begin = core_.out().size();
  static_cast<void>(append_columns_of(prepared, table, client, core_.out()));  // UTF8 has every name.
  core_.statements.keep_description(prepared, std::string_view(core_.out()).substr(begin), formats, table);
}

void ExtendedMachine::on_execute(std::string_view body) {
  const auto message = read_execute(body);
  if (!message) {
    return core_.fatal(message.error());
  }
  Portal* const portal = core_.portals.find(message->portal);
  if (portal == nullptr) {
    return core_.fail(rejected("34000", fmt::format("portal \"{}\" does not exist", message->portal)));
  }
  if (portal->cursor != nullptr) {
    return core_.fail(rejected("0A000", "Execute of a cursor that DECLARE made is not supported", "FETCH from it"));
  }
  ExecuteMachine(core_).execute(*portal, message->rows_max);
}

void ExtendedMachine::on_close(std::string_view body) {
  const auto message = read_target(body);
  if (!message) {
    return core_.fatal(message.error());
  }
  if (message->kind == 'S') {
    core_.statements.drop(message->name);
  } else {
    core_.portals.drop(message->name);
  }
  append_plain('3', core_.out());
}

void ExtendedMachine::on_flush() {
  // The messages held back belong to a write whose client wants to hear of it before it sends a Sync.
  if (core_.group.is_holding() && core_.group.awaits_counts()) {
    WriteMachine(core_).submit(Ends::kFlush);
  } else if (core_.group.is_holding()) {
    core_.output.text() += core_.group.release();
  }
}

void ExtendedMachine::on_sync() {
  core_.skips_to_sync = false;
  if (!core_.block.is_open() && core_.group.has_any()) {
    WriteMachine(core_).submit(Ends::kSync);
  } else {
    core_.end_sync();
  }
}

}  // namespace daedalus::postgres
