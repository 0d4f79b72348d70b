// The extended protocol: statements are prepared, bound, described and executed each by a message of its own.
#include <fmt/format.h>

#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

namespace {

Error failed_block() {
  return rejected("25P02", "current transaction is aborted, commands ignored until end of transaction block");
}

}  // namespace

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
  if (auto fits = check_room(*message); !fits) {
    return fail(fits.error());
  }
  Prepared prepared{std::string(message->sql), command_of(message->sql), {}, {}};
  if (block_.state == BlockState::kFailed && !std::holds_alternative<EndCommand>(prepared.command)) {
    return fail(failed_block());
  }
  std::vector<std::optional<semantics::TypeKind>> declared;
  for (const uint32_t oid : message->parameter_types) {
    auto kind = declared_kind(oid);
    if (!kind) {
      return fail(kind.error());
    }
    declared.push_back(*kind);
  }
  described_name_ = message->statement;
  if (const auto* refused = std::get_if<RefusedCommand>(&prepared.command)) {
    return fail(refused->error);
  }
  if (std::holds_alternative<QueryCommand>(prepared.command) ||
      std::holds_alternative<WriteCommand>(prepared.command)) {
    for (const auto& kind : declared) {
      prepared.parameters.push_back({kind.value_or(semantics::TypeKind::kText), kind.has_value()});
    }
    described_ = std::move(prepared);
    if (const auto* known = descriptions_.find(described_.sql, declared)) {
      return on_described(*known);
    }
    return start_work(Wait::kDescribe, Work::Describe{described_.sql, std::move(declared)});
  }
  prepared.columns = columns_of(prepared.command);
  keep_prepared(std::move(prepared));
}

Result<void> PgSession::check_room(const ParseMessage& message) const {
  if (message.statement.empty()) {
    return {};
  }
  if (statements_.contains(message.statement)) {
    return rejected("42P05", fmt::format("prepared statement \"{}\" already exists", message.statement));
  }
  if (statements_.size() >= options_.limits.statements_max ||
      statement_bytes_ + message.sql.size() + message.statement.size() > options_.limits.statement_bytes_max) {
    return rejected("54000",
                    fmt::format("a connection keeps at most {} prepared statements of {} bytes together",
                                options_.limits.statements_max, options_.limits.statement_bytes_max),
                    "close some that are not needed any longer");
  }
  return {};
}

void PgSession::on_described(Result<aggregator::StatementDescription> description) {
  if (!description) {
    Error error = description.error();
    if (mentions_catalogue(described_.sql)) {
      error = catalogue_refusal(error.position);
    }
    return fail(std::move(error));
  }
  std::vector<ParameterType> parameters;
  for (size_t index = 0; index < description->parameters.size(); ++index) {
    const bool is_declared = index < described_.parameters.size() && described_.parameters[index].is_declared;
    parameters.push_back(is_declared ? described_.parameters[index]
                                     : ParameterType{description->parameters[index], false});
  }
  described_.parameters = std::move(parameters);
  described_.columns = std::move(description->columns);
  keep_prepared(std::exchange(described_, {}));
}

std::vector<std::optional<semantics::TypeKind>> PgSession::declared_of(const Prepared& prepared) {
  std::vector<std::optional<semantics::TypeKind>> declared;
  for (const ParameterType& parameter : prepared.parameters) {
    declared.push_back(parameter.is_declared ? std::optional(parameter.kind) : std::nullopt);
  }
  return declared;
}

void PgSession::keep_prepared(Prepared prepared) {
  drop_statement(described_name_);
  statement_bytes_ += prepared.sql.size() + described_name_.size();
  has_parsed_ahead_ = has_parsed_ahead_ || !slots_.empty();
  statements_.emplace(described_name_, std::make_shared<const Prepared>(std::move(prepared)));
  append_plain('1', out());
}

void PgSession::on_bind(std::string_view body) {
  const auto message = read_bind(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  auto portal = bind(*message);
  if (!portal) {
    return fail(portal.error());
  }
  drop_portal(std::string(message->portal));
  portal_bytes_ += portal->parameter_bytes;
  portals_.emplace(message->portal, std::move(*portal));
  append_plain('2', out());
}

Result<PgSession::Portal> PgSession::bind(const BindMessage& message) const {
  const auto found = statements_.find(message.statement);
  if (found == statements_.end()) {
    return rejected("26000", message.statement.empty()
                                 ? std::string("unnamed prepared statement does not exist")
                                 : fmt::format("prepared statement \"{}\" does not exist", message.statement));
  }
  if (!message.portal.empty() && portals_.contains(message.portal)) {
    return rejected("42P03", fmt::format("portal \"{}\" already exists", message.portal));
  }
  Portal portal;
  portal.statement = found->second;
  const Prepared& statement = *portal.statement;
  if (block_.state == BlockState::kFailed && !std::holds_alternative<EndCommand>(statement.command)) {
    return failed_block();
  }
  if (message.parameters.size() != statement.parameters.size()) {
    return rejected("08P01",
                    fmt::format("bind message supplies {} parameters, but prepared statement \"{}\" requires {}",
                                message.parameters.size(), message.statement, statement.parameters.size()));
  }
  for (const auto& parameter : message.parameters) {
    portal.parameter_bytes += parameter ? parameter->size() : 0;
  }
  if (portals_.size() >= options_.limits.portals_max ||
      portal_bytes_ + portal.parameter_bytes > options_.limits.portal_bytes_max) {
    return rejected("54000",
                    fmt::format("a connection keeps at most {} portals with {} bytes of parameters",
                                options_.limits.portals_max, options_.limits.portal_bytes_max),
                    "close some that are not needed any longer");
  }
  const auto formats = formats_of(message.parameter_formats, message.parameters.size());
  if (!formats) {
    return formats.error();
  }
  for (size_t index = 0; index < message.parameters.size(); ++index) {
    auto value = read_parameter(statement.parameters[index], (*formats)[index], message.parameters[index]);
    if (!value) {
      Error error = value.error();
      error.message = fmt::format("parameter ${}: {}", index + 1, error.message);
      return error;
    }
    portal.parameters.push_back(std::move(*value));
  }
  auto result_formats = formats_of(message.result_formats, statement.columns.size());
  if (!result_formats) {
    return result_formats.error();
  }
  portal.formats = std::move(*result_formats);
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
    if (statement == statements_.end()) {
      return fail(rejected("26000", fmt::format("prepared statement \"{}\" does not exist", message->name)));
    }
    std::vector<uint32_t> types;
    for (const ParameterType& parameter : statement->second->parameters) {
      types.push_back(oid_of(parameter.kind));
    }
    append_parameter_description(types, out());
    return describe_columns(statement->second->columns, {});
  }
  const auto portal = portals_.find(message->name);
  if (portal == portals_.end()) {
    return fail(rejected("34000", fmt::format("portal \"{}\" does not exist", message->name)));
  }
  describe_columns(portal->second.statement->columns, portal->second.formats);
}

void PgSession::describe_columns(const std::vector<semantics::Column>& columns, const std::vector<int16_t>& formats) {
  if (columns.empty()) {
    return append_plain('n', out());
  }
  std::vector<Field> fields;
  for (size_t column = 0; column < columns.size(); ++column) {
    fields.push_back(field_of(columns[column], formats.empty() ? kTextFormat : formats[column]));
  }
  append_row_description(fields, out());
}

void PgSession::on_execute(std::string_view body) {
  const auto message = read_execute(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  const auto portal = portals_.find(message->portal);
  if (portal == portals_.end()) {
    return fail(rejected("34000", fmt::format("portal \"{}\" does not exist", message->portal)));
  }
  execute(portal->second, message->rows_max);
}

void PgSession::on_close(std::string_view body) {
  const auto message = read_target(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  if (message->kind == 'S') {
    drop_statement(std::string(message->name));
  } else {
    drop_portal(std::string(message->name));
  }
  append_plain('3', out());
}

void PgSession::on_flush() {
  // What is held back belongs to a write whose client wants to hear of it before it sends a Sync.
  if (group_.is_holding() && group_.is_alone()) {
    submit(Then::kAfterFlush);
  } else if (group_.is_holding()) {
    output_.text() += group_.release();
  }
}

void PgSession::on_sync() {
  skips_to_sync_ = false;
  if (!is_in_block() && group_.has_any()) {
    submit(Then::kEndSync);
  } else {
    end_sync();
  }
}

void PgSession::end_sync() {
  if (!is_in_block()) {
    drop_all_portals();
  }
  if (!slots_.empty()) {
    slots_.emplace_back();
  }
  end_ready();
}

void PgSession::drop_statement(const std::string& name) {
  if (const auto found = statements_.find(name); found != statements_.end()) {
    statement_bytes_ -= found->second->sql.size() + name.size();
    statements_.erase(found);
  }
}

void PgSession::drop_all_statements() {
  statements_.clear();
  statement_bytes_ = 0;
}

void PgSession::drop_portal(const std::string& name) {
  if (const auto found = portals_.find(name); found != portals_.end()) {
    abort(found->second);
    portal_bytes_ -= found->second.parameter_bytes;
    portals_.erase(found);
  }
}

void PgSession::drop_all_portals() {
  while (!portals_.empty()) {
    drop_portal(portals_.begin()->first);
  }
}

void PgSession::drop_all_portals_but_active() {
  for (auto entry = portals_.begin(); entry != portals_.end();) {
    if (&entry->second == executed_) {
      ++entry;
      continue;
    }
    abort(entry->second);
    portal_bytes_ -= entry->second.parameter_bytes;
    entry = portals_.erase(entry);
  }
}

}  // namespace daedalus::postgres
