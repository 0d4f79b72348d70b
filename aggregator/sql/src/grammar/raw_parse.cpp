#include <algorithm>
#include <cstdlib>
#include <string_view>

// Behind everything else: it brings PostgreSQL's macros.
#include "raw_parse.hpp"

extern "C" {
PostgresParse pg_query_raw_parse(const char* input);
void pg_query_free_error(PgQueryError* error);
MemoryContext pg_query_enter_memory_context();
void pg_query_exit_memory_context(MemoryContext context);
}

namespace daedalus::aggregator::sql {

namespace {

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

}  // namespace

ParserMemory::ParserMemory() : context_(pg_query_enter_memory_context()) {}

ParserMemory::~ParserMemory() { pg_query_exit_memory_context(context_); }

RawParse::RawParse(const char* sql) : parse_(pg_query_raw_parse(sql)) {}

RawParse::~RawParse() {
  std::free(parse_.stderr_buffer);
  if (parse_.error != nullptr) {
    pg_query_free_error(parse_.error);
  }
}

Error RawParse::error() const {
  const PgQueryError& raw = *parse_.error;
  Error error = rejected(sqlstate_of(raw.message), raw.message);
  error.position = static_cast<uint32_t>(std::max(0, raw.cursorpos));
  return error;
}

}  // namespace daedalus::aggregator::sql
