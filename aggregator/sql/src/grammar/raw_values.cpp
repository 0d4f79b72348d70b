#include "raw_values.hpp"

namespace daedalus::aggregator::sql {

namespace {

StatementOption option_of(const ::DefElem& raw) {
  StatementOption option;
  option.name = text_of(raw.defname);
  option.position = position_of(raw.location);
  if (raw.arg == nullptr) {
    return option;
  }
  const ::NodeTag tag = tag_of(raw.arg);
  if (auto text = value_text(raw.arg)) {
    option.kind = tag == T_Integer || tag == T_Float ? StatementOption::Kind::kNumber : StatementOption::Kind::kText;
    option.text = std::move(*text);
  } else if (tag == T_A_Star) {
    option.kind = StatementOption::Kind::kStar;
    option.text = "*";
  } else if (tag == T_List) {
    option.kind = StatementOption::Kind::kNames;
    option.names = names_of(&as<::List>(raw.arg));
  }
  return option;
}

}  // namespace

const ::A_Const* constant_of(const void* raw) {
  if (tag_of(raw) == T_A_Const) {
    return &as<::A_Const>(raw);
  }
  const void* const cast = tag_of(raw) == T_TypeCast ? as<::TypeCast>(raw).arg : nullptr;
  const bool is_truth = cast != nullptr && tag_of(cast) == T_A_Const && !as<::A_Const>(cast).isnull &&
                        tag_of(&as<::A_Const>(cast).val) == T_Boolean;
  return is_truth ? &as<::A_Const>(cast) : nullptr;
}

std::optional<std::string> value_text(const void* raw) {
  switch (tag_of(raw)) {
    case T_String:
      return text_of(as<::String>(raw).sval);
    case T_Boolean:
      return as<::Boolean>(raw).boolval ? "true" : "false";
    case T_Integer:
      return std::to_string(as<::Integer>(raw).ival);
    case T_Float:
      return text_of(as<::Float>(raw).fval);
    default:
      return std::nullopt;
  }
}

std::vector<std::string> names_of(const ::List* raw) {
  std::vector<std::string> names;
  for (const ::ListCell& cell : cells_of(raw)) {
    if (cell.ptr_value != nullptr && tag_of(cell.ptr_value) == T_String) {
      names.push_back(text_of(as<::String>(cell.ptr_value).sval));
    }
  }
  return names;
}

std::vector<StatementOption> options_of(const ::List* raw) {
  std::vector<StatementOption> options;
  for (const ::ListCell& cell : cells_of(raw)) {
    options.push_back(option_of(as<::DefElem>(cell.ptr_value)));
  }
  return options;
}

}  // namespace daedalus::aggregator::sql
