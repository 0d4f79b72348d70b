#include "copy_tree.hpp"

#include "tree_reader.hpp"
// Behind what knows PostgreSQL's structures.
#include "raw_parse.hpp"

namespace daedalus::aggregator::sql {

namespace {

std::string text_of(const char* raw) { return raw == nullptr ? std::string() : std::string(raw); }

uint32_t position_of(int location) { return location < 0 ? 0 : static_cast<uint32_t>(location) + 1; }

/// The texts of a list of names.
std::vector<std::string> names_of(const ::List* raw) {
  std::vector<std::string> names;
  for (int index = 0; raw != NIL && index < raw->length; ++index) {
    const void* name = raw->elements[index].ptr_value;
    if (name != nullptr && tag_of(name) == T_String) {
      names.push_back(text_of(as<::String>(name).sval));
    }
  }
  return names;
}

CopyOption option_of(const ::DefElem& raw) {
  CopyOption option;
  option.name = text_of(raw.defname);
  option.position = position_of(raw.location);
  if (raw.arg == nullptr) {
    return option;
  }
  switch (tag_of(raw.arg)) {
    case T_String:
      option.kind = CopyOption::Kind::kText;
      option.text = text_of(as<::String>(raw.arg).sval);
      break;
    case T_Boolean:
      option.kind = CopyOption::Kind::kText;
      option.text = as<::Boolean>(raw.arg).boolval ? "true" : "false";
      break;
    case T_Integer:
      option.kind = CopyOption::Kind::kNumber;
      option.text = std::to_string(as<::Integer>(raw.arg).ival);
      break;
    case T_Float:
      option.kind = CopyOption::Kind::kNumber;
      option.text = text_of(as<::Float>(raw.arg).fval);
      break;
    case T_A_Star:
      option.kind = CopyOption::Kind::kStar;
      option.text = "*";
      break;
    case T_List:
      option.kind = CopyOption::Kind::kNames;
      option.names = names_of(&as<::List>(raw.arg));
      break;
    default:
      break;
  }
  return option;
}

}  // namespace

Result<CopyStatement> read_copy_tree(const std::string& text) {
  const RawParse parse(text.c_str());
  if (parse.has_failed()) {
    return parse.error();
  }
  const ::List* statements = parse.statements();
  const void* raw = statements == NIL ? nullptr : as<::RawStmt>(linitial(statements)).stmt;
  if (raw == nullptr || statements->length != 1 || tag_of(raw) != T_CopyStmt) {
    return rejected("42601", "a COPY is one statement of its own");
  }
  const auto& copy = as<::CopyStmt>(raw);
  CopyStatement made;
  if (copy.relation != nullptr) {
    made.database = text_of(copy.relation->catalogname);
    made.schema = text_of(copy.relation->schemaname);
    made.table = text_of(copy.relation->relname);
  }
  made.columns = names_of(copy.attlist);
  made.is_query_read = copy.query != nullptr && tag_of(copy.query) == T_SelectStmt;
  made.is_from = copy.is_from;
  made.is_program = copy.is_program;
  if (copy.filename != nullptr) {
    made.file = copy.filename;
  }
  made.has_where = copy.whereClause != nullptr;
  for (int index = 0; copy.options != NIL && index < copy.options->length; ++index) {
    made.options.push_back(option_of(as<::DefElem>(copy.options->elements[index].ptr_value)));
  }
  return made;
}

}  // namespace daedalus::aggregator::sql
