// The extended protocol: statements are prepared, bound, described and executed each by a message of its own.
#include <fmt/format.h>

#include <utility>

#include "binding.hpp"
#include "catalogue_refusals.hpp"
#include "row_descriptions.hpp"
#include "session.hpp"

namespace daedalus::postgres {

void PgSession::on_parse(std::string_view body) {
  const auto message = read_parse(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  for (const std::string_view text : {message->statement, message->sql}) {
    if (auto valid = check_text(text); !valid) {
      return fail(valid.error());
    }
  }
  if (auto fits = check_room(message->statement, message->sql.size()); !fits) {
    return fail(fits.error());
  }
  auto run = std::make_unique<DescriptionRun>();
  run->name = message->statement;
  run->declared_oids = message->parameter_types;
  Prepared& prepared = run->statement;
  prepared.sql = message->sql;
  prepared.command = command_of(prepared.sql);
  if (auto may = block_.check(prepared.command); !may) {
    return fail(may.error());
  }
  const bool is_query = is_of_query(prepared.command);
  auto declared = run->declared_kinds();
  if (!declared) {
    return is_query ? locate(std::move(run), compiled_text(prepared.command, prepared.sql), {declared.error(), {}})
                    : fail(declared.error());
  }
  const auto* const cursor = std::get_if<DeclareCommand>(&prepared.command);
  if (cursor != nullptr) {
    prepared.sql = query_of(prepared.sql, cursor->query_at);
  }
  prepared.columns = columns_of(prepared.command);
  if (cursor != nullptr || is_query || is_of_write(prepared.command)) {
    return describe(std::move(run), *declared);
  }
  keep_described(*run);
}

void PgSession::describe(std::unique_ptr<DescriptionRun> run, const DescriptionRun::Kinds& declared) {
  run->declare(declared);
  if (!entrance_.has_table()) {
    const std::string& sql = run->statement.sql;
    return locate(std::move(run), sql, {});  // Whatever is read or written there is the catalogue's.
  }
  describe_by_compiler(std::move(run));
}

void PgSession::describe_by_compiler(std::unique_ptr<DescriptionRun> run) {
  const Prepared& statement = run->statement;
  DescriptionRun::Kinds declared = declared_of(statement);
  if (const auto* known = descriptions_.find(statement.sql, declared)) {
    return on_described(std::move(run), *known);
  }
  Work::Describe work{compiled_text(statement.command, statement.sql), std::move(declared)};
  start_work(awaited::Description{std::move(run)}, std::move(work));
}

Result<void> PgSession::check_room(std::string_view name, size_t sql_size) {
  if (auto fits = statements_.check_room(name, sql_size); !fits) {
    return fits;
  }
  return reserve(sql_size + name.size());
}

void PgSession::on_described(std::unique_ptr<DescriptionRun> run,
                             Result<aggregator::StatementDescription> description) {
  Prepared& statement = run->statement;
  if (!description) {
    Error error = description.error();
    return !is_of_write(statement.command) && may_be_of_catalogue(error)
               ? locate(std::move(run), compiled_text(statement.command, statement.sql), {std::move(error), {}})
               : fail(std::move(error));
  }
  run->take(std::move(*description));
  if (run->declares == nullptr) {
    return keep_described(*run);
  }
  if (statement.mistake) {
    return fail(*statement.mistake);
  }
  open_cursor(*run->declares, std::move(statement.sql), statement.columns);
}

void PgSession::keep_described(DescriptionRun& run) {
  pipeline_.on_prepared();
  statements_.keep(run.name, std::move(run.statement));
  if (run.for_whom == DescriptionRun::For::kPrepare) {
    return append_command_complete("PREPARE", out());
  }
  append_plain('1', out());
}

const Prepared& PgSession::shown_by(const Prepared& prepared) const {
  if (const auto* fetch = std::get_if<FetchCommand>(&prepared.command); fetch != nullptr && !fetch->is_move) {
    if (const Portal* const cursor = portals_.find_cursor(fetch->cursor)) {
      return *cursor->statement;
    }
  } else if (const auto* execute = std::get_if<ExecuteCommand>(&prepared.command)) {
    if (const auto statement = statements_.find(execute->name)) {
      return *statement;
    }
  }
  return prepared;
}

void PgSession::on_bind(std::string_view body) {
  const auto message = read_bind(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  std::string context;
  auto portal = bind(*message, context);
  if (!portal) {
    return fail(Failure{portal.error(), {}, std::move(context)});
  }
  portals_.add(message->portal, std::move(*portal));
  append_plain('2', out());
}

Result<Portal> PgSession::bind(const BindMessage& message, std::string& context) {
  Portal portal;
  portal.statement = statements_.find(message.statement);
  if (portal.statement == nullptr) {
    return rejected("26000", message.statement.empty()
                                 ? std::string("unnamed prepared statement does not exist")
                                 : fmt::format("prepared statement \"{}\" does not exist", message.statement));
  }
  if (!message.portal.empty() && portals_.find(message.portal) != nullptr) {
    return rejected("42P03", fmt::format("cursor \"{}\" already exists", message.portal));
  }
  const Prepared& statement = *portal.statement;
  if (auto may = block_.check(statement.command); !may) {
    return may.error();
  }
  portal.level = block_.savepoint_count();
  if (auto checked = check_parameter_count(message, statement); !checked) {
    return checked.error();
  }
  for (const auto& parameter : message.parameters) {
    portal.parameter_bytes += parameter ? parameter->size() : 0;
  }
  if (auto fits = portals_.check_room(portal.parameter_bytes); !fits) {
    return fits.error();
  }
  if (auto fits = reserve(portal.parameter_bytes); !fits) {
    return fits.error();
  }
  auto bound = statement.catalogue != nullptr ? bind_catalogue(message, portal)
                                              : bind_parameters(message, column_count(shown_by(statement)),
                                                                settings_->value_style(), portal, context);
  if (!bound) {
    return bound.error();
  }
  if (statement.mistake && statement.cursor_columns.empty()) {
    return *statement.mistake;
  }
  return portal;
}

void PgSession::on_describe(std::string_view body) {
  const auto message = read_target(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  if (message->kind == 'S') {
    const auto statement = statements_.find(message->name);
    if (statement == nullptr) {
      return fail(rejected("26000", fmt::format("prepared statement \"{}\" does not exist", message->name)));
    }
    append_parameter_description(parameter_oids(*statement), out());
    return describe_rows(shown_by(*statement), {});
  }
  const Portal* const portal = portals_.find(message->name);
  if (portal == nullptr) {
    return fail(rejected("34000", fmt::format("portal \"{}\" does not exist", message->name)));
  }
  describe_rows(shown_by(*portal->statement), portal->formats);
}

void PgSession::describe_rows(const Prepared& prepared, const std::vector<int16_t>& formats) {
  const DescribedFor client{formats, settings_->encoding()};
  const uint32_t table = descriptions_.table_oid();
  if (prepared.catalogue != nullptr || client.encoding != ClientEncoding::kUtf8) {
    auto told = prepared.catalogue != nullptr ? append_catalogue_columns(*prepared.catalogue, client, out())
                                              : append_columns_of(prepared, table, client, out());
    return told ? void() : fail(told.error());
  }
  if (const std::string* const known = PreparedStatements::find_description(prepared, formats, table)) {
    out().append(*known);
    return;
  }
  const size_t begin = out().size();
  static_cast<void>(append_columns_of(prepared, table, client, out()));  // UTF8 has every name.
  statements_.keep_description(prepared, std::string_view(out()).substr(begin), formats, table);
}

void PgSession::on_execute(std::string_view body) {
  const auto message = read_execute(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  Portal* const portal = portals_.find(message->portal);
  if (portal == nullptr) {
    return fail(rejected("34000", fmt::format("portal \"{}\" does not exist", message->portal)));
  }
  if (portal->cursor != nullptr) {
    return fail(rejected("0A000", "Execute of a cursor that DECLARE made is not supported", "FETCH from it"));
  }
  execute(*portal, message->rows_max);
}

void PgSession::on_close(std::string_view body) {
  const auto message = read_target(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  if (message->kind == 'S') {
    statements_.drop(message->name);
  } else {
    portals_.drop(message->name);
  }
  append_plain('3', out());
}

void PgSession::on_flush() {
  // What is held back belongs to a write whose client wants to hear of it before it sends a Sync.
  if (group_.is_holding() && group_.awaits_counts()) {
    submit(Ends::kFlush);
  } else if (group_.is_holding()) {
    output_.text() += group_.release();
  }
}

void PgSession::on_sync() {
  skips_to_sync_ = false;
  if (!block_.is_open() && group_.has_any()) {
    submit(Ends::kSync);
  } else {
    end_sync();
  }
}

void PgSession::end_sync() {
  if (!block_.is_open()) {
    portals_.set_executed(nullptr);
    portals_.end_transaction(/*is_commit=*/true);
  }
  if (!pipeline_.empty()) {
    pipeline_.add_sync();
  }
  end_ready();
}

}  // namespace daedalus::postgres
