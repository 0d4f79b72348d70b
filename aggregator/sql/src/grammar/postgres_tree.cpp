#include "postgres_tree.hpp"

#include "tree_reader.hpp"
// Behind what knows PostgreSQL's structures.
#include "raw_parse.hpp"

namespace daedalus::aggregator::sql {

Result<PostgresTree> parse_as_postgres(const std::string& text, Arena* arena) {
  const RawParse parse(text.c_str());
  if (parse.has_failed()) {
    return parse.error();
  }
  PostgresTree tree;
  const ::List* statements = parse.statements();
  if (statements == NIL) {
    return tree;
  }
  const auto& first = as<::RawStmt>(linitial(statements));
  tree.statement_count = static_cast<uint32_t>(statements->length);
  tree.first_location = first.stmt_location;
  tree.first = TreeReader(arena).read(first.stmt);
  if (tree.statement_count > 1) {
    tree.second_location = as<::RawStmt>(lsecond(statements)).stmt_location;
  }
  return tree;
}

}  // namespace daedalus::aggregator::sql
