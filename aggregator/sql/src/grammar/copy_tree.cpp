#include "copy_tree.hpp"

#include "raw_values.hpp"

namespace daedalus::aggregator::sql {

Result<CopyStatement> read_copy_tree(const std::string& text) {
  const RawParse parse(text.c_str());
  if (parse.has_failed()) {
    return parse.error();
  }
  const ::Node* const raw = only_statement(parse);
  if (raw == nullptr || raw->type != T_CopyStmt) {
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
  made.options = options_of(copy.options);
  return made;
}

}  // namespace daedalus::aggregator::sql
