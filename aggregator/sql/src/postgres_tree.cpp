#include "postgres_tree.hpp"

#include <cstdlib>

#include "tree_reader.hpp"

extern "C" {
/// What libpg_query's parser returns. It exports these functions, and has no header for them.
struct PostgresParse {
  List* tree;
  char* stderr_buffer;
  PgQueryError* error;
};
PostgresParse pg_query_raw_parse(const char* input);
void pg_query_free_error(PgQueryError* error);
MemoryContext pg_query_enter_memory_context();
void pg_query_exit_memory_context(MemoryContext context);
}

namespace daedalus::aggregator::sql {

namespace {

/// The memory that the parser takes in between.
class ParserMemory {
 public:
  ParserMemory() : context_(pg_query_enter_memory_context()) {}
  ~ParserMemory() { pg_query_exit_memory_context(context_); }
  ParserMemory(const ParserMemory&) = delete;
  ParserMemory& operator=(const ParserMemory&) = delete;

 private:
  MemoryContext context_;
};

/// A text's raw parse. Its tree goes with the memory, the rest with this.
class RawParse {
 public:
  explicit RawParse(const char* sql) : parse_(pg_query_raw_parse(sql)) {}
  ~RawParse() {
    std::free(parse_.stderr_buffer);
    if (parse_.error != nullptr) {
      pg_query_free_error(parse_.error);
    }
  }
  RawParse(const RawParse&) = delete;
  RawParse& operator=(const RawParse&) = delete;

  [[nodiscard]] const ::List* statements() const { return parse_.tree; }
  [[nodiscard]] const PgQueryError* error() const { return parse_.error; }

 private:
  ParserMemory memory_;
  PostgresParse parse_;
};

/// SQLSTATE of a parser's error, which libpg_query does not pass on: nearly all are syntax errors.
const char* sqlstate_of(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != std::string_view::npos; };
  if (has("memory exhausted") || has("stack depth")) {
    return "54001";
  }
  if (has("invalid byte sequence")) {
    return "22021";
  }
  if (has("invalid Unicode escape") || has("invalid escape")) {
    return "22025";
  }
  return has("not yet implemented") ? "0A000" : "42601";
}

Error to_error(const PgQueryError& raw) {
  Error error = rejected(sqlstate_of(raw.message), raw.message);
  error.position = static_cast<uint32_t>(std::max(0, raw.cursorpos));
  return error;
}

}  // namespace

Result<PostgresTree> parse_as_postgres(const std::string& text, Arena* arena) {
  const RawParse parse(text.c_str());
  if (parse.error() != nullptr) {
    return to_error(*parse.error());
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
