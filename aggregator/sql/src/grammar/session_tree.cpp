#include "session_tree.hpp"

#include <utility>

#include "raw_values.hpp"

extern "C" {
#include <storage/lockdefs.h>
}

namespace daedalus::aggregator::sql {

namespace {

Error not_supported(std::string_view what, std::string hint = {}) {
  return rejected("0A000", std::string(what) + " is not supported", std::move(hint));
}

// ---- blocks ----

BlockModes modes_of(const ::List* raw) {
  BlockModes modes;
  for (const ::ListCell& cell : cells_of(raw)) {
    const auto& mode = as<::DefElem>(cell.ptr_value);
    const std::string_view name(mode.defname);
    const std::string value = value_text(&constant_of(mode.arg)->val).value_or("");
    if (name == "transaction_isolation") {
      modes.isolation = value == "serializable"       ? Isolation::kSerializable
                        : value == "repeatable read"  ? Isolation::kRepeatableRead
                        : value == "read uncommitted" ? Isolation::kReadUncommitted
                                                      : Isolation::kReadCommitted;
    } else if (name == "transaction_read_only") {
      modes.is_read_only = value != "0";
    }
  }
  return modes;
}

Result<SessionCommand> command_of(const ::TransactionStmt& raw) {
  using What = SavepointCommand::What;
  if (raw.chain) {
    return not_supported("AND CHAIN", "use BEGIN afterwards");
  }
  switch (raw.kind) {
    case TRANS_STMT_BEGIN:
      return BeginCommand{"BEGIN", modes_of(raw.options)};
    case TRANS_STMT_START:
      return BeginCommand{"START TRANSACTION", modes_of(raw.options)};
    case TRANS_STMT_COMMIT:
      return EndCommand{true};
    case TRANS_STMT_ROLLBACK:
      return EndCommand{false};
    case TRANS_STMT_SAVEPOINT:
      return SavepointCommand{What::kMake, text_of(raw.savepoint_name)};
    case TRANS_STMT_RELEASE:
      return SavepointCommand{What::kRelease, text_of(raw.savepoint_name)};
    case TRANS_STMT_ROLLBACK_TO:
      return SavepointCommand{What::kGoBack, text_of(raw.savepoint_name)};
    case TRANS_STMT_PREPARE:
      return not_supported("PREPARE TRANSACTION", "use COMMIT");
    case TRANS_STMT_COMMIT_PREPARED:
    case TRANS_STMT_ROLLBACK_PREPARED:
      break;
  }
  return not_supported("PREPARED", "use COMMIT");
}

Result<SessionCommand> command_of(const ::LockStmt& raw) {
  if (raw.mode != AccessShareLock) {
    return not_supported("LOCK in another mode than ACCESS SHARE",
                         "leave it out: updates take effect one after the other");
  }
  LockCommand command;
  for (const ::ListCell& cell : cells_of(raw.relations)) {
    const auto& table = as<::RangeVar>(cell.ptr_value);
    std::string& name = command.tables.emplace_back();
    for (const char* const part : {table.catalogname, table.schemaname, table.relname}) {
      name += part == nullptr ? "" : (name.empty() ? "" : ".") + std::string(part);
    }
  }
  return command;
}

// ---- settings ----

/// The values of SET, as a list of them is shown.
SetCommand set_to(const ::List* values, SetCommand command) {
  std::string& shown = command.value.emplace();
  for (const ::ListCell& cell : cells_of(values)) {
    const void* value = cell.ptr_value;
    if (tag_of(value) == T_TypeCast) {
      command.is_interval = true;
      value = as<::TypeCast>(value).arg;
    }
    shown += (&cell == &values->elements[0] ? "" : ", ") + value_text(&as<::A_Const>(value).val).value_or("");
  }
  return command;
}

Result<SessionCommand> command_of(const ::VariableSetStmt& raw) {
  const std::string name = text_of(raw.name);
  switch (raw.kind) {
    case VAR_SET_VALUE:
      return set_to(raw.args, {name, std::nullopt, raw.is_local});
    case VAR_SET_DEFAULT:
      return SetCommand{name, std::nullopt, raw.is_local};
    case VAR_SET_CURRENT:
      return not_supported("SET FROM CURRENT");
    case VAR_SET_MULTI:
      if (name == "TRANSACTION SNAPSHOT") {
        return not_supported("SET TRANSACTION SNAPSHOT");
      }
      return SetBlockCommand{modes_of(raw.args), name != "TRANSACTION"};
    case VAR_RESET:
      return ResetCommand{name};
    case VAR_RESET_ALL:
      break;
  }
  return ResetCommand{"all"};
}

Result<SessionCommand> command_of(const ::DiscardStmt& raw) {
  switch (raw.target) {
    case DISCARD_ALL:
      return DiscardCommand{"DISCARD ALL"};
    case DISCARD_PLANS:
      return DiscardCommand{"DISCARD PLANS"};
    case DISCARD_SEQUENCES:
      return DiscardCommand{"DISCARD SEQUENCES"};
    case DISCARD_TEMP:
      break;
  }
  return DiscardCommand{"DISCARD TEMP"};
}

// ---- cursors ----

Result<SessionCommand> command_of(const ::DeclareCursorStmt& raw) {
  const auto has = [&](int option) { return (raw.options & option) != 0; };
  if (has(CURSOR_OPT_SCROLL) && has(CURSOR_OPT_NO_SCROLL)) {
    return rejected("42P11", "cannot specify both SCROLL and NO SCROLL");
  }
  if (has(CURSOR_OPT_ASENSITIVE) && has(CURSOR_OPT_INSENSITIVE)) {
    return rejected("42P11", "cannot specify both ASENSITIVE and INSENSITIVE");
  }
  return DeclareCommand{text_of(raw.portalname), !has(CURSOR_OPT_NO_SCROLL), has(CURSOR_OPT_BINARY),
                        has(CURSOR_OPT_HOLD)};
}

Result<SessionCommand> command_of(const ::FetchStmt& raw) {
  static_assert(FETCH_ALL == FetchCommand::kAll);
  return FetchCommand{text_of(raw.portalname), raw.ismove,
                      same<FetchCommand::Way::kRelative, FETCH_RELATIVE>(raw.direction), raw.howMany};
}

// ---- prepared statements ----

PrepareStatement::Type type_of(const ::TypeName& raw) {
  PrepareStatement::Type type{{}, raw.arrayBounds != NIL, position_of(raw.location)};
  for (const std::string& name : names_of(raw.names)) {
    if (name != "pg_catalog") {
      type.name += (type.name.empty() ? "" : ".") + name;
    }
  }
  return type;
}

Result<SessionCommand> command_of(const ::PrepareStmt& raw) {
  PrepareStatement command{text_of(raw.name), {}};
  for (const ::ListCell& cell : cells_of(raw.argtypes)) {
    command.types.push_back(type_of(as<::TypeName>(cell.ptr_value)));
  }
  return command;
}

ExecuteCommand::Value value_of(const void* raw) {
  using Kind = ExecuteCommand::Value::Kind;
  const ::A_Const* const constant = constant_of(raw);
  if (constant == nullptr) {
    return {};
  }
  if (constant->isnull) {
    return {{}, Kind::kNull, {}};
  }
  auto text = value_text(&constant->val);
  return text ? ExecuteCommand::Value{{},
                                      tag_of(&constant->val) == T_String ? Kind::kString : Kind::kWord,
                                      std::move(*text)}
              : ExecuteCommand::Value();
}

Result<SessionCommand> command_of(const ::ExecuteStmt& raw) {
  ExecuteCommand command{text_of(raw.name), {}};
  for (const ::ListCell& cell : cells_of(raw.params)) {
    command.values.push_back(value_of(cell.ptr_value));
  }
  return command;
}

// ---- all of them ----

Result<SessionCommand> command_of(const ::Node* raw) {
  switch (raw->type) {
    case T_TransactionStmt:
      return command_of(as<::TransactionStmt>(raw));
    case T_LockStmt:
      return command_of(as<::LockStmt>(raw));
    case T_VariableSetStmt:
      return command_of(as<::VariableSetStmt>(raw));
    case T_VariableShowStmt:
      return ShowCommand{text_of(as<::VariableShowStmt>(raw).name)};
    case T_DiscardStmt:
      return command_of(as<::DiscardStmt>(raw));
    case T_DeclareCursorStmt:
      return command_of(as<::DeclareCursorStmt>(raw));
    case T_FetchStmt:
      return command_of(as<::FetchStmt>(raw));
    case T_ClosePortalStmt:
      return CloseCommand{text_of(as<::ClosePortalStmt>(raw).portalname)};
    case T_PrepareStmt:
      return command_of(as<::PrepareStmt>(raw));
    case T_ExecuteStmt:
      return command_of(as<::ExecuteStmt>(raw));
    case T_DeallocateStmt:
      return DeallocateCommand{text_of(as<::DeallocateStmt>(raw).name)};
    case T_ExplainStmt:
      return ExplainStatement{options_of(as<::ExplainStmt>(raw).options)};
    case T_UnlistenStmt:
      if (as<::UnlistenStmt>(raw).conditionname == nullptr) {
        return DiscardCommand{"UNLISTEN"};
      }
      return not_supported("LISTEN and NOTIFY");
    case T_ListenStmt:
    case T_NotifyStmt:
      return not_supported("LISTEN and NOTIFY");
    case T_ConstraintsSetStmt:
      return not_supported("SET CONSTRAINTS");
    default:
      return QueryCommand{};
  }
}

}  // namespace

Result<SessionCommand> read_session_tree(const std::string& text) {
  const RawParse parse(text.c_str());
  if (parse.has_failed()) {
    return parse.error();
  }
  const ::Node* const statement = only_statement(parse);
  return statement == nullptr ? rejected("42601", "cannot insert multiple commands into a prepared statement")
                              : command_of(statement);
}

}  // namespace daedalus::aggregator::sql
